"""Files as chunks of whole lines: plain, gzip or zstd, on a disk or from a pipe, opened once and read once.

How a file is packed is seen from its first bytes, so that neither its name nor a second look is
needed. A byte-order mark is taken off; what is not UTF-8 text is refused.
"""

from __future__ import annotations

import codecs
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from ndcg_asymptotics.core.errors import InputError, require

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_BLOCK = 1 << 20  # bytes read at a time
_PACKED = 1 << 16  # the same of packed bytes, which may be many more when unpacked
_LONGEST = 1 << 24  # bytes of a line


def chunks(blocks: Iterable[bytes], path: Path) -> Iterator[bytes]:
    """The blocks of a file as text: in pieces that end with the end of a line.

    Raises
    ------
    InputError
        For what is not UTF-8 text, or has a line of more than 16 MB.
    """
    rest, number, first = b"", 1, True
    for block in blocks:
        if b"\0" in block:
            raise InputError(f"{path}: not a text file")
        if first:
            block, first = block.removeprefix(codecs.BOM_UTF8), False
        end = block.rfind(b"\n") + 1
        require(
            len(rest) + (end or len(block)) <= _LONGEST + _BLOCK, f"{path}, line {number}: longer than 16 MB"
        )
        if not end:
            rest += block
            continue
        whole, rest = rest + block[:end], block[end:]
        yield _checked(whole, path, number)
        number += whole.count(b"\n")
    if rest:
        yield _checked(rest + b"\n", path, number)


def blocks(path: Path) -> Iterator[bytes]:
    """The bytes of a file, unpacked, some at a time.

    Raises
    ------
    InputError
        For a file that is missing, damaged or truncated.
    """
    try:
        with path.open("rb") as file:
            head = file.read(len(_ZSTD))
            if head.startswith(_GZIP):
                yield from _unpacked(file, head, lambda: zlib.decompressobj(31), path, "gzip")
            elif head == _ZSTD:
                yield from _unpacked(file, head, _zstd(path), path, "zstd")
            else:
                head += file.read(_BLOCK)
                while head:
                    yield head
                    head = file.read(_BLOCK)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None


def _checked(text: bytes, path: Path, number: int) -> bytes:
    if not text.isascii():
        try:
            text.decode()
        except UnicodeDecodeError as error:
            line = number + text.count(b"\n", 0, error.start)
            raise InputError(f"{path}: not a text file (line {line} is not UTF-8)") from None
    return text


def _unpacked(
    file: BinaryIO, head: bytes, unpacker: Callable[[], Any], path: Path, kind: str
) -> Iterator[bytes]:
    """One or more packed streams, one after another."""
    stream, packed = unpacker(), head
    damaged = f"{path}: a truncated or damaged {kind} file"
    while packed := packed or file.read(_PACKED):
        if stream.eof:  # another stream may follow; zeros fill up the blocks of a tape
            packed = packed.lstrip(b"\0")
            if not packed:
                continue
            stream = unpacker()
        try:
            text = stream.decompress(packed)
        except Exception as error:  # each library has an error of its own
            raise InputError(f"{damaged} ({error})") from None
        if text:
            yield text
        packed = stream.unused_data if stream.eof else b""
    require(stream.eof, f"{damaged} (it ends too early)")


def _zstd(path: Path) -> Callable[[], Any]:
    try:
        import zstandard
    except ImportError:
        raise InputError(
            f"{path}: zstd files are read by zstandard, which is not installed: "
            'pip install "ndcg-asymptotics[data]"'
        ) from None
    return lambda: zstandard.ZstdDecompressor().decompressobj()
