"""The pseudo-expectation, the approximation of Wang et al. (2013) to the mean of NDCG at finite n."""

from __future__ import annotations

import numpy as np

from ndcg_asymptotics.core.arrays import LARGEST_N, Floats, whole_number
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.measures import Discount, Measure
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.theory.rules import quadrature


def pseudo_expectation(scorer: Scorer | str, measure: Measure | str, n: int) -> float | None:
    """Return N(n) of Definition 5 in Wang et al. (2013), which approximates E[NDCG_n].

    ``N(n) = int_1^k E(s/n) D(s) ds / sum_j y_j int D(s) ds``, the j-th integral of the
    denominator over the ranks from n R_{j-1} to n R_j, all cut to [1, k(n)]; binary and without
    cutoff this is ``int_1^n ybar(1 - s/n) D(s) ds / int_1^{np} D(s) ds``, equation (9) of docs/theory.md.

    Returns
    -------
    float or None
        None if the denominator is an empty integral, that is, if k(n) or n P(Y > 0) is at most 1, and for
        DCG and a fixed number of relevant items, which have none.

    >>> round(pseudo_expectation("linear(0.1, 0.7)", "nDCG(power(0.5))", 1000), 6)
    0.795347
    """
    scorer, measure, n = Scorer.of(scorer), Measure.of(measure), whole_number(n, "n", 1, LARGEST_N)
    if not (scorer.iid and measure.normalised):
        return None
    relevance = scorer.model
    k = float(measure.cutoff(n))
    ends = np.clip(n * np.cumsum((0.0, *relevance.masses)), 1.0, k)
    if ends[-1] <= 1.0:
        return None

    breaks = tuple(relevance.breakpoints)
    ranks, w, discounts = _mesh(n, k, breaks, measure.discount)
    numerator = float(np.sum(w * relevance.mean_gain(np.minimum(ranks / n, 1.0)) * discounts))
    parts = [_mesh(n, max(float(end), 1.0), breaks, measure.discount) for end in ends]
    sums = [float(weights @ of_ranks) for _, weights, of_ranks in parts]
    return numerator / float(np.diff(sums) @ np.asarray(relevance.gains))


@shared
def _mesh(
    n: int, upper: float, breaks: tuple[float, ...], discount: Discount
) -> tuple[Floats, Floats, Floats]:
    """Return ranks from 1 to ``upper``, their weights in an integral, and the discount there."""
    edges = n * quadrature.edges(1 / n, upper / n, breaks)
    ranks, weights = quadrature.nodes_between(np.clip(edges, 1.0, upper))
    return ranks, weights, discount(ranks, float(n))
