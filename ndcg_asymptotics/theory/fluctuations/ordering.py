"""How often the better of two scorers is ahead on one long list."""

from __future__ import annotations

import math
from functools import lru_cache

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Scorer, over_groups
from ndcg_asymptotics.theory.fluctuations.effort import QUICK
from ndcg_asymptotics.theory.fluctuations.enumeration import order_law_at_the_top
from ndcg_asymptotics.theory.fluctuations.laws import standard_cdf
from ndcg_asymptotics.theory.fluctuations.variance import moments

_ROUNDING = 1e-9


@lru_cache(maxsize=4096)
def right_rate(a: Scorer, b: Scorer, measure: Measure, n: int) -> float:
    """Return P(NDCG_n(a) > NDCG_n(b)) by the law of long lists.

    Under a fixed cutoff that few ranks reach it is the limit, in which ties count as wrong. Elsewhere it is
    the law of long lists with the exact mean and variance of the difference.

    >>> good, blank = Scorer.of("linear(0.1, 0.7)"), Scorer.of("constant(0.4)")
    >>> round(right_rate(good, blank, Measure.of("nDCG"), 100), 2)
    0.94
    """
    top = order_law_at_the_top(a, b, measure)
    if top is not None:
        return top.more
    if a.mixed:
        return over_groups(
            [a, b],
            lambda *models: right_rate(*models, measure, n),
            lambda weights, rates: float(weights @ rates),
        )
    mean, variance, size, _ = moments((a, b), measure, n, QUICK)
    if variance <= _ROUNDING * size:
        return float(mean > 0)
    return 1.0 - standard_cdf((a, b), measure, -mean / math.sqrt(variance))
