"""The ideal DCG of k relevant items, F(k) = D(1) + … + D(k), as a smooth function of real k."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.measures import Discount
from ndcg_asymptotics.measures.exponentials import TOLERANCE, exponential_sum

Sums = Callable[[Floats], Floats]

_SUMMED_TO = 4096.0  # F is a sum of exponentials up to here and the discount's own `cumulative` beyond
_FITTED = (1e4, 1e8, 1e13, 1e19)  # ranks up to which discounts are fitted


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

    def sums(k: Floats) -> Floats:
        near = k < _SUMMED_TO
        smooth = exponential_sum([discount], _SUMMED_TO).cumulative(np.minimum(k, _SUMMED_TO))[0]
        return smooth if near.all() else np.where(near, smooth, discount.cumulative(k))

    return sums


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
