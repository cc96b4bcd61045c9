"""The families of relevance curves: each class is its formula and its mean over an interval.

In `LogisticCurve` and `Binormal` the log odds of relevance are linear in a score (canonical, or normal),
and the prevalence sets the level.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar, Self

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.special import expit, log_ndtr, ndtr, ndtri_exp

from ndcg_asymptotics.core.arrays import Bools, Floats, bisected
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.populations.scorer import CURVE_ROUNDING, Curve
from ndcg_asymptotics.populations.solving import any_range, solved
from ndcg_asymptotics.specs.ranges import within
from ndcg_asymptotics.specs.scanner import Argument, Call, Scanner, number_text
from ndcg_asymptotics.specs.sliders import Slider, slider
from ndcg_asymptotics.specs.spec import Write


def _log_ratio(a: Floats, b: Floats) -> Floats:
    """Return log(a/b) for 0 <= a < b, accurate as a -> b."""
    with np.errstate(divide="ignore"):
        return np.log1p(-(b - a) / b)


# Exponents: beyond these a curve is a constant except at depths that no list reaches, or lost in rounding.
_EXPONENTS = within(0.001, 1000)
_MOST_TERMS, _LARGEST_COEFFICIENT = 64, 1e9  # of a polynomial; beyond, rounding would show


@dataclass(frozen=True)
class _Monotone(Curve):
    """A curve from ``bottom`` at the score 0 to ``top`` at the score 1, rising or falling all the way."""

    bottom: float
    top: float = field(metadata=slider(0.0, 1.0, 0.01, usual=0.6))

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_range(self.bottom, self.top)


@dataclass(frozen=True)
class LinearCurve(_Monotone, keyword="linear"):
    """ybar(s) = bottom + (top - bottom) s."""

    top: float = field(metadata=slider(0.0, 1.0, 0.01, usual=0.5))

    def formula(self, t: Floats) -> Floats:
        # from the nearer end, so that a value near 0 keeps its digits
        rise = self.top - self.bottom
        return np.where(t < 0.5, self.top - rise * t, self.bottom + rise * (1 - t))

    def average(self, a: Floats, b: Floats) -> Floats:
        return self.formula((a + b) / 2)

    @property
    def complement(self) -> LinearCurve:
        return LinearCurve(1 - self.bottom, 1 - self.top)


@dataclass(frozen=True)
class PowerCurve(_Monotone, keyword="power"):
    """ybar(s) = bottom + (top - bottom) s^exponent, exponent > 0."""

    top: float = field(metadata=slider(0.0, 1.0, 0.01, usual=0.8))
    exponent: float = field(metadata=_EXPONENTS | slider(0.1, 10.0, 0.1, usual=2.0))

    def formula(self, t: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            return self.bottom + (self.top - self.bottom) * np.exp(self.exponent * np.log1p(-t))

    def average(self, a: Floats, b: Floats) -> Floats:
        e = self.exponent + 1
        with np.errstate(divide="ignore"):
            shrink = np.log1p(-(b - a) / (1 - a))  # log of (1-b)/(1-a)
            powers = np.exp(e * np.log1p(-a)) * -np.expm1(e * shrink) / (e * (b - a))
        return self.bottom + (self.top - self.bottom) * powers

    @property
    def holder(self) -> float:
        return min(1.0, self.exponent)


@dataclass(frozen=True)
class Cusp(_Monotone, keyword="cusp"):
    """ybar(s) = top - (top - bottom) (1-s)^alpha: Hölder exponent alpha <= 1 at the top."""

    alpha: float = field(metadata=_EXPONENTS | slider(0.05, 1.0, 0.05, usual=0.5))

    def formula(self, t: Floats) -> Floats:
        return self.top - (self.top - self.bottom) * t**self.alpha

    def average(self, a: Floats, b: Floats) -> Floats:
        shrink = _log_ratio(a, b)
        e = self.alpha + 1
        powers = b**self.alpha * (b / (b - a)) * -np.expm1(e * shrink) / e
        return self.top - (self.top - self.bottom) * powers

    @property
    def complement(self) -> Cusp:
        return Cusp(1 - self.bottom, 1 - self.top, self.alpha)

    @property
    def holder(self) -> float:
        return min(1.0, self.alpha)


@dataclass(frozen=True)
class Step(_Monotone, keyword="step"):
    """ybar(s) = top where s >= at, bottom below; discontinuous."""

    at: float = field(metadata=within(0, 1, "neither") | slider(0.05, 0.95, 0.05, usual=0.7))

    def formula(self, t: Floats) -> Floats:
        return np.where(t <= 1 - self.at, self.top, self.bottom)

    def average(self, a: Floats, b: Floats) -> Floats:
        above = np.clip((1 - self.at - a) / (b - a), 0.0, 1.0)
        return self.bottom + (self.top - self.bottom) * above

    @property
    def complement(self) -> Step:
        return Step(1 - self.bottom, 1 - self.top, self.at)

    @property
    def holder(self) -> None:
        return None

    @property
    def is_continuous(self) -> bool:
        return self.bottom == self.top

    @property
    def breaks(self) -> tuple[float, ...]:
        return (1 - self.at,)


_SURE = 1e-12  # a difference of logarithms of probabilities that is no rounding error
_GAUSS_NODES, _GAUSS_WEIGHTS = leggauss(10)


def _quadrature(curve: Curve, a: Floats, b: Floats) -> Floats:
    """Return the mean of a smooth curve over narrow intervals, by ten-point Gauss-Legendre quadrature."""
    t = (a + b)[..., None] / 2 + (b - a)[..., None] / 2 * _GAUSS_NODES
    return np.asarray(curve.formula(t) @ _GAUSS_WEIGHTS / 2, dtype=np.float64)


@dataclass(frozen=True)
class LogisticCurve(Curve, keyword="logistic"):
    """ybar(s) = 1 / (1 + exp(-(a + slope (s - 1/2)))), a set by the prevalence."""

    prevalence: float = field(metadata=within(0, 1, "neither"))
    slope: float = field(metadata=within(-500, 500) | slider(-20.0, 20.0, 0.5, usual=3.0))

    @property
    def intercept(self) -> float:
        """The a for which the mean of the curve is the prevalence."""
        p, h = self.prevalence, self.slope / 2
        if abs(h) < 1e-4:  # mean = p + O(h^2): one Newton step from logit(p)
            return math.log(p / (1 - p)) - h * h * (1 - 2 * p) / 6
        # softplus(a+h) - softplus(a-h) = 2hp, solved for exp(a)
        return math.log(math.expm1(2 * h * p) / -math.expm1(-2 * h * (1 - p))) - h

    def formula(self, t: Floats) -> Floats:
        return np.asarray(expit(self.intercept + self.slope * (0.5 - t)), dtype=np.float64)

    def average(self, a: Floats, b: Floats) -> Floats:
        width = self.slope * (b - a)
        exact = np.abs(width) > 0.5
        x = self.intercept + self.slope * 0.5
        safe = np.where(exact, width, 1.0)
        closed = (np.logaddexp(0, x - self.slope * a) - np.logaddexp(0, x - self.slope * b)) / safe
        return np.where(exact, closed, _quadrature(self, a, b))


@dataclass(frozen=True)
class Binormal(Curve, keyword="binormal"):
    """Scores N(0,1) given Y = 0 and N(separation,1) given Y = 1, taken to the canonical score."""

    prevalence: float = field(metadata=within(0, 1, "neither"))
    separation: float = field(metadata=within(-20, 20) | slider(-3.0, 3.0, 0.05, usual=0.8))

    def _log_tail(self, x: Floats, side: Floats) -> Floats:
        """Return log P(score > x) where side is 1, log P(score < x) where it is -1."""
        irrelevant = math.log1p(-self.prevalence) + log_ndtr(-side * x)
        relevant = math.log(self.prevalence) + log_ndtr(side * (self.separation - x))
        return np.asarray(np.logaddexp(irrelevant, relevant), np.float64)

    def score(self, t: Floats) -> Floats:
        """Return the raw score x at depth t, from P(score > x) = t; for t > 1/2 from P(score < x) = 1 - t."""
        return _binormal_scores(self, t.tobytes()).reshape(t.shape)

    def solved(self, t: Floats) -> Floats:
        """Return what `score` does, for depths (T,), without looking whether it is known."""
        side = np.where(t <= 0.5, 1.0, -1.0)
        with np.errstate(divide="ignore"):
            target = np.log(np.minimum(t, 1 - t))
        low, high = self._bisected(target, side)
        x = (low + high) / 2  # three Newton steps on the logarithm do the rest
        for _ in range(3):
            tail = self._log_tail(x, side)
            x = np.clip(x + side * (tail - target) * np.exp(tail - self._log_density(x)), low, high)
        return x

    def _bisected(self, target: Floats, side: Floats) -> tuple[Floats, Floats]:
        """Return ends, 1e-3 apart, between which `_log_tail` is the target: those that bisection finds."""
        guess = self._guess(target, side)
        low, high = self._halved(guess, lambda x: guess > x)
        above, below = (side * (self._log_tail(x, side) - target) for x in (low, high))
        wrong = ~((above > _SURE) & (below < -_SURE))
        if wrong.any():
            aim, of = target[wrong], side[wrong]
            low[wrong], high[wrong] = self._halved(aim, lambda x: of * (self._log_tail(x, of) - aim) > 0)
        return low, high

    def _halved(self, like: Floats, above: Callable[[Floats], Bools]) -> tuple[Floats, Floats]:
        """Return the ends that bisection finds for numbers that are above those that are asked about."""
        low = np.full_like(like, -40.0 + min(0.0, self.separation))
        high = np.full_like(like, 40.0 + max(0.0, self.separation))
        return bisected(above, low, high, 16)

    def _guess(self, target: Floats, side: Floats) -> Floats:
        """Return about the score at which `_log_tail` is the target; it may be wrong."""
        # neither part of the tail is larger than the tail, and one of them is at least half of it
        parts = (math.log1p(-self.prevalence), 0.0), (math.log(self.prevalence), self.separation)
        with np.errstate(all="ignore"):
            ends = [side * centre - ndtri_exp(np.minimum(target - share, 0.0)) for share, centre in parts]
            x = side * np.maximum(*ends)
            for _ in range(2):  # Newton's steps on the logarithm
                tail = self._log_tail(x, side)
                x = x + side * (tail - target) * np.exp(tail - self._log_density(x))
        return np.asarray(x)

    def _log_density(self, x: Floats) -> Floats:
        irrelevant = math.log1p(-self.prevalence) - x**2 / 2
        relevant = math.log(self.prevalence) - (x - self.separation) ** 2 / 2
        return np.asarray(np.logaddexp(irrelevant, relevant) - math.log(2 * math.pi) / 2, np.float64)

    def formula(self, t: Floats) -> Floats:
        x, d, p = self.score(t), self.separation, self.prevalence
        odds = math.log(p / (1 - p)) + d * x - d * d / 2
        # the ends are reached more slowly than any power: no score that a double has is near them
        x = np.where(t == 0, np.inf, np.where(t == 1, -np.inf, 0.0))
        return np.asarray(expit(odds + (d * x if d else 0.0)), dtype=np.float64)

    def average(self, a: Floats, b: Floats) -> Floats:
        narrow = (b - a) < 0.1 * np.minimum(a, 1 - b)
        mean = np.empty_like(a)
        mean[narrow] = _quadrature(self, a[narrow], b[narrow])
        mean[~narrow] = self._difference(a[~narrow], b[~narrow])
        return mean

    def _difference(self, a: Floats, b: Floats) -> Floats:
        """Return P(Y = 1, depth in [a, b]) / (b - a) from the raw scores at the ends."""
        starts, of = np.unique(a, return_inverse=True)  # mostly 0
        above, below = self.score(starts)[of] - self.separation, self.score(b) - self.separation
        # in the upper half from the other side, where it is not a difference of numbers near 1
        mass = np.where(b < 0.5, ndtr(-below) - ndtr(-above), ndtr(above) - ndtr(below))
        return np.asarray(self.prevalence * mass / (b - a), np.float64)

    @property
    def holder(self) -> None:
        return None


@lru_cache(maxsize=4)
def _binormal_scores(curve: Binormal, depths: bytes) -> Floats:
    """Return the scores at depths, which are asked for again for values and integrals at the same depths."""
    scores = curve.solved(np.frombuffer(depths))
    scores.flags.writeable = False
    return scores


@dataclass(frozen=True)
class Polynomial(Curve, keyword="polynomial"):
    """m(t) = c0 + c1 t + c2 t^2 + … in depth t = 1 - s."""

    coefficients: tuple[float, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        count, most = len(self.coefficients), max(map(abs, self.coefficients), default=0.0)
        require(1 <= count <= _MOST_TERMS, f"polynomial takes 1 to {_MOST_TERMS} coefficients, got {count}")
        require(
            most <= _LARGEST_COEFFICIENT,
            f"polynomial: coefficients must be within ±{_LARGEST_COEFFICIENT:g}, got {most:g}",
        )
        low, high = self.bounds(np.array(0.0), np.array(1.0))
        self.check_range(float(low), float(high))

    @classmethod
    def sliders(cls) -> tuple[Slider, ...]:
        return Slider("c1", -2.0, 2.0, 0.02, usual=-0.6), Slider("c2", -2.0, 2.0, 0.02, usual=0.6)

    @classmethod
    def text_with(cls, prevalence: float, values: Sequence[float]) -> str:
        """Return the text, whose coefficients after c0 have no names."""
        return f"{cls.keyword}(prevalence={', '.join(map(number_text, (prevalence, *values)))})"

    def slider_values(self) -> tuple[float, ...]:
        """Return c1 and c2; a polynomial with fewer or more coefficients has no sliders."""
        count = len(self.coefficients)
        require(count == 3, f"polynomial has three coefficients, got {count}")
        return self.coefficients[1:]

    @classmethod
    def signature(cls) -> str:
        return "polynomial(c0, c1, …)"

    @classmethod
    def from_call(cls, call: Call) -> Self:
        """Read coefficients by position; ``prevalence=`` stands for c0."""
        values = tuple(cls._number(a, call.scanner) for a in call.arguments if a.key is None)
        keywords = [a for a in call.arguments if a.key is not None]
        if not keywords:
            return cls(values)
        for argument in keywords:
            if argument.key != "prevalence":
                call.scanner.fail("polynomial takes c0, c1, … by position", argument.position)
        if len(keywords) > 1:
            call.scanner.fail("'prevalence' is given twice", keywords[1].position)
        with any_range():
            low, high = map(float, cls((0.0, *values)).bounds(np.array(0.0), np.array(1.0)))
        require(
            high - low <= 1 + CURVE_ROUNDING,
            f"polynomial: a relevance curve must stay within [0, 1], the terms after c0 span {high - low:g}",
        )
        ends = 0.0 - low, max(1 - high, 0.0 - low)
        terms = ", ".join(f"c{i} = {c:.12g}" for i, c in enumerate(values, 1))
        return solved(
            lambda c0: cls((c0, *values)), ends, cls._number(keywords[0], call.scanner), "c0", terms
        )

    @classmethod
    def _number(cls, argument: Argument, scanner: Scanner) -> float:
        if not isinstance(argument.value, float):
            scanner.fail("polynomial: coefficients are numbers", argument.position)
        return argument.value

    def arguments(self, write: Write = str) -> tuple[str, ...]:
        return tuple(number_text(c) for c in self.coefficients)

    def formula(self, t: Floats) -> Floats:
        return np.asarray(np.polynomial.polynomial.polyval(t, self.coefficients), np.float64)

    def average(self, a: Floats, b: Floats) -> Floats:
        # the mean of t^i is sum_j a^j b^(i-j) / (i+1): no difference of powers
        mean = np.zeros_like(a)
        moment, power = np.zeros_like(a), np.ones_like(a)
        for i, c in enumerate(self.coefficients):
            moment = moment * a + power
            power = power * b
            mean = mean + c * moment / (i + 1)
        return mean

    @property
    def complement(self) -> Polynomial:
        return Polynomial((1 - self.coefficients[0], *(-c for c in self.coefficients[1:])))

    def bounds(self, a: Floats, b: Floats) -> tuple[Floats, Floats]:
        ends = self.formula(a), self.formula(b)
        low, high = np.minimum(*ends), np.maximum(*ends)
        derivative = np.polynomial.Polynomial(self.coefficients).deriv()
        for root in derivative.roots():
            # a double root may come out as a complex pair: take its real part all the same
            t = np.asarray(np.clip(np.real(root), a, b), np.float64)
            low, high = np.minimum(low, self.formula(t)), np.maximum(high, self.formula(t))
        return low, high


@dataclass(frozen=True)
class ConstantCurve(Curve, keyword="constant"):
    """ybar(s) = p: no information."""

    p: float
    label: ClassVar[str] = "constant (a random order)"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_range(self.p)

    def formula(self, t: Floats) -> Floats:
        return np.full_like(t, self.p)

    def average(self, a: Floats, b: Floats) -> Floats:
        return np.full_like(a, self.p)

    @classmethod
    def text_with(cls, prevalence: float, values: Sequence[float]) -> str:
        return f"{cls.keyword}({number_text(prevalence)})"

    @property
    def complement(self) -> ConstantCurve:
        return ConstantCurve(1 - self.p)


@dataclass(frozen=True)
class PiecewiseLinear(Curve, keyword="piecewise"):
    """m(t) by linear interpolation between nodes at depths t = 1 - s from 0 to 1."""

    depths: tuple[float, ...]
    values: tuple[float, ...]
    label: ClassVar[str] = "points"

    def __post_init__(self) -> None:
        super().__post_init__()
        require(
            len(self.depths) >= 2
            and self.depths[0] == 0
            and self.depths[-1] == 1
            and bool((np.diff(self.depths) > 0).all()),
            "depth must increase from 0 to 1",
        )
        nodes = len(self.depths)
        require(len(self.values) == nodes, f"piecewise needs {nodes} values, one for each depth")
        self.check_range(*self.values)
        t, m = np.array(self.depths), np.array(self.values)
        steps = np.diff(t) * (m[1:] + m[:-1]) / 2
        object.__setattr__(self, "_nodes", (t, m, np.concatenate(([0.0], np.cumsum(steps)))))

    @classmethod
    def sliders(cls) -> tuple[Slider, ...]:
        return ()  # the explorer takes points from its address

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

    def arguments(self, write: Write = str) -> tuple[str, ...]:
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

    @property
    def complement(self) -> PiecewiseLinear:
        return PiecewiseLinear(self.depths, tuple(1 - value for value in self.values))

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
