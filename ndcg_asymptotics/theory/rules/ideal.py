"""The ideal DCG of k relevant items, F(k) = D(1) + … + D(k), as a smooth function of real k."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.measures import Discount
from ndcg_asymptotics.measures.exponentials import exponential_sum
from ndcg_asymptotics.theory.rules.ranks import ONE_BY_ONE

Sums = Callable[[Floats], Floats]

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
    if discount.regular:
        return lambda k: _regular_sums(discount, k)
    # its F is known at whole numbers only: between, that of its exponentials
    if discount.affine:
        constant, slope = discount.coefficients(n)
        return lambda k: np.asarray(k * (constant + slope * (k + 1) / 2))
    # a rank from n on, one of few, so that fits are found again
    largest = min(next(x for x in _FITTED if x >= n), max(discount.known_to, float(n)))
    return lambda k: exponential_sum([discount], largest).cumulative(k)[0]


def _regular_sums(discount: Discount, k: Floats) -> Floats:
    near, last = k < ONE_BY_ONE, float(ONE_BY_ONE)  # the discount's own sums are smooth beyond
    smooth = exponential_sum([discount], last).cumulative(np.minimum(k, last))[0]
    return smooth if near.all() else np.where(near, smooth, discount.cumulative(k))
