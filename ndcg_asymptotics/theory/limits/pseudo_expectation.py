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

    ``N(n) = int_1^k m(s/n) D(s) ds / sum_j y_j int D(s) ds``, m(t) the mean gain at depth t, the j-th
    integral of the denominator over the ranks from n R_{j-1} to n R_j, R_j = P(Y >= y_j), all cut to
    [1, k(n)]. For binary labels without cutoff this is equation (9) of docs/theory.md.

    Returns
    -------
    float or None
        None if the denominator is an empty integral, that is, if k(n) or n P(Y > 0) is at most 1; also for
        DCG and a fixed number of relevant items, to which the definition does not apply.

    >>> round(pseudo_expectation("linear(0.1, 0.7)", "nDCG(power(0.5))", 1000), 6)
    0.795347
    """
    scorer, measure, n = Scorer.of(scorer), Measure.of(measure), whole_number(n, "n", 1, LARGEST_N)
    if not (scorer.iid and measure.normalised):
        return None
    relevance = scorer.model
    k = float(measure.cutoff(n))
    ends = np.clip(n * np.cumsum((0.0, *relevance.masses)), 1.0, k)  # n R_j, j = 0, 1, …
    if ends[-1] <= 1.0:
        return None

    breaks = tuple(relevance.breakpoints)
    ranks, weights, discounts = _mesh(n, k, breaks, measure.discount)
    numerator = float(np.sum(weights * relevance.mean_gain(np.minimum(ranks / n, 1.0)) * discounts))
    to_ends = [_mesh(n, float(end), breaks, measure.discount) for end in ends]
    integrals = [float(weights @ discounts) for _, weights, discounts in to_ends]
    return numerator / float(np.diff(integrals) @ np.asarray(relevance.gains))


@shared
def _mesh(
    n: int, upper: float, breaks: tuple[float, ...], discount: Discount
) -> tuple[Floats, Floats, Floats]:
    """Return quadrature nodes on the ranks from 1 to ``upper``, their weights, and the discount there."""
    edges = n * quadrature.edges(1 / n, upper / n, breaks)
    ranks, weights = quadrature.nodes_between(np.clip(edges, 1.0, upper))
    return ranks, weights, discount(ranks, float(n))
