"""Mean and variance of NDCG by the labels of a judge, in lists with a fixed number of relevant items.

Given the numbers r1, r0 of true and false relevant items of the judge, these are drawn without replacement
from the R relevant and the N = n - R other items. The discounts of all items add up to F(k), which is not
random. So second moments of the ranks follow from three of the true list: the variance V of its DCG, and the
variances v1, v0 of the discount of an item that is relevant in truth, and of one that is not. With x = r1/R
and y = r0/N::

    Var(DCG' | r1, r0) = A1 x (1 - x) + A0 y (1 - y) + V (x - y)^2,
    A1 = (R^2 v1 - V) / (R - 1),    A0 = (N^2 v0 - V) / (N - 1),
    Var NDCG' = E[ Var(DCG' | r1, r0) / I^2 ] + Var( (r1 d1 + r0 d0) / I ),    I = I(r1 + r0),

where no term is negative. Scorers that are independent given the true label have independent DCG' given r1
and r0.
This is "Fixed numbers of relevant items" of docs/judge-theory.md.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import JudgedCounts
from ndcg_asymptotics.theory.fluctuations.effort import Effort, Moments
from ndcg_asymptotics.theory.fluctuations.fixed_counts import fixed_moments
from ndcg_asymptotics.theory.mean.fixed_counts import mean_of
from ndcg_asymptotics.theory.mean.judged_counts import MeanDiscounts
from ndcg_asymptotics.theory.rules.reported_counts import ReportedCounts

_SUMS = 5e-11  # relative error of sums of squared discounts


class _Ranks(NamedTuple):
    """What the moments of a judge's list need of the ranks of one scorer.

    Attributes
    ----------
    d1, d0 : float
        The mean discounts.
    a1, a0, v : float
        The coefficients of the variance given the judge's numbers.
    size : float
        V without covariances, to which its rounding errors are relative.
    off : float
        The error of a0, which is a difference.
    """

    d1: float
    d0: float
    a1: float
    a0: float
    v: float
    size: float
    off: float


def judged_moments(models: tuple[JudgedCounts, ...], measure: Measure, n: int, effort: Effort) -> Moments:
    """Return mean and variance of NDCG'_n, or of its difference for two scorers with the same judge."""
    counts = ReportedCounts.of(models[0], measure, n)
    ranks = [_ranks(model, measure, n, effort) for model in models]
    relevant, others = models[0].relevant, n - models[0].relevant
    x, y = counts.found / relevant, counts.false / max(others, 1)
    signs = np.array([1.0, -1.0])[: len(ranks)]
    slopes = signs @ [one[:2] for one in ranks]  # of the mean given the numbers
    given = (counts.found * slopes[0] + counts.false * slopes[1]) * counts.inverse
    mean = float(counts.weights @ given)
    between = float(counts.weights @ (given - mean) ** 2)

    def within(of_found: float, of_false: float, of_both: float) -> float:
        variance = of_found * x * (1 - x) + of_false * y * (1 - y) + of_both * (x - y) ** 2
        return float(counts.weights @ (variance * counts.inverse**2))

    a1, a0, v, size, off = (sum(parts) for parts in zip(*(one[2:] for one in ranks), strict=True))
    variance = within(a1, a0, v) + between
    terms = np.abs(counts.found * slopes[0]) + np.abs(counts.false * slopes[1])
    rounding = 4 * 2.0**-52 * float(counts.weights @ (terms * counts.inverse))
    missed = within(0.0, off, 0.0) + counts.kink * variance
    missed += 2 * math.sqrt(between) * rounding + rounding**2
    return Moments(mean, variance, within(a1, a0, size) + between, missed, rounding + counts.kink * abs(mean))


@shared
def _ranks(model: JudgedCounts, measure: Measure, n: int, effort: Effort) -> _Ranks:
    truth, relevant, others = model.truth, model.relevant, n - model.relevant
    dcg = _unnormalised(measure)
    d1, d0 = MeanDiscounts.of(model, measure, n, effort.refine)
    whole = fixed_moments(truth, dcg, n, effort)
    v = max(whole.variance, 0.0) if others else 0.0  # the DCG of nothing but relevant items is F(k)
    k = min(measure.cutoff(n), n)

    def spread(discount: Floats) -> Floats:
        return np.asarray((discount - d1) ** 2)

    within = mean_of(truth, measure, n, effort.refine, np.ones_like) if k < n else float(relevant)
    v1 = (mean_of(truth, measure, n, effort.refine, spread) + max(relevant - within, 0.0) * d1**2) / relevant
    a1 = max(relevant**2 * v1 - v, 0.0) / (relevant - 1) if relevant > 1 else 0.0
    if others < 2:
        return _Ranks(d1, d0, a1, 0.0, v, whole.size, 0.0)
    # sum D^2 of all ranks: those of one item without information are uniform
    blank = replace(truth.uninformative, counts=(1,))
    squares = n * mean_of(blank, measure, n, effort.refine, np.square)
    of_relevant = relevant * (v1 + d1**2)
    rest = squares - of_relevant - others * d0**2  # others * v0
    a0 = max(others * rest - v, 0.0) / (others - 1)
    return _Ranks(d1, d0, a1, a0, v, whole.size, _SUMS * squares * others / (others - 1))


def _unnormalised(measure: Measure) -> Measure:
    """Return DCG with the discount and the cutoff of a measure."""
    return Measure(measure.discount, measure.cutoff, normalised=False)
