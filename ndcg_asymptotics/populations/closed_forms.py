"""Relevance curves with closed forms in depth: each class is its formula and its mean over an interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.populations.curve import Curve
from ndcg_asymptotics.specs.scanner import Argument, Call, Scanner, number_text


def _log_ratio(a: Floats, b: Floats) -> Floats:
    """Return log(a/b) for 0 <= a < b, accurate as a -> b."""
    with np.errstate(divide="ignore"):
        return np.log1p(-(b - a) / b)


# Exponents: beyond these a curve is a constant except at depths that no list reaches, or lost in rounding.
_FLAT, _STEEP, _RANGE = 1e-3, 1e3, "0.001 to 1000"
_MOST_TERMS, _LARGEST_COEFFICIENT = 64, 1e9  # of a polynomial; beyond, rounding would show


@dataclass(frozen=True)
class Constant(Curve, keyword="constant"):
    """ybar(s) = p: no information."""

    p: float

    def __post_init__(self) -> None:
        self.check_range(self.p)

    def formula(self, t: Floats) -> Floats:
        return np.full_like(t, self.p)

    def average(self, a: Floats, b: Floats) -> Floats:
        return np.full_like(a, self.p)


@dataclass(frozen=True)
class LinearCurve(Curve, keyword="linear"):
    """ybar(s) = bottom + (top - bottom) s."""

    bottom: float
    top: float

    def __post_init__(self) -> None:
        self.check_range(self.bottom, self.top)

    def formula(self, t: Floats) -> Floats:
        # from the nearer end, so that a value near 0 keeps its digits
        rise = self.top - self.bottom
        return np.where(t < 0.5, self.top - rise * t, self.bottom + rise * (1 - t))

    def average(self, a: Floats, b: Floats) -> Floats:
        return self.formula((a + b) / 2)


@dataclass(frozen=True)
class PowerCurve(Curve, keyword="power"):
    """ybar(s) = bottom + (top - bottom) s^exponent, exponent > 0."""

    bottom: float
    top: float
    exponent: float

    def __post_init__(self) -> None:
        require(_FLAT <= self.exponent <= _STEEP, f"power: exponent must be {_RANGE}, got {self.exponent:g}")
        self.check_range(self.bottom, self.top)

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
class Polynomial(Curve, keyword="polynomial"):
    """m(t) = c0 + c1 t + c2 t^2 + … in depth t = 1 - s."""

    coefficients: tuple[float, ...]

    def __post_init__(self) -> None:
        count, most = len(self.coefficients), max(map(abs, self.coefficients), default=0.0)
        require(1 <= count <= _MOST_TERMS, f"polynomial takes 1 to {_MOST_TERMS} coefficients, got {count}")
        require(
            most <= _LARGEST_COEFFICIENT,
            f"polynomial: coefficients must be within ±{_LARGEST_COEFFICIENT:g}, got {most:g}",
        )
        low, high = self.bounds(np.array(0.0), np.array(1.0))
        self.check_range(float(low), float(high))

    @classmethod
    def signature(cls) -> str:
        return "polynomial(c0, c1, …)"

    @classmethod
    def from_call(cls, call: Call) -> Self:
        """Read coefficients by position; ``prevalence=`` stands for c0."""
        values = [cls._number(a, call.scanner) for a in call.arguments if a.key is None]
        for argument in call.arguments:
            if argument.key == "prevalence":
                rest = sum(c / (i + 2) for i, c in enumerate(values))
                values.insert(0, cls._number(argument, call.scanner) - rest)
            elif argument.key is not None:
                call.scanner.fail("polynomial takes c0, c1, … by position", argument.position)
        return cls(tuple(values))

    @classmethod
    def _number(cls, argument: Argument, scanner: Scanner) -> float:
        if not isinstance(argument.value, float):
            scanner.fail("polynomial: coefficients are numbers", argument.position)
        return argument.value

    def arguments(self) -> tuple[str, ...]:
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
class Cusp(Curve, keyword="cusp"):
    """ybar(s) = top - (top - bottom) (1-s)^alpha: Hölder exponent alpha <= 1 at the top."""

    bottom: float
    top: float
    alpha: float

    def __post_init__(self) -> None:
        require(_FLAT <= self.alpha <= _STEEP, f"cusp: alpha must be {_RANGE}, got {self.alpha:g}")
        self.check_range(self.bottom, self.top)

    def formula(self, t: Floats) -> Floats:
        return self.top - (self.top - self.bottom) * t**self.alpha

    def average(self, a: Floats, b: Floats) -> Floats:
        shrink = _log_ratio(a, b)
        e = self.alpha + 1
        powers = b**self.alpha * (b / (b - a)) * -np.expm1(e * shrink) / e
        return self.top - (self.top - self.bottom) * powers

    @property
    def holder(self) -> float:
        return min(1.0, self.alpha)


@dataclass(frozen=True)
class Step(Curve, keyword="step"):
    """ybar(s) = top where s >= at, bottom below; discontinuous."""

    bottom: float
    top: float
    at: float

    def __post_init__(self) -> None:
        require(0 < self.at < 1, f"step: at must lie inside (0, 1), got {self.at:g}")
        self.check_range(self.bottom, self.top)

    def formula(self, t: Floats) -> Floats:
        return np.where(t <= 1 - self.at, self.top, self.bottom)

    def average(self, a: Floats, b: Floats) -> Floats:
        above = np.clip((1 - self.at - a) / (b - a), 0.0, 1.0)
        return self.bottom + (self.top - self.bottom) * above

    @property
    def holder(self) -> None:
        return None

    @property
    def is_continuous(self) -> bool:
        return self.bottom == self.top

    @property
    def breaks(self) -> tuple[float, ...]:
        return (1 - self.at,)
