"""What a folder of results holds, and what of it is damaged. Nothing is written, and nothing of it is run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Bools, Integers
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.engines.engine import impossible
from ndcg_asymptotics.results.chunks import (
    COMPRESSORS,
    OLD_COMPRESSORS,
    Chunks,
    UnreadableError,
    never,
    read_bounded,
)
from ndcg_asymptotics.results.damage.seals import Seals, checksum_holds, digest_of, seals_of, study_key
from ndcg_asymptotics.results.description import JSON, array_described, read_json
from ndcg_asymptotics.results.layout import (
    CHUNK_ROWS,
    COMPLETE,
    FORMAT,
    INDEX,
    PACKAGE,
    SEAL,
    STORE,
    Damage,
    Layout,
    UndescribedError,
    Variable,
    holds_results,
    versions_here,
)

_LARGEST_FILE = 2**30  # bytes of a file beside the store
_MOST = 10**9  # no replicate has a greater index


@dataclass(frozen=True)
class Survey:
    """What a folder of results holds.

    Attributes
    ----------
    folder : Path
    form : int
        The format of the store.
    layout : Layout
        Of the study that was stored, or that was given where the record of it is damaged.
    versions : list of dict
    files : mapping of name to digest
        What was written once.
    damages : list of Damage
    arrays : mapping of name to Chunks
        The values.
    replicates : (R,) integers
        Their indices, row by row.
    seals : (R,)
        0 where a replicate is not complete, or damaged.
    """

    folder: Path
    form: int
    layout: Layout
    versions: list[dict[str, str]]
    files: Mapping[str, str]
    damages: list[Damage] = field(default_factory=list)
    arrays: Mapping[str, Chunks] = field(default_factory=dict)
    replicates: Integers = field(default_factory=lambda: np.zeros(0, np.int64))
    seals: Seals = field(default_factory=lambda: np.zeros(0, np.uint64))

    @property
    def done(self) -> Bools:
        """Which rows hold complete replicates, as they were written."""
        return np.asarray(self.seals != 0)

    @property
    def described(self) -> bool:
        """Whether the store's own record of its study is whole."""
        return not any(damage.place == f"{STORE}/{JSON}" for damage in self.damages)

    @property
    def index_damaged(self) -> bool:
        """Whether nothing but seals says which replicate a row is of."""
        return any(damage.place.startswith(f"{STORE}/{INDEX}/") for damage in self.damages)

    def values(self) -> Iterator[tuple[Integers, dict[str, NDArray[Any]]]]:
        """The rows of complete replicates with their values, some at a time.

        Raises
        ------
        InputError
            If a value is no longer what it was when the folder was looked at.
        """
        for rows, values, wrong in self._stretches(self.done):
            same = not wrong and np.array_equal(self._sealed(rows, values), self.seals[rows])
            require(same, f"{self.folder}: its files changed since it was opened; open it again")
            yield rows, values

    def checked(self) -> Survey:
        """The same, with the seals of what is damaged set to 0 and the damages named."""
        seals, damages = np.zeros_like(self.seals), list(self.damages)
        for rows, values, wrong in self._stretches(self.done):
            of_rows = tuple(self.replicates[rows].tolist())
            damages += [Damage(place, what, of_rows) for place, what in wrong.items()]
            if wrong:
                continue
            found = self._sealed(rows, values)
            good = found == self.seals[rows] if self.form == FORMAT else np.ones(len(rows), bool)
            if not good.all():
                altered = tuple(self.replicates[rows[~good]].tolist())
                damages.append(Damage(STORE, "does not hold the values that were written", altered))
            if impossible({name: array[good] for name, array in values.items()}):
                for i in np.flatnonzero(good):
                    if said := impossible({name: array[i] for name, array in values.items()}):
                        damages.append(Damage(STORE, f"holds {said}", (int(self.replicates[rows[i]]),)))
                        good[i] = False
            seals[rows[good]] = found[good]
        return replace(self, seals=seals, damages=_merged(damages))

    def _sealed(self, rows: Integers, values: Mapping[str, NDArray[Any]]) -> Seals:
        return seals_of(study_key(self.layout.fields), self.replicates[rows].tolist(), values)

    def _stretches(self, wanted: Bools) -> Iterator[tuple[Integers, dict[str, NDArray[Any]], dict[str, str]]]:
        """Rows that are wanted, their values, and what is wrong by the file it is wrong with."""
        step = min((array.rows for array in self.arrays.values()), default=CHUNK_ROWS)
        kept: dict[str, tuple[int, NDArray[Any]]] = {}
        for first in range(0, len(wanted), step):
            rows = np.arange(first, min(first + step, len(wanted)))[wanted[first : first + step]]
            if not len(rows):
                continue
            values: dict[str, NDArray[Any]] = {}
            wrong: dict[str, str] = {}
            for name, array in self.arrays.items():
                parts = []
                for chunk in np.unique(rows // array.rows).tolist():
                    try:
                        if kept.get(name, (-1,))[0] != chunk:
                            kept[name] = chunk, array.read(chunk)
                    except UnreadableError as error:
                        wrong[array.path(chunk).relative_to(self.folder).as_posix()] = str(error)
                        break
                    parts.append(kept[name][1][rows[rows // array.rows == chunk] - chunk * array.rows])
                else:
                    values[name] = np.concatenate(parts)
            yield rows, values, wrong


def survey(folder: str | Path, fields: Mapping[str, Any] | None = None) -> Survey:
    """Look at all that a folder of results holds.

    Parameters
    ----------
    folder : path
    fields : mapping, optional
        The canonical study that it ought to hold, for where its own record of it is damaged.

    Raises
    ------
    InputError
        If it holds no results, or of a newer format.
    UndescribedError
        If nothing tells what study they are of.
    """
    folder = Path(folder)
    folder = folder.parent if folder.name == STORE else folder  # the store itself is meant as well
    points = folder / "points"
    hint = f"; its points, in {points}, hold those of a study each" if points.is_dir() else ""
    require(holds_results(folder), f"{folder}: no results here (no {STORE}){hint}")
    damages: list[Damage] = []
    attributes, form = _attributes(folder, damages)
    if damages and (fields is None or form != FORMAT):
        raise UndescribedError(folder, damages[0])
    try:
        layout = Layout(json.loads(attributes["study"]) if attributes else fields or {})
        versions = [dict(entry) for entry in attributes.get("versions", [])]
        files = dict(attributes.get("files", {}))
    except (InputError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise UndescribedError(folder, Damage(f"{STORE}/{JSON}", f"is damaged ({error})")) from None
    found = Survey(folder, form, layout, versions, files, damages)
    _check_files(found)
    return _with_index(found).checked()


def _attributes(folder: Path, damages: list[Damage]) -> tuple[dict[str, Any], int]:
    """What the store says of itself, nothing if that is damaged, and its format."""
    path = folder / STORE / JSON
    try:
        found = read_json(path)
        attributes = found.get("attributes")
        if not isinstance(attributes, dict) or not isinstance(attributes.get("format"), int):
            raise UnreadableError("is damaged (no attributes)")
        form = int(attributes["format"])
        if not (checksum_holds(found) or (form == 1 and "checksum" not in attributes)):
            raise UnreadableError("is damaged (the checksum does not match)")
    except UnreadableError as error:
        damages.append(Damage(f"{STORE}/{JSON}", str(error)))
        return {}, FORMAT if (folder / STORE / SEAL).is_dir() else 1
    require(
        form <= FORMAT,
        f"{folder}: written by a newer version, in format {form}; "
        f"{PACKAGE} {versions_here()['ndcg_asymptotics']} reads format {FORMAT}",
    )
    return attributes, form


def _check_files(found: Survey) -> None:
    """Files that were written once: curves, modules, the labels of the axes."""
    for name, digest in found.files.items():
        inside = not PurePosixPath(name).is_absolute() and ".." not in PurePosixPath(name).parts
        try:
            if not inside or digest_of(read_bounded(found.folder / name, _LARGEST_FILE)) != digest:
                raise UnreadableError("is not what was written")
        except UnreadableError as error:
            found.damages.append(Damage(name, str(error)))


def _with_index(found: Survey) -> Survey:
    """The same, with which replicates its rows are of and the arrays that hold them."""
    new = found.form == FORMAT
    flags = SEAL if new else COMPLETE
    index = {INDEX: Variable((), (), np.dtype(np.int64))}
    index[flags] = Variable((), (), np.dtype(np.uint64 if new else np.bool_))
    length, arrays = {}, {}
    for name, variable in (index | found.layout.variables).items():
        rows = None if not new else CHUNK_ROWS if name in index else found.layout.chunk_rows
        place = f"{STORE}/{name}/{JSON}"
        per_chunk = rows or found.layout.chunk_rows
        try:
            length[name], per_chunk = array_described(found.folder / place, variable, rows)
        except UnreadableError as error:
            if new or name in index or (found.folder / STORE / name).exists():
                found.damages.append(Damage(place, str(error)))
        packing, place = COMPRESSORS if new else OLD_COMPRESSORS, f"{STORE}/{name}"
        arrays[name] = Chunks(found.folder, place, variable.shape, variable.dtype, per_chunk, packing)
    there = len(set(arrays[flags].there()))
    count = min(length.get(flags, max(length.values(), default=0)), there * arrays[flags].rows)
    for name, rows in length.items():
        if rows < count or (name == flags and rows > count):
            what = f"speaks of {rows} replicates, there are {count}"
            found.damages.append(Damage(f"{STORE}/{name}/{JSON}", what))
    seals, lost = _column(found, arrays.pop(flags), count)
    seals[lost | (seals == never(seals.dtype))] = 0
    replicates, lost = _column(found, arrays.pop(INDEX), count)
    if (wrong := ~lost & ((replicates < 0) | (replicates > _MOST))).any():
        found.damages.append(Damage(f"{STORE}/{INDEX}/c", "is damaged (no indices of replicates)"))
    replicates = _guessed(replicates, lost | wrong)
    if (replicates < 0).any() and not found.index_damaged:
        found.damages.append(Damage(f"{STORE}/{INDEX}/c", "names a replicate twice"))
    return replace(found, arrays=arrays, seals=seals.astype(np.uint64), replicates=replicates)


def _column(found: Survey, array: Chunks, count: int) -> tuple[NDArray[Any], Bools]:
    """A number for each row, and which of them are lost."""
    parts, lost = [array.blank[:0]], np.zeros(count, np.bool_)
    for chunk in range(-(-count // array.rows)):
        try:
            parts.append(array.read(chunk))
        except UnreadableError as error:
            parts.append(array.blank)
            lost[chunk * array.rows : (chunk + 1) * array.rows] = True
            place = array.path(chunk).relative_to(found.folder).as_posix()
            found.damages.append(Damage(place, str(error)))
    return np.concatenate(parts)[:count], lost


def _guessed(replicates: Integers, lost: Bools) -> Integers:
    """Rows whose replicate is lost are tried as consecutive ones: their seals tell whether they are."""
    rows = np.arange(len(replicates))
    known = np.flatnonzero(~lost)
    shift = int(replicates[known[-1]] - known[-1]) if len(known) else 0
    guess = np.where(lost, rows + shift, replicates)
    _, first = np.unique(guess, return_index=True)
    twice = np.ones(len(guess), np.bool_)
    twice[first] = False
    return np.where(twice, -1 - rows, guess).astype(np.int64)


def _merged(damages: list[Damage]) -> list[Damage]:
    """One damage of each kind for each place."""
    lost: dict[tuple[str, str], tuple[int, ...]] = {}
    for damage in damages:
        key = damage.place, damage.what
        lost[key] = lost.get(key, ()) + damage.replicates
    return [Damage(place, what, replicates) for (place, what), replicates in lost.items()]
