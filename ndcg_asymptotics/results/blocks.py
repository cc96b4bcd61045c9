"""Blocks: immutable files of the values of replicates, and the records that describe a folder of them.

A *block* holds the values of consecutive replicates (of a growing list: of all queries) in an uncompressed
``.npz`` file, which `numpy.load` opens. Its name states what is in it::

    <first>-<last>-<BLAKE2b-128 digest of the file's bytes>.npz

A block is written under another name, flushed to the disk and renamed, and never changed afterwards. So a
file with the name of a block is whole, or was damaged later, which the digest shows. Beside the values it
holds ``about.json``: the digest of the study, so that a block that was copied into the folder of another
study is noticed, and the versions that made the values.

A record (`core.files`) such as ``study.json`` says what a folder contains.

The format is ``.npz`` because any Python with numpy reads it. It is not compressed: the doubles of
simulations hardly shrink, and without compression the size of a sound file is known before it is read.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import struct
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, BinaryIO, TypeVar

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Array, Integers
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.files import (
    UnreadableError,
    digest_of,
    open_bounded,
    read_record,
    read_regular,
    write_file,
    write_record,
)
from ndcg_asymptotics.core.tables import HIDDEN
from ndcg_asymptotics.core.versions import PACKAGE, versions_of
from ndcg_asymptotics.results.layout import Variable
from ndcg_asymptotics.results.runs import LAST_REPLICATE, Runs, runs_given, spans

FORMAT = 3
"""The format of folders of results. Formats 1 and 2, of versions up to 0.2.0, were zarr stores."""

LARGEST_REPLICATE = 2**31
"""The greatest size in bytes of the values of a single replicate."""

LARGEST_FILE = LARGEST_REPLICATE + 2**16
"""The greatest size of a block in bytes."""

_NAME = re.compile(r"(\d{1,10})-(\d{1,10})-([0-9a-f]{32})\.(npz|json)")
_ABOUT = "about.json"
_OVERHEAD = 2**16  # bytes of `about` and of the .npz format, at most
_MOST_MEMBERS = 64  # arrays of a block
_LARGEST_BESIDE = 2**30  # bytes of a curve file or a module

_T = TypeVar("_T")

Replicates = tuple[Integers, dict[str, Array]]
"""Some replicates and their values, by variable."""


@dataclass(frozen=True)
class Damage:
    """A file in a folder of results that is not what was written.

    Attributes
    ----------
    place : str
        The file, relative to the folder.
    what : str
        The kind of damage.
    replicates : tuple of int
        The replicates that were lost with it.
    foreign : bool
        Whether it is a sound file of another study, which must not be deleted.
    """

    place: str
    what: str
    replicates: tuple[int, ...] = ()
    foreign: Annotated[bool, HIDDEN] = False

    def __str__(self) -> str:
        lost = f": replicates {spans(self.replicates)}" if self.replicates else ""
        return f"{self.place} {self.what}{lost}"


class ForeignError(UnreadableError):
    """A sound file of another study."""


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


@dataclass(frozen=True)
class Content:
    """The content of a block.

    Attributes
    ----------
    made_by : dict
        The versions and vector units that made the values.
    wanted : Runs
        The replicates that the run which wrote the block was asked for.
    values : mapping of name to array
    """

    made_by: dict[str, str]
    wanted: Runs
    values: dict[str, Array]

    def part(self, first: int, last: int) -> dict[str, Array]:
        """Return the values of some of the replicates, by their place in the block."""
        return {name: array[first : last + 1] for name, array in self.values.items()}


def block_files(folder: Path, kind: str = "npz") -> list[File]:
    """Return the blocks in a folder by their names, or with ``kind="json"`` its requests."""
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
    last: int,
    values: Mapping[str, NDArray[np.generic]],
    made_by: Mapping[str, str],
    wanted: Runs,
    *,
    durable: bool = True,
) -> File:
    """Write a block of values of the study whose digest is ``key``."""
    about = {"study": key, "first": first, "last": last, "made_by": dict(made_by), "wanted": wanted}
    members = {_ABOUT: json.dumps(about).encode()}
    for name, array in values.items():
        into = io.BytesIO()
        ordered = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
        np.lib.format.write_array(into, ordered, version=(1, 0), allow_pickle=False)
        members[f"{name}.npy"] = into.getvalue()
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_STORED) as archive:
        for member, content in members.items():
            archive.writestr(
                zipfile.ZipInfo(member), content
            )  # dated 1980, so that equal values are equal bytes
    content = into.getvalue()
    digest = digest_of(content)
    path = folder / f"{first}-{last}-{digest}.npz"
    write_file(path, content, folder, durable=durable)
    return File(first, last, digest, path)


def read_block(file: File, key: str, expected: Mapping[str, Variable]) -> Content:
    """Read a block of the study whose digest is ``key`` and check that it is what was written.

    This takes no more memory than the values need.

    Raises
    ------
    ForeignError
        If it is a sound block of another study.
    UnreadableError
        If it is not what was written.
    """
    size = sum(variable.nbytes for variable in expected.values())
    with open_bounded(file.path, LARGEST_FILE) as opened:
        digest = hashlib.file_digest(opened, lambda: hashlib.blake2b(digest_size=16))
        if digest.hexdigest() != file.digest:
            raise UnreadableError("is damaged (its digest is not the one in its name)")
        try:
            return _parsed(opened, file, key, expected, size)
        except (UnreadableError, OSError, MemoryError):
            raise
        except Exception as error:  # zipfile raises many kinds for bytes that are not an archive
            raise UnreadableError(f"is not a block of results ({type(error).__name__})") from None


def _parsed(opened: BinaryIO, file: File, key: str, expected: Mapping[str, Variable], size: int) -> Content:
    with _archive(opened) as archive:
        about = json.loads(archive.read(_ABOUT))
        if about["study"] != key:
            raise ForeignError("is of another study")
        if (about["first"], about["last"]) != (file.first, file.last):
            raise UnreadableError(f"holds replicates {about['first']} to {about['last']}")
        names = {info.filename for info in archive.infolist()}
        fits = size < _size(opened) <= size + _OVERHEAD
        if names != {_ABOUT, *(f"{name}.npy" for name in expected)} or not fits:
            raise UnreadableError("does not hold the arrays of this study")
        values = {name: _array(archive, name, variable) for name, variable in expected.items()}
    made_by = {str(name): str(version) for name, version in about["made_by"].items()}
    return Content(made_by, runs_given(about["wanted"]), values)


def _archive(opened: BinaryIO) -> zipfile.ZipFile:
    """Open a .npz file after checking the size of its table of contents, which its last bytes state."""
    tail = 22  # bytes of the end of an archive without a comment (APPNOTE.TXT of the zip format, 4.3.16)
    opened.seek(max(_size(opened) - tail - 20, 0))
    before, end = opened.read(20), opened.read(tail)
    signature, *_, entries, table, _, comment = struct.unpack("<4s4H2LH", end)
    enlarged = before.startswith(b"PK\x06\x07")  # a second table, of archives of more than 4 GB
    if signature != b"PK\x05\x06" or comment or enlarged or entries > _MOST_MEMBERS or table > _OVERHEAD:
        raise UnreadableError("is not a block of results")
    archive = zipfile.ZipFile(opened)
    for info in archive.infolist():
        packed = info.compress_type != zipfile.ZIP_STORED or info.file_size > _size(opened)
        if packed or (info.filename == _ABOUT and info.file_size > _OVERHEAD):
            raise UnreadableError("is not a block of results")
    return archive


def _size(opened: BinaryIO) -> int:
    return os.fstat(opened.fileno()).st_size


def _array(archive: zipfile.ZipFile, name: str, expected: Variable) -> NDArray[np.generic]:
    """Read an array after its header has been compared with what is expected."""
    with archive.open(f"{name}.npy") as member:
        np.lib.format.read_magic(member)
        shape, transposed, dtype = np.lib.format.read_array_header_1_0(member)
        if (shape, dtype) != (expected.shape, expected.dtype) or (transposed and len(shape) > 1):
            raise UnreadableError("does not hold the arrays of this study")
        content = member.read(expected.nbytes)
        if len(content) != expected.nbytes or member.read(1):
            raise UnreadableError("does not hold the arrays of this study")
    return np.frombuffer(content, expected.dtype).reshape(expected.shape).copy()


def overlapping(files: Iterable[File]) -> Iterator[tuple[File, File]]:
    """Yield pairs of files whose replicates overlap, enough to compare every replicate once."""
    active: list[File] = []
    for file in sorted(files):
        active = [other for other in active if other.last >= file.first]
        yield from ((other, file) for other in active)
        if all(other.last < file.last for other in active):
            active.append(file)


def joined_blocks(parts: Sequence[Replicates]) -> Replicates:
    """Return the replicates of some parts, each once and in order, and their values.

    The arrays are taken out of the parts, so that not all of them are in memory twice.
    """
    replicates = np.unique(np.concatenate([numbers for numbers, _ in parts]))
    if len(parts) == 1 and np.array_equal(parts[0][0], replicates):
        return parts[0]
    values = {}
    for name in sorted(parts[0][1]):
        arrays = [(numbers, of_part.pop(name)) for numbers, of_part in parts]
        shape, dtype = arrays[0][1].shape[1:], arrays[0][1].dtype
        values[name] = np.empty((len(replicates), *shape), dtype)
        for numbers, array in arrays:
            values[name][np.searchsorted(replicates, numbers)] = array
    return replicates, values


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


def read_beside(folder: Path, digests: Mapping[str, str]) -> tuple[dict[str, bytes], list[Damage]]:
    """Return the contents of the files that a record refers to, by name, and those that are damaged.

    A file whose name leads out of the folder counts as damaged.
    """
    contents, damages = {}, []
    for name, digest in digests.items():
        place = PurePosixPath(name)
        inside = not place.is_absolute() and ".." not in place.parts
        try:
            content = read_regular(folder / name, _LARGEST_BESIDE) if inside else b""
            if not inside or digest_of(content) != digest:
                raise UnreadableError("is not what was written")
            contents[name] = content
        except UnreadableError as error:
            damages.append(Damage(name, str(error)))
    return contents, damages
