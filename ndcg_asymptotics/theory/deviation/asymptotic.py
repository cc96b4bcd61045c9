"""Moments of NDCG_n for long lists by formula: Theorem S2 of docs/theorems.md.

Where 1/2 < b, the top ranks decide: ``Var NDCG_n ~ Var(Y | s = 1) sum D^2 / IDCG^2``, with the ideal DCG of
the expected counts. It stays positive as n grows if the sum of D converges or the cutoff is fixed. For DCG
the same holds without IDCG. Elsewhere all items count.
"""

from __future__ import annotations

import math

import numpy as np

from ndcg_asymptotics.core.arrays import ENDLESS, Floats
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance, Scorer
from ndcg_asymptotics.theory.limits import OccurringGrades

_RANKS = 10**6  # the squares of summable discounts beyond this rank add less than 1e-6 of their sum


def limiting_std(scorer: Scorer | str, measure: Measure | str) -> float:
    """Return the standard deviation of NDCG_n or DCG_n in the limit, for a summable discount or fixed cutoff.

    ``NDCG_n -> sum_r D(r) Y_r / (y_1 sum_r D(r))`` in distribution, the Y_r independent with the
    label law at the very top, so the variance is ``Var(Y | s=1) sum D^2 / (y_1 sum D)^2``. It is
    positive whenever the top label is random, which is why NDCG_n has no limit (Theorem 6 of
    Wang et al. 2013). For r^-b the sums are zeta(2b) and zeta(b), which n = 1e18 is far from where b
    is near 1.

    >>> round(limiting_std("constant(0.5)", "nDCG(geometric(2))") ** 2 * 12, 12)  # uniform on [0, 1]
    1.0
    """
    scorer, measure = Scorer.of(scorer), Measure.of(measure)
    relevance = scorer.model
    gains = OccurringGrades.of(relevance).gains
    if not gains:
        return 0.0
    discount, k = measure.discount, measure.cutoff(ENDLESS)
    squares = _weights(measure, min(k, _RANKS), ENDLESS) ** 2
    of_dcg = math.sqrt(float(relevance.gain_variance(0.0)) * float(squares.sum()))
    total = discount.total if k == ENDLESS else float(discount.cumulative(float(k), float(ENDLESS)))
    return of_dcg / (gains[0] * total) if measure.normalised else of_dcg


def std_at(scorer: Scorer | str, measure: Measure | str, n: int) -> float:
    """Return the leading term of the standard deviation at n, for a summable discount or a fixed cutoff.

    ``sqrt(sum_{r<=k} D(r)^2 Var(Y | t=r/n)) / IDCG_n``, IDCG_n that of the expected label counts. As n grows
    it tends to `limiting_std`, of which the sums are not complete at n. It neglects the fluctuation of the
    label counts, which is (n R_1)^-1/2 of it.

    >>> round(std_at("constant(0.3)", "nDCG(power(1.1))", 1000), 4)
    0.1134
    """
    scorer, measure = Scorer.of(scorer), Measure.of(measure)
    relevance = scorer.model
    labels = OccurringGrades.of(relevance)
    if not labels.gains:
        return 0.0
    k = measure.cutoff(n)
    terms = min(k, _RANKS)
    depths = (np.arange(1.0, terms + 1) - 0.5) / n
    squares = _weights(measure, terms, n) ** 2 * relevance.gain_variance(depths)
    counts = np.diff(np.maximum(n * labels.reached, 1.0), prepend=0.0)
    return math.sqrt(float(squares.sum())) / float(measure.normaliser(counts, labels.gains, n))


def _weights(measure: Measure, k: int, n: int) -> Floats:
    return measure.discount(np.arange(1.0, k + 1), float(n))


def excess_kurtosis(relevance: Relevance, measure: Measure, n: int, sd: float) -> float:
    """Return an approximation of the excess kurtosis of NDCG_n, of which ``sd`` is the standard deviation.

    ``sum_{r<=k} D(r)^4 kappa_4(Y | t = r/(n+1)) / (IDCG_n sd)^4``: labels at the top ranks are nearly
    independent, and they alone make the tails heavier than normal ones as long as every grade has tens of
    items. IDCG_n is that of the expected label counts.

    >>> curve, measure = Relevance.parse("constant(0.5)"), Measure.parse("nDCG(geometric(2))")
    >>> round(excess_kurtosis(curve, measure, 1000, 12**-0.5), 6)  # uniform on [0, 1]
    -1.2
    """
    # the fourth powers of discounts beyond 10,000 ranks add nothing
    ranks = np.arange(1.0, min(measure.cutoff(n), n, 10_000) + 1)
    gains, chances = relevance.label_law(ranks / (n + 1))
    centred = gains[:, None] - gains @ chances
    second, fourth = ((chances * centred**power).sum(axis=0) for power in (2, 4))
    divisor = float(measure.normaliser(n * np.array(relevance.masses), relevance.gains, n))
    if not divisor * sd > 0:
        return np.inf
    weights = measure.discount(ranks, float(n))
    return float(weights**4 @ (fourth - 3 * second**2)) / (divisor * sd) ** 4
