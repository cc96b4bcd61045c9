"""What a folder of results looks like.

It holds ``results.zarr`` and what its study's texts refer to: ``curves/`` with copies of curve files, and
copies of modules. The store has every variable of the engine with a leading ``replicate``, and for each
replicate a ``seal``: 0 as long as it is not complete, then a digest of its values (`store.damage.seals`).
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import LARGEST_N, Integers, spans
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.engines import engine
from ndcg_asymptotics.engines.shared.machine import vector_units
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.studies.engines import ENGINES

if TYPE_CHECKING:
    import xarray as xr

FORMAT = 2
STORE = "results.zarr"
PACKAGE = "ndcg-asymptotics"

#: What is known of each replicate beside its values; ``complete`` is what format 1 had in place of seals.
INDEX, SEAL, COMPLETE = "replicate", "seal", "complete"

#: The axes of variables, in order.
AXES = (INDEX, "scorer", "pair", "measure", "n")

Named = Mapping[str, tuple[tuple[str, ...], NDArray[Any]]]
"""Arrays by variable, each with its axes."""

CHUNK_BYTES = 2**20
CHUNK_ROWS = 4096  # replicates in a chunk, at most: what one damaged file can cost


_MEANINGS = {  # long name and unit of every variable
    "ndcg": ("NDCG of a stream's first n items", "1"),
    "low": ("lower end of the bracket of NDCG", "1"),
    "high": ("upper end of the bracket of NDCG", "1"),
    "order": ("sign of the difference of a pair's NDCG, 127 if undecided", "1"),
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
    """Whether a store is there, be it damaged: it appears by one rename."""
    return (folder / STORE).is_dir()


@cache  # asked for with every block
def versions_here() -> dict[str, str]:
    """What decides bits: versions, and the vector units in use."""
    libraries = {name: version(name) for name in ("numpy", "numba", "scipy")}
    here = {"ndcg_asymptotics": version(PACKAGE), "python": platform.python_version()}
    return here | libraries | vector_units()


def differing_makers(here: Mapping[str, str], *others: Mapping[str, str]) -> list[str]:
    """In what versions and vector units differ from these.

    >>> differing_makers({"numpy": "2.4"}, {"numpy": "2.3"}, {"numpy": "2.4"})
    ['numpy 2.3, here 2.4']
    """
    found = [
        f"{name} {there.get(name, 'unknown')}, here {here[name]}"
        for there in others
        for name in here
        if there.get(name) != here[name]
    ]
    return list(dict.fromkeys(found))


@dataclass(frozen=True)
class Damage:
    """Something in a folder of results that is not what was written, and what was lost with it."""

    place: str
    what: str
    replicates: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.place} {self.what}" + (
            f": replicates {spans(self.replicates)}" if self.replicates else ""
        )


class UndescribedError(InputError):
    """Nothing tells any more what study a folder is of."""

    def __init__(self, folder: Path, damage: Damage) -> None:
        super().__init__(f"{folder}: damaged: {damage}; nothing else tells what study this is of")
        self.damage = damage


@dataclass(frozen=True)
class Variable:
    """An array of values: its axes after ``replicate``, their lengths, and its type."""

    axes: tuple[str, ...]
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def nbytes(self) -> int:
        """Of one replicate."""
        return int(np.prod(self.shape, dtype=object)) * self.dtype.itemsize


@dataclass(frozen=True)
class Layout:
    """What a store of a study holds, from the study's canonical fields.

    Raises
    ------
    InputError
        If they are no study's.
    """

    fields: Mapping[str, Any]

    def __post_init__(self) -> None:
        try:
            proper = {
                "scorers": _texts(list(self.fields["scorers"])),
                "measures": _texts(self.fields["measures"]),
                "n": all(isinstance(n, int) and 1 <= n <= LARGEST_N for n in self.fields["n"]),
                "pairs": all(len(pair) == 2 and _texts(pair) for pair in self.fields["pairs"]),
                "seed": isinstance(self.fields["seed"], int),
                "replicates": isinstance(self.fields["replicates"], int),
                "engine": self.fields["engine"] in ENGINES,
            }
        except (TypeError, KeyError) as error:
            raise InputError(f"not the fields of a study ({error!r})") from None
        wrong = [name for name, good in proper.items() if not good]
        if wrong:
            raise InputError(f"not the fields of a study ({', '.join(wrong)})")

    @cached_property
    def coordinates(self) -> dict[str, NDArray[Any]]:
        """The labels of the axes, apart from `replicate`."""
        return coordinates(*(self.fields[name] for name in ("scorers", "measures", "n", "pairs")))

    @cached_property
    def variables(self) -> dict[str, Variable]:
        """The variables that the engine gives for this study."""
        lengths = {name: len(values) for name, values in self.coordinates.items()}
        return {
            name: Variable(axes, tuple(lengths[axis] for axis in axes), np.dtype(engine.KINDS[name].dtype))
            for name, axes in engine.load(self.fields["engine"]).VARIABLES.items()
            if all(axis in lengths for axis in axes)
        }

    @property
    def chunk_rows(self) -> int:
        """Replicates in a chunk, the same in all variables."""
        largest = max(variable.nbytes for variable in self.variables.values())
        return min(max(CHUNK_BYTES // max(largest, 1), 1), CHUNK_ROWS)


def _texts(values: Any) -> bool:
    return isinstance(values, list) and len(values) > 0 and all(isinstance(text, str) for text in values)


def coordinates(
    scorers: Iterable[str], measures: Iterable[str], n: Iterable[int], pairs: Sequence[Sequence[str]]
) -> dict[str, NDArray[Any]]:
    """The labels of the axes of a study, apart from `replicate`."""
    found: dict[str, NDArray[Any]] = {
        "scorer": np.array(list(scorers)),
        "measure": np.array(list(measures)),
        "n": np.array(list(n), np.int64),
    }
    return found | ({"pair": np.array([f"{a} > {b}" for a, b in pairs])} if pairs else {})


def dataset(
    study: Study,
    replicates: Integers,
    variables: Named,
    further: Mapping[str, Any],
) -> xr.Dataset:
    """The values of some replicates, by variable with its axes, as a Dataset that says what it is of."""
    import xarray as xr  # here: to load it takes longer than to read most results

    seed = study.seed if study.seed < 2**31 else str(study.seed)  # what every format of files can hold
    attributes = {"title": study.title, "seed": seed, "engine": study.engine, **further}
    labels = coordinates(study.scorers, map(str, study.measures), study.n, study.pairs)
    found = xr.Dataset(variables, {INDEX: replicates, **labels}, attributes)
    for name, (words, unit) in _MEANINGS.items():
        if name in found.variables:
            found[name].attrs.update({"long_name": words, "units": unit})
    return found
