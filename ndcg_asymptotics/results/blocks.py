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

import hashlib
import io
import json
import os
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Array, Integers
from ndcg_asymptotics.core.files import UnreadableError, digest_of, open_bounded, write_file
from ndcg_asymptotics.results.layout import Variable
from ndcg_asymptotics.results.runs import LAST_REPLICATE

LARGEST_REPLICATE = 2**31
"""The greatest size in bytes of the values of a single replicate."""

LARGEST_FILE = LARGEST_REPLICATE + 2**16
"""The greatest size of a block in bytes."""

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
    found = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if (match := _NAME.fullmatch(entry.name)) and match[4] == kind:
                first, last = int(match[1]), int(match[2])
                if first <= last <= LAST_REPLICATE:
                    found.append(File(first, last, match[3], folder / entry.name))
    return sorted(found)


def write_block(
    folder: Path,
    key: str,
    first: int,
    values: Mapping[str, NDArray[np.generic]],
    made_by: Mapping[str, str],
    *,
    durable: bool = True,
) -> None:
    """Write a block of values of the study whose digest is ``key``, from replicate ``first`` on."""
    last = first + len(next(iter(values.values()))) - 1
    about = {"study": key, "first": first, "last": last, "made_by": dict(made_by)}
    members = {_ABOUT: json.dumps(about).encode()}
    for name, array in values.items():
        member = io.BytesIO()
        ordered = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
        np.lib.format.write_array(member, ordered, version=(1, 0), allow_pickle=False)
        members[f"{name}.npy"] = member.getvalue()
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_STORED) as archive:
        for member_name, content in members.items():
            # not numpy.savez, which states the time: dated 1980, equal values are equal bytes
            archive.writestr(zipfile.ZipInfo(member_name), content)
    content = into.getvalue()
    write_file(folder / f"{first}-{last}-{digest_of(content)}.npz", content, folder, durable=durable)


def read_block(
    file: File, key: str, expected: Mapping[str, Variable]
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
    with open_bounded(file.path, LARGEST_FILE) as opened:
        digest = hashlib.file_digest(opened, lambda: hashlib.blake2b(digest_size=16))
        if digest.hexdigest() != file.digest:
            raise UnreadableError("is damaged (its digest is not the one in its name)")
        try:
            return _content(opened, file, key, expected)
        except (UnreadableError, OSError):
            raise
        except MemoryError:
            raise UnreadableError("states arrays larger than memory") from None
        except Exception as error:  # zipfile raises many kinds for bytes that are not an archive
            raise UnreadableError(f"is not a block of results ({type(error).__name__})") from None


def _content(
    opened: BinaryIO, file: File, key: str, expected: Mapping[str, Variable]
) -> tuple[dict[str, str], dict[str, Array]]:
    whole = os.fstat(opened.fileno()).st_size
    size = sum(variable.nbytes for variable in expected.values())
    if not size < whole <= size + _OVERHEAD:
        raise UnreadableError("does not hold the arrays of this study")
    opened.seek(0)
    with np.load(opened, allow_pickle=False) as archive:
        for info in archive.zip.infolist():
            if info.compress_type != zipfile.ZIP_STORED or info.file_size > whole:
                raise UnreadableError("is not a block of results (a member is compressed)")
        about = json.loads(archive[_ABOUT])
        if about["study"] != key:
            raise UnreadableError("is of another study")
        if (about["first"], about["last"]) != (file.first, file.last):
            raise UnreadableError(f"holds replicates {about['first']} to {about['last']}")
        values = {name: archive[name] for name in archive.files if name != _ABOUT}
    found = {name: Variable(array.shape, array.dtype) for name, array in values.items()}
    if found != dict(expected):
        raise UnreadableError("does not hold the arrays of this study")
    return {str(name): str(version) for name, version in about["made_by"].items()}, values


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
