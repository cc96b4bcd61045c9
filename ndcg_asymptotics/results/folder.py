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
from typing import Any

import numpy as np

from ndcg_asymptotics.core.arrays import Integers
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.files import Fields, UnreadableError, digest_of, key_of, path_of, read_sound
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
from ndcg_asymptotics.results.layout import INDEX, variables_of, versions_here
from ndcg_asymptotics.results.record import Results
from ndcg_asymptotics.results.replicate_ranges import members
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.studies.canonical import FREE, canonical, differing_fields, with_short_names
from ndcg_asymptotics.studies.toml import study_of

_LARGEST_BESIDE = 2**30  # bytes of a file that the texts of a study refer to


def study_key(fields: Mapping[str, object]) -> str:
    """Return a digest of the canonical fields that decide results."""
    return key_of({name: value for name, value in fields.items() if name not in FREE})


class DamagedError(InputError):
    """A folder of results with files that cannot be used, each of which is named with its damage."""

    def __init__(self, folder: str | Path, damages: Mapping[str, str]) -> None:
        damage_text = ", ".join(f"{place} {damage}" for place, damage in damages.items())
        files_text = "the file" if len(damages) == 1 else "these files"
        super().__init__(f"{folder}: damaged: {damage_text}; move {files_text} away and run the study again")


@dataclass
class Contents:
    """The contents of a folder of results.

    Attributes
    ----------
    folder : Path
    study : Study
        The stored study, or the expected one.
    differing : list of str
        The fields in which the stored study differs from the expected one; then no block is read.
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
    study: Study
    differing: list[str] = field(default_factory=list)
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


def examine(
    folder: Path, study: Study | None = None, *, allow_custom: bool = False, keep: bool = False
) -> Contents:
    """Read everything in a folder of results, one block at a time, and check it.

    Parameters
    ----------
    folder : Path
    study : Study, optional
        The study that it should hold, by default the one that its record states.
    allow_custom : bool
        As in `open_results`.
    keep : bool
        Whether to keep the values.

    Raises
    ------
    InputError
        If it holds no results, those of a newer version or of a study that has changed, or more than memory
        holds; and as `study_of`.
    DamagedError
        If no study is given and the record, or a file that it refers to, cannot be used.
    """
    require_kind(folder, "study")
    contents, memory_left = _described(folder, study, allow_custom), available()
    if contents.differing:
        return contents
    fields, variables = canonical(contents.study), variables_of(contents.study)
    for file in block_files(folder):
        try:
            made_by, values = read_block(file, study_key(fields), variables)
        except UnreadableError as error:
            contents.damages[file.path.name] = str(error)
            continue
        contents.blocks.append(file)
        if made_by not in contents.made_by:
            contents.made_by.append(made_by)
        if keep:
            # twice: `joined_blocks` copies one variable after the other, and there may be only one
            memory_left -= 2 * sum(array.nbytes for array in values.values())
            require(memory_left > 0, f"{folder}: more results than memory holds")
            contents.parts.append((np.arange(file.first, file.last + 1), values))
    for first, second in overlaps(contents.blocks):
        contents.damages[second.path.name] = f"and {first.path.name} hold the same replicates"
    contents.wanted = np.union1d(contents.wanted, contents.done)
    return contents


def _described(folder: Path, study: Study | None, allow_custom: bool) -> Contents:
    """Read the record of the study, and check the files that it refers to."""

    def parse(record: Fields) -> tuple[dict[str, Any], dict[str, Any], Integers, dict[str, str]]:
        stored_fields = dict(record["study"])
        without_digests = {name: value for name, value in stored_fields.items() if name != "digests"}
        # format 3 has a file for each request of more replicates
        in_requests = members((file.first, file.last) for file in block_files(folder, "json"))
        replicates = np.union1d(members(record["wanted"]), in_requests)
        return stored_fields, with_short_names(without_digests), replicates, dict(record["beside"])

    try:
        stored_fields, fields, replicates, beside = read_record(folder / STUDY, parse)
    except UnreadableError as error:
        damages = {STUDY: str(error)}
        if study is None:
            raise DamagedError(folder, damages) from None
        return Contents(folder, study, damages=damages)
    damages = {}
    for name, digest in beside.items():
        place = PurePosixPath(name)
        inside = not place.is_absolute() and ".." not in place.parts  # a record may be forged
        try:
            if not inside or digest_of(read_sound(folder / name, _LARGEST_BESIDE)) != digest:
                damages[name] = "is not what was written"
        except UnreadableError as error:
            damages[name] = str(error)
    if study is not None:
        differing = differing_fields(canonical(study), stored_fields)
        return Contents(folder, study, differing, replicates, damages=damages)
    if damages:
        raise DamagedError(folder, damages)
    study = study_of(fields, folder, str(folder), allow_custom)
    # a user-defined function of an installed package is not in the folder, and may have been edited
    changed = differing_fields(canonical(study), stored_fields)
    require(not changed, f"{folder}: the study no longer is what was simulated: {'; '.join(changed)}")
    return Contents(folder, study, wanted=replicates)


def open_study(folder: str | Path, study: Study | None = None, *, allow_custom: bool = False) -> Results:
    """Open the results of a study in a folder; if one is given, they must be of this study.

    Raises
    ------
    InputError
        As `results.open_results`.
    """
    folder = path_of(folder, "folder")
    folder = folder.parent if folder.name == STUDY else folder
    contents = examine(folder, study, allow_custom=allow_custom, keep=True)
    require(not contents.differing, f"{folder}: holds another study: {'; '.join(contents.differing)}")
    contents.require_sound()
    arrays = joined_blocks(contents.parts)[1] if contents.parts else {}
    variables = variables_of(contents.study)
    named_arrays = {name: ((INDEX, *variables[name].axes), array) for name, array in arrays.items()}
    versions = contents.made_by or [versions_here()]
    complete = np.isin(contents.wanted, contents.done)
    return Results(contents.study, versions, contents.wanted, complete, contents.folder, named_arrays)
