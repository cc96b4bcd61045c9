"""Chunk files: what they say of many replicates at once, decoded by zarr from bytes that are read with care.

Nothing of a store is trusted before it has been checked: a file that is a device, a pipe or larger than what
it stands for is not read, and zarr is told the shape, type and codecs that are expected, not those that
the store claims.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import zarr
from numpy.typing import NDArray
from zarr.codecs import Crc32cCodec, ZstdCodec
from zarr.core.buffer import Buffer, default_buffer_prototype
from zarr.storage import MemoryStore

from ndcg_asymptotics.core.arrays import Integers
from ndcg_asymptotics.core.files import refuse_links, write_file

COMPRESSORS = (ZstdCodec(level=0, checksum=False), Crc32cCodec())
OLD_COMPRESSORS = COMPRESSORS[:1]
"""Of format 1."""

_ROOM = 1024  # bytes that compression may add to what cannot be compressed
_MAGIC = bytes.fromhex("28b52ffd")  # how a zstd frame begins


class UnreadableError(Exception):
    """What is wrong with a file, in a few words."""


def read_bounded(path: Path, largest: int) -> bytes:
    """The content of a regular file of at most so many bytes.

    Raises
    ------
    UnreadableError
        If there is none.
    """
    try:
        with open(path, "rb", opener=_at_once) as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise UnreadableError("is no regular file")
            if found.st_size > largest:
                raise UnreadableError(f"is too large ({found.st_size} bytes)")
            return file.read(largest + 1)
    except FileNotFoundError:
        raise UnreadableError("is missing") from None
    except OSError as error:
        raise UnreadableError(f"cannot be read ({error.strerror})") from None


def _at_once(path: str, flags: int) -> int:
    """Open without waiting for anybody to write into a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def never(dtype: np.dtype[Any]) -> Any:
    """A value that no replicate has: zarr leaves out a chunk that holds nothing but its fill value."""
    if dtype.kind in "fb":
        return np.nan if dtype.kind == "f" else False
    return np.iinfo(dtype).max if dtype.kind == "u" else np.iinfo(dtype).min


class Chunks:
    """The chunk files of one array, each of so many rows.

    Parameters
    ----------
    results : Path
        The folder of results.
    array : str
        Where the array is in it.
    shape : tuple of int
        Of a row.
    rows : int
        Of a chunk.

    Attributes
    ----------
    blank : (rows, ...) array
        A chunk without values.
    """

    def __init__(
        self,
        results: Path,
        array: str,
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
        rows: int,
        compressors: Any = COMPRESSORS,
    ) -> None:
        self.rows = rows
        self._results, self._array, self._zeros = results, array, "/0" * len(shape)
        self._held: dict[str, Buffer] = {}
        self._codec = zarr.create_array(
            store=MemoryStore(self._held), shape=(rows, *shape), chunks=(rows, *shape), dtype=dtype,
            compressors=compressors, fill_value=never(dtype),
        )  # fmt: skip
        self.blank = np.full((rows, *shape), never(dtype), dtype)
        self._last = -1, self.blank

    def path(self, chunk: int) -> Path:
        """The file of a chunk."""
        return self._results / f"{self._array}/c/{chunk}{self._zeros}"

    def there(self) -> Iterator[int]:
        """The chunks that have files."""
        try:
            names = os.listdir(self._results / self._array / "c")
        except OSError:
            return
        yield from (int(name) for name in names if name.isdecimal() and len(name) < 12)

    def read(self, chunk: int) -> NDArray[Any]:
        """All rows of a chunk.

        Raises
        ------
        UnreadableError
            If the file is not what was written.
        """
        largest = self.blank.nbytes + self.blank.nbytes // 64 + _ROOM
        content = read_bounded(self.path(chunk), largest)
        if _unpacked(content) != self.blank.nbytes:
            raise UnreadableError("is damaged (no chunk of this array)")
        self._held[self._key] = default_buffer_prototype().buffer.from_bytes(content)
        try:
            return np.asarray(self._codec[:])
        except Exception as error:  # whatever the codecs make of damaged bytes
            raise UnreadableError(f"is damaged ({_brief(error)})") from None
        finally:
            del self._held[self._key]

    def write(self, rows: Integers, values: NDArray[Any]) -> None:
        """Write rows; what else their chunks hold must be readable, or not there."""
        for chunk in np.unique(rows // self.rows).tolist():
            here = rows // self.rows == chunk
            written, content = self._last
            if chunk != written:
                old = here.sum() < self.rows and self.path(chunk).exists()
                content = self.read(chunk) if old else self.blank.copy()
            self._last = (-1, self.blank)  # as long as it is not sure that this is what the file holds
            content[rows[here] - chunk * self.rows] = values[here]
            self._codec[:] = content
            write_file(self.path(chunk), self._held.pop(self._key).to_bytes(), self._results)
            self._last = (chunk, content)

    def remove(self, chunk: int) -> None:
        """Remove the file of a chunk."""
        refuse_links(self.path(chunk).parent, self._results)
        self.path(chunk).unlink(missing_ok=True)

    @property
    def _key(self) -> str:
        return f"c/0{self._zeros}"


def _unpacked(frame: bytes) -> int:
    """How many bytes a zstd frame says that it holds (RFC 8878, section 3.1.1.1), -1 if it does not say.

    Asked before it is unpacked: a few bytes may claim to be any number of them.
    """
    if frame[:4] != _MAGIC or len(frame) < 6:
        return -1
    descriptor = frame[4]
    single, size = descriptor >> 5 & 1, descriptor >> 6
    start = 5 + (1 - single) + (0, 1, 2, 4)[descriptor & 3]
    length = (single, 2, 4, 8)[size]
    if length == 0:
        return -1
    return int.from_bytes(frame[start : start + length], "little") + (256 if length == 2 else 0)


def _brief(error: Exception) -> str:
    said = " ".join(str(error).split())
    return "the checksum does not match" if "checksum" in said else said[:80] or type(error).__name__
