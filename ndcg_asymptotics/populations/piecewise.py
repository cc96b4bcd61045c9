"""Relevance curves by linear interpolation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.populations.curve import Curve
from ndcg_asymptotics.specs.scanner import Call, number_text


@dataclass(frozen=True)
class PiecewiseLinear(Curve, keyword="piecewise"):
    """m(t) by linear interpolation between nodes at depths t = 1 - s from 0 to 1."""

    depths: tuple[float, ...]
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        require(
            len(self.depths) >= 2
            and self.depths[0] == 0
            and self.depths[-1] == 1
            and min(np.diff(self.depths)) > 0,
            "depth must increase from 0 to 1",
        )
        self.check_range(*self.values)
        t, m = np.array(self.depths), np.array(self.values)
        steps = np.diff(t) * (m[1:] + m[:-1]) / 2
        object.__setattr__(self, "_nodes", (t, m, np.concatenate(([0.0], np.cumsum(steps)))))

    @classmethod
    def signature(cls) -> str:
        return "piecewise(0=value, depth=value, …, 1=value)"

    @classmethod
    def from_call(cls, call: Call) -> Self:
        nodes = []
        for argument in call.arguments:
            try:
                nodes.append((float(argument.key or "none"), float(argument.value)))  # type: ignore[arg-type]
            except (TypeError, ValueError):
                call.scanner.fail("piecewise takes depth=value, as in 0.5=0.3", argument.position)
        require(len(nodes) > 0, "piecewise needs nodes: 0=value, …, 1=value")
        depths, values = zip(*sorted(nodes), strict=True)
        return cls(depths, values)

    def arguments(self) -> tuple[str, ...]:
        nodes = zip(self.depths, self.values, strict=True)
        return tuple(f"{number_text(t)}={number_text(m)}" for t, m in nodes)

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
