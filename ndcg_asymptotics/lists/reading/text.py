"""Read text files as chunks of whole lines, plain or compressed; the first bytes of a file tell which."""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import re
import zipfile
import zlib
from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO

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

_BLOCK = 1 << 22
"""Characters that are read, and then parsed, at a time."""


def read_chunks(path: Path, block: int = _BLOCK) -> Iterator[tuple[int, str]]:
    """Yield chunks of whole lines of a text file, each with the number of its first line.

    In the file a line ends with a line feed, a carriage return or both; in the chunks with a line feed. A
    byte-order mark is left out.

    Raises
    ------
    InputError
        For a file that cannot be read, is damaged, or is not UTF-8 text.
    """
    with open_file(path) as file:
        head = file.read(16)
        file.seek(0)
        kind = next((name for name, start in _COMPRESSIONS.items() if re.match(start, head)), "")
        number = 1
        try:
            # bytes that are not UTF-8 become surrogates, by which their line is found
            stream = TextIOWrapper(_stream(kind, file, path), "utf-8-sig", "surrogateescape")
            while text := stream.read(block):
                text += stream.readline()
                _require_utf8(text, path, number)
                yield number, text if text.endswith("\n") else f"{text}\n"
                number += text.count("\n")
        except _DAMAGE as error:
            damage = f"a truncated or damaged {kind} file" if kind else "cannot be read"
            raise InputError(f"{path}: {damage} ({error})") from None


def read_first_line(path: Path, comment: str = "") -> tuple[int, str]:
    """Return the first line of a text file that is not blank, and its number; (0, "") if there is none.

    Lines that begin with ``comment`` are passed over, unless there are no others.
    """
    passed = 0, ""
    for number, chunk in read_chunks(path, block=1 << 16):
        for index, line in enumerate(chunk.split("\n")):
            if line.strip():
                if not comment or not line.startswith(comment):
                    return number + index, line.lstrip()
                passed = passed if passed[0] else (number + index, line)
    return passed


def read_text(path: Path) -> str:
    """Return a text file as a whole; raise InputError as `read_chunks`."""
    return "".join(text for _, text in read_chunks(path))


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
        reason = f"not a regular file; {why}" if stream else error.strerror or error
        raise InputError(f"{path}: cannot be read ({reason})") from None


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


def _require_utf8(text: str, path: Path, number: int) -> None:
    """Refuse text with NUL bytes, or with bytes that are not UTF-8; ``number`` is that of its first line."""
    try:
        raw, bad = text.encode(), -1
    except UnicodeEncodeError as error:
        raw, bad = text.encode(errors="surrogateescape"), error.start
    for encoding in [name for name, mark in _MARKS.items() if number == 1 and raw.startswith(mark)][:1]:
        advice = f"iconv -f {encoding} -t UTF-8 converts it"
        raise InputError(f"{path}: not UTF-8 but {encoding} text; {advice}")
    require(b"\0" not in raw, f"{path}: not a text file")
    line = number + text.count("\n", 0, max(bad, 0))
    require(bad < 0, f"{path}: not a text file (line {line} is not UTF-8)")
