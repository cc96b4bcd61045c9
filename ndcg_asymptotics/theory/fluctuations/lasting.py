"""The spread of NDCG_n that stays where NDCG_n does not converge."""

from __future__ import annotations

import math

import numpy as np

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.scorers import Mixture, Relevance

_RANKS = 10**6  # the squares of summable discounts beyond this rank add less than 1e-6 of their sum


def lasting_spread(relevance: Relevance, measure: Measure) -> float:
    """The standard deviation of NDCG_n in the limit, for a summable discount or a fixed cutoff.

    ``NDCG_n -> sum_r D(r) Y_r / (y_1 sum_r D(r))`` in distribution, the Y_r independent with the
    label law at the very top, so the variance is ``Var(Y | s=1) sum D^2 / (y_1 sum D)^2``. It is
    positive whenever the top label is random, which is why NDCG_n has no limit (Theorem 6 of
    Wang et al. 2013).

    >>> curve, measure = Relevance.parse("constant(0.5)"), Measure.parse("nDCG(geometric(2))")
    >>> round(lasting_spread(curve, measure) ** 2 * 12, 12)  # uniform on [0, 1]
    1.0
    """
    if isinstance(relevance, Mixture):
        # the spread within the groups, and that of their means, to which NDCG_n tends on average
        tops = np.array(relevance.each(lambda model: model.mean_gain_at_top / model.gains[0]))
        within = float(relevance.average(lambda model: lasting_spread(model, measure) ** 2))
        between = float(relevance.weights @ (tops - relevance.weights @ tops) ** 2)
        return math.sqrt(within + between)
    large = 10**18
    k = measure.cutoff(large)
    weights = measure.discount(np.arange(1.0, min(k, _RANKS) + 1), float(large))
    gains = np.asarray(relevance.gains)
    top = np.array([float(curve.value(0.0)) for curve in relevance.curves])
    variance = float(top @ gains**2 - (top @ gains) ** 2)
    ideal = relevance.gains[0] * float(measure.discount.cumulative(float(k), float(large)))
    squares = float(np.sum(weights**2))
    return math.sqrt(variance * squares) / ideal
