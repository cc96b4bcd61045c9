"""The numbers of items that a judge calls relevant, and the ideal DCG of so many.

Of R relevant items the judge finds ``r1 ~ Bin(R, 1 - fnr)``, of the n - R others it calls
``r0 ~ Bin(n - R, fpr)`` relevant, independently. Means over both are sums over all likely pairs while these
are few. Else the law of r0 has a Gauss rule on each side of the number at which the ideal list reaches the
cutoff.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import JudgedCounts
from ndcg_asymptotics.theory.rules.counts import CountLaw, CountNodes
from ndcg_asymptotics.theory.rules.ideal import discount_sums


@dataclass(frozen=True)
class ReportedCounts:
    """Nodes for means over the two numbers of items that a judge calls relevant.

    Attributes
    ----------
    found, false : (N,)
        r1 and r0.
    weights : (N,)
    inverse : (N,)
        1 / I(r1 + r0), I(r) the ideal DCG of r items; 1 for DCG, and 0 where I is 0.
    kink : float
        A bound of the relative error of a variance that the kink of 1 / I at the cutoff leaves; the means of
        1 / I have less.
    """

    found: Floats
    false: Floats
    weights: Floats
    inverse: Floats
    kink: float

    @classmethod
    def of(cls, model: JudgedCounts, measure: Measure, n: int) -> ReportedCounts:
        """Return the nodes for lists of n items."""
        return _reported(model.relevant, model.fpr, model.fnr, measure, n)


@shared
def _reported(relevant: int, fpr: float, fnr: float, measure: Measure, n: int) -> ReportedCounts:
    k = min(measure.cutoff(n), n)
    first = _law(relevant, 1.0 - fnr).every()
    second = _law(n - relevant, fpr)
    every = second.number * first.numbers.size <= 400_000
    if every:
        nodes = [second.every()] * first.numbers.size
    else:
        kinks = [(k - round(r),) if k < n else () for r in first.numbers.tolist()]
        nodes = [CountLaw(second.size, fpr, kinks=kink).gauss(12) for kink in kinks]
    found = np.repeat(first.numbers, [rule.numbers.size for rule in nodes])
    weights = np.repeat(first.weights, [rule.numbers.size for rule in nodes])
    false = np.concatenate([rule.numbers for rule in nodes])
    weights = weights * np.concatenate([rule.weights for rule in nodes])
    inverse = _inverse(found + false, measure, n, k, every)
    # a twelfth of the jump of f' times the density is left, at most 0.4 / deviation; D(k) <= F(k) / k
    kink = 0.0 if every or k >= n else 0.1 / second.deviation**2
    return ReportedCounts(found, false, weights / weights.sum(), inverse, kink)


def _law(size: int, probability: float) -> CountLaw:
    return CountLaw(size, probability) if 0 < probability < 1 else _Certain(size, probability)


class _Certain(CountLaw):
    """The law of a number that is 0 or ``size``."""

    @property
    def likely(self) -> tuple[int, int]:
        return round(self.mean), round(self.mean)

    def every(self, step: int = 1) -> CountNodes:
        return CountNodes(np.array([float(round(self.mean))]), np.ones(1))


def _inverse(total: Floats, measure: Measure, n: int, k: int, whole: bool) -> Floats:
    """Return 1 / I for real totals, 0 where I is 0."""
    if not measure.normalised:
        return np.ones_like(total)
    within = np.minimum(total, k)
    if whole:  # the discount's own sums, at each number once
        low = math.floor(within.min())
        numbers = np.arange(low, math.floor(within.max()) + 1, dtype=np.int64)
        ideal = np.asarray(measure.normaliser(numbers[:, None], (1.0,), n))[np.rint(within - low).astype(int)]
    else:
        ideal = discount_sums(measure.discount, n)(within)
    return np.asarray(np.divide(1.0, ideal, out=np.zeros_like(total), where=ideal > 0))
