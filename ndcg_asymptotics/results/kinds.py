"""The two kinds of folders of results, a study and a grid, and the records that describe them.

A record (`core.files`) such as ``study.json`` says what a folder contains.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.files import UnreadableError, path_of, read_record, write_record
from ndcg_asymptotics.core.versions import PACKAGE, versions_of
from ndcg_asymptotics.results.blocks import block_files

FORMAT = 4
"""The format of folders of results. Format 3, of version 0.3, has files that ask for more replicates; formats
1 and 2 were zarr stores."""

FolderKind = Literal["study", "grid"]

STUDY, GRID = "study.json", "grid.json"
"""The records of folders of the two kinds."""

POINTS = "points"
"""The subfolder of a grid with the folders of its points."""

_OLD = "results.zarr"  # written by versions up to 0.2.0
_WORDS: dict[FolderKind, str] = {"study": "results", "grid": "results of a grid"}
_HINTS: dict[FolderKind | None, str] = {
    None: "",
    "study": "; it holds those of a study",
    "grid": f"; its points, in {POINTS}/, hold those of a study each",
}

_T = TypeVar("_T")


def kind_of(folder: Path | str) -> FolderKind | None:
    """Return the kind of a folder of results, damaged or not and of any version; None for another folder."""
    folder = path_of(folder, "folder")
    study, grid, old = (os.path.lexists(folder / name) for name in (STUDY, GRID, _OLD))
    if grid or ((folder / POINTS).is_dir() and not study):
        return "grid"
    return "study" if study or old or (folder.is_dir() and block_files(folder)) else None


def refuse_old(folder: Path) -> None:
    """Refuse results of versions up to 0.2.0, with advice."""
    require(
        not (folder / _OLD).is_dir(),
        f"{folder}: results of version 0.2.0 or older ({_OLD}), which this version does not read; "
        "run the study again into a new folder: the same seed gives the same results",
    )


def require_kind(folder: Path, kind: FolderKind, *, or_none: bool = False) -> None:
    """Refuse a folder that is not of a kind, or with ``or_none`` one that is of the other kind.

    Raises
    ------
    InputError
        Saying what the folder holds instead.
    """
    refuse_old(folder)
    found = kind_of(folder)
    if found == kind or (or_none and found is None):
        return
    if or_none and found is not None:
        raise InputError(f"{folder}: holds {_WORDS[found]} already; take another folder")
    raise InputError(
        f"{folder}: no {_WORDS[kind]} here (no {STUDY if kind == 'study' else GRID}){_HINTS[found]}"
    )


def write_description(path: Path, fields: Mapping[str, object], root: Path, *, durable: bool = True) -> None:
    """Write the record of a folder of results; `read_description` reads it.

    Raises
    ------
    InputError
        If the record is too large.
    OSError
        If the file cannot be written.
    """
    write_record(path, {"format": FORMAT, **fields}, root, durable=durable)


def read_description(path: Path, parse: Callable[[dict[str, Any]], _T], what: str) -> _T:
    """Read the record of a folder of results, and return what is parsed of it.

    Parameters
    ----------
    path : Path
    parse : function
    what : str
        What the record should be, for a message.

    Raises
    ------
    UnreadableError
        If it is not what was written, or cannot be parsed.
    InputError
        If a newer version wrote it.
    """
    found = read_record(path)
    form = found.get("format")
    if not isinstance(form, int):
        raise UnreadableError("is damaged (it states no format)")
    if form > FORMAT:
        here = versions_of()["ndcg_asymptotics"]
        raise InputError(
            f"{path.parent}: written by a newer version, in format {form}; "
            f"{PACKAGE} {here} reads format {FORMAT}"
        )
    try:
        return parse(found)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        said = str(error) if isinstance(error, InputError) else f"not {what}"
        raise UnreadableError(f"is damaged ({said})") from None
