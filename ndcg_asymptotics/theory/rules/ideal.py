"""The ideal DCG of k relevant items, F(k) = D(1) + … + D(k), as a smooth function of real k."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.measures import Discount
from ndcg_asymptotics.measures.exponentials import TOLERANCE, exponential_sum

Sums = Callable[[Floats], Floats]

_SUMMED_TO = 4096.0  # F is a sum of exponentials up to here and the discount's own `cumulative` beyond
_LONGEST = 9.3e18  # largest k in the table
_FITTED = (1e4, 1e8, 1e13, 1e19)  # ranks up to which discounts are fitted
_ENTRIES, _NEIGHBOURS = 2401, 10  # of the table, and those that a value is interpolated from


def discount_sums(discount: Discount, n: int) -> Sums:
    """Return F for real 0 <= k <= n in lists of n items, with F(0) = 0.

    Raises
    ------
    NotAvailableError
        If the discount is neither affine nor a sum of exponentials.

    >>> discount_sums(Discount.parse("zipf"), 100)(np.array([0.0, 2.0])).round(9)
    array([0. , 1.5])
    """
    if not discount.regular:  # its F is known at whole numbers only
        return smooth_sums(discount, n)
    # a table is quicker for many numbers
    return lambda k: np.asarray(_table(discount)(np.log1p(k))) if k.size > 200 else _regular(discount, k)


def _regular(discount: Discount, k: Floats) -> Floats:
    near = k < _SUMMED_TO
    smooth = exponential_sum([discount], _SUMMED_TO).cumulative(np.minimum(k, _SUMMED_TO))[0]
    return smooth if near.all() else np.where(near, smooth, discount.cumulative(k))


@shared
def _table(discount: Discount) -> Callable[[Floats], Floats]:
    """Return F as a function of log(1 + k); its interpolation error is below 1e-12."""
    # scipy.interpolate has splines, but loading it takes longer than most means
    nodes = np.linspace(-1.0, 1.0, _NEIGHBOURS)
    values = _regular(discount, np.expm1(np.linspace(0.0, math.log1p(_LONGEST), _ENTRIES)))
    windows = np.lib.stride_tricks.sliding_window_view(values, _NEIGHBOURS)
    # the polynomial through ten neighbours, by powers of the place between the first and the last of them
    powers = np.linalg.solve(np.vander(nodes, increasing=True), windows.T)
    per_step = (_ENTRIES - 1) / math.log1p(_LONGEST)

    def at(x: Floats) -> Floats:
        place = x * per_step
        first = np.clip(place.astype(np.int64) - _NEIGHBOURS // 2 + 1, 0, len(windows) - 1)
        u = (place - first) * (2 / (_NEIGHBOURS - 1)) - 1
        found = powers[-1, first]
        for row in powers[-2::-1]:
            found = found * u + row[first]
        return np.asarray(found)

    return at


def smooth_sums(discount: Discount, n: int, tolerance: float = TOLERANCE) -> Sums:
    """Return F for real k, as the sum of exponentials whose differences `increase` takes.

    Between whole numbers another continuation of F would differ, by much for a discount with a kink.
    """
    return lambda k: increase(discount, n, np.zeros(1), k, tolerance)


def increase(discount: Discount, n: int, start: Floats, more: Floats, tolerance: float = TOLERANCE) -> Floats:
    """Return F(start + more) - F(start) in a list of n, without cancellation."""
    if discount.affine:
        constant, slope = discount.coefficients(n)
        return np.asarray(more * (constant + slope * (2 * start + more + 1) / 2))
    rates, weights = summed(discount, n, tolerance)
    # F(k + d) - F(k) = sum_a weights_a exp(-rates_a k) (1 - exp(-rates_a d)), d of either sign
    nearer = np.exp(-np.minimum(start, start + more)[..., None] * rates)
    grown = (nearer * -np.expm1(-np.abs(more)[..., None] * rates)) @ weights
    return np.asarray(np.sign(more) * grown)


@shared
def summed(discount: Discount, n: int, tolerance: float = TOLERANCE) -> tuple[Floats, Floats]:
    """Return rates and weights of ``F(k) = sum_a weights_a (1 - exp(-rates_a k))``, k up to n."""
    # a geometric series: sum_(r <= k) w z^r = w z (1 - z^k) / (1 - z)
    fit = exponential_sum([discount], fitted_to(discount, n), tolerance)
    return fit.rates, fit.weights[0] * np.exp(-fit.rates) / -np.expm1(-fit.rates)


def fitted_to(discount: Discount, n: int) -> float:
    """Return a rank from n on, one of few, so that fits are found again."""
    longest = next(x for x in _FITTED if x >= n)
    return min(longest, max(discount.known_to, float(n)))
