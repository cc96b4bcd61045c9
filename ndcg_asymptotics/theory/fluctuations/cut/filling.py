"""How far a cut ideal list is filled, together with what lies above the cutoff.

Given the depth tau of the item at rank k + 1 the labels of the k items above it, of that item and of the
n - k - 1 below it are independent. DCG depends on the first alone, IDCG on the counts C_j of all items of
grade j or better, with a kink where a C_j passes k. As ``1/IDCG = (1 + delta)/ideal``, all that is needed of
the kinks are the means of delta and of its square for every depth and counts above, over the counts below.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.measures import Discount, Measure
from ndcg_asymptotics.theory.fluctuations.effort import Effort
from ndcg_asymptotics.theory.fluctuations.whole import increase, summed
from ndcg_asymptotics.theory.mean.condense import condensed
from ndcg_asymptotics.theory.mean.mesh import Mesh
from ndcg_asymptotics.theory.mean.sums import ideal_sums
from ndcg_asymptotics.theory.mean.tails import binomial_below

_MOST = 150  # moments of a rule


@dataclass(frozen=True)
class CutIdeal:
    """IDCG of lists of ``n`` items that have grades with the probabilities ``law`` (J + 1,), cut at k."""

    gains: Floats
    law: Floats
    discount: Discount
    k: int
    n: int
    effort: Effort

    @classmethod
    def of(cls, mesh: Mesh, measure: Measure, n: int, effort: Effort) -> CutIdeal:
        gains = np.array(mesh.relevance.gains)
        return cls(gains, mesh.law, measure.discount, measure.cutoff(n), n, effort)

    @cached_property
    def full(self) -> bool:
        """Whether the best grade fills the list for certain: delta is 0."""
        return bool(self._fewer[0] <= self.effort.negligible)

    @cached_property
    def parts(self) -> list[tuple[int, bool]]:
        """Grades, and whether only counts beyond the threshold are meant: see `part`."""
        negligible = self.effort.negligible
        last = max(1, int(np.count_nonzero(self._fewer > negligible)))
        return [(last, False), *((j, True) for j in range(1, last) if 1 - self._fewer[j - 1] > negligible)]

    @cached_property
    def value(self) -> float:
        """Of the expected counts."""
        return float(self._steps @ ideal_sums(self.discount, self.n)(self._ends))

    def part(self, own: Floats, others: Floats, *, beyond: bool) -> tuple[Floats, Floats]:
        """What counts of items of the first grades add to delta and to its square, (M, N).

        The counts are the sums of some (M, j) and others (N, j). Either without a threshold but that of the
        last one, or only where that is ``beyond`` its threshold.
        """
        own, others = np.cumsum(own, axis=1), np.cumsum(others, axis=1)
        last = own.shape[1] - 1
        change = sum(self._steps[i] * self._full[i] for i in range(last + 1, len(self.gains)))
        change = change + sum(self._steps[i] * self._more(i, own[:, i], others[:, i]) for i in range(last))
        more = self._more(last, own[:, last], others[:, last])
        number = own[:, last, None] + others[:, last]
        delta = self._delta(
            change + self._steps[last] * np.where(number > self.k, self._full[last], more), number, last
        )
        if not beyond:
            return delta, delta**2
        uncut = self._delta(change + self._steps[last] * more, number, last)
        return delta - uncut, delta**2 - uncut**2

    def _delta(self, change: Floats, number: Floats, last: int) -> Floats:
        """``value/IDCG - 1``; -1 where no item has a gain, since NDCG is 0 there."""
        some = (number > 0) | (last + 1 < len(self.gains))  # those that are cut fill the list
        change = change / self.value
        return np.where(some, -change / np.where(some, 1 + change, 1.0), -1.0)

    def _more(self, i: int, own: Floats, others: Floats) -> Floats:
        """By how much F(own + others) exceeds F of the expected count of grade i or better, (M, N)."""
        discount, n, end, digits = self.discount, self.n, self._ends[i], self.effort.fit
        if discount.affine:
            return increase(discount, n, end, own[:, None] + others - end)
        rates, weights = summed(discount, n, digits)
        start = own.min() + others.min()
        # an increase by a sum as a product
        x, y = (np.expm1(-(z - z.min())[:, None] * rates) for z in (own, others))
        here = weights * np.exp(-start * rates)
        more = (x @ here)[:, None] + y @ here + (x * here) @ y.T
        return np.asarray(increase(discount, n, end, start - end, digits) - more)

    @cached_property
    def _full(self) -> list[float]:
        """The same of k items, for every grade."""
        k, none = np.array([float(self.k)]), np.zeros(1)
        return [self._more(i, k, none).item() for i in range(len(self.gains))]

    @cached_property
    def _fewer(self) -> Floats:
        """P(C_j < k), (J,)."""
        return binomial_below(self.n, self._shares, self.k)

    @cached_property
    def _shares(self) -> Floats:
        return np.minimum(np.cumsum(self.law[:-1]), 1.0)

    @cached_property
    def _steps(self) -> Floats:
        return np.asarray(self.gains - np.append(self.gains[1:], 0.0))

    @cached_property
    def _ends(self) -> Floats:
        return np.clip(self.n * self._shares, 1.0, self.k)  # of rare gains there is one where it matters


@dataclass(frozen=True)
class Filling:
    """Nodes for a mean over what DCG depends on, and over what ideal list goes with it.

    Attributes
    ----------
    nodes : (N, D)
        Depths of the item at rank k + 1 with label counts above it, or label counts of the list; the last
        column follows from the others.
    weights : (N, 3)
        Of means of 1, delta and delta^2.
    nothing : float
        The probability that nothing is gained, of which there are no nodes.
    """

    nodes: Floats
    weights: Floats
    nothing: float

    def few(self, size: int, digits: float) -> Filling:
        """The same for what is smooth in the nodes, and changes by its own size over so many items."""
        variables = self.nodes.shape[1] - 1
        wanted = math.ceil(math.log(digits) / math.log(min(1.5 / math.sqrt(size), 0.2)))
        degrees = range(max(wanted, 2) + 1)  # products of two of them are averaged
        degree = max(d for d in degrees if math.comb(d + variables, d) <= _MOST or d <= 2)
        return Filling(*condensed(self.nodes, self.weights, degree), self.nothing)

    def moments(self, a: Floats, b: Floats) -> tuple[float, float]:
        """Mean of ``a (1 + delta)`` and covariance with ``b (1 + delta)`` of values (N,) at the nodes."""
        one, first, second = self.weights.T
        levels = [float(one @ x) / (1 - self.nothing) or 1.0 for x in (a, b)]
        u, v = (x / level - 1 for x, level in zip((a, b), levels, strict=True))  # nothing cancels
        means = [float(x @ one + (1 + x) @ first) - self.nothing for x in (u, v)]
        product = (u * v) @ one + (u * (1 + v) + v * (1 + u)) @ first + ((1 + u) * (1 + v)) @ second
        product += self.nothing
        return levels[0] * (1 + means[0]), levels[0] * levels[1] * float(product - means[0] * means[1])


def joined(parts: Iterable[Filling]) -> Filling:
    """Nodes and weights one after another."""
    several = list(parts)
    nodes, weights = (np.concatenate([getattr(part, x) for part in several]) for x in ("nodes", "weights"))
    return Filling(nodes, weights, math.fsum(part.nothing for part in several))


def of_counts(counts: Floats, weights: Floats) -> Filling:
    """With label counts (N, J + 1) as nodes."""
    some = counts[:, :-1].any(axis=1)
    return Filling(counts[some], weights[some], float(weights[~some, 0].sum()))
