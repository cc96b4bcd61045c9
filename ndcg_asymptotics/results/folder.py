"""The results of a study in a folder.

Its files::

    study.json                      the study, the replicates wanted, the versions that wrote it
    <first>-<last>-<digest>.npz     blocks of replicates
    curves/, *.py                   the files that the texts of the study refer to

Blocks are never rewritten; ``study.json`` is replaced when more replicates are wanted. Opening the folder
checks every digest, and damaged values are never returned. This module does not write to the folder, and runs
no code that came with it unless it is told to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import numpy as np

from ndcg_asymptotics.core.arrays import Integers
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.files import Fields, UnreadableError, digest_of, key_of, path_of, read_sound
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
from ndcg_asymptotics.results.kinds import STUDY, read_record, require_kind
from ndcg_asymptotics.results.layout import INDEX, Layout, versions_here
from ndcg_asymptotics.results.record import Results
from ndcg_asymptotics.results.runs import members
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.studies.canonical import FREE, canonical, differing_fields, with_short_names
from ndcg_asymptotics.studies.toml import study_of

_LARGEST_BESIDE = 2**30  # bytes of a curve file or a module


def study_key(fields: Mapping[str, object]) -> str:
    """Return a digest of the canonical fields that decide results."""
    return key_of({name: value for name, value in fields.items() if name not in FREE})


class DamagedError(InputError):
    """A folder of results with files that cannot be used, each of which is named with its damage."""

    def __init__(self, folder: str | Path, damages: Mapping[str, str]) -> None:
        named = ", ".join(f"{place} {what}" for place, what in damages.items())
        these = "the file" if len(damages) == 1 else "these files"
        super().__init__(f"{folder}: damaged: {named}; move {these} away and run the study again")


@dataclass
class Contents:
    """The contents of a folder of results.

    Attributes
    ----------
    folder : Path
    layout : Layout
        That of the stored study, or of the expected one if its record is missing.
    wanted : (R,) integers
        The replicates that are wanted.
    blocks : list of File
        The sound blocks.
    made_by : list of dict
        The versions that made the values, in order.
    damages : dict of str
        The kinds of damage by file, relative to the folder.
    parts : list of Replicates
        The values of the sound blocks, if they are kept.
    """

    folder: Path
    layout: Layout
    wanted: Integers = field(default_factory=lambda: np.arange(0))
    blocks: list[File] = field(default_factory=list)
    made_by: list[dict[str, str]] = field(default_factory=list)
    damages: dict[str, str] = field(default_factory=dict)
    parts: list[Replicates] = field(default_factory=list)

    @property
    def done(self) -> Integers:
        """The replicates in sound blocks."""
        return members((file.first, file.last) for file in self.blocks)

    def require_sound(self) -> None:
        """Raise `DamagedError` if a file cannot be used."""
        if self.damages:
            raise DamagedError(self.folder, self.damages)

    def study(self, allow_custom: bool) -> Study:
        """Return the study that the record of the folder states.

        Raises
        ------
        InputError
            As `study_of`.
        """
        stated = {name: value for name, value in self.layout.fields.items() if name != "digests"}
        return study_of(with_short_names(stated), self.folder, str(self.folder), allow_custom)


def examine(folder: Path, fields: Fields | None = None, *, keep: bool = False) -> Contents:
    """Read everything in a folder of results, one block at a time, and check it.

    Parameters
    ----------
    folder : Path
    fields : mapping, optional
        The canonical study that it should hold, used if its record is missing.
    keep : bool
        Whether to keep the values.

    Raises
    ------
    InputError
        If it holds no results, those of a newer version, or more than memory holds.
    DamagedError
        If no sound record says which study they are of.
    """
    require_kind(folder, "study")
    found, left = _described(folder, fields), available()
    key = study_key(found.layout.fields)
    for file in block_files(folder):
        try:
            made_by, values = read_block(file, key, found.layout.variables(file.count))
            if said := impossible(values, found.layout.fields["measures"]):
                raise UnreadableError(f"holds {said}")
        except UnreadableError as error:
            found.damages[file.path.name] = str(error)
            continue
        found.blocks.append(file)
        found.made_by += [made_by] if made_by not in found.made_by else []
        if keep:
            left -= 2 * sum(array.nbytes for array in values.values())
            require(left > 0, f"{folder}: more results than memory holds")
            found.parts.append((np.arange(file.first, file.last + 1), values))
    for one, other in overlaps(found.blocks):
        found.damages[other.path.name] = f"and {one.path.name} hold the same replicates"
    found.wanted = np.union1d(found.wanted, found.done)
    return found


def _described(folder: Path, fields: Fields | None) -> Contents:
    """Read the record of the study, and check the files that it refers to."""
    beside: dict[str, str] = {}

    def parse(stated: Fields) -> Contents:
        beside.update(stated["beside"])
        asked = members((file.first, file.last) for file in block_files(folder, "json"))
        wanted = np.union1d(members(stated["wanted"]), asked)
        return Contents(folder, Layout(stated["study"]), wanted)

    try:
        found = read_record(folder / STUDY, parse)
    except UnreadableError as error:
        damages = {STUDY: str(error)}
        if fields is None:
            raise DamagedError(folder, damages) from None
        return Contents(folder, Layout(fields), damages=damages)
    for name, digest in beside.items():
        place = PurePosixPath(name)
        inside = not place.is_absolute() and ".." not in place.parts
        try:
            if not inside or digest_of(read_sound(folder / name, _LARGEST_BESIDE)) != digest:
                raise UnreadableError("is not what was written")
        except UnreadableError as error:
            found.damages[name] = str(error)
    return found


def open_study(folder: str | Path, study: Study | None = None, *, allow_custom: bool = False) -> Results:
    """Open the results of a study in a folder; if one is given, they must be of this study.

    Raises
    ------
    InputError
        As `results.open_results`.
    """
    folder = path_of(folder, "folder")
    found = examine(folder.parent if folder.name == STUDY else folder, keep=True)
    found.require_sound()
    study = study or found.study(allow_custom)
    changed = differing_fields(canonical(study), found.layout.fields)
    require(not changed, f"{folder}: the study no longer is what was simulated: {'; '.join(changed)}")
    arrays = joined_blocks(found.parts)[1] if found.parts else {}
    named = {name: ((INDEX, *found.layout.axes[name]), array) for name, array in arrays.items()}
    versions = found.made_by or [versions_here()]
    return Results(study, versions, found.wanted, np.isin(found.wanted, found.done), found.folder, named)
