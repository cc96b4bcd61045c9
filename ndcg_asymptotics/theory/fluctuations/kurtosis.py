"""About how heavy the tails of NDCG_n are."""

from __future__ import annotations

import numpy as np

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.fluctuations.asymptotic import typical_ideal

_RANKS = 10_000  # one by one; the fourth powers of what is below them add nothing


def excess_kurtosis(relevance: Relevance, measure: Measure, n: int, sd: float) -> float:
    """About the excess kurtosis of NDCG_n, of which ``sd`` is the standard deviation.

    ``sum_{r<=k} D(r)^4 kappa_4(Y | t = r/(n+1)) / (IDCG_n sd)^4``: labels at the top ranks are nearly
    independent, and they alone make tails heavier than normal ones while every grade occurs in tens. IDCG_n
    is that of the mean label counts.

    >>> curve, measure = Relevance.parse("constant(0.5)"), Measure.parse("nDCG(geometric(2))")
    >>> round(excess_kurtosis(curve, measure, 1000, 12**-0.5), 6)  # uniform on [0, 1]
    -1.2
    """
    ranks = np.arange(1.0, min(measure.cutoff(n), n, _RANKS) + 1)
    gains, chances = relevance.label_law(ranks / (n + 1))
    centred = gains[:, None] - gains @ chances
    second, fourth = ((chances * centred**power).sum(axis=0) for power in (2, 4))
    ideal = typical_ideal(relevance, measure, n)
    if not ideal * sd > 0:
        return np.inf
    weights = measure.discount(ranks, float(n))
    return float(weights**4 @ (fourth - 3 * second**2)) / (ideal * sd) ** 4
