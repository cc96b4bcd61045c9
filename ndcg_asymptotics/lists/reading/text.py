"""Read text files as chunks of whole lines: plain, gzip or zstd, of bounded size.

The first bytes of a file tell how it is compressed. A few kilobytes may unpack to gigabytes, so every step
reads a bounded number of bytes, and the size of a file limits what it may unpack to.
"""

from __future__ import annotations

import codecs
import gzip
import os
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from ndcg_asymptotics.core.errors import InputError, needing, require
from ndcg_asymptotics.core.files import open_regular

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"

_BLOCK_BYTES = 1 << 20
"""Bytes that are read, and then parsed, at a time."""

LONGEST_LINE = 1 << 24
"""Bytes of the longest line: a line must be held in memory as a whole, and no real record is longer."""

_UNPACKED_BYTES, _UNPACKED_RATIO = 1 << 33, 2000
"""A file may unpack to 8 GB and 2000 times its size: gzip reaches 1032, and no real run in zstd 2000."""

FREE_LINES = 10**7
"""Lines that a file of any size may hold; a larger file may hold one more for each of its bytes.

No real file takes less than one byte per line, however it is compressed.
"""


def read_chunks(
    path: Path, *, quoted: bool = False, block: int = _BLOCK_BYTES
) -> Iterator[tuple[int, bytes]]:
    """Yield chunks of whole lines of a text file, each with the number of its first line.

    In the file a line ends with a line feed, a carriage return or both; in the chunks with a line feed. A
    byte-order mark is left out.

    Parameters
    ----------
    path : Path
    quoted : bool
        Whether quotation marks may enclose ends of lines; no chunk ends inside quotation marks then.
    block : int
        Bytes to read at a time.

    Raises
    ------
    InputError
        For a file that cannot be read, is not UTF-8 text, is damaged, or is larger than the bounds above.
    """
    held, carriage_return, number = bytearray(), b"", 1
    for index, piece in enumerate(_unpacked(path, block)):
        require(b"\0" not in piece, f"{path}: not a text file")
        text = carriage_return + (piece.removeprefix(codecs.BOM_UTF8) if index == 0 else piece)
        # the line feed after this carriage return may be the first byte of the next block
        carriage_return = text[-1:] if text.endswith(b"\r") else b""
        held += _with_line_feeds(text.removesuffix(b"\r"))
        end = held.rfind(b"\n") + 1
        if quoted and held.count(b'"', 0, end) % 2:
            end = 0
        if len(held) - end > LONGEST_LINE:
            line = number + held.count(b"\n", 0, end)
            raise InputError(f"{path}, line {line}: longer than 16 MB")
        if end:
            yield number, _checked(bytes(held[:end]), path, number)
            number += held.count(b"\n", 0, end)
            require_lines(path, number - 1)
            del held[:end]
    rest = bytes(held) + _with_line_feeds(carriage_return)
    if rest:
        yield number, _checked(rest if rest.endswith(b"\n") else rest + b"\n", path, number)


def read_first_line(path: Path, comment: bytes = b"") -> tuple[int, bytes]:
    """Return the first line of a text file that is not blank, and its number; (0, b"") if there is none.

    Lines that begin with ``comment`` are passed over, unless there are no others.
    """
    passed = 0, b""
    for number, chunk in read_chunks(path, block=1 << 16):
        for index, line in enumerate(chunk.split(b"\n")):
            if line.strip():
                found = number + index, line.lstrip()
                if not comment or not line.startswith(comment):
                    return found
                passed = passed if passed[0] else found
    return passed


def begins_with(path: Path, start: bytes) -> bool:
    """Return whether a text file begins with some bytes, after white space and a byte-order mark."""
    for block in _unpacked(path, 1 << 12):
        text = block.removeprefix(codecs.BOM_UTF8).lstrip()
        if text:
            return text.startswith(start)
    return False


def read_text(path: Path, most: int) -> str:
    """Return a text file as a whole, if it has at most ``most`` bytes when unpacked.

    Raises
    ------
    InputError
        For a larger file, and one that cannot be read, is damaged, or is not UTF-8 text.
    """
    parts, total = [], 0
    for block in _unpacked(path, _BLOCK_BYTES):
        total += len(block)
        require(total <= most, f"{path}: unpacks to more than {most:,} bytes")
        parts.append(block)
    try:
        return b"".join(parts).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path}: not a text file (it is not UTF-8)") from None


def require_lines(path: Path, lines: int) -> None:
    """Raise an error for more lines, or rows, than a file of this size may hold (see `FREE_LINES`)."""
    most = FREE_LINES + path.stat().st_size
    require(lines <= most, f"{path}: holds more than {most:,} lines, too many for the size of the file")


def open_file(path: Path) -> BinaryIO:
    """Open a regular file for reading.

    Raises
    ------
    InputError
        If it cannot be opened, or is a folder, a pipe or a device.
    """
    try:
        return open_regular(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None


def _unpacked(path: Path, block: int) -> Iterator[bytes]:
    with open_file(path) as file:
        head = file.read(len(_ZSTD))
        file.seek(0)
        kind = "gzip" if head.startswith(_GZIP) else "zstd" if head == _ZSTD else ""
        most, total = _UNPACKED_BYTES + _UNPACKED_RATIO * os.fstat(file.fileno()).st_size, 0
        stream = gzip.GzipFile(fileobj=file) if kind == "gzip" else _zstd(file, path) if kind else file
        while True:
            try:
                text = stream.read(block)
            except (OSError, EOFError, zlib.error) as error:
                damage = f"a truncated or damaged {kind} file" if kind else "cannot be read"
                raise InputError(f"{path}: {damage} ({error})") from None
            if not text:
                return
            total += len(text)
            require(total <= most, f"{path}: unpacks to more than {most:,} bytes, too many for its size")
            yield text


def _zstd(file: BinaryIO, path: Path) -> BinaryIO:
    with needing("pyarrow", f"{path}: zstd files are read by"):
        import pyarrow as pa
    stream: BinaryIO = pa.CompressedInputStream(pa.PythonFile(file, mode="r"), "zstd")
    return stream


def _with_line_feeds(text: bytes) -> bytes:
    return re.sub(rb"\r\n?", b"\n", text) if b"\r" in text else text


def _checked(text: bytes, path: Path, number: int) -> bytes:
    if not text.isascii():
        try:
            text.decode()
        except UnicodeDecodeError as error:
            line = number + text.count(b"\n", 0, error.start)
            raise InputError(f"{path}: not a text file (line {line} is not UTF-8)") from None
    return text
