"""User-defined relevance curves: a function of the canonical score."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev
from numpy.polynomial.legendre import leggauss
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats, Integers, brief, floats, instance_of
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.files import digest_of
from ndcg_asymptotics.populations.scorer import Curve
from ndcg_asymptotics.specs import custom

_DEGREE = 15  # of the polynomial on a panel
_NODES = chebyshev.chebpts1(_DEGREE + 1)
_FIT = np.linalg.inv(chebyshev.chebvander(_NODES, _DEGREE)).T  # from values at the nodes to coefficients
_RESOLVED = 1e-13  # size of a panel's last two coefficients up to which it is not halved
_EPSILON = 2.0**-52
_MOST_PANELS = 4000
_SINGLE = 24  # binary digits of a coefficient that go into the digest of results
_GAUSS = leggauss(8)  # exact for polynomials of degree 15
_PROBED = np.linspace(0.0, 1.0, 1025)  # depths at which the range of the curve is checked


@dataclass(frozen=True)
class OwnCurve(custom.OfFunction, Curve, keyword="custom"):
    """custom("module:function"): a user-defined ybar(s), vectorised over scores s in [0, 1].

    The function is replaced by polynomials of degree 15 on panels that are halved until they follow it to
    1e-13; these polynomials are the curve, so the function is never called again. From Python, see `curve`.

    Attributes
    ----------
    target : str
        Its name.
    breaks : tuple of float
        Depths t = 1 - s inside (0, 1) where it jumps or has a kink.
    value_digest : str
        A digest of the polynomials, to the last bit: curves with the same name and digest are equal and
        share what is computed of them.
    digest : str
        A digest of its source files, its breaks and the polynomials in single precision (so that a library
        that rounds differently keeps it): results of one digest are never continued with another.
    """

    KIND = "relevance curve"

    breaks: tuple[float, ...] = ()
    # the edges of the panels, (P + 1,), and the Chebyshev series on each, (P, degree + 1)
    _edges: Floats = field(init=False, repr=False, compare=False)
    _series: Floats = field(init=False, repr=False, compare=False)
    # the integral of m over the panels before each edge, and behind it
    _from_top: Floats = field(init=False, repr=False, compare=False)
    _from_end: Floats = field(init=False, repr=False, compare=False)
    # bounds of m and of |m'| on each panel
    _ranges: tuple[Floats, Floats, Floats] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        edges, series = self._panels()
        width = np.diff(edges)
        k = np.arange(_DEGREE + 1)
        # int T_k(x) dx over [-1, 1] is 2 / (1 - k²) for even k, 0 for odd k
        integrals = np.zeros(_DEGREE + 1)
        integrals[::2] = 2.0 / (1.0 - k[::2] ** 2)
        masses = series @ integrals * width / 2
        reach = np.abs(series[:, 1:]).sum(axis=1)  # |T_k| <= 1
        slope = np.abs(series) @ k**2.0 * 2 / width  # |T_k'| <= k²
        set_ = object.__setattr__
        set_(self, "_edges", edges)
        set_(self, "_series", series)
        # sums from either end, so that those of narrow intervals are no differences of numbers near p
        set_(self, "_from_top", np.concatenate(([0.0], np.cumsum(masses))))
        set_(self, "_from_end", np.concatenate((np.cumsum(masses[::-1])[::-1], [0.0])))
        set_(self, "_ranges", (series[:, 0] - reach, series[:, 0] + reach, slope))
        self.check_range(*self.formula(_PROBED))
        source = custom.source_digest(self.function, self.files) + np.array(self.breaks).tobytes()
        # coefficients that rounding alone makes differ from 0 are the same whole number
        single = np.rint(series * 2.0**_SINGLE).astype(np.int64).tobytes()
        set_(self, "value_digest", digest_of(edges.tobytes() + series.tobytes()))
        set_(self, "digest", digest_of(source + edges.tobytes() + single))

    def _evaluate(self, t: Floats) -> Floats:
        return custom.evaluated(self.function, 1.0 - t, f"custom: {self.target!r}", "score")

    @classmethod
    def described(cls, value: object) -> dict[str, Any]:
        if isinstance(value, type) and issubclass(value, Curve):
            value = value()
        if isinstance(value, OwnCurve):
            return {"function": value.function, "breaks": value.breaks}
        if isinstance(value, Curve):

            def by_score(s: Floats) -> Floats:
                return value.value(1.0 - s)

            by_score.__dict__["__wrapped__"] = value  # whose source file it is
            return {"function": by_score, "breaks": value.breaks}
        require(callable(value), f"a relevance curve must be a function of the score, got {brief(value)}")
        return {"function": value}

    def _panels(self) -> tuple[Floats, Floats]:
        """Return the edges of the panels, and on each the Chebyshev series of m in its own [-1, 1]."""
        require(
            all(0 < b < 1 for b in self.breaks),
            f"custom: breaks must lie inside (0, 1), got {brief(self.breaks)}",
        )
        edges = np.array([0.0, *sorted(set(self.breaks)), 1.0])
        left, right = edges[:-1], edges[1:]
        panels: list[tuple[Floats, Floats]] = []
        count = 0
        while left.size:
            width = right - left
            values = self._evaluate(left[:, None] + width[:, None] * (_NODES + 1) / 2)
            series = values @ _FIT
            # a score near 1 is rounded, and with it what a steep curve makes of it
            noise = _EPSILON * np.ptp(values, axis=1) / width
            good = (np.abs(series[:, -2:]).max(axis=1) <= _RESOLVED + noise) | (width <= _EPSILON)
            panels.append((left[good], series[good]))
            left, right = left[~good], right[~good]
            count += int(good.sum())
            require(
                not left.size or count + 2 * left.size <= _MOST_PANELS,
                f"custom: {self.target!r} is too rough for {_MOST_PANELS} panels: "
                "name its jumps and kinks as breaks",
            )
            middle = (left + right) / 2
            left, right = np.concatenate([left, middle]), np.concatenate([middle, right])
        starts, series = (np.concatenate(parts) for parts in zip(*panels, strict=True))
        order = np.argsort(starts)
        return np.append(starts[order], 1.0), series[order]

    def _panel(self, t: Floats) -> Integers:
        edges = self._edges
        return np.clip(np.searchsorted(edges, t, side="right") - 1, 0, len(edges) - 2)

    def _value(self, panel: Integers, t: Floats) -> Floats:
        edges, series = self._edges, self._series
        x = 2 * (t - edges[panel]) / (edges[panel + 1] - edges[panel]) - 1
        basis = chebyshev.chebvander(x, _DEGREE).reshape(*np.shape(x), _DEGREE + 1)
        return np.asarray((basis * series[panel]).sum(axis=-1))

    def formula(self, t: Floats) -> Floats:
        return self._value(self._panel(t), t)

    def _within(self, panel: Integers, a: Floats, b: Floats) -> Floats:
        """Return the integral over [a, b], which lies in one panel."""
        t = ((a + b) / 2)[..., None] + ((b - a) / 2)[..., None] * _GAUSS[0]
        return np.asarray(self._value(panel[..., None], t) @ _GAUSS[1] * (b - a) / 2)

    def average(self, a: Floats, b: Floats) -> Floats:
        edges = self._edges
        # parts of the first and the last panel, and the whole panels between them
        first = self._panel(a)
        last = np.clip(np.searchsorted(edges, b, side="left") - 1, first, None)
        same_panel = first == last
        head = self._within(first, a, np.where(same_panel, b, edges[first + 1]))
        tail = np.where(same_panel, 0.0, self._within(last, np.where(same_panel, a, edges[last]), b))
        top, end = self._from_top, self._from_end
        inner = np.minimum(first + 1, last)
        across = np.where(edges[inner] < 0.5, top[last] - top[inner], end[inner] - end[last])
        return np.asarray((head + np.where(same_panel, 0.0, across) + tail) / (b - a))

    def bounds(self, a: Floats, b: Floats) -> tuple[Floats, Floats]:
        lowest, highest, slope = self._ranges
        first, last = self._panel(a), self._panel(b)
        middle, reach = self.value((a + b) / 2), slope[first] * (b - a) / 2
        low, high = np.array(middle - reach), np.array(middle + reach)
        for i in np.ndindex(low.shape):
            panels = slice(first[i], last[i] + 1)
            least, greatest = lowest[panels].min(), highest[panels].max()
            if first[i] == last[i]:  # within one panel the slope bounds m as well
                least, greatest = max(low[i], least), min(high[i], greatest)
            low[i], high[i] = least, greatest
        return np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)

    @property
    def holder(self) -> None:
        return None

    @property
    def is_continuous(self) -> bool:
        at = np.array(self.breaks)
        right = self._panel(at)
        return bool(np.all(np.abs(self._value(right, at) - self._value(right - 1, at)) < 1e-9))


def curve(
    function: Callable[[Floats], ArrayLike], *, name: str = "", breaks: Sequence[float] = ()
) -> OwnCurve:
    """Return a function of the canonical score as a relevance curve.

    Parameters
    ----------
    function : callable
        ybar(s) for an array of scores in [0, 1], 1 at the top of the ranking; values in [0, 1].
    name : str, optional
        The name that results and figures show; by default ``module:function``. A study that is kept in a
        folder needs this default, of a function in an importable module, to find the function again.
    breaks : sequence of float
        Depths t = 1 - s inside (0, 1) where it jumps or has a kink.

    Raises
    ------
    InputError
        If a value is not a probability, or the function is too rough to interpolate.

    >>> import numpy as np
    >>> wave = curve(lambda s: 0.3 + 0.2 * np.sin(6 * s), name="wave")
    >>> str(wave), round(wave.mass, 12), wave.value([0.0, 0.5]).round(6)
    ('custom("wave")', 0.301327657112, array([0.244117, 0.328224]))
    """
    depths = floats(breaks, "breaks").ravel().tolist()
    fields = {"breaks": tuple(depths)} if depths else {}
    return OwnCurve(
        instance_of(name, str, "name") or custom.name_of(function), **OwnCurve.described(function) | fields
    )
