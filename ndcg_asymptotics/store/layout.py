"""What a folder of results looks like.

It holds ``results.zarr`` and what its study's texts refer to: ``curves/`` with copies of curve files, and
copies of modules. The store has every variable of the engine with a leading ``replicate``;
``complete`` says for each replicate whether its values are all there.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from ndcg_asymptotics.arrays import Integers
from ndcg_asymptotics.studies import Study

FORMAT = 1
STORE = "results.zarr"
PACKAGE = "ndcg-asymptotics"

#: What is known of each replicate beside its values.
INDEX, COMPLETE = "replicate", "complete"


_MEANINGS = {  # long name and unit of every variable
    "ndcg": ("NDCG of a stream's first n items", "1"),
    "low": ("lower end of the bracket of NDCG", "1"),
    "high": ("upper end of the bracket of NDCG", "1"),
    "order": ("sign of the difference of a pair's NDCG, -128 if undecided", "1"),
    "last_not_greater": ("last n at which the first of a pair is not ahead", "items"),
    "last_not_less": ("last n at which the first of a pair is not behind", "items"),
    "changes": ("changes of the order of a pair along n", "1"),
    "n": ("list length", "items"),
    "replicate": ("index of the replicate", "1"),
    "scorer": ("scorer", ""),
    "measure": ("measure", ""),
    "pair": ("pair of scorers", ""),
}


def holds_results(folder: Path) -> bool:
    """Whether a store is there."""
    return (folder / STORE / "zarr.json").is_file()


@cache  # asked for with every block
def versions_here() -> dict[str, str]:
    """The versions that decide bits."""
    libraries = {name: version(name) for name in ("numpy", "numba", "scipy")}
    return {"ndcg_asymptotics": version(PACKAGE), "python": platform.python_version()} | libraries


def coordinates(study: Study) -> dict[str, NDArray[Any]]:
    """The labels of the axes, apart from `replicate`."""
    found: dict[str, NDArray[Any]] = {
        "scorer": np.array(list(study.scorers)),
        "measure": np.array([str(measure) for measure in study.measures]),
        "n": np.array(study.n, np.int64),
    }
    if study.pairs:
        found["pair"] = np.array([f"{a} > {b}" for a, b in study.pairs])
    return found


def dataset(
    study: Study,
    replicates: Integers,
    variables: Mapping[str, tuple[tuple[str, ...], NDArray[Any]]],
    further: Mapping[str, Any],
) -> xr.Dataset:
    """The values of some replicates, by variable with its axes, as a Dataset that says what it is of."""
    seed = study.seed if study.seed < 2**31 else str(study.seed)  # what every format of files can hold
    attributes = {"title": study.title, "seed": seed, "engine": study.engine, **further}
    found = xr.Dataset(variables, {INDEX: replicates, **coordinates(study)}, attributes)
    for name, (words, unit) in _MEANINGS.items():
        if name in found.variables:
            found[name].attrs.update({"long_name": words, "units": unit})
    return found
