"""The arrays that the results of a study consist of, and their Dataset."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Integers
from ndcg_asymptotics.core.versions import versions_of
from ndcg_asymptotics.engines import engine
from ndcg_asymptotics.studies import Study

if TYPE_CHECKING:
    import xarray as xr

INDEX = "replicate"

Named = Mapping[str, tuple[tuple[str, ...], NDArray[np.generic]]]
"""Arrays by variable, each with its axes."""

_MEANINGS = {  # long name and unit of every variable
    "ndcg": ("NDCG or DCG of a stream's first n items", "1"),
    "low": ("lower end of the bracket of ndcg", "1"),
    "high": ("upper end of the bracket of ndcg", "1"),
    "minimum": ("least ndcg after the previous n, up to n", "1"),
    "maximum": ("greatest ndcg after the previous n, up to n", "1"),
    "order": ("sign of the difference of a pair's ndcg, 127 if undecided", "1"),
    "log_weight": ("natural logarithm of the importance weight of a draw", "1"),
    "last": ("1 where the wrong order at n is the last one along the list lengths, -1 if unsettled", "1"),
    "last_not_greater": ("last n at which the first of a pair is not ahead", "items"),
    "last_not_less": ("last n at which the first of a pair is not behind", "items"),
    "changes": ("changes of the order of a pair along n", "1"),
    "n": ("list length", "items"),
    "replicate": ("index of the replicate", "1"),
    "scorer": ("scorer", ""),
    "measure": ("measure", ""),
    "pair": ("pair of scorers", ""),
}


def versions_here() -> dict[str, str]:
    """Return the versions of libraries and the vector units that decide the bits of results here."""
    from ndcg_asymptotics.engines.shared.machine import numba_cpu  # it imports numba

    return versions_of("numpy", "numba", "scipy") | {"numba_cpu": numba_cpu()}


class Variable(NamedTuple):
    """The axes of an array apart from `replicate`, its shape for one replicate, and its type."""

    axes: tuple[str, ...]
    shape: tuple[int, ...]
    dtype: np.dtype[Any]


def coordinates(study: Study) -> dict[str, NDArray[np.generic]]:
    """Return the labels of the axes, apart from `replicate`."""
    labels: dict[str, NDArray[np.generic]] = {
        "scorer": np.array(list(study.scorers)),
        "measure": np.array([str(measure) for measure in study.measures]),
        "n": np.array(study.n, np.int64),
    }
    pairs = np.array([f"{a} > {b}" for a, b in study.pairs])
    return labels | ({"pair": pairs} if len(pairs) else {})


def variables_of(study: Study) -> dict[str, Variable]:
    """Return the arrays that the engine gives for a study."""
    lengths = {axis: len(labels) for axis, labels in coordinates(study).items()}
    return {
        name: Variable(axes, tuple(lengths[axis] for axis in axes), np.dtype(engine.DTYPES[name]))
        for name, axes in sorted(engine.load_engine(study.engine).VARIABLES.items())
        if lengths.keys() >= set(axes)
    }


def bytes_per_replicate(study: Study) -> int:
    """Return the size of all arrays of one replicate."""
    return sum(
        math.prod(variable.shape) * variable.dtype.itemsize for variable in variables_of(study).values()
    )


def dataset(study: Study, replicates: Integers, variables: Named) -> xr.Dataset:
    """Return the values of some replicates as a Dataset that describes itself."""
    import xarray as xr  # here: to load it takes longer than to read most results

    seed = study.seed if study.seed < 2**31 else str(study.seed)  # attributes of NetCDF are 32-bit
    attributes = {"title": study.title, "seed": seed, "engine": study.engine}
    data = xr.Dataset(variables, {INDEX: replicates, **coordinates(study)}, attributes)
    for name, (words, unit) in _MEANINGS.items():
        if name in data.variables:
            data[name].attrs.update({"long_name": words, "units": unit})
    return data
