"""Files of relevance curves: JSON as `fit` writes it, or a table of points in CSV.

::

    {"format": "ndcg-asymptotics curve 1",
     "gains": [2, 1],                         decreasing
     "depth": [0.0, 0.01, …, 1.0],            increasing, from 0 to 1
     "probability": [[…], […]],               P(Y = gain | depth), one list per gain
     "source": {…}}                           where it came from

The source is for people; a scorer does not need it. A table has the columns ``depth,ybar`` or ``s,ybar``,
where s = 1 - depth, from 0 to 1; its labels have gain 1.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Self, TypeVar

from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.files import read_file as read_bytes
from ndcg_asymptotics.populations.families import PiecewiseLinear
from ndcg_asymptotics.populations.graded import check_grades
from ndcg_asymptotics.populations.scorer import Curve, Relevance
from ndcg_asymptotics.specs.scanner import Call
from ndcg_asymptotics.specs.spec import Portable, Spec

_T = TypeVar("_T")

CURVE = "ndcg-asymptotics curve 1"


def encode(form: str, **fields: object) -> bytes:
    """Return the content of a file of the format ``form``; what the fields hold may be arrays."""
    content = {"format": form, **fields}
    return (json.dumps(content, indent=1, default=lambda array: array.tolist()) + "\n").encode()


def decoded(content: bytes) -> tuple[tuple[float, ...], tuple[PiecewiseLinear, ...]]:
    """Return the gains and the curves in the content of a curve file; errors say what is wrong."""
    values = content.count(b",")
    require(values <= _MOST_VALUES, f"at most {_MOST_VALUES} values are allowed, this file has {values}")
    try:
        table = json.loads(content) if content.lstrip()[:1] in (b"{", b"[") else _points(content)
        require(table["format"] == CURVE, f"format must be {CURVE!r}, got {table['format']!r}")
        return curves_of(table)
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise InputError(f"not a curve file ({error!r})") from None


def _points(content: bytes) -> dict[str, Any]:
    """Return the table of a curve file that the points in the content of a CSV file stand for."""
    lines = content.decode("utf-8-sig").splitlines()
    heading, *rows = [[cell.strip() for cell in line.split(",")] for line in lines if line.strip()] or [[]]
    known = heading in (["s", "ybar"], ["depth", "ybar"])
    require(known, "not a curve file: neither JSON of `fit` nor CSV with the columns s,ybar or depth,ybar")
    points = [(float(x), float(y)) for x, y in rows]
    if heading[0] == "s":
        points = [(1 - s, y) for s, y in points]
    points.sort()
    return {
        "format": CURVE,
        "gains": [1],
        "depth": [depth for depth, _ in points],
        "probability": [[y for _, y in points]],
    }


def curves_of(table: Any) -> tuple[tuple[float, ...], tuple[PiecewiseLinear, ...]]:
    """Return the gains and the curves in the table of a curve file."""
    gains = tuple(float(y) for y in table["gains"])
    depths = tuple(float(t) for t in table["depth"])
    rows = [tuple(float(v) for v in row) for row in table["probability"]]
    # of more points theory would need gigabytes; `fit` writes about 100
    require(len(depths) <= _MOST_POINTS, f"depth must have at most {_MOST_POINTS} values, got {len(depths)}")
    number = len(gains) * len(depths)
    require(number <= _MOST_PROBABILITIES, f"at most {_MOST_PROBABILITIES} probabilities, got {number}")
    require(
        len(rows) == len(gains) and all(len(row) == len(depths) for row in rows),
        "probability must hold one row per gain and one number per depth",
    )
    curves = tuple(PiecewiseLinear(depths, row) for row in rows)
    check_grades(gains, curves)
    return gains, curves


_LARGEST_FILE = 2**26  # bytes of a curve file
_MOST_VALUES = 2**21  # in a curve file: each takes up to 70 bytes in memory
_MOST_POINTS = 2000  # of a curve
_MOST_PROBABILITIES = 10_000  # points of the curves of all gains

FOLDER = "curves"
"""The subfolder of a folder of results that holds the curve files of its study."""


@dataclass(frozen=True)
class OfFile(Spec):
    """A spec ``keyword("file")`` whose file is read when its text is.

    Attributes
    ----------
    file : str
        The name of the file, which need not exist.
    content : bytes
        The content of the file.
    """

    file: str
    content: bytes = field(repr=False)

    @classmethod
    def signature(cls) -> str:
        return f'{cls.keyword}("file")'

    @classmethod
    def from_call(cls, call: Call) -> Self:
        given = cls.bind(call, ("file",))
        if "file" not in given:
            call.scanner.fail(f'{cls.keyword} needs "file"', call.position)
        call.scanner.check_inside(given["file"], call.position)
        return cls.read(given["file"], call.scanner.folder)

    @classmethod
    def read(cls, file: str, folder: Path) -> Self:
        """Read the curves of a file, whose name is relative to the folder."""
        return read_curves(folder / file, lambda content: cls(file, content), cls.keyword)

    def arguments(self) -> tuple[str, ...]:
        return (json.dumps(self.file),)

    def portable(self) -> Portable:
        """Return a name that holds a digest of the content: equal names are equal curves."""
        path = PurePosixPath(self.file)
        digest = "-" + hashlib.blake2b(self.content, digest_size=6).hexdigest()
        name = f"{FOLDER}/{path.stem.removesuffix(digest)}{digest}{path.suffix}"
        return Portable(f"{self.keyword}({json.dumps(name)})", {name: self.content})


@dataclass(frozen=True)
class Empirical(OfFile, Relevance, keyword="empirical"):
    """empirical("file"): the curves of a JSON file of `fit`, or the points s,ybar of a CSV file.

    ``content`` is that of the file, which need not exist: a curve that was fitted in this process is
    a scorer as it is.
    """

    _decoded: tuple[tuple[float, ...], tuple[PiecewiseLinear, ...]] = field(
        init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "_decoded", decoded(self.content))

    @property
    def gains(self) -> tuple[float, ...]:
        return self._decoded[0]

    @property
    def curves(self) -> tuple[Curve, ...]:
        return self._decoded[1]

    @property
    def nodes(self) -> tuple[PiecewiseLinear, ...]:
        """The same curves, whose depths and values are those of the file."""
        return self._decoded[1]


def read_curves(path: Path, decode: Callable[[bytes], _T], keyword: str = "") -> _T:
    """Read and decode a file; errors begin with the path, after the keyword of the spec that names it."""
    place = f"{keyword}: {path}" if keyword else path
    try:
        return decode(read_bytes(path, _LARGEST_FILE))
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise InputError(f"{place}: {error}") from None
        said = getattr(error, "strerror", None) or error
        raise InputError(f"{place}: cannot be read ({said})") from None
