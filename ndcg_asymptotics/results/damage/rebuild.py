"""A store made: a new one, or anew from what is sound in one that is damaged or of an older format."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from ndcg_asymptotics.core.files import ASIDE, flush, refuse_links, write_file
from ndcg_asymptotics.results.chunks import Chunks
from ndcg_asymptotics.results.damage.survey import Survey
from ndcg_asymptotics.results.description import Description
from ndcg_asymptotics.results.layout import STORE, Layout

_NEW, _OLD = f"{ASIDE}/new.zarr", f"{ASIDE}/old.zarr"


def create(folder: Path, description: Description) -> None:
    """Make a store, which appears by one rename."""
    remove_aside(folder)
    _write(folder, description)
    os.replace(folder / _NEW, folder / STORE)
    flush(folder)


def rebuild(found: Survey, versions: Sequence[Mapping[str, str]], files: Mapping[str, str]) -> None:
    """Put a store of the present format, with what is sound in the old one, in its place."""
    folder = found.folder
    # rows that nothing proves to be of a replicate are dropped, the others stay wanted
    kept = np.flatnonzero(found.done | (not found.index_damaged))
    place = np.full(len(found.seals), -1)
    place[kept] = np.arange(len(kept))
    remove_aside(folder)
    arrays = arrays_of(folder, found.layout, _NEW)
    for rows, values in found.values():
        for name, array in arrays.items():
            array.write(place[rows], values[name])
    _write(folder, Description(found.layout, versions, files, found.replicates[kept], found.seals[kept]))
    os.replace(folder / STORE, folder / _OLD)
    os.replace(folder / _NEW, folder / STORE)
    flush(folder)
    remove_aside(folder)


def recover(folder: Path) -> None:
    """Take back the old store of a rebuilding that ended between its two renames."""
    if (folder / _OLD).is_dir() and not (folder / STORE).exists():
        refuse_links(folder / ASIDE, folder)
        os.replace(folder / _OLD, folder / STORE)
        flush(folder)


def remove_aside(folder: Path) -> None:
    """Remove what was being written when a writer ended."""
    shutil.rmtree(folder / ASIDE, ignore_errors=True)


def arrays_of(folder: Path, layout: Layout, store: str = STORE) -> dict[str, Chunks]:
    """The values in a store."""
    return {
        name: Chunks(folder, f"{store}/{name}", variable.shape, variable.dtype, layout.chunk_rows)
        for name, variable in layout.variables.items()
    }


def _write(folder: Path, description: Description) -> None:
    for key, content in description.encoded().items():
        write_file(folder / _NEW / key, content, folder)
