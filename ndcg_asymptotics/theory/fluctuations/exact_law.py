"""The law of NDCG_n where it is known exactly."""

from __future__ import annotations

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.theory.fluctuations.enumeration import EnumeratedLaw, enumerable, ndcg_law
from ndcg_asymptotics.theory.fluctuations.one_item import OneItemLaw, one_item


def exact_law(scorer: Scorer, measure: Measure, n: int) -> OneItemLaw | EnumeratedLaw | None:
    """Return the law of lists with one relevant item, or one that is `enumerable`; None elsewhere.

    >>> curve = Scorer.of("linear(0.1, 0.7)")
    >>> round(exact_law(curve, Measure.of("nDCG@5"), 1000).quantile(0.5), 2)
    0.7
    >>> exact_law(curve, Measure.of("nDCG"), 1000) is None
    True
    """
    if one_item(scorer):
        return OneItemLaw(scorer, measure, n)
    return EnumeratedLaw(*ndcg_law(scorer, measure, n)) if enumerable(scorer, measure, n) else None
