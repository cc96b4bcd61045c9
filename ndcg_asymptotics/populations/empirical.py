"""Relevance curves that were estimated from data and are read from a file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Self, TypeVar

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.files import read_file as read_bytes
from ndcg_asymptotics.populations import curve_file
from ndcg_asymptotics.populations.curve import Curve
from ndcg_asymptotics.populations.scorer import Relevance
from ndcg_asymptotics.specs.scanner import Call
from ndcg_asymptotics.specs.spec import Portable

_LARGEST = 2**26  # bytes of a curve file
_T = TypeVar("_T")

FOLDER = "curves"
"""The subfolder of a folder of results that holds the curve files of its study."""


@dataclass(frozen=True)
class Empirical(Relevance, keyword="empirical"):
    """empirical("file"): the curve or curves of a JSON file, written by the command `fit`.

    ``content`` is that of the file, which need not exist: a curve that was fitted in this process is
    a scorer as it is.
    """

    file: str
    content: bytes = field(repr=False)
    _decoded: tuple[tuple[float, ...], tuple[Curve, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_decoded", curve_file.decode(self.content))

    @classmethod
    def signature(cls) -> str:
        return 'empirical("file")'

    @classmethod
    def from_call(cls, call: Call) -> Self:
        given = cls.bind(call, ("file",))
        if "file" not in given:
            call.scanner.fail('empirical needs "file"', call.position)
        return cls.read(given["file"], call.scanner.folder)

    @classmethod
    def read(cls, file: str, folder: Path) -> Self:
        """Read the curves of a file, whose name is relative to the folder."""
        return read_file(cls.keyword, file, folder, lambda content: cls(file, content))

    def arguments(self) -> tuple[str, ...]:
        return (json.dumps(self.file),)

    def portable(self) -> Portable:
        """Return a name that holds a digest of the content: equal names are equal curves."""
        return portable_file(self.keyword, self.file, self.content)

    @property
    def gains(self) -> tuple[float, ...]:
        return self._decoded[0]

    @property
    def curves(self) -> tuple[Curve, ...]:
        return self._decoded[1]


def read_file(keyword: str, file: str, folder: Path, decode: Callable[[bytes], _T]) -> _T:
    """Read and decode the file of ``keyword("file")``; errors begin with the keyword and the path."""
    path = folder / file
    try:
        return decode(read_bytes(path, _LARGEST))
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise InputError(f"{keyword}: {path}: {error}") from None
        said = getattr(error, "strerror", None) or error
        raise InputError(f"{keyword}: {path}: cannot be read ({said})") from None


def portable_file(keyword: str, file: str, content: bytes) -> Portable:
    """Return ``keyword("name")`` with a name that holds a digest of the content."""
    path = PurePosixPath(file)
    digest = "-" + hashlib.blake2b(content, digest_size=6).hexdigest()
    name = f"{FOLDER}/{path.stem.removesuffix(digest)}{digest}{path.suffix}"
    return Portable(f"{keyword}({json.dumps(name)})", {name: content})
