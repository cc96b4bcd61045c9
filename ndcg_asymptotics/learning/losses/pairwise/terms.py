"""Sums over pairs of items: ``Σ w φ(s_i - s_j - c)``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ndcg_asymptotics.core.arrays import Bools, Floats, Integers
from ndcg_asymptotics.learning.losses.pairwise.phi import Phi


class Terms(NamedTuple):
    """The pairs (i, j) with w > 0: items i and j, weight w and offset c, each (T,)."""

    first: Integers
    second: Integers
    weight: Floats
    offset: Floats

    def margins(self, scores: Floats) -> Floats:
        """s_i - s_j - c."""
        return scores[self.first] - scores[self.second] - self.offset

    def slopes(self, phi: Phi, margins: Floats, items: int) -> Floats:
        """The gradient of the sum by the scores of so many items."""
        pull = self.weight * phi.slope(margins)
        return _summed(self.first, pull, items) - _summed(self.second, pull, items)

    def within(self, kept: Bools) -> Terms:
        """Those of the pairs that are kept."""
        return Terms(self.first[kept], self.second[kept], self.weight[kept], self.offset[kept])

    def renamed(self, names: Integers) -> Terms:
        """The same with item i called names[i]; pairs of one item with itself are left out."""
        first, second = names[self.first], names[self.second]
        return Terms(first, second, self.weight, self.offset).within(first != second)


def _summed(where: Integers, what: Floats, count: int) -> Floats:
    return np.bincount(where, what, count).astype(np.float64, copy=False)


@dataclass(eq=False)
class PairSum:
    """`Terms` of a batch, as a function of its scores: the sum for every list, and its gradient."""

    phi: Phi
    terms: Terms
    lists: Integers
    count: int

    def __post_init__(self) -> None:
        self.contributing = np.bincount(self.lists, minlength=self.count) > 0

    def __call__(self, scores: Floats) -> tuple[Floats, Floats]:
        margins = self.terms.margins(scores)
        values = _summed(self.lists, self.terms.weight * self.phi.value(margins), self.count)
        return values, self.terms.slopes(self.phi, margins, scores.size)
