"""Read text files as chunks of whole lines: plain or compressed, of bounded size.

The first bytes of a file tell how it is compressed. A few kilobytes may unpack to gigabytes, so every step
reads a bounded number of bytes, and the size of a file limits what it may unpack to.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from ndcg_asymptotics.core.errors import InputError, needing, require
from ndcg_asymptotics.core.files import IrregularFileError, open_regular

_COMPRESSIONS = {
    "gzip": rb"\x1f\x8b",
    "zstd": rb"\x28\xb5\x2f\xfd",
    "xz": rb"\xfd7zXZ\0",
    "bz2": rb"BZh[1-9](1AY&SY|\x17rE8P)",
    "zip": rb"PK\x03\x04",
}
"""The first bytes of a file by its compression, as regular expressions."""

_MARKS = {"UTF-32": codecs.BOM_UTF32_LE, "UTF-16": codecs.BOM_UTF16_LE, "UTF-16BE": codecs.BOM_UTF16_BE}
"""Byte-order marks of encodings other than UTF-8; that of UTF-32 begins with that of UTF-16."""

_DAMAGE = (
    *(OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile),
    *(RuntimeError, NotImplementedError),  # a zip file with a password, or of an unknown method
)

_BLOCK_BYTES = 1 << 22
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
    for piece in _unpacked(path, block):
        text = carriage_return + piece
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
                if not comment or not line.startswith(comment):
                    return number + index, line.lstrip()
                passed = passed if passed[0] else (number + index, line)
    return passed


def begins_with(path: Path, start: bytes) -> bool:
    """Return whether a text file begins with some bytes, after white space."""
    return next((text.startswith(start) for b in _unpacked(path, 1 << 12) if (text := b.lstrip())), False)


def read_text(path: Path, most: int) -> str:
    """Return a text file as a whole, if it has at most ``most`` bytes when unpacked.

    Raises
    ------
    InputError
        For a larger file, and one that cannot be read, is damaged, or is not UTF-8 text.
    """
    content = bytearray()
    for block in _unpacked(path, _BLOCK_BYTES):
        content += block
        require(len(content) <= most, f"{path}: unpacks to more than {most:,} bytes")
    return _checked(bytes(content), path, 1).decode()


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
        stream = isinstance(error, IrregularFileError) or str(path) == "-"
        why = "a file is needed, as it is read more than once: write what a pipe holds into one"
        said = f"not a regular file; {why}" if stream else error.strerror or error
        raise InputError(f"{path}: cannot be read ({said})") from None


def _unpacked(path: Path, block: int) -> Iterator[bytes]:
    """Yield the bytes of a text file, without a byte-order mark."""
    with open_file(path) as file:
        head = file.read(16)
        file.seek(0)
        kind = next((name for name, start in _COMPRESSIONS.items() if re.match(start, head)), "")
        most, total = _UNPACKED_BYTES + _UNPACKED_RATIO * os.fstat(file.fileno()).st_size, 0
        try:
            stream = _stream(kind, file, path)
            while text := stream.read(block):
                if b"\0" in text or (not total and text[:2] in _MARKS.values()):
                    _refuse_encoding(text, path)
                yield text if total else text.removeprefix(codecs.BOM_UTF8)
                total += len(text)
                require(total <= most, f"{path}: unpacks to more than {most:,} bytes, too many for its size")
        except _DAMAGE as error:
            damage = f"a truncated or damaged {kind} file" if kind else "cannot be read"
            raise InputError(f"{path}: {damage} ({error})") from None


def _stream(kind: str, file: BinaryIO, path: Path) -> Any:
    """Return a stream of the bytes that a compressed file unpacks to."""
    if kind == "zip":
        archive = zipfile.ZipFile(file)
        names = [name for name in archive.namelist() if not name.startswith("__MACOSX/") and name[-1] != "/"]
        require(len(names) == 1, f"{path}: a zip file of {len(names)} files, expected one: unpack it first")
        return archive.open(names[0])
    if kind == "zstd":
        with needing("pyarrow", f"{path}: zstd files are read by"):
            import pyarrow as pa
        return pa.CompressedInputStream(pa.PythonFile(file, mode="r"), "zstd")
    openers: dict[str, Any] = {"gzip": gzip.open, "xz": lzma.open, "bz2": bz2.open}
    return openers[kind](file) if kind else file


def _refuse_encoding(text: bytes, path: Path) -> NoReturn:
    """Raise the error for text with NUL bytes, as that of UTF-16 has, which every second byte may be."""
    zeros = [2 * text[start::2].count(0) > len(text[start::2]) for start in (0, 1)]
    encoding = next((name for name, mark in _MARKS.items() if text.startswith(mark)), "")
    encoding = encoding or {(True, True): "UTF-32", (False, True): "UTF-16LE", (True, False): "UTF-16BE"}.get(
        (zeros[0], zeros[1]), ""
    )
    require(bool(encoding) and bool(text.strip(b"\0")), f"{path}: not a text file")
    raise InputError(f"{path}: not UTF-8 but {encoding} text; iconv -f {encoding} -t UTF-8 converts it")


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
