"""Blocks: immutable files of the values of replicates.

A *block* holds the values of consecutive replicates in an uncompressed ``.npz`` file, which `numpy.load`
opens. Its name states what is in it::

    <first>-<last>-<BLAKE2b-128 digest of the file's bytes>.npz

A block is written under another name, flushed to the disk and renamed, and never changed afterwards. So a
file with the name of a block is whole, or was damaged later, which the digest shows. Beside the values it
holds ``about.json``: the digest of the study, so that a block that was copied into the folder of another
study is noticed, and the versions that made the values.

The format is ``.npz`` because any Python with numpy reads it. It is not compressed: the doubles of
simulations hardly shrink, and without compression the size of a sound file is known before it is read.
"""

from __future__ import annotations

import io
import json
import os
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ndcg_asymptotics.core.arrays import Array, Integers
from ndcg_asymptotics.core.files import UnreadableError, digest_of, read_sound, write_file
from ndcg_asymptotics.results.layout import Variable
from ndcg_asymptotics.results.replicate_ranges import LAST_REPLICATE

LARGEST_REPLICATE = 2**31
"""The greatest size in bytes of the values of a single replicate."""

_NAME = re.compile(r"(\d{1,10})-(\d{1,10})-([0-9a-f]{32})\.(npz|json)")
_ABOUT = "about.json"
_OVERHEAD = 2**16  # bytes of `about` and of the .npz format, at most

Replicates = tuple[Integers, dict[str, Array]]
"""Some replicates and their values, by variable."""


@dataclass(frozen=True, order=True)
class File:
    """A file whose name states its replicates and its digest."""

    first: int
    last: int
    digest: str
    path: Path

    @property
    def count(self) -> int:
        """The number of replicates."""
        return self.last - self.first + 1


def block_files(folder: Path, kind: str = "npz") -> list[File]:
    """Return the blocks in a folder by their names, or with ``kind="json"`` the requests of version 0.3."""
    names = (_NAME.fullmatch(name) for name in os.listdir(folder))
    files = [
        File(int(name[1]), int(name[2]), name[3], folder / name[0])
        for name in names
        if name and name[4] == kind
    ]
    return sorted(file for file in files if file.first <= file.last <= LAST_REPLICATE)


def write_block(
    folder: Path, key: str, first: int, values: Mapping[str, Array], made_by: Mapping[str, str]
) -> None:
    """Write a block of values of the study whose digest is ``key``, from replicate ``first`` on."""
    last = first + len(next(iter(values.values()))) - 1
    about = {"study": key, "first": first, "last": last, "made_by": dict(made_by)}
    into = io.BytesIO()
    np.savez(into, **values)  # type: ignore[arg-type]
    with zipfile.ZipFile(into, "a") as archive:
        archive.writestr(zipfile.ZipInfo(_ABOUT), json.dumps(about))  # which has no time
    content = into.getvalue()
    write_file(folder / f"{first}-{last}-{digest_of(content)}.npz", content, folder)


def read_block(
    file: File, key: str, variables: Mapping[str, Variable]
) -> tuple[dict[str, str], dict[str, Array]]:
    """Read a block of the study whose digest is ``key`` and check that it is what was written.

    Returns
    -------
    made_by : dict
        The versions and vector units that made the values.
    values : mapping of name to array

    Raises
    ------
    UnreadableError
        If it is not.
    """
    content = read_sound(file.path, LARGEST_REPLICATE + _OVERHEAD)
    if digest_of(content) != file.digest:
        raise UnreadableError("is damaged (its digest is not the one in its name)")
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            for info in archive.zip.infolist():
                if info.compress_type != zipfile.ZIP_STORED or info.file_size > len(content):
                    raise UnreadableError("is not a block of results (a member is compressed)")
            about = json.loads(archive[_ABOUT])
            values = {name: np.asarray(archive[name]) for name in archive.files if name != _ABOUT}
            if about["study"] != key:
                raise UnreadableError("is of another study")
            if (about["first"], about["last"]) != (file.first, file.last):
                raise UnreadableError(f"holds replicates {about['first']} to {about['last']}")
            made_by = {str(name): str(version) for name, version in about["made_by"].items()}
    except UnreadableError:
        raise
    except Exception as error:  # zipfile and numpy raise many kinds for bytes that are not an archive
        raise UnreadableError(f"is not a block of results ({type(error).__name__})") from None
    shapes = {name: ((file.count, *variable.shape), variable.dtype) for name, variable in variables.items()}
    if {name: (array.shape, array.dtype) for name, array in values.items()} != shapes:
        raise UnreadableError("does not hold the arrays of this study")
    return made_by, values


def overlaps(files: Iterable[File]) -> Iterator[tuple[File, File]]:
    """Yield files of which each states a replicate that the file before it states, with that file."""
    before: File | None = None
    for file in sorted(files):
        if before is not None and file.first <= before.last:
            yield before, file
        if before is None or file.last > before.last:
            before = file


def joined_blocks(parts: Sequence[Replicates]) -> Replicates:
    """Return the replicates of some disjoint parts in order, and their values.

    The arrays are taken out of the parts, so that not all of them are in memory twice.
    """
    numbers = np.concatenate([replicates for replicates, _ in parts])
    order = np.argsort(numbers) if (np.diff(numbers) < 0).any() else slice(None)
    names = sorted(parts[0][1])
    values = {name: np.concatenate([arrays.pop(name) for _, arrays in parts])[order] for name in names}
    return numbers[order], values
