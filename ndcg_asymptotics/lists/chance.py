"""NDCG of a random order: its exact mean and standard deviation for the labels of each query.

If the n retrieved documents of a query, with gains g_i, are in a random order, then
``DCG = sum_r w_r g_(r)`` with ``w_r = D(r)`` for r <= k and 0 below. This is a linear permutation statistic
(Hoeffding 1951), so with the means over all n ranks and documents

    E DCG = n mean(w) mean(g),
    Var DCG = sum_r (w_r - mean(w))^2 sum_i (g_i - mean(g))^2 / (n - 1).

The second factor is n times the variance of a finite population; documents are drawn without replacement.
The ideal list does not depend on the order, so NDCG has these moments divided by IDCG and IDCG^2.
"""

from __future__ import annotations

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.lists.ranking import RelevantRanks, ideal_dcg
from ndcg_asymptotics.measures import Measure


def random_order(ranks: RelevantRanks, measure: Measure) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of NDCG of each query over all orders of the retrieved documents.

    Both are 0 for queries whose ideal list has no gain.
    """
    queries, sizes = ranks.sizes.size, np.maximum(ranks.sizes, 1)
    lengths, inverse = np.unique(sizes, return_inverse=True)
    moments = np.array([_moments_of_discounts(measure, length) for length in lengths.tolist()])[inverse]
    count = np.bincount(ranks.query, minlength=queries)
    mean_gain = np.bincount(ranks.query, ranks.gain, queries) / sizes
    of_relevant = np.bincount(ranks.query, (ranks.gain - mean_gain[ranks.query]) ** 2, queries)
    squares = of_relevant + (sizes - count) * mean_gain**2
    best = ideal_dcg(ranks, measure)
    positive = best > 0
    mean, std = np.zeros(queries), np.zeros(queries)
    np.divide(moments[:, 0] * mean_gain, best, out=mean, where=positive)
    np.divide(np.sqrt(moments[:, 1] * squares / np.maximum(sizes - 1, 1)), best, out=std, where=positive)
    return mean, std


def adjusted(values: Floats, chance: Floats) -> Floats:
    """Return (value - chance) / (1 - chance), which is 0 for a random order in the mean, 1 at best.

    It is 0 where every order has NDCG 1.

    >>> adjusted(np.array([0.7, 1.0]), np.array([0.4, 1.0]))
    array([0.5, 0. ])
    """
    return np.divide(values - chance, 1 - chance, out=np.zeros_like(values), where=chance < 1)


def _moments_of_discounts(measure: Measure, n: int) -> tuple[float, float]:
    """Return the sum of w_r over all n ranks, and that of their squared deviations from the mean."""
    k = measure.cutoff(n)
    weights = measure.discount(np.arange(1.0, k + 1), float(n))
    mean = weights.sum() / n
    return float(weights.sum()), float(((weights - mean) ** 2).sum() + (n - k) * mean**2)
