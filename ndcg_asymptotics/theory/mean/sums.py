"""The ideal DCG of k relevant items, F(k) = D(1) + … + D(k), as a smooth function of real k."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.measures import Discount
from ndcg_asymptotics.measures.exponentials import exponential_sum

Sums = Callable[[Floats], Floats]

_TABLE = 4096.0  # below it F comes from a sum of exponentials
_MANY = 200  # numbers whose F is read from a table
_LONGEST = 9.3e18  # of the table


def ideal_sums(discount: Discount, n: int) -> Sums:
    """Return F for real 0 <= k <= n in lists of n items, with F(0) = 0.

    Raises
    ------
    NotAvailableError
        If the discount is neither affine nor a sum of exponentials.

    >>> ideal_sums(Discount.parse("zipf"), 100)(np.array([0.0, 2.0])).round(9)
    array([0. , 1.5])
    """
    if discount.affine:
        return lambda k: np.asarray(discount.sum_to(k, float(n)))
    if not discount.regular:  # its F is known at whole numbers only
        fit = exponential_sum([discount], float(n))
        return lambda k: np.asarray(fit.cumulative(k)[0])
    return lambda k: _from_table(discount, k) if k.size > _MANY else _regular(discount, k)


def _regular(discount: Discount, k: Floats) -> Floats:
    near = k < _TABLE
    smooth = exponential_sum([discount], _TABLE).cumulative(np.minimum(k, _TABLE))[0]
    return smooth if near.all() else np.where(near, smooth, discount.cumulative(k))


def _from_table(discount: Discount, k: Floats) -> Floats:
    return np.asarray(_table(discount)(np.log1p(k)))


@lru_cache(maxsize=64)
def _table(discount: Discount) -> Callable[[Floats], Floats]:
    """F against log(1 + k), for arrays that would take long: its own error is below 1e-12."""
    from scipy.interpolate import make_interp_spline  # here: to load it takes longer than most means

    x = np.linspace(0.0, math.log1p(_LONGEST), 2401)
    return make_interp_spline(x, _regular(discount, np.expm1(x)), k=7)
