"""The two kinds of folders of results, a study and a grid, and the records that describe them.

A *record*, ``study.json`` or ``grid.json``, says what a folder contains. It is a JSON file that holds a
digest of its own content.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.files import UnreadableError, key_of, path_of, read_sound, write_file
from ndcg_asymptotics.core.versions import PACKAGE, versions_of
from ndcg_asymptotics.results.blocks import block_files

FORMAT = 4
"""The format of folders of results. Format 3, of version 0.3, has files that ask for more replicates."""

LARGEST_RECORD = 2**25
"""The greatest size of a record in bytes; the 100,000 list lengths of the largest study take 2 MB."""

FolderKind = Literal["study", "grid"]

STUDY, GRID = "study.json", "grid.json"
"""The records of folders of the two kinds."""

POINTS = "points"
"""The subfolder of a grid with the folders of its points."""

_WORDS: dict[FolderKind | None, str] = {
    "study": "the results of a study",
    "grid": f"the results of a grid; its points, in {POINTS}/, hold those of a study each",
    None: f"no results (no {STUDY})",
}

_T = TypeVar("_T")


def kind_of(folder: Path | str) -> FolderKind | None:
    """Return the kind of a folder of results, damaged or not; None for another folder."""
    folder = path_of(folder, "folder")
    study, grid = (os.path.lexists(folder / name) for name in (STUDY, GRID))
    if grid or ((folder / POINTS).is_dir() and not study):
        return "grid"
    return "study" if study or (folder.is_dir() and block_files(folder)) else None


def require_kind(folder: Path, *kinds: FolderKind | None) -> None:
    """Refuse a folder that is of none of some kinds.

    Raises
    ------
    InputError
        Saying what the folder holds instead.
    """
    kind = kind_of(folder)
    if kind not in kinds:
        require(os.path.lexists(folder), f"{folder}: there is no such folder; run makes one, of a study file")
        raise InputError(f"{folder}: holds {_WORDS[kind]}")


def write_record(path: Path, fields: Mapping[str, object]) -> None:
    """Write the record of a folder of results; `read_record` reads it.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    record = json.loads(json.dumps({"format": FORMAT, **fields}))
    content = json.dumps({**record, "digest": key_of(record)}, indent=1).encode()
    write_file(path, content, path.parent)


def read_record(path: Path, parse: Callable[[dict[str, Any]], _T]) -> _T:
    """Read the record of a folder of results, and return what is parsed of it.

    Raises
    ------
    UnreadableError
        If it is not what was written, or cannot be parsed.
    InputError
        If a newer version wrote it.
    """
    try:
        record = json.loads(read_sound(path, LARGEST_RECORD))
        intact = record.pop("digest") == key_of(record)
        form = int(record["format"])
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        raise UnreadableError("is damaged (no record of results)") from None
    if not intact:
        raise UnreadableError("is damaged (its digest does not match)")
    if form > FORMAT:
        reader = f"{PACKAGE} {versions_of()['ndcg_asymptotics']} reads format {FORMAT}"
        raise InputError(f"{path.parent}: written by a newer version, in format {form}; {reader}")
    try:
        return parse(record)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        reason = str(error) if isinstance(error, InputError) else "not what a record states"
        raise UnreadableError(f"is damaged ({reason})") from None
