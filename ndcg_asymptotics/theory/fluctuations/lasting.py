"""The spread of NDCG_n that stays where NDCG_n does not converge."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.scorers import Mixture, Relevance

_RANKS = 10**6  # the squares of summable discounts beyond this rank add less than 1e-6 of their sum


class Lasting(NamedTuple):
    """The law of NDCG_n in the limit, as far as its spread goes: standard deviation and excess kurtosis."""

    spread: float
    excess: float


def lasting(relevance: Relevance, measure: Measure) -> Lasting:
    """The spread of NDCG_n in the limit, for a summable discount or a fixed cutoff.

    ``NDCG_n -> sum_r D(r) Y_r / (y_1 sum_r D(r))`` in distribution, the Y_r independent with the
    label law at the very top, so the variance is ``Var(Y | s=1) sum D^2 / (y_1 sum D)^2``, and the excess
    kurtosis that of Y times ``sum D^4 / (sum D^2)^2``. The variance is positive whenever the top label is
    random, which is why NDCG_n has no limit (Theorem 6 of Wang et al. 2013).

    >>> curve, measure = Relevance.parse("constant(0.5)"), Measure.parse("nDCG(geometric(2))")
    >>> law = lasting(curve, measure)
    >>> round(law.spread**2 * 12, 12), round(law.excess, 12)  # uniform on [0, 1]
    (1.0, -1.2)
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
    gains = np.array([*relevance.gains, 0.0])
    top = np.array([float(curve.value(0.0)) for curve in relevance.curves])
    law = np.append(top, max(1.0 - top.sum(), 0.0))
    centred = gains - law @ gains
    variance = float(law @ centred**2)
    ideal = relevance.gains[0] * float(measure.discount.cumulative(float(k), float(large)))
    squares = float(np.sum(weights**2))
    spread = math.sqrt(variance * squares) / ideal
    if variance == 0:
        return Lasting(0.0, 0.0)
    excess = float(law @ centred**4) / variance**2 - 3.0
    return Lasting(spread, excess * float(np.sum(weights**4)) / squares**2)


def normaliser_reached(relevance: Relevance, measure: Measure, n: int) -> float:
    """What share of its limit the ideal DCG has at n, with as many relevant items as are expected.

    >>> curve = Relevance.parse("constant(0.3)")
    >>> [round(normaliser_reached(curve, Measure.parse(m), 1000), 2) for m in ("nDCG@5", "nDCG(power(1.25))")]
    [1.0, 0.79]
    """
    large = 10**18
    relevant = max(sum(relevance.masses) * n, 1.0)
    here = measure.discount.cumulative(min(float(measure.cutoff(n)), relevant), float(n))
    there = measure.discount.cumulative(float(measure.cutoff(large)), float(large))
    return float(here) / float(there)
