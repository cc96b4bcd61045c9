"""The ideal DCG of k relevant items, F(k) = D(1) + … + D(k), as a smooth function of real k."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.measures import Discount
from ndcg_asymptotics.measures.exponentials import exponential_sum

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
    if not discount.regular:  # its F is known at whole numbers only: between, that of its exponentials
        return _smooth_sums(discount, n)

    def sums(k: Floats) -> Floats:
        near = k < _SUMMED_TO
        smooth = exponential_sum([discount], _SUMMED_TO).cumulative(np.minimum(k, _SUMMED_TO))[0]
        return smooth if near.all() else np.where(near, smooth, discount.cumulative(k))

    return sums


def _smooth_sums(discount: Discount, n: int) -> Sums:
    if discount.affine:
        constant, slope = discount.coefficients(n)
        return lambda k: np.asarray(k * (constant + slope * (k + 1) / 2))
    # a rank from n on, one of few, so that fits are found again
    largest = min(next(x for x in _FITTED if x >= n), max(discount.known_to, float(n)))
    return lambda k: exponential_sum([discount], largest).cumulative(k)[0]
