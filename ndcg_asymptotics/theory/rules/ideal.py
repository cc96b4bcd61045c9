"""The ideal DCG of k relevant items, F(k) = D(1) + … + D(k), as a smooth function of real k."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.measures import Discount
from ndcg_asymptotics.measures.exponentials import exponential_sum

Sums = Callable[[Floats], Floats]

_SUMMED_TO = 4096.0  # F is a sum of exponentials up to here and the discount's own `cumulative` beyond
_LONGEST = 9.3e18  # largest k in the table
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
    if discount.affine:
        return lambda k: np.asarray(discount.sum_to(k, float(n)))
    if not discount.regular:  # its F is known at whole numbers only
        fit = exponential_sum([discount], float(n))
        return lambda k: np.asarray(fit.cumulative(k)[0])
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
