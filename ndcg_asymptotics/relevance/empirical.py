"""Relevance curves estimated from data: piecewise linear, read from a JSON file.

The file is what ``ndcg-asymptotics fit`` writes::

    {"format": "ndcg-asymptotics curve 1",
     "gains": [2, 1],                         decreasing
     "depth": [0.0, 0.01, …, 1.0],            increasing, from 0 to 1
     "probability": [[…], […]]}               P(Y = gain | depth), one list per gain

Further keys (bands, where it came from) are kept by the file and ignored here.
"""

from __future__ import annotations

import json
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.errors import InputError
from ndcg_asymptotics.relevance.model import Curve, Relevance, check_grades
from ndcg_asymptotics.specs import require

Floats = NDArray[np.float64]

FORMAT = "ndcg-asymptotics curve 1"

#: Relative paths in specs start here; whoever reads a study sets it to the study's folder.
folder: ContextVar[Path] = ContextVar("folder", default=Path())


@dataclass(frozen=True)
class PiecewiseLinear(Curve):
    """m(t) by linear interpolation between nodes."""

    depths: tuple[float, ...]
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        self.check_range(*self.values)
        t, m = np.array(self.depths), np.array(self.values)
        steps = np.diff(t) * (m[1:] + m[:-1]) / 2
        object.__setattr__(self, "_nodes", (t, m, np.concatenate(([0.0], np.cumsum(steps)))))

    def formula(self, t: Floats) -> Floats:
        depths, values, _ = self._nodes  # type: ignore[attr-defined]
        return np.asarray(np.interp(t, depths, values))

    def average(self, a: Floats, b: Floats) -> Floats:
        # the piece that holds a, whole pieces, the piece that holds b: each a trapezoid
        depths, values, sums = self._nodes  # type: ignore[attr-defined]
        first = np.searchsorted(depths, a, side="right")
        last = np.searchsorted(depths, b, side="left") - 1
        at_a, at_b = self.formula(a), self.formula(b)
        last = np.maximum(last, 0)
        first = np.minimum(first, len(depths) - 1)
        head = (depths[first] - a) * (at_a + values[first]) / 2
        tail = (b - depths[last]) * (values[last] + at_b) / 2
        across = (head + (sums[last] - sums[first]) + tail) / (b - a)
        return np.where(first > last, (at_a + at_b) / 2, across)

    def bounds(self, a: Floats, b: Floats) -> tuple[Floats, Floats]:
        depths, values, _ = self._nodes  # type: ignore[attr-defined]
        low, high = map(np.array, super().bounds(a, b))
        first, last = np.searchsorted(depths, a), np.searchsorted(depths, b, side="right")
        for i in np.ndindex(low.shape):
            inside = values[first[i] : last[i]]
            if inside.size:
                low[i], high[i] = min(low[i], inside.min()), max(high[i], inside.max())
        return low, high

    @property
    def breaks(self) -> tuple[float, ...]:
        return self.depths[1:-1]


@dataclass(frozen=True)
class Empirical(Relevance, keyword="empirical"):
    """empirical("file"): the curve or curves of a JSON file, written by the command `fit`."""

    file: str
    _content: tuple[tuple[float, ...], tuple[Curve, ...]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_content", _load(folder.get() / self.file))

    @property
    def gains(self) -> tuple[float, ...]:
        return self._content[0]

    @property
    def curves(self) -> tuple[Curve, ...]:
        return self._content[1]


def _load(path: Path) -> tuple[tuple[float, ...], tuple[Curve, ...]]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"empirical: {path}: cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise InputError(f"empirical: {path}: not a curve file ({error})") from None
    try:
        require(content["format"] == FORMAT, f"format must be {FORMAT!r}, got {content['format']!r}")
        gains = tuple(float(y) for y in content["gains"])
        depths = tuple(float(t) for t in content["depth"])
        rows = [tuple(float(v) for v in row) for row in content["probability"]]
        require(
            len(depths) >= 2 and depths[0] == 0 and depths[-1] == 1 and min(np.diff(depths)) > 0,
            "depth must increase from 0 to 1",
        )
        require(
            len(rows) == len(gains) and all(len(row) == len(depths) for row in rows),
            "probability must hold one row per gain and one number per depth",
        )
        curves = tuple(PiecewiseLinear(depths, row) for row in rows)
        check_grades(gains, curves)
    except InputError as error:
        raise InputError(f"empirical: {path}: {error}") from None
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"empirical: {path}: not a curve file ({error!r})") from None
    return gains, curves
