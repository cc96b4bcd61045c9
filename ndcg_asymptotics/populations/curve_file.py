"""Files of relevance curves: CSV, as `fit` writes it or with points of a user.

::

    # run: a.run; queries: 50
    depth,y=2,y=1
    0.0,0.5,0.4
    …
    1.0,0.0,0.1

The first column is ``depth``, or ``s`` = 1 - depth, from 0 to 1. The column ``y=2`` has P(Y = 2 | depth);
``ybar`` is another name of ``y=1``. Curves are linear between the points. Lines that begin with ``#`` are for
people and say where the curves came from.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import brief
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.files import read_file
from ndcg_asymptotics.core.removed import FILES, removed
from ndcg_asymptotics.populations.families import PiecewiseLinear
from ndcg_asymptotics.populations.graded import check_grades
from ndcg_asymptotics.populations.scorer import Curve, Relevance
from ndcg_asymptotics.specs.scanner import Call, number_text
from ndcg_asymptotics.specs.spec import Portable, Write

FOLDER = "curves"
"""The subfolder of a folder of results that holds the curve files of its study."""

_LARGEST_FILE = 2**22  # bytes of a curve file
# of more points theory would need gigabytes; `fit` writes about 100
_MOST_POINTS = 2000  # of a curve
_MOST_PROBABILITIES = 10_000  # points of the curves of all gains


def encode(
    gains: Sequence[float], depth: ArrayLike, probability: ArrayLike, comments: Iterable[str] = ()
) -> bytes:
    """Return the content of a curve file.

    Parameters
    ----------
    gains : (J,)
        Positive.
    depth : (K,)
        From 0 to 1.
    probability : (J, K)
        P(Y = gain | depth).
    comments : texts
        Where the curves came from, a line each.
    """
    lines = [f"# {' '.join(comment.split())}" for comment in comments]
    lines.append(",".join(["depth", *(f"y={number_text(gain)}" for gain in gains)]))
    lines += [",".join(map(repr, row)) for row in np.vstack([depth, probability]).T.tolist()]
    return "".join(f"{line}\n" for line in lines).encode(errors="backslashreplace")


def decoded(content: bytes) -> tuple[tuple[float, ...], tuple[PiecewiseLinear, ...]]:
    """Return the gains in the content of a curve file, in decreasing order, and the curve of each.

    Raises
    ------
    InputError
        Saying what is wrong.
    """
    require(content.lstrip()[:1] != b"{", removed("curve as JSON", FILES))
    lines = [
        (number, line.split(","))
        for number, line in enumerate(_text(content).splitlines(), 1)
        if line.strip() and not line.startswith("#")
    ]
    heading = [cell.strip() for cell in lines[0][1]] if lines else [""]
    names = ["y=1" if name == "ybar" else name for name in heading[1:]]
    try:
        gains = [float(name.removeprefix("y=")) for name in names if name.startswith("y=")]
    except ValueError:
        gains = []
    proper = heading[0] in ("depth", "s") and 0 < len(gains) == len(names)
    requirement = "a curve file begins with the columns depth or s, and ybar or y=GAIN for every gain"
    require(proper, f"{requirement}, got {brief(','.join(heading))}")
    count = len(lines) - 1
    require(count <= _MOST_POINTS, f"a curve must have at most {_MOST_POINTS} points, got {count}")
    number = len(gains) * count
    require(number <= _MOST_PROBABILITIES, f"at most {_MOST_PROBABILITIES} probabilities, got {number}")
    points = [_numbers(cells, place, len(heading)) for place, cells in lines[1:]]
    if heading[0] == "s":
        points = [[1 - s, *values] for s, *values in points]
    depths, *rows = zip(*sorted(points), strict=True) if points else [()] * len(heading)
    by_gain = sorted(zip(gains, rows, strict=True), reverse=True)
    curves = tuple(PiecewiseLinear(depths, row) for _, row in by_gain)
    check_grades(tuple(gain for gain, _ in by_gain), curves)
    return tuple(gain for gain, _ in by_gain), curves


def _text(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"a curve file is UTF-8 text ({error})") from None


def _numbers(cells: Sequence[str], line: int, count: int) -> list[float]:
    try:
        numbers = [float(cell) for cell in cells]
    except ValueError:
        numbers = []
    require(len(numbers) == count, f"line {line} must have {count} numbers, got {brief(','.join(cells))}")
    return numbers


@dataclass(frozen=True)
class Empirical(Relevance, keyword="empirical"):
    """empirical("file"): the curves of a CSV file of `fit`, or with the points s,ybar of a user.

    Attributes
    ----------
    file : str
        The name of the file, which need not exist: a curve that was fitted in this process is a scorer as it
        is.
    content : bytes
        The content of the file.
    """

    file: str
    content: bytes = field(repr=False)
    _decoded: tuple[tuple[float, ...], tuple[PiecewiseLinear, ...]] = field(
        init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "_decoded", decoded(self.content))

    @classmethod
    def signature(cls) -> str:
        return f'{cls.keyword}("file")'

    @classmethod
    def from_call(cls, call: Call) -> Self:
        parameters = cls.bind(call, ("file",))
        if "file" not in parameters:
            call.scanner.fail(f'{cls.keyword} needs "file"', call.position)
        call.scanner.check_inside(parameters["file"], call.position)
        return cls.read(parameters["file"], call.scanner.folder)

    @classmethod
    def read(cls, file: str, folder: Path) -> Self:
        """Read the curves of a file, whose name is relative to the folder.

        Raises
        ------
        InputError
            Naming the file, if it cannot be read or is no curve file.
        """
        try:
            return cls(file, read_file(folder / file, _LARGEST_FILE))
        except InputError as error:
            raise InputError(f"{folder / file}: {error}") from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise InputError(f"{folder / file}: cannot be read ({reason})") from None

    def arguments(self, write: Write = str) -> tuple[str, ...]:
        return (json.dumps(self.file),)

    def portable(self) -> Portable:
        """Return a name that holds a digest of the content: equal names are equal curves."""
        path = PurePosixPath(self.file)
        digest = "-" + hashlib.blake2b(self.content, digest_size=6).hexdigest()
        name = f"{FOLDER}/{path.stem.removesuffix(digest)}{digest}{path.suffix}"
        return Portable(f"{self.keyword}({json.dumps(name)})", {name: self.content})

    def with_gains(self, gains: Sequence[float]) -> Self:
        """Return the curves with other gains in the place of `gains`; curves whose gain is 0 are left out."""
        positive = [(gain, curve) for gain, curve in zip(gains, self.nodes, strict=True) if gain > 0]
        lines = _text(self.content).splitlines()
        comments = [line.removeprefix("# ") for line in lines if line.startswith("#")]
        probability = [curve.values for _, curve in positive]
        content = encode([gain for gain, _ in positive], self.nodes[0].depths, probability, comments)
        return type(self)(self.file, content)

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
