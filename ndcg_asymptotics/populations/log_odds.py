"""Relevance curves of score models: the log odds of relevance are linear in a score.

The score of `Logistic` is the canonical one, those of `Binormal` are normal; the prevalence sets the level.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.special import expit, log_ndtr, ndtr

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.populations.curve import Curve

_NODES, _WEIGHTS = leggauss(10)


def _quadrature(curve: Curve, a: Floats, b: Floats) -> Floats:
    """Return the mean of a smooth curve over narrow intervals, by ten-point Gauss-Legendre quadrature."""
    t = (a + b)[..., None] / 2 + (b - a)[..., None] / 2 * _NODES
    return np.asarray(curve.formula(t) @ _WEIGHTS / 2, dtype=np.float64)


def _check(curve: str, prevalence: float, name: str, value: float, largest: float) -> None:
    require(0 < prevalence < 1, f"{curve}: prevalence must lie inside (0, 1), got {prevalence:g}")
    require(abs(value) <= largest, f"{curve}: {name} must be within ±{largest:g}, got {value:g}")


@dataclass(frozen=True)
class Logistic(Curve, keyword="logistic"):
    """ybar(s) = 1 / (1 + exp(-(a + slope (s - 1/2)))), a set by the prevalence."""

    prevalence: float
    slope: float

    def __post_init__(self) -> None:
        _check("logistic", self.prevalence, "slope", self.slope, 500)

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

    prevalence: float
    separation: float

    def __post_init__(self) -> None:
        _check("binormal", self.prevalence, "separation", self.separation, 20)

    def _log_tail(self, x: Floats, side: Floats) -> Floats:
        """Return log P(score > x) where side is 1, log P(score < x) where it is -1."""
        irrelevant = math.log1p(-self.prevalence) + log_ndtr(-side * x)
        relevant = math.log(self.prevalence) + log_ndtr(side * (self.separation - x))
        return np.asarray(np.logaddexp(irrelevant, relevant), np.float64)

    def score(self, t: Floats) -> Floats:
        """Return the raw score x at depth t, from P(score > x) = t; for t > 1/2 from P(score < x) = 1 - t."""
        low = np.full_like(t, -40.0 + min(0.0, self.separation))
        high = np.full_like(t, 40.0 + max(0.0, self.separation))
        side = np.where(t <= 0.5, 1.0, -1.0)
        with np.errstate(divide="ignore"):
            target = np.log(np.minimum(t, 1 - t))
        for _ in range(16):
            middle = (low + high) / 2
            above = side * (self._log_tail(middle, side) - target) > 0
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        x = (low + high) / 2  # to 1e-3; three Newton steps on the logarithm do the rest
        for _ in range(3):
            tail = self._log_tail(x, side)
            x = np.clip(x + side * (tail - target) * np.exp(tail - self._log_density(x)), low, high)
        return x

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
        above, below = self.score(a) - self.separation, self.score(b) - self.separation
        # in the upper half from the other side, where it is not a difference of numbers near 1
        mass = np.where(b < 0.5, ndtr(-below) - ndtr(-above), ndtr(above) - ndtr(below))
        return np.asarray(self.prevalence * mass / (b - a), np.float64)

    @property
    def holder(self) -> None:
        return None
