"""The arrays that the results of a study consist of, and their Dataset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import LARGEST_N, Integers
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.files import Fields
from ndcg_asymptotics.core.versions import versions_of
from ndcg_asymptotics.engines import engine
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.studies.design import ENGINES

if TYPE_CHECKING:
    import xarray as xr

INDEX = "replicate"
AXES = (INDEX, "scorer", "pair", "measure", "n")
"""The axes of variables, in order."""

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


@dataclass(frozen=True)
class Variable:
    """The shape and type of an array."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def nbytes(self) -> int:
        """Its size in bytes."""
        return int(np.prod(self.shape, dtype=object)) * self.dtype.itemsize


@dataclass(frozen=True)
class Layout:
    """The arrays of the results of a study, worked out from its canonical fields alone.

    Raises
    ------
    InputError
        If the fields are not those of a study.
    """

    fields: Fields

    def __post_init__(self) -> None:
        try:
            sizes, pairs, scorers = self.fields["n"], self.fields["pairs"], self.fields["scorers"]
            aliases = self.fields.get("aliases", self.fields["measures"])
            proper = {
                "scorers": isinstance(scorers, dict) and _texts(list(scorers)),
                "measures": _texts(self.fields["measures"]),
                "aliases": _texts(aliases) and len({*aliases}) == len(self.fields["measures"]),
                "n": isinstance(sizes, list)
                and len(sizes) > 0
                and all(isinstance(n, int) and 1 <= n <= LARGEST_N for n in sizes),
                "pairs": isinstance(pairs, list) and all(len(pair) == 2 and _texts(pair) for pair in pairs),
                "seed": isinstance(self.fields["seed"], int),
                "replicates": isinstance(self.fields["replicates"], int),
                "engine": self.fields["engine"] in ENGINES,
            }
        except (TypeError, KeyError) as error:
            raise InputError(f"not the fields of a study ({error!r})") from None
        wrong = [name for name, good in proper.items() if not good]
        if wrong:
            raise InputError(f"not the fields of a study ({', '.join(wrong)})")

    @classmethod
    def of(cls, study: Study) -> Layout:
        """Return the layout of a study, whether or not its functions have names by which they are found."""
        return cls(
            {
                "scorers": dict.fromkeys(study.scorers),
                "measures": [str(measure) for measure in study.measures],
                "n": list(study.n),
                "pairs": [list(pair) for pair in study.pairs],
                "seed": study.seed,
                "replicates": study.replicates,
                "engine": study.engine,
            }
        )

    @cached_property
    def coordinates(self) -> dict[str, NDArray[np.generic]]:
        """The labels of the axes, apart from `replicate`."""
        found: dict[str, NDArray[np.generic]] = {
            "scorer": np.array(list(self.fields["scorers"])),
            "measure": np.array(self.fields["measures"]),
            "n": np.array(self.fields["n"], np.int64),
        }
        pairs = np.array([f"{a} > {b}" for a, b in self.fields["pairs"]])
        return found | ({"pair": pairs} if len(pairs) else {})

    @cached_property
    def axes(self) -> dict[str, tuple[str, ...]]:
        """The axes of every variable that the engine gives for this study, apart from `replicate`."""
        variables = engine.load_engine(self.fields["engine"]).VARIABLES
        known = self.coordinates.keys()
        return {name: axes for name, axes in sorted(variables.items()) if known >= set(axes)}

    def variables(self, replicates: int) -> dict[str, Variable]:
        """Return the shape and type of every array; replicates are the leading axis."""
        lengths = {name: len(values) for name, values in self.coordinates.items()}
        return {
            name: Variable(
                (replicates, *(lengths[axis] for axis in axes)), np.dtype(engine.KINDS[name].dtype)
            )
            for name, axes in self.axes.items()
        }

    @cached_property
    def bytes_per_replicate(self) -> int:
        """The size of all arrays of one replicate."""
        return sum(variable.nbytes for variable in self.variables(1).values())


def _texts(values: object) -> bool:
    return isinstance(values, list) and len(values) > 0 and all(isinstance(text, str) for text in values)


def dataset(study: Study, replicates: Integers, variables: Named) -> xr.Dataset:
    """Return the values of some replicates as a Dataset that describes itself."""
    import xarray as xr  # here: to load it takes longer than to read most results

    seed = study.seed if study.seed < 2**31 else str(study.seed)  # attributes of NetCDF are 32-bit
    attributes = {"title": study.title, "seed": seed, "engine": study.engine}
    found = xr.Dataset(variables, {INDEX: replicates, **Layout.of(study).coordinates}, attributes)
    for name, (words, unit) in _MEANINGS.items():
        if name in found.variables:
            found[name].attrs.update({"long_name": words, "units": unit})
    return found
