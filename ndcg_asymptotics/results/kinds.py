"""The kinds of folders of results: which of them a folder is, and refusals of the others."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.files import path_of
from ndcg_asymptotics.results.blocks import block_files

FolderKind = Literal["study", "grid"]

STUDY, GRID = "study.json", "grid.json"
"""The records of folders of the two kinds."""

POINTS = "points"
"""The subfolder of a grid with the folders of its points."""

_RECORDS: dict[FolderKind, str] = {"study": STUDY, "grid": GRID}
_WORDS: dict[FolderKind, str] = {"study": "results", "grid": "results of a grid"}
_OLD = "results.zarr"  # written by versions up to 0.2.0


def kind_of(folder: Path | str) -> FolderKind | None:
    """Return the kind of a folder of results, damaged or not and of any version; None for another folder."""
    folder = path_of(folder, "folder")
    if _there(folder / GRID) or ((folder / POINTS).is_dir() and not _there(folder / STUDY)):
        return "grid"
    return "study" if _there(folder / STUDY) or _there(folder / _OLD) or begun(folder) else None


def begun(folder: Path) -> bool:
    """Return whether a folder has a block of results, without reading it."""
    return folder.is_dir() and bool(block_files(folder))


def _there(path: Path) -> bool:
    return path.is_symlink() or path.exists()


def refuse_old(folder: Path) -> None:
    """Refuse results of versions up to 0.2.0.

    Raises
    ------
    InputError
        If it holds such results, with advice.
    """
    require(
        not (folder / _OLD).is_dir(),
        f"{folder}: results of version 0.2.0 or older ({_OLD}), which this version does not read; "
        "run the study again into a new folder: the same seed gives the same results",
    )


def require_kind(folder: Path, kind: FolderKind) -> None:
    """Refuse a folder that is not of a kind.

    Raises
    ------
    InputError
        Saying what the folder holds instead.
    """
    refuse_old(folder)
    found = kind_of(folder)
    if found == kind:
        return
    hint = ""
    if found == "grid":
        hint = f"; its points, in {folder / POINTS}, hold those of a study each"
    elif found is not None:
        hint = f"; it holds {_WORDS[found]}"
    raise InputError(f"{folder}: no {_WORDS[kind]} here (no {_RECORDS[kind]}){hint}")


def require_free(folder: Path, kind: FolderKind | None = None) -> None:
    """Refuse a folder that holds growing lists already, unless they are of a kind that may be continued.

    Raises
    ------
    InputError
        Saying what it holds.
    """
    refuse_old(folder)
    found = kind_of(folder)
    if found is not None and found != kind:
        raise InputError(f"{folder}: holds {_WORDS[found]} already; take another folder")
