"""The sums over items behind the DCG of two scorers, whose depths of an item have a Gaussian copula.

Nothing here is shared with the package. The influence of an item on DCG is the mean of DCG given the depth
and the label of this item, less the mean: a sum over the ranks that it and the others have. Integrals over
depth are sums over the midpoints of equal intervals, and those over the copula double sums over the nodes
of a Gauss rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from scipy.special import ndtr
from scipy.stats import binom

DEPTHS, SCORES = 4000, 60
MIDDLES = (np.arange(DEPTHS) + 0.5) / DEPTHS
"""The depths at which curves are given."""


class Sums(NamedTuple):
    """Variances of the two sums over items, and their covariance without and with the copula."""

    of_a: float
    of_b: float
    independent: float
    coupled: float


@cache
def items_above(others: int) -> np.ndarray:
    """Return the law of the number of items above each depth, (DEPTHS, others + 1)."""
    return np.asarray(binom.pmf(np.arange(others + 1), others, MIDDLES[:, None]))


def influences(curve: np.ndarray, discount: np.ndarray) -> np.ndarray:
    """Return the influence of an irrelevant and of a relevant item on DCG, (2, DEPTHS).

    Parameters
    ----------
    curve : (DEPTHS,)
        P(Y = 1 | depth) at `MIDDLES`.
    discount : (n,)
        D(1), …, D(n); n at least 2.
    """
    n, mean = discount.size, curve / DEPTHS
    alone = items_above(n - 1) @ discount
    # the discount of another item where the item is below it, and where it is above
    over, under = (mean * (items_above(n - 2) @ part) for part in (discount[:-1], discount[1:]))
    others = (n - 1) * (np.cumsum(over) - over / 2 + under.sum() - np.cumsum(under) + under / 2)
    return np.array([others, alone + others]) - n * (mean @ alone)


def sums(curves: Sequence[np.ndarray], discount: np.ndarray, rho: float) -> Sums:
    """Return the moments of the sums over the n items of two curves with the same mean."""
    of_items = [influences(curve, discount) for curve in curves]
    relevant = float(curves[0].mean())
    score, weights = hermegauss(SCORES)
    weights = weights / weights.sum()
    other = rho * score[:, None] + np.sqrt(1 - rho**2) * score
    of_a = of_b = independent = coupled = 0.0
    for label, chance in ((0, 1 - relevant), (1, relevant)):
        laws = [curve if label else 1 - curve for curve in curves]
        shares = [np.cumsum(law) / law.sum() - law / (2 * law.sum()) for law in laws]
        influence = [of_item[label] for of_item in of_items]
        a, b = (np.interp(ndtr(score), *each) for each in zip(shares, influence, strict=True))
        with_b = np.interp(ndtr(other), shares[1], influence[1]) @ weights
        of_a, of_b = of_a + chance * (weights @ a**2), of_b + chance * (weights @ b**2)
        independent += chance * (weights @ a) * (weights @ b)
        coupled += chance * (weights @ (a * with_b))
    n = discount.size
    return Sums(n * of_a, n * of_b, n * independent, n * coupled)
