"""The ideal DCG of a list with a cutoff, in parts with one kink each.

IDCG depends on the counts C_j of all items of grade j or better, with a kink where a C_j passes k. As
``1/IDCG = (1 + delta)/ideal``, all that is needed of the kinks are the means of delta and of its square.
1/IDCG is a part with a kink in one C_j only, and parts ``1(C_j > k) (1/I_j - 1/I_(j+1))`` with a threshold
each (see `mean.label_counts`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.measures import Discount, Measure
from ndcg_asymptotics.theory.fluctuations.effort import Effort
from ndcg_asymptotics.theory.fluctuations.whole import increase, smooth_sums, summed
from ndcg_asymptotics.theory.rules.binomial import binomial_below
from ndcg_asymptotics.theory.rules.mesh import Mesh
from ndcg_asymptotics.theory.rules.splits import distributed, nodes_of_splits

# 1.5 scale^-1/2, by which terms fall from degree to degree, is at most 0.4, or 0.2 where IDCG hardly varies
_LEAST_SCALE, _SMOOTH_SCALE = 14.0, 56.0
_EMPTY = 1e-12  # an ideal DCG that is a smaller part of its usual value is 0


@dataclass(frozen=True)
class CutIdeal:
    """The ideal DCG, cut at k, of lists of ``n`` items with the label law ``law`` (J + 1,)."""

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
        """Whether the best grade fills the ideal list for certain, so that delta is 0."""
        return bool(self._fewer[0] <= self.effort.negligible)

    @cached_property
    def scale(self) -> float:
        """The number of items over which DCG and 1/IDCG change by their own size.

        1/IDCG changes over the relevant items, unless they fill the ideal list.
        """
        relevant = self.n * float(self.law[:-1].sum())
        if relevant - 3 * math.sqrt(relevant) > self.k:
            return max(self.k, _SMOOTH_SCALE)
        return max(min(self.k, relevant), _LEAST_SCALE)

    @cached_property
    def parts(self) -> list[tuple[int, bool]]:
        """The parts of 1/IDCG as arguments of `part`: a grade, and whether it is 0 below the threshold."""
        negligible = self.effort.negligible
        last = max(1, int(np.count_nonzero(self._fewer > negligible)))
        return [(last, False), *((j, True) for j in range(1, last) if 1 - self._fewer[j - 1] > negligible)]

    @cached_property
    def left_out(self) -> float:
        """The probability of the label counts for which 1/IDCG is another, as their parts are left out."""
        rarer = np.minimum(self._fewer, 1 - self._fewer)
        return float(rarer[rarer <= self.effort.negligible].sum())

    @cached_property
    def value(self) -> float:
        """The ideal DCG of the expected counts."""
        return float(self._steps @ smooth_sums(self.discount, self.n, self.effort.fit)(self._ends))

    def distributed(self, sizes: Floats, law: Floats) -> tuple[Floats, Floats]:
        """Return counts (C, M, j) of the first grades that add up to sizes (C,), and weights (C, M)."""
        return distributed(sizes, law, nodes_of_splits(141, law.size - 1), self.effort.digits)

    def part(self, own: Floats, others: Floats, *, beyond: bool) -> Iterator[tuple[float, Floats]]:
        """Yield signs and values of delta, (M, N), that add up to one part of delta; their squares likewise.

        The counts of the first grades are sums of ``own`` (M, j), whose rows have the same sum, and
        ``others`` (N, j). Only the last cumulative count has a threshold. With ``beyond`` the part is 0
        below it.
        """
        own, others = np.cumsum(own, axis=1), np.cumsum(others, axis=1)
        last = own.shape[1] - 1
        number = own[0, last] + others[:, last]
        more = self._more(last, number)
        lower = sum(self._steps[i] * self._full[i] for i in range(last + 1, len(self.gains)))
        cut = lower + self._steps[last] * np.where(number > self.k, self._full[last], more)
        some = (number > 0) | (last + 1 < len(self.gains))  # lower grades fill the list
        # the relative change of IDCG is a product of matrices, since F(x + y) is
        left, right = [np.ones((len(own), 1))], [np.zeros((len(others), 1))]
        for i in range(last):
            x, y = self._factors(i, own[:, i], others[:, i])
            left.append(x)
            right.append(self._steps[i] / self.value * y)
        x, y = np.hstack(left), np.hstack(right)
        uncut = lower + self._steps[last] * more
        for sign, by_number in ((1.0, cut), (-1.0, uncut)) if beyond else ((1.0, cut),):
            y[:, 0] = by_number / self.value
            delta = x @ y.T
            delta[:, ~some] = 0.0
            empty = 1 + delta <= _EMPTY  # a grade may have the gain 0
            delta[empty] = 0.0
            # value/IDCG - 1; -1 where no item has a gain, since NDCG is 0 there
            delta /= -1 - delta
            delta[empty] = delta[:, ~some] = -1.0
            yield sign, delta

    def _factors(self, i: int, own: Floats, others: Floats) -> tuple[Floats, Floats]:
        """Return x (M, R) and y (N, R), so that ``x y^T`` is `_more` of the sums of own and others."""
        discount, n, end = self.discount, self.n, self._ends[i]
        if discount.affine:
            constant, slope = discount.coefficients(n)
            # F(end + d) - F(end) = d (constant + slope (2 end + d + 1) / 2), d = x + y
            rate, x, y = constant + slope * (end + 0.5), own - end, others
            ones = np.ones_like
            return (
                np.stack([rate * x + slope / 2 * x**2, slope * x, ones(x)], axis=1),
                np.stack([ones(y), y, rate * y + slope / 2 * y**2], axis=1),
            )
        rates, weights = summed(discount, n, self.effort.fit)
        start = own.min() + others.min()
        x, y = (np.expm1(-(z - z.min())[:, None] * rates) for z in (own, others))
        here = weights * np.exp(-start * rates)
        base = self._more(i, np.array([start]))
        return (
            np.column_stack([base - x @ here, np.ones(own.size), -x * here]),
            np.column_stack([np.ones(others.size), -(y @ here), y]),
        )

    def _more(self, i: int, number: Floats) -> Floats:
        """Return by how much F of a number exceeds F of the expected count of grade i or better."""
        end = self._ends[i]
        return increase(self.discount, self.n, end, number - end, self.effort.fit)

    @cached_property
    def _full(self) -> list[float]:
        """By how much F(k) exceeds F of the expected count, for every grade."""
        k = np.array([float(self.k)])
        return [self._more(i, k).item() for i in range(len(self.gains))]

    @cached_property
    def _fewer(self) -> Floats:
        """The probabilities of C_j < k, (J,)."""
        return binomial_below(self.n, self._shares, self.k)

    @cached_property
    def _shares(self) -> Floats:
        return np.minimum(np.cumsum(self.law[:-1]), 1.0)

    @cached_property
    def _steps(self) -> Floats:
        return np.asarray(self.gains - np.append(self.gains[1:], 0.0))

    @cached_property
    def _ends(self) -> Floats:
        return np.clip(
            self.n * self._shares, 1.0, self.k
        )  # where a gain is rare, lists without it have NDCG 0
