"""Discounts as sums of exponentials: ``D(r) = sum_m w_m z_m^r``, ``z_m = exp(-lambda_m)``.

A completely monotone discount is a mixture of z^r (Bernstein), for instance
``r^-b = Gamma(b)^-1 int exp(-r e^x + b x) dx`` and
``1/log(1+r) = int_0^inf e^{-rt} e^{-t} (int_0^inf t^{x-1}/Gamma(x) dx) dt``. A few well-placed rates
approximate the mixture. Sums of exponentials have closed forms for what is hard for D itself: the mean
of z^B for binomial B, the change of z^r when an item is inserted above, and F, a geometric series.

The rates are a geometric progression, the nodes of the trapezoid rule in ``x = log(lambda)``. A step h
gives the relative error exp(-pi^2/h). Below ``2/largest``, where z^r is nearly a polynomial in lambda,
five Gauss-Legendre nodes replace the rest of the progression. The weights minimise the relative error in
the mean square, with a small ridge, which keeps sum |w_m| z_m^r of the order of D(r) and so prevents
cancellation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.polynomial.laguerre import laggauss
from numpy.polynomial.legendre import leggauss
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.core.errors import require, require_available
from ndcg_asymptotics.measures.discounts import Discount
from ndcg_asymptotics.specs.scanner import number_text

TOLERANCE = 1e-11
"""The bound of the relative error."""

_SMALLEST = 1e-280  # relative to D(1); smaller values are nearly subnormal and have no relative precision
_ROUNDING = 1e-13  # relative to D(1); values may rise by so much from one rank to the next
_STEEPEST = 30  # the largest log2 of D(1)/D(2); a steeper discount needs more rates than are tried
_RIDGE = 1e-13  # relative to the columns of the least squares
_SLOW = 5  # the number of Gauss-Legendre rates below 2/largest
_NARROW = 4.0  # up to this ratio of a range, Gauss-Laguerre nodes serve for 1/x
_FASTEST = 24.0  # the fastest rate times the smallest number at which 1/x is fitted: e^-24 = 4e-11
_FASTEST_RANK = 7.0  # the same for whole ranks from 1 on, which show no faster rate than this
_PER_EFOLD = 50  # ranks fitted per factor e
_WHOLE = 64.0  # every rank up to here is fitted, and no shorter range is


@dataclass(frozen=True)
class ExponentialSum:
    """Sums of exponentials for several discounts, with the same rates.

    Attributes
    ----------
    rates : (M,)
        lambda_m > 0, increasing.
    weights : (discounts, M)
        w_m of each discount. A few may be negative; sum |w_m| z_m^r is at most about 10 D(r).
    error : float
        The largest relative error of all discounts at the whole ranks 1 … largest at which D(r) exceeds
        1e-280 D(1).
    """

    rates: Floats
    weights: Floats
    error: float

    def cumulative(self, k: ArrayLike) -> Floats:
        """Return F(k) = D(1) + … + D(k), one row per discount; it is smooth in real k >= 0.

        ``F(k) = sum_m w_m z_m (1 - z_m^k) / (1 - z_m)``.
        """
        x = np.asarray(k, np.float64)[..., None] * self.rates
        return np.moveaxis(np.expm1(-x) / -np.expm1(self.rates) @ self.weights.T, -1, 0)


def exponential_sum(discounts: Sequence[Discount], largest: float) -> ExponentialSum:
    """Return sums of exponentials for several discounts, with one set of rates.

    Every discount that is a mixture of exponentials reaches relative error 1e-11 at the whole
    ranks 1 … largest, with about 7 log10(largest) + 8 rates (power(b) with b > 2: a few more).
    geometric(base) alone is exactly one term.

    Parameters
    ----------
    discounts : sequence of Discount
        log, power(b) with b <= 30, zipf, geometric(base), or user-defined ones, for which it may fail.
    largest : float
        The largest rank, 1 … 1e19.

    Raises
    ------
    NotAvailableError
        If a discount depends on the list length (linear) or has D(1) > 2^30 D(2), or if the
        relative error is not reached: the discount is then not a mixture of exponentials.
    InputError
        If ``largest`` is outside its range.

    Examples
    --------
    >>> sums = exponential_sum([Discount.parse("zipf"), Discount.parse("power(2)")], 1e6)
    >>> sums.cumulative([1.0, 2.0, 4.0]).round(9)
    array([[1.        , 1.5       , 2.08333333],
           [1.        , 1.25      , 1.42361111]])
    """
    require(1 <= largest <= 1e19, f"sum of exponentials: largest must be 1 to 1e19, got {largest:g}")
    return _exponential_sum(tuple(discounts), max(float(largest), _WHOLE))


@shared
def reciprocal_as_exponentials(ratio: float, tolerance: float) -> tuple[Floats, Floats, float]:
    """Return rates, weights and the relative error of ``1/x = sum_b v_b exp(-lambda_b x)``, 1 <= x <= ratio.

    The reciprocal of a number X in [low, low ratio] is ``sum_b (v_b / low) exp(-lambda_b X / low)``.

    >>> rates, weights, error = reciprocal_as_exponentials(8.0, 1e-10)
    >>> bool(abs(weights @ np.exp(-5.0 * rates) - 0.2) <= 0.2 * error <= 0.2e-10)
    True
    """
    x = np.geomspace(1.0, ratio, 60 + math.ceil(_PER_EFOLD * math.log(ratio)))
    between = np.sqrt(x[1:] * x[:-1])

    def error_of(rates: Floats, weights: Floats) -> float:
        return float(np.abs(np.exp(-np.outer(between, rates)) @ weights * between - 1).max())

    if ratio <= _NARROW:
        # 1/x = int exp(-u - u (x - m)/m) du / m; K Gauss-Laguerre nodes leave (d / (2 - d))^(2K)
        middle, d = (1 + ratio) / 2, (ratio - 1) / (ratio + 1)
        count = max(2, math.ceil(math.log(tolerance) / (2 * math.log(max(d, 1e-9) / (2 - d)))))
        u, w = laggauss(count)
        rates, weights = u / middle, w * np.exp(u) / middle
        return rates, weights, error_of(rates, weights)
    per_term = math.pi**2 / math.log(8 * ratio)
    fewest = max(2, math.ceil(-math.log(tolerance) / per_term) - 6)
    fits = []
    for count in range(fewest, fewest + 30):
        rates = _progression(_FASTEST, ratio, count)
        weights = _least_squares(rates, x, 1 / x)
        fits.append((rates, weights, error_of(rates, weights)))
        if fits[-1][2] <= tolerance:
            break
    return min(fits, key=lambda fit: fit[2])


@shared
def _exponential_sum(discounts: tuple[Discount, ...], largest: float) -> ExponentialSum:
    exact = discounts[0].exact_exponentials() if len(discounts) == 1 else None
    if exact is not None:
        result = ExponentialSum(np.array(exact[0]), np.array([exact[1]]), 0.0)
    else:
        for discount in discounts:
            require_available(
                not discount.depends_on_n,
                f"{discount} depends on the list length: it is no sum of exponentials (its basis is needed)",
            )
        result = ExponentialSum(*_fit(discounts, largest))
    result.rates.flags.writeable = result.weights.flags.writeable = False  # they are shared by the cache
    return result


def _fit(discounts: Sequence[Discount], largest: float) -> tuple[Floats, Floats, float]:
    """Return few rates that reach the tolerance for every discount, the weights, and the error."""
    ranks = _ranks(largest, _PER_EFOLD)
    values = np.array([d(ranks) for d in discounts])
    proper = bool(np.isfinite(values).all() and (values[:, 0] > 0).all() and (values >= 0).all())
    falling = bool((np.diff(values) <= _ROUNDING * values[:, :1]).all())
    last = number_text(largest)
    requirement = f"finite, non-increasing and positive at rank 1, up to rank {last}"
    require_available(proper and falling, f"sum of exponentials: {_names(discounts)} must be {requirement}")
    doubled = np.array([d(np.array([min(2.0, largest)]))[0] for d in discounts])
    steep = f"sum of exponentials: D(1)/D(2) must be at most 2^{_STEEPEST}, {_names(discounts)} falls faster"
    require_available(bool((doubled * 2.0**_STEEPEST >= values[:, 0]).all()), steep)
    # a discount with a steep start, such as r^-b with large b, for which D(r)/D(2r) = 2^b, has faster rates
    steepness = float(np.log2(values[:, 0] / doubled).max())
    fastest = _FASTEST_RANK + 1.5 * max(steepness - 1.0, 0.0)
    # The best k-term error for 1/r on [1, R] is of order exp(-pi^2 k / log(8 R)): Braess and
    # Hackbusch (2005), IMA J. Numer. Anal. 25. It gives the first guess and the steps.
    per_term = math.pi**2 / math.log(8 * ranks[-1])
    count = math.ceil(-math.log(TOLERANCE) / per_term)
    error, most = math.inf, 4 * count
    while error > TOLERANCE and count <= most:
        rates = _progression(fastest, ranks[-1], count)
        weights = np.array([_least_squares(rates, ranks, row) for row in values])
        error = _worst(rates, weights, ranks, values)
        if error <= 0.9 * TOLERANCE:
            between = _ranks(largest, 4 * _PER_EFOLD)
            error = _worst(rates, weights, between, np.array([d(between) for d in discounts]))
        count += max(1, int(math.log(max(error / TOLERANCE, 1.0)) / per_term))
    require_available(
        error <= TOLERANCE,
        f"sum of exponentials: {_names(discounts)} on ranks 1 to {last} is reached to "
        f"{error:.1e} only, {TOLERANCE:g} is needed: not a mixture of exponentials",
    )
    return rates, weights, error


def _names(discounts: Sequence[Discount]) -> str:
    return ", ".join(map(str, discounts))


def _ranks(largest: float, per_efold: int) -> Floats:
    """Return whole ranks: all up to `_WHOLE`, then evenly spaced in log r."""
    consecutive = np.arange(1.0, min(1.0 + _WHOLE, largest + 1))
    start = float(consecutive[-1])
    count = 2 + math.ceil(per_efold * math.log(largest / start))
    return np.union1d(consecutive, np.rint(np.geomspace(start, largest, count)))


def _progression(fastest: float, largest: float, count: int) -> Floats:
    """Return ``count`` rates: Gauss-Legendre nodes on [0, 2/largest], then a geometric progression."""
    slow = (leggauss(_SLOW)[0] + 1) / largest
    fast = np.geomspace(3.2 / largest, max(fastest, 6.4 / largest), max(count - _SLOW, 2))
    return np.concatenate([slow, fast])


def _least_squares(rates: Floats, ranks: Floats, values: Floats) -> Floats:
    """Return the weights that minimise the relative error in the mean square, with a ridge."""
    mask = values > _SMALLEST * values[0]
    columns = np.exp(-np.outer(ranks[mask] - ranks[0], rates)) / values[mask, None]
    scale = columns.max(axis=0)
    ridge = _RIDGE * math.sqrt(ranks.size) * np.eye(rates.size)
    q, triangle = np.linalg.qr(np.vstack([columns / scale, ridge]))
    solution = np.linalg.solve(triangle, q[: columns.shape[0]].sum(axis=0))
    return np.asarray(solution / scale * np.exp(rates * ranks[0]))  # the columns were z^(r - r_0)


def _worst(rates: Floats, weights: Floats, ranks: Floats, values: Floats) -> float:
    """Return the largest relative error over discounts and ranks."""
    sums = weights @ np.exp(-np.outer(rates, ranks))
    mask = values > _SMALLEST * values[:, :1]
    return float(np.abs(sums[mask] / values[mask] - 1.0).max())
