"""The mean of DCG in lists with a fixed number of relevant items.

An item of gain y_j at depth t has above it A items, the sum of ``Bin(n - R, G_0(t))`` irrelevant and
``Bin(c_i - [i = j], F_i(t))`` relevant ones, all independent, so::

    E[DCG_n@k] = sum_j y_j c_j int f_j(t) E[D(1 + A); A < k] dt.

The ideal DCG is not random. The relevant items above are enumerated, the irrelevant ones summed over by
`rank_nodes`, so the cost does not depend on n. This is section 1 of docs/few.md.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import FixedCounts
from ndcg_asymptotics.theory.mean.rank_terms import TOLERANCE
from ndcg_asymptotics.theory.rules.binomial import PROBABILITY_ROUNDING, log_binomial
from ndcg_asymptotics.theory.rules.counts import NEGLIGIBLE
from ndcg_asymptotics.theory.rules.law_panels import law_panels
from ndcg_asymptotics.theory.rules.ranks import CHUNK, rank_nodes, require_smooth


@shared
def mean_with_fixed_counts(model: FixedCounts, measure: Measure, n: int) -> tuple[float, float]:
    """Return E[NDCG_n] or E[DCG_n] by the integral over depth, and a bound of its error."""
    ideal = float(measure.normaliser(np.array(model.counts), model.gains, n))
    if not ideal:  # the linear discount at n = 1
        return 0.0, 0.0
    value = mean_of(model, measure, n) / ideal
    return value, TOLERANCE * value + rounded_gain(model, n) * deep_discount(measure, n) / ideal


def rounded_gain(model: FixedCounts, n: int) -> float:
    """Return the mean gain at depths where doubles are too far apart for an infinite density near depth 1.

    It counts as far as ranks are rounded, too, and matters at a cutoff among the last ranks.
    """
    shares = [1 - float(law.cdf(np.array(1 - PROBABILITY_ROUNDING))) for law in model.laws[:-1]]
    return float(np.array(model.gains) * model.counts @ shares) * min(n * PROBABILITY_ROUNDING, 1.0)


def deep_discount(measure: Measure, n: int) -> float:
    """Return how much a discount may fall at a cutoff in the lower half of a list."""
    k, middle = measure.cutoff(n), (n + 1) // 2
    return float(measure.discount(float(middle), float(n))) if middle <= k < n else 0.0


def mean_of(
    model: FixedCounts,
    measure: Measure,
    n: int,
    function: Callable[[Floats], Floats] = np.asarray,
) -> float:
    """Return ``sum_j y_j c_j int f_j(t) E[h(D(1 + A)); A < k] dt``, h a smooth function or D itself."""
    k = min(measure.cutoff(n), n)
    require_smooth(measure.discount, n)
    panels = law_panels(model, n, k)
    grades = len(model.counts)
    mass = (panels.density * panels.dt).reshape(grades, -1)
    shares = panels.above.reshape(grades + 1, -1)
    present = [j for j in range(grades) if model.counts[j]]
    laws = {j: _relevant_above(model, shares, j) for j in present}
    # by depth and number of relevant items above, (T, R)
    gained = np.sum([model.gains[j] * model.counts[j] * mass[j][:, None] * laws[j] for j in present], axis=0)
    node, number = np.nonzero(gained > NEGLIGIBLE * gained.max(axis=1, keepdims=True))
    irrelevant, total = float(n - model.least_n), 0.0
    for start in range(0, node.size, CHUNK):
        part = slice(start, start + CHUNK)
        i, b = node[part], number[part].astype(np.float64)
        for rows, nodes in rank_nodes(shares[-1][i], k - b, irrelevant):
            rank = 1.0 + b[rows, None] + np.maximum(nodes.above, 0.0)
            values = (nodes.weights * function(measure.discount(rank, float(n)))).sum(axis=1)
            total += float(values @ gained[i[rows], number[part][rows]])
    return total


def spread_of(model: FixedCounts, measure: Measure, n: int, mean: float) -> float:
    """Return ``sum_j y_j c_j E[(D - mean)^2]``, D the discount of such an item, 0 beyond the cutoff."""
    within = gained = float(np.array(model.gains) @ model.counts)
    if measure.cutoff(n) < n:
        within = mean_of(model, measure, n, np.ones_like)
    near = mean_of(model, measure, n, lambda discount: np.asarray((discount - mean) ** 2))
    return near + max(gained - within, 0.0) * mean**2


def _relevant_above(model: FixedCounts, shares: Floats, j: int) -> Floats:
    """Return the law of the number of relevant items above an item of grade j at each depth, (T, R)."""
    law = np.ones((shares.shape[1], 1))
    for i, count in enumerate(model.counts):
        size = count - (i == j)
        if size:
            x = np.arange(size + 1.0)
            of_grade = np.exp(log_binomial(x[None], float(size), shares[i][:, None]))
            law = _convolved(law, of_grade)
    return law


def _convolved(a: Floats, b: Floats) -> Floats:
    """Return the convolution of two laws on 0, 1, …, row by row."""
    narrow, wide = (a, b) if a.shape[1] < b.shape[1] else (b, a)
    convolution = np.zeros((len(a), a.shape[1] + b.shape[1] - 1))
    for x in range(narrow.shape[1]):
        convolution[:, x : x + wide.shape[1]] += narrow[:, x, None] * wide
    return convolution
