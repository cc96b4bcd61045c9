"""Growing lists in a folder.

Its files::

    growth.json                     runs, measures, queries, list lengths, settings, versions
    0-<queries - 1>-<digest>.npz    the values, in one block
    unfinished/                     arrays of an interrupted computation, until all is written
    curves/                         the fitted curves that theory is computed from

The block has ``ndcg`` (query, run, measure, n) and, if compared with theory, ``pooled`` and ``grouped``
(run, measure, m), with m some of the list lengths. The files are as immutable as those of a study, and
checked in the same way. ``growth.json`` is written last and names the block, so a reader finds either all of
the results or none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Array, Floats
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.files import (
    Fields,
    UnreadableError,
    digest_of,
    key_of,
    lock,
    make_folder,
    path_of,
    unlock,
    write_file,
)
from ndcg_asymptotics.engines.engine import impossible, impossible_value
from ndcg_asymptotics.lists.growing import Keeper
from ndcg_asymptotics.lists.growth import Growth, Theory
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.results.blocks import (
    LARGEST_REPLICATE,
    Damage,
    File,
    block_files,
    read_beside,
    read_block,
    read_description,
    write_block,
    write_description,
)
from ndcg_asymptotics.results.folder import refuse_damages
from ndcg_asymptotics.results.kinds import GROWTH, require_free, require_kind
from ndcg_asymptotics.results.layout import Variable, versions_here

_CURVES = "curves"
_UNFINISHED = "unfinished"  # the subfolder of arrays of an interrupted computation
_ROUNDING = 1e-6  # of a mean
_AXES = {
    "ndcg": ("query", "run", "measure", "n"),
    "pooled": ("run", "measure", "m"),
    "grouped": ("run", "measure", "m"),
}


def save_growth(growth: Growth, folder: str | Path) -> None:
    """Write growing lists to a folder, made if it does not exist.

    Raises
    ------
    InputError
        If the folder holds growing lists already, or another process is writing to it.
    OSError
        If it cannot be written to.

    >>> import tempfile
    >>> import ndcg_asymptotics as na
    >>> grown = na.lists.grow({"mine": {"q": {"a": 2.0, "b": 1.0}}}, {"q": {"b": 1.0}}, "nDCG", orders=3)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_growth(grown, folder)
    ...     bool((open_growth(folder).ndcg == grown.ndcg).all())
    True
    """
    folder = path_of(folder, "folder")
    require_free(folder)
    values = _values(growth)
    size = sum(array.nbytes for array in values.values())
    require(
        size <= LARGEST_REPLICATE, f"{folder}: {size:.3g} bytes of values, at most {LARGEST_REPLICATE:.3g}"
    )
    make_folder(folder)
    held = lock(folder)
    try:
        require_free(folder)
        curves = growth.theory.curves if growth.theory else {}
        for name, content in curves.items():
            write_file(folder / _CURVES / name, content, folder)
        stated = {
            "runs": list(growth.runs),
            "measures": [measure.stored for measure in growth.measures],
            "queries": list(growth.queries),
            "n": growth.sizes.tolist(),
            "m": growth.theory.sizes.tolist() if growth.theory else None,
            "groups": growth.theory.groups if growth.theory else 0,
            "settings": dict(growth.settings),
            "left_out": list(growth.left_out),
        }
        last = len(growth.queries) - 1
        block = write_block(folder, key_of(stated), 0, last, values, versions_here(), [(0, last)])
        beside = {f"{_CURVES}/{name}": digest_of(content) for name, content in curves.items()}
        fields = {"growth": stated, "block": block.digest, "versions": versions_here(), "beside": beside}
        write_description(folder / GROWTH, fields, folder)
        _remove_unfinished(folder)
    finally:
        unlock(held)


def unfinished(folder: str | Path) -> Keeper:
    """Return a function that keeps arrays in a subfolder, until `save_growth` writes all of the results.

    Each array is in a block of its own, which is used only if it is whole, of the same inputs and made by the
    same versions.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [unfinished(folder)("ones", (2,), lambda: np.full(2, x)).tolist() for x in (1.0, 2.0)]
    [[1.0, 1.0], [1.0, 1.0]]
    """
    place = path_of(folder, "folder") / _UNFINISHED

    def keep(name: str, shape: tuple[int, ...], compute: Callable[[], Floats]) -> Floats:
        key = key_of({"array": name, "versions": versions_here()})
        for file in block_files(place) if place.is_dir() else ():
            with suppress(UnreadableError):
                return read_block(file, key, {"values": Variable(shape, np.dtype(np.float64))}).values[
                    "values"
                ]
        found = compute()
        make_folder(place)
        write_block(place, key, 0, 0, {"values": found}, versions_here(), [(0, 0)])
        return found

    return keep


def _remove_unfinished(folder: Path) -> None:
    place = folder / _UNFINISHED
    if place.is_dir() and not place.is_symlink():
        for file in block_files(place):
            file.path.unlink()
        with suppress(OSError):  # somebody else's files
            place.rmdir()


def _values(growth: Growth) -> dict[str, NDArray[np.generic]]:
    theory = growth.theory
    values: dict[str, NDArray[np.generic]] = {"ndcg": growth.ndcg}
    if theory is not None:
        values |= {"pooled": theory.pooled, "grouped": theory.grouped}
    return values


@dataclass
class GrowthContents:
    """The contents of a folder of growing lists, and its damages."""

    stated: Fields = field(default_factory=dict)
    values: Mapping[str, Array] = field(default_factory=dict)
    curves: dict[str, bytes] = field(default_factory=dict)
    damages: list[Damage] = field(default_factory=list)

    @property
    def queries(self) -> int:
        """The number of queries that the record states."""
        return len(self.stated.get("queries", ()))


def examine_growth(folder: str | Path) -> GrowthContents:
    """Read everything in a folder of growing lists and check it.

    Raises
    ------
    InputError
        If it holds none, or those of a newer or older version.
    """
    folder = path_of(folder, "folder")
    require_kind(folder, "growth")

    def parse(record: Fields) -> tuple[dict[str, Any], dict[str, Variable], File, dict[str, str]]:
        stated = dict(record["growth"])
        last, digest = len(stated["queries"]) - 1, str(record["block"])
        block = File(0, last, digest, folder / f"0-{last}-{digest}.npz")
        return stated, _shapes(stated), block, dict(record["beside"])

    try:
        stated, shapes, block, beside = read_description(folder / GROWTH, parse, "growing lists")
    except UnreadableError as error:
        return GrowthContents(damages=[Damage(GROWTH, str(error))])
    curves, damages = read_beside(folder, beside)
    found = GrowthContents(stated, {}, {name.removeprefix(f"{_CURVES}/"): x for name, x in curves.items()})
    try:
        found.values = read_block(block, key_of(stated), shapes).values
        if said := _impossible(found.values, stated):
            raise UnreadableError(f"holds {said}")
    except UnreadableError as error:
        found.damages.append(Damage(block.path.name, str(error)))
    found.damages += damages
    return found


def _shapes(stated: Fields) -> dict[str, Variable]:
    fields = {"query": "queries", "run": "runs", "measure": "measures", "n": "n", "m": "m"}
    lengths = {axis: len(stated[name] or ()) for axis, name in fields.items()}
    return {
        name: Variable(tuple(lengths[axis] for axis in axes), np.dtype(np.float64))
        for name, axes in _AXES.items()
        if name == "ndcg" or stated["m"] is not None
    }


def _impossible(values: Mapping[str, Array], stated: Fields) -> str | None:
    """Name values that no growing lists can have; means that theory cannot give are NaN."""
    if said := impossible({"ndcg": values["ndcg"]}, stated["measures"]):
        return said
    for name in values.keys() & {"pooled", "grouped"}:
        known = np.nan_to_num(values[name])
        for end in (0.0, 1.0):  # which rounding may have passed
            known = np.where(np.abs(known - end) < _ROUNDING, end, known)
        if said := impossible_value("ndcg", known, stated["measures"]):
            return f"{name} = {said}"
    sizes = [size for size in (stated["n"], stated["m"]) if size is not None]
    if any(np.any(np.diff(np.array(size, np.int64)) < 1) for size in sizes):
        return "list lengths that do not increase"
    return None


def open_growth(folder: str | Path) -> Growth:
    """Open the growing lists in a folder.

    Everything is read and compared with the digests that were written with it.

    Raises
    ------
    InputError
        If the folder holds none, or they are damaged or of another version.

    >>> open_growth("nowhere")
    Traceback (most recent call last):
    ndcg_asymptotics.core.errors.InputError: nowhere: no growing lists here (no growth.json)
    """
    folder = path_of(folder, "folder")
    found = examine_growth(folder)
    refuse_damages(folder, found.damages, "growing the lists again into a new folder gives the same values")
    stated, values, theory = found.stated, found.values, None
    try:
        if stated["m"] is not None:
            sizes, groups = np.array(stated["m"], np.int64), int(stated["groups"])
            theory = Theory(sizes, values["pooled"], values["grouped"], groups, found.curves)
        measures = tuple(Measure.parse(text, folder) for text in stated["measures"])
        return Growth(
            runs=tuple(stated["runs"]),
            measures=measures,
            sizes=np.array(stated["n"], np.int64),
            queries=tuple(stated["queries"]),
            ndcg=values["ndcg"],
            left_out=tuple(stated["left_out"]),
            settings=dict(stated["settings"]),
            theory=theory,
        )
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{folder}: the growing lists cannot be read ({error})") from None
