"""How E[NDCG_n] approaches its limit: the expected scale of the gap, and the limit it points to.

The gap E[NDCG_n] - L is a series in a scale x(n) that the discount and the cutoff decide:

=======================  =============================================================
log, 1/r; also with cn   1/log n
r^-b; also with cn       n^-(1-b)
linear; also with cn     1/n
k = o(n)                 (k/n)^a, a the exponent of ybar at the top; over F(k) for 1/r
=======================  =============================================================

A cutoff exactly at the share of some label (c = R_j) adds n^-1/2, the fluctuation of a label
count about the cutoff. Following the exact mean to n = 1e18 and extrapolating the series to
x = 0 estimates the limit without using its formula.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ndcg_asymptotics.arrays import Floats
from ndcg_asymptotics.language.scanner import number_text
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.scorers import Mixture, Relevance
from ndcg_asymptotics.theory.mean import expected_ndcg

_SIZES = tuple(10**d for d in range(4, 19))


@dataclass(frozen=True)
class Approach:
    """The exact mean along n = 1e4 … 1e18 and the limit it points to.

    Attributes
    ----------
    sizes, expectation : (K,)
        The exact mean.
    scale : str
        The expected order of the gap, such as ``n^-0.5``.
    extrapolated, error : float
        The limit that the exact mean points to, and the error of the extrapolation.
    """

    sizes: tuple[int, ...]
    expectation: Floats
    scale: str
    _x: Floats
    extrapolated: float
    error: float

    def fitted(self, limit: float) -> str:
        """The order of the gap to a limit, fitted over the upper half of the sizes.

        The slope of log |gap| against log x says which power of the expected scale the gap
        follows: 1 where theory and the exact mean agree.
        """
        gap = np.abs(self.expectation - limit)
        half = len(gap) // 2
        gap, x = gap[half:], self._x[half:]
        seen = gap > 1e-13
        if np.count_nonzero(seen) < 3:
            return "below 1e-13"
        slope = float(np.polyfit(np.log(x[seen]), np.log(gap[seen]), 1)[0])
        return f"({self.scale})^{slope:.2f}"


@lru_cache(maxsize=256)
def approach(relevance: Relevance, measure: Measure) -> Approach:
    """Follow the exact mean to n = 1e18 and extrapolate it to its limit.

    >>> found = approach(Relevance.parse("linear(0.1, 0.7)"), Measure.parse("nDCG(power(0.5))"))
    >>> found.scale, abs(found.extrapolated - 0.625**0.5) < 1e-7
    ('n^-0.5', True)
    """
    if isinstance(relevance, Mixture):
        return _mixed(relevance, relevance.each(lambda model: approach(model, measure)))
    scale, x = _scale(relevance, measure)
    expectation = expected_ndcg(relevance, measure, _SIZES)
    values = expectation.value
    # the polynomial in x of the highest degree that the range of x supports, against one less
    degrees = (5, 4) if scale == "1/log n" else (2, 1)
    half = 0 if scale == "1/log n" else len(_SIZES) // 2
    first, second = (_extrapolate(x[half:], values[half:], degree) for degree in degrees)
    error = 2 * abs(first - second) + 4 * float(np.max(expectation.error[half:])) + 1e-9
    if measure.cutoff.regime == "sublinear":
        # a curve may reach its top value with logarithmic factors: the last gap is not to be trusted away
        error += abs(first - float(values[-1]))
    return Approach(_SIZES, values, scale, x, first, error)


def _mixed(mixture: Mixture, found: list[Approach]) -> Approach:
    """The average of the groups; the gap's scale is that of the slowest."""
    slowest = max(found, key=lambda of_group: float(of_group._x[-1]))
    weights = mixture.weights
    return Approach(
        _SIZES,
        np.asarray(weights @ [of_group.expectation for of_group in found]),
        slowest.scale,
        slowest._x,
        float(weights @ [of_group.extrapolated for of_group in found]),
        float(weights @ [of_group.error for of_group in found]),
    )


def _extrapolate(x: Floats, values: Floats, degree: int) -> float:
    basis = np.vander(x / x.max(), degree + 1, increasing=True)
    coefficients, *_ = np.linalg.lstsq(basis, values, rcond=None)
    return float(coefficients[0])


def _scale(relevance: Relevance, measure: Measure) -> tuple[str, Floats]:
    n = np.array(_SIZES, dtype=np.float64)
    discount, cutoff = measure.discount, measure.cutoff
    if cutoff.regime == "sublinear":
        k = np.array([cutoff(size) for size in _SIZES], dtype=np.float64)
        a = _exponent_at_top(relevance)
        text, x = f"(k/n)^{number_text(round(a, 3))}", (k / n) ** a
        return (f"{text}/F(k)", x / discount.cumulative(k)) if discount.growth == "zipf" else (text, x)
    if discount.growth in ("log", "zipf", "unknown"):
        return "1/log n", 1 / np.log(n)
    at_share = cutoff.regime == "fraction" and bool(
        np.any(np.abs(np.cumsum(relevance.masses) - cutoff.share) < 1e-9)
    )
    exponent = 1 - discount.exponent
    exponent = min(exponent, 0.5) if at_share else exponent
    return f"n^-{number_text(round(exponent, 12))}", n**-exponent


def _exponent_at_top(relevance: Relevance) -> float:
    """a in E[Y | t] = E[Y | 0] + O(t^a), read off at t = 1e-6 and 1e-7; 1 where it is flat."""
    near, nearer = (abs(float(relevance.mean_gain(t)) - relevance.mean_gain_at_top) for t in (1e-6, 1e-7))
    return min(1.0, math.log10(near / nearer)) if nearer > 1e-14 else 1.0
