"""What makes NDCG_n fluctuate on long lists, and the normal law of the order of two scorers.

===============================  ==================================================================
discount, cutoff                 regime
===============================  ==================================================================
log, linear, r^-b (b <= 1/2)     normal: all items count
r^-b, 1/2 < b <= 1               top ranks: they decide, while NDCG_n still converges
sum D < infinity; fixed k        lasting: the labels of the top ranks stay random (Theorem 6)
===============================  ==================================================================

A cutoff that grows with n, such as cn or n^a, changes none of these. Where the labels at the very top are
certain, the second is normal, and the third is "certain": NDCG_n converges.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from scipy.special import ndtr

from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.theory.deviation.standard import moments

Regime = Literal["normal", "top ranks", "lasting", "certain", "few items", "not known"]


def regime(scorers: Sequence[Scorer], measure: Measure) -> Regime:
    """Return what decides the fluctuation of NDCG_n of one scorer, or of the difference of two.

    >>> from ndcg_asymptotics.populations import Relevance
    >>> regime((Relevance.of("constant(0.5)"),), Measure.of("nDCG(zipf)"))
    'top ranks'
    """
    if not scorers[0].iid:  # a few depths decide, whatever n is
        return "few items"
    asymptotics = measure.discount.asymptotics
    fixed = asymptotics.summable or measure.cutoff.growth.bounded
    if not (fixed or measure.cutoff.growth.known):
        return "not known"
    # a cutoff that grows without bound does not change the top ranks, which make up the variance
    if not (fixed or asymptotics.square_summable):
        return "normal"
    if all(scorer.model.gain_variance(0.0) == 0 for scorer in scorers):
        return "certain" if fixed else "normal"
    return "lasting" if fixed else "top ranks"


@shared
def right_rate(a: Scorer, b: Scorer, measure: Measure, n: int) -> float:
    """Return P(NDCG_n(a) > NDCG_n(b)) by the normal law with the exact mean and variance of the difference.

    In the regime "normal" it is the law of long lists. In the regime "top ranks" it is an approximation, and
    where the labels of the top ranks stay random it is none.

    >>> good, blank = Scorer.of("linear(0.1, 0.7)"), Scorer.of("constant(0.4)")
    >>> round(right_rate(good, blank, Measure.of("nDCG"), 100), 2)
    0.94
    """
    mean, sd = moments((a, b), measure, n)
    return float(ndtr(mean / sd)) if sd > 0 else float(mean > 0)
