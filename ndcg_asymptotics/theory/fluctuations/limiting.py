"""The limiting standard deviation of NDCG_n where NDCG_n does not converge."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance, Scorer
from ndcg_asymptotics.theory.limits import Labels

_RANKS = 10**6  # the squares of summable discounts beyond this rank add less than 1e-6 of their sum
_LARGE = 10**18  # the list length that a discount is asked with where it depends on it


def limiting_std(scorer: Scorer | str, measure: Measure | str) -> float:
    """The standard deviation of NDCG_n in the limit, for a summable discount or a fixed cutoff.

    ``NDCG_n -> sum_r D(r) Y_r / (y_1 sum_r D(r))`` in distribution, the Y_r independent with the
    label law at the very top, so the variance is ``Var(Y | s=1) sum D^2 / (y_1 sum D)^2``. It is
    positive whenever the top label is random, which is why NDCG_n has no limit (Theorem 6 of
    Wang et al. 2013). For r^-b the sums are zeta(2b) and zeta(b), which n = 1e18 is far from where b
    is near 1.

    >>> round(limiting_std("constant(0.5)", "nDCG(geometric(2))") ** 2 * 12, 12)  # uniform on [0, 1]
    1.0
    """
    scorer, measure = Scorer.of(scorer), Measure.of(measure)
    return _over_groups(scorer, lambda relevance: _limiting_std(relevance, measure))


def _limiting_std(relevance: Relevance, measure: Measure) -> float:
    gains = Labels.of(relevance).gains
    if not gains:
        return 0.0
    k = measure.cutoff(_LARGE)
    every = (
        measure.discount.total if k == _LARGE else float(measure.discount.cumulative(float(k), float(_LARGE)))
    )
    squares = _weights(measure, min(k, _RANKS), _LARGE) ** 2
    return math.sqrt(float(relevance.gain_variance(0.0)) * float(squares.sum())) / (gains[0] * every)


def std_at(scorer: Scorer | str, measure: Measure | str, n: int) -> float:
    """The standard deviation of NDCG_n about n, for a summable discount or a fixed cutoff.

    ``sqrt(sum_{r<=k} D(r)^2 Var(Y | t=r/n)) / IDCG_n``, IDCG_n that of the mean label counts: what stays
    as n grows, at a list length where the sums are not yet complete. What is left out is of the order
    of the fluctuation of the label counts, (n R_1)^-1/2 of it.

    >>> round(std_at("constant(0.3)", "nDCG(power(1.1))", 1000), 4)
    0.1134
    """
    scorer, measure = Scorer.of(scorer), Measure.of(measure)
    return _over_groups(scorer, lambda relevance: _std_at(relevance, measure, n))


def _std_at(relevance: Relevance, measure: Measure, n: int) -> float:
    labels = Labels.of(relevance)
    if not labels.gains:
        return 0.0
    k = measure.cutoff(n)
    seen = min(k, _RANKS)
    depths = (np.arange(1.0, seen + 1) - 0.5) / n
    squares = _weights(measure, seen, n) ** 2 * relevance.gain_variance(depths)
    counts = np.diff(np.maximum(n * labels.reached, 1.0), prepend=0.0)
    ideal = float(measure.ideal(counts, labels.gains, n))
    return math.sqrt(float(squares.sum())) / ideal


def _over_groups(scorer: Scorer, std: Callable[[Relevance], float]) -> float:
    """The standard deviation within the groups, and that of their means, to which NDCG_n tends on average."""
    if not scorer.mixed:
        return std(scorer.model)
    tops = np.array([model.mean_gain_at_top / model.gains[0] for model in scorer.models])
    within = float(scorer.weights @ [std(model) ** 2 for model in scorer.models])
    between = float(scorer.weights @ (tops - scorer.weights @ tops) ** 2)
    return math.sqrt(within + between)


def _weights(measure: Measure, k: int, n: int) -> Floats:
    return measure.discount(np.arange(1.0, k + 1), float(n))
