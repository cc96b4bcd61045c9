"""The variance of NDCG in lists with a fixed number of relevant items, where few ranks count.

Given the counts c a list is one of i.i.d. labels with the same counts: of items whose depths have the density
``sum_j a_j f_j``, a = c/n, and whose grade is j with probability ``a_j f_j / sum_i a_i f_i`` at a depth. So
the recursion over ranks (`ranks`) serves here too, given that the list has the counts c::

    P(A = a, C = c) = E[1(A = a) Multinomial(c - a; n - k, shares below)],

with A the counts of the first k ranks and the shares those below the depth of rank k. The ideal DCG is not
random. The rank of a single relevant item has a law in closed form, at every n. This is section 2 of
docs/few.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.core.errors import require_available
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Curve, FixedCounts, Relevance
from ndcg_asymptotics.theory.deviation.ranks import MOST_RANKS, Variance, few_ranks, first_ranks
from ndcg_asymptotics.theory.mean.fixed_counts import deep_discount, mean_of, rounded_gain, spread_of
from ndcg_asymptotics.theory.mean.rank_terms import TOLERANCE
from ndcg_asymptotics.theory.rules.binomial import log_binomial
from ndcg_asymptotics.theory.rules.law_panels import ItemsAbove
from ndcg_asymptotics.theory.rules.quadrature import SPACING

_ERROR = 100 * TOLERANCE  # relative, of a variance


@shared  # a scorer's variance serves it alone and in every pair
def fixed_variance(model: FixedCounts, measure: Measure, n: int) -> Variance:
    """Return the variance of NDCG_n or DCG_n in lists with a fixed number of relevant items.

    Raises
    ------
    NotAvailableError
        If there are several relevant items and more than 128 ranks count, or fewer with several grades.

    >>> model, measure = FixedCounts.of("relevant(1, roc_power(1))"), Measure.of("DCG(zipf)@1")
    >>> round(fixed_variance(model, measure, 4).value, 9)  # 1/4 times 3/4
    0.1875
    """
    ideal = float(measure.normaliser(np.array(model.counts), model.gains, n))
    if ideal == 0:
        return Variance(0.0, 0.0)
    if model.least_n == 1:
        variance, error = _one_item(model, measure, n)
        return Variance(variance / ideal**2, error / ideal**2)
    items = ItemsOfFixedCounts(model, n)
    require_available(
        few_ranks((items,), measure, n),
        f"no standard deviation of {model.least_n} relevant items where more than {MOST_RANKS} ranks count",
    )
    variance = _few_ranks(items, measure)
    # values are rounded, by much if they hardly vary, as those of discounts that hardly fall
    rounding = 8 * np.finfo(float).eps * measure.largest(model.gains, n)
    error = _ERROR * variance + rounding * (2 * math.sqrt(variance) + rounding)
    return Variance(variance, error)


def _one_item(model: FixedCounts, measure: Measure, n: int) -> tuple[float, float]:
    """Return the variance of the DCG of a single relevant item, and a bound of its error."""
    (gain,) = (y for y, count in zip(model.gains, model.counts, strict=True) if count)
    mean = mean_of(model, measure, n) / gain
    variance, step = gain * spread_of(model, measure, n, mean), deep_discount(measure, n)
    lost = gain * rounded_gain(model, n) * max(mean, step) ** 2 if step else 0.0
    return variance, _ERROR * variance + lost


def _few_ranks(items: ItemsOfFixedCounts, measure: Measure) -> float:
    """Return the variance from the recursion over ranks, given the label counts of the list."""
    first = first_ranks(items, measure, items.n, with_counts=True)
    counts = np.array(items.lists.counts)
    above = np.diff(first.ends, axis=1, prepend=0)  # of the first ranks, (S, J)
    possible = (above <= counts).all(axis=1) & (counts.sum() - above.sum(axis=1) <= items.n - first.k)
    left = (counts - above)[possible].astype(np.float64)
    remaining, size, law = np.ones(first.t.size), np.full(len(left), float(items.n - first.k)), np.zeros(1)
    for j, curve in enumerate(items.curves):
        share = np.asarray(curve.mean(first.t, 1.0))
        chance = np.clip(np.divide(share, remaining, out=np.zeros_like(share), where=remaining > 0), 0.0, 1.0)
        law = law + log_binomial(left[:, j, None], size[:, None], chance)
        remaining, size = remaining - share, size - left[:, j]
    mass, lost, squared = (first.moments[:, possible] * np.exp(law)).sum(axis=2)
    total = mass.sum()
    if not measure.normalised:
        return float(squared.sum() / total - (lost.sum() / total) ** 2)
    ideal = float(first.ideal(np.cumsum(counts)))
    lacking = ideal - first.ideal(first.ends[possible])
    mean = float((mass * lacking + lost).sum() / total)
    square = float((mass * (lacking - mean) ** 2 + 2 * lost * (lacking - mean) + squared).sum() / total)
    return max(square, 0.0) / ideal**2


@dataclass(frozen=True)
class ItemsOfFixedCounts(Relevance):
    """The i.i.d. labels of which lists with the counts of a model are those that have these counts.

    Depths are such that those of all items are uniform.
    """

    lists: FixedCounts
    n: int

    def __post_init__(self) -> None:
        """Check nothing, as no text of it is read."""

    @property
    def gains(self) -> tuple[float, ...]:
        return self.lists.gains

    @cached_property
    def curves(self) -> tuple[Curve, ...]:
        return tuple(_Grade(self.lists, self.n, j) for j in range(len(self.gains)))

    @property
    def masses(self) -> tuple[float, ...]:
        return tuple(count / self.n for count in self.lists.counts)


@dataclass(frozen=True)
class _Grade(Curve):
    """The probability of a grade, by the depth in which all items are uniform; -1 is that of no gain."""

    lists: FixedCounts
    n: int
    grade: int

    def __post_init__(self) -> None:
        """Check nothing, as no text of it is read."""

    @property
    def _items(self) -> ItemsAbove:
        return ItemsAbove(self.lists, self.n)

    @property
    def _share(self) -> float:
        return ([*self.lists.counts, self.n - self.lists.least_n][self.grade]) / self.n

    def formula(self, u: Floats) -> Floats:
        t = np.minimum(self._items.quantile(u), 1 - SPACING)  # a density may be infinite at 1
        return np.asarray(self._share * self.lists.laws[self.grade].density(t) / self._items.density(t))

    def average(self, a: Floats, b: Floats) -> Floats:
        law = self.lists.laws[self.grade]
        top, bottom = (law.cdf(self._items.quantile(u)) for u in (a, b))
        return np.asarray(self._share * (bottom - top) / (b - a))

    @property
    def mass(self) -> float:
        return self._share

    @property
    def complement(self) -> Curve | None:
        return _Grade(self.lists, self.n, -1) if self.grade == 0 and len(self.lists.gains) == 1 else None

    @property
    def breaks(self) -> tuple[float, ...]:
        return tuple(self._items.cdf(np.array(self.lists.breaks)).tolist())
