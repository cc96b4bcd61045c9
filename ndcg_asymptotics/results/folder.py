"""The results of a study in a folder.

Its files::

    study.json                      the study, the replicates wanted, the versions that wrote it
    <first>-<last>-<digest>.npz     blocks of replicates
    curves/, *.py                   the files that the texts of the study refer to

Blocks are never rewritten; ``study.json`` is replaced when more replicates are wanted. Opening the folder
checks every digest, and damaged values are never returned. This module does not write to the folder, and runs
no code that came with it unless `open_results` is told to.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import numpy as np

from ndcg_asymptotics.core.arrays import Integers
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.files import Fields, UnreadableError, digest_of, key_of, path_of, read_regular
from ndcg_asymptotics.engines.engine import impossible
from ndcg_asymptotics.engines.shared.machine import available
from ndcg_asymptotics.results.blocks import (
    File,
    Replicates,
    block_files,
    joined_blocks,
    overlaps,
    read_block,
)
from ndcg_asymptotics.results.kinds import FORMAT, STUDY, read_description, require_kind
from ndcg_asymptotics.results.layout import INDEX, Layout
from ndcg_asymptotics.results.record import Results
from ndcg_asymptotics.results.runs import members, members_stated
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.studies.canonical import FREE, canonical, differing_fields
from ndcg_asymptotics.studies.toml import study_of

_LARGEST_BESIDE = 2**30  # bytes of a curve file or a module


def study_key(fields: Mapping[str, object]) -> str:
    """Return a digest of the canonical fields that decide results."""
    return key_of({name: value for name, value in fields.items() if name not in FREE})


@dataclass(frozen=True)
class Damage:
    """A file in a folder of results that cannot be used.

    Attributes
    ----------
    place : str
        The file, relative to the folder.
    what : str
        The kind of damage.
    """

    place: str
    what: str

    def __str__(self) -> str:
        return f"{self.place} {self.what}"


class UndescribedError(InputError):
    """A folder in which no sound record says which study it is of."""

    def __init__(self, folder: Path, damage: Damage) -> None:
        super().__init__(f"{folder}: damaged: {damage}; delete the file and run the study again")
        self.damage = damage


@dataclass
class Contents:
    """The contents of a folder of results.

    Attributes
    ----------
    folder : Path
    layout : Layout
        That of the stored study, or of the expected one if its record is missing.
    key : str
        The digest of that study.
    written_by : list of dict
        The versions that wrote the record.
    wanted : (R,) integers
        The replicates that are wanted.
    blocks : list of File
        The sound blocks.
    made_by : list of dict
        The versions that made the values, in order.
    damages : list of Damage
    parts : list of Replicates
        The values of the sound blocks, if they are kept.
    """

    folder: Path
    layout: Layout
    key: str
    written_by: list[dict[str, str]] = field(default_factory=list)
    wanted: Integers = field(default_factory=lambda: np.arange(0))
    blocks: list[File] = field(default_factory=list)
    made_by: list[dict[str, str]] = field(default_factory=list)
    damages: list[Damage] = field(default_factory=list)
    parts: list[Replicates] = field(default_factory=list)

    @property
    def done(self) -> Integers:
        """The replicates in sound blocks."""
        return members((file.first, file.last) for file in self.blocks)


def examine(
    folder: str | Path, fields: Mapping[str, object] | None = None, *, keep: bool = False
) -> Contents:
    """Read everything in a folder of results, one block at a time, and check it.

    Parameters
    ----------
    folder : path
    fields : mapping, optional
        The canonical study that it should hold, used if its record is missing.
    keep : bool
        Whether to keep the values.

    Raises
    ------
    InputError
        If it holds no results, those of a newer or older version, or more than memory holds.
    UndescribedError
        If no sound record says which study they are of.
    """
    folder = path_of(folder, "folder")
    folder = folder.parent if folder.name == STUDY else folder  # the record stands for the folder
    require_kind(folder, "study")
    found, left = _described(folder, fields), available()
    for file in block_files(folder):
        try:
            made_by, values = read_block(file, found.key, found.layout.variables(file.count))
            if said := impossible(values, found.layout.fields["measures"]):
                raise UnreadableError(f"holds {said}")
        except UnreadableError as error:
            found.damages.append(Damage(file.path.name, str(error)))
            continue
        found.blocks.append(file)
        found.made_by += [made_by] if made_by not in found.made_by else []
        if keep:
            left -= 2 * sum(array.nbytes for array in values.values())
            require(left > 0, f"{folder}: more results than memory holds")
            found.parts.append((np.arange(file.first, file.last + 1), values))
    for one, other in overlaps(found.blocks):
        what = f"and {one.path.name} hold the same replicates"
        found.damages.append(Damage(other.path.name, what))
    found.wanted = np.union1d(found.wanted, found.done)
    return found


def _described(folder: Path, fields: Mapping[str, object] | None) -> Contents:
    """Read the record of the study, and check the files that it refers to."""
    beside: dict[str, str] = {}

    def parse(stated: Fields) -> Contents:
        beside.update(stated["beside"])
        layout = Layout(stated["study"])
        asked = members((file.first, file.last) for file in block_files(folder, "json"))
        wanted = np.union1d(members_stated(stated["wanted"]), asked)
        return Contents(folder, layout, study_key(layout.fields), [dict(stated["versions"])], wanted)

    try:
        found = read_description(folder / STUDY, parse, "a study")
    except UnreadableError as error:
        damage = Damage(STUDY, str(error))
        if fields is None:
            raise UndescribedError(folder, damage) from None
        return Contents(folder, Layout(fields), study_key(fields), damages=[damage])
    for name, digest in beside.items():
        place = PurePosixPath(name)
        inside = not place.is_absolute() and ".." not in place.parts
        try:
            if not inside or digest_of(read_regular(folder / name, _LARGEST_BESIDE)) != digest:
                raise UnreadableError("is not what was written")
        except UnreadableError as error:
            found.damages.append(Damage(name, str(error)))
    return found


def refuse_damages(folder: str | Path, damages: Sequence[Damage]) -> None:
    """Refuse a folder with damages.

    Raises
    ------
    InputError
        Naming the first damage, with advice.
    """
    more = f" and {len(damages) - 1} more, which `info` names" if len(damages) > 1 else ""
    if damages:
        raise InputError(f"{folder}: damaged: {damages[0]}{more}; move the file away and run the study again")


def open_results(folder: str | Path, *, allow_custom: bool = False) -> Results:
    """Open the results in a folder, complete or not.

    All of them are read and compared with the digests that were written with them. Damaged results are never
    returned.

    Parameters
    ----------
    folder : path
    allow_custom : bool
        Whether ``custom("module:function")`` in their study may import its module, a copy of which is in
        the folder; this runs the code in it.

    Raises
    ------
    InputError
        If the folder holds no results, or they are of another version or damaged (`info` names every
        damaged file; move it away and run the study again).

    >>> import tempfile
    >>> import ndcg_asymptotics as na
    >>> study = na.Study(scorers={"a": "constant(0.4)"}, measures="nDCG", n=[10], replicates=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = na.run(study, folder, jobs=1)
    ...     open_results(folder).data["ndcg"].shape
    (2, 1, 1, 1)
    """
    return _opened(path_of(folder, "folder"), None, allow_custom)


def results_in(folder: str | Path, study: Study) -> Results:
    """Open the results in a folder, which must be of this study.

    Raises
    ------
    InputError
        As `open_results`.
    """
    return _opened(Path(folder), study, False)


def _opened(folder: Path, study: Study | None, allow_custom: bool) -> Results:
    found = examine(folder, keep=True)
    folder = found.folder
    refuse_damages(folder, found.damages)
    fields = found.layout.fields
    if study is None:
        study = stored_study(found, allow_custom)
    changed = differing_fields(canonical(study), fields)
    require(not changed, f"{folder}: the study no longer is what was simulated: {'; '.join(changed)}")
    versions = found.made_by or found.written_by
    done = np.isin(found.wanted, found.done)
    attributes = {
        "study": json.dumps(dict(fields)),
        "versions": json.dumps(versions),
        "format": FORMAT,
        "complete": int(done.all()),
        "replicates_wanted": len(found.wanted),
    }
    arrays = joined_blocks(found.parts)[1] if found.parts else {}
    named = {name: ((INDEX, *found.layout.axes[name]), array) for name, array in arrays.items()}
    return Results(study, versions, found.wanted, done, folder, named, attributes)


def stored_study(found: Contents, allow_custom: bool) -> Study:
    """Return the study that the record of a folder states.

    Raises
    ------
    InputError
        As `study_of`.
    """
    stated = {name: value for name, value in found.layout.fields.items() if name != "digests"}
    return study_of(stated, found.folder, str(found.folder), allow_custom)
