"""Unjudged documents of a run: the share that is judged, and bounds of NDCG.

Let U unjudged documents of a query have the gains g_u, each 0 or one of the gains y_1 > … > y_J > 0 of the
judgements, and let c_1 >= … >= c_U be their discounts in the run. With A the DCG of the judged documents, F
the sums of the discount in the ideal list, and y_{J+1} = 0,

    NDCG(g) = (A + sum_u c_u g_u) / I(g),    I(g) = sum_j (y_j - y_{j+1}) F(R_j + m_j),

where R_j judged documents and m_j unjudged ones have a gain of at least y_j.

*The worst case.* I(g) is the greatest DCG over all orders, a maximum of linear functions of g, hence convex.
For t >= 0 the set where NDCG >= t, where the linear numerator minus t I(g) is not negative, is therefore
convex: NDCG is quasi-concave in g in [0, y_1]^U, and has its minimum at a corner. There some m documents have
the gain y_1, in the worst case those with the m smallest discounts. `ndcg_bounds` takes the minimum over
m = 0 … U.

*The best case.* For given m_1 <= … <= m_J the numerator is greatest if larger gains have larger discounts:
A + sum_j (y_j - y_{j+1}) S(m_j) with S(m) = c_1 + … + c_m. The maximum of NDCG is the t for which the maximum
of A + sum_j (y_j - y_{j+1}) (S(m_j) - t F(R_j + m_j)) is 0, and Dinkelbach's iteration finds it: take the
maximisers m_j for a t, and their NDCG as the next t, until t no longer grows. Each m_j is maximised by
itself: the step c_{m+1} - t D(R_j + m + 1) from m to m + 1 is larger for a larger j, since R_j is larger and
D does not increase, so the smallest maximisers are in increasing order (Topkis 1978), as they must be.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.lists.ranking import Ranks, RelevantRanks, ideal_lengths, mean_discounts
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.gains import gain_steps


def judged_shares(unjudged: Ranks, sizes: Integers, depths: Sequence[int]) -> Floats:
    """Return the share of judged documents among the first k of each query, (queries, depths).

    NaN for queries without documents.

    Parameters
    ----------
    unjudged : Ranks
        The ranks of unjudged documents, at least those among the first k.
    sizes : (queries,)
        The numbers of retrieved documents.
    depths : sequence of int
        The values of k.
    """
    shares = []
    for depth in depths:
        inside = np.minimum(unjudged.above + unjudged.tied, depth) - np.minimum(unjudged.above, depth)
        missing = np.bincount(unjudged.query, inside / unjudged.tied, sizes.size)
        lengths = np.where(sizes > 0, np.minimum(sizes, depth), np.nan)
        shares.append(1 - missing / lengths)
    return np.column_stack(shares) if shares else np.zeros((sizes.size, 0))


def ndcg_bounds(
    ranks: RelevantRanks, unjudged: Ranks, grades: Sequence[float], measure: Measure, values: Floats
) -> tuple[Floats, Floats]:
    """Return the least and the greatest NDCG that each query could have.

    Parameters
    ----------
    ranks : RelevantRanks
    unjudged : Ranks
        The ranks of all unjudged documents of the run.
    grades : sequence of float
        The positive gains that an unjudged document may have, which include those of all judged documents.
    measure : Measure
    values : (queries,)
        NDCG if all unjudged documents have the gain 0.
    """
    low, high = values.copy(), values.copy()
    if not grades or not unjudged.query.size:
        return low, high
    y = np.sort(np.asarray(grades, np.float64))[::-1]
    counts = np.bincount(unjudged.query, minlength=ranks.sizes.size)
    lengths = ideal_lengths(ranks, measure)
    discounts = mean_discounts(ranks, measure, unjudged)
    judged = ranks.gain * mean_discounts(ranks, measure, ranks)
    dcg = np.bincount(ranks.query, judged, counts.size)
    of_queries = np.split(discounts[np.lexsort((-discounts, unjudged.query))], np.cumsum(counts)[:-1])
    ends = np.cumsum(np.bincount(ranks.ideal_query, minlength=counts.size))
    ideals = np.split(ranks.ideal_gain, ends[:-1])
    for query in np.flatnonzero(counts).tolist():
        c, ideal = of_queries[query], ideals[query]
        above = np.searchsorted(-ideal, -y, side="right")  # R_j; the ideal list is in decreasing order
        n = max(int(ranks.sizes[query]), 1)
        k = measure.cutoff(n if measure.depends_on_n else int(lengths[query]) + c.size)
        weights = measure.discount(np.arange(1.0, min(k, ideal.size + c.size) + 1), float(n))
        F = np.append(0.0, np.cumsum(weights))
        best = F[np.minimum(above[:, None] + np.arange(c.size + 1), F.size - 1)]  # F(R_j + m), (J, U + 1)
        low[query] = min(low[query], _worst(c, best, y, dcg[query]))
        high[query] = max(high[query], _best(c, best, y, dcg[query]))
    return low, np.minimum(high, 1.0)


def _worst(c: Floats, best: Floats, y: Floats, dcg: float) -> float:
    """Return the minimum over m >= 1: the m documents with the smallest discounts have the gain y_1."""
    numerator = dcg + y[0] * np.cumsum(c[::-1])
    ideal = gain_steps(y) @ best[:, 1:]
    return float(np.divide(numerator, ideal, out=np.zeros_like(ideal), where=ideal > 0).min())


def _best(c: Floats, best: Floats, y: Floats, dcg: float) -> float:
    """Return the maximum of the ratio by Dinkelbach's iteration, from all documents at the gain y_1 on."""
    steps, row = gain_steps(y), np.arange(y.size)
    sums = np.append(0.0, np.cumsum(c))
    m = np.full(y.size, c.size)
    t = -1.0
    while (ideal := float(steps @ best[row, m])) > 0:
        ratio = float(dcg + steps @ sums[m]) / ideal
        if ratio <= t:
            break
        t = ratio
        m = np.argmax(sums - t * best, axis=1)
    return t
