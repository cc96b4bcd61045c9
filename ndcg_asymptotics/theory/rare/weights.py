"""The mean discount of an item at a place in the ranking, its rank being random.

An item with a share H of the law above it has rank 1 + N, N ~ Bin(n - 1, H), so a list of n
independent items has ``E[DCG_n] = n int E[Y | H] W(H) dH`` with ``W(H) = E[D(1 + N) 1(N < k)]``, exactly.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import gammaln, ndtr

from ndcg_asymptotics.arrays import Floats
from ndcg_asymptotics.measures import Measure

_PER_DECADE = 120  # of the table in log H; between its places W is linear in log H, to 1e-5 of it
_EXACT = 60.0  # expected items above, up to which W is a sum over ranks
_RANKS = 240  # of that sum


@lru_cache(maxsize=256)
def _table(measure: Measure, n: int) -> tuple[Floats, Floats]:
    decades = np.log10(n) + 4
    H = np.geomspace(1e-4 / n, 1.0, int(decades * _PER_DECADE) + 2)
    H[-1] = 1.0
    near = (n * H <= _EXACT) | (n <= _RANKS)
    W = np.empty_like(H)
    W[near], W[~near] = _summed(measure, n, H[near]), _two_points(measure, n, H[~near])
    return np.log(H), W


def mean_discount(measure: Measure, n: int, H: Floats) -> Floats:
    """W(H) for an array of shares in [0, 1].

    >>> zipf = Measure("zipf")  # (1 - (1 - H)^n) / (n H)
    >>> mean_discount(zipf, 1000, np.array([1e-3])).round(4)
    array([0.6323])
    """
    places, values = _table(measure, n)
    with np.errstate(divide="ignore"):
        return np.interp(np.log(H), places, values)


def _summed(measure: Measure, n: int, H: Floats) -> Floats:
    ranks = np.arange(1.0, min(n, measure.cutoff(n), _RANKS) + 1)
    weights = measure.discount(ranks, float(n))
    above, below = ranks - 1, n - ranks
    choose = gammaln(n) - gammaln(ranks) - gammaln(below + 1)
    if n > 10**6:  # differences of large logarithms of factorials cancel
        choose = above * np.log(float(n)) - gammaln(ranks)
    with np.errstate(divide="ignore", invalid="ignore"):
        tail = np.where(below[:, None] > 0, below[:, None] * np.log1p(-H), 0.0)
        law = np.exp(choose[:, None] + above[:, None] * np.log(H) + tail)
    return np.asarray(weights @ law)


def _two_points(measure: Measure, n: int, H: Floats) -> Floats:
    """D at one standard deviation of the rank to both sides, times the chance to be above the cutoff."""
    mean, spread = (n - 1) * H, np.sqrt((n - 1) * H * (1 - H))
    k = measure.cutoff(n)
    low, high = np.maximum(1 + mean - spread, 1.0), np.minimum(1 + mean + spread, float(n))
    known = measure.discount.known_to
    values = (measure.discount(np.minimum(low, known), float(n)) +
              measure.discount(np.minimum(high, known), float(n))) / 2
    if k >= n:
        return np.asarray(values)
    with np.errstate(divide="ignore"):
        return np.asarray(values * ndtr((k - 0.5 - mean) / spread))
