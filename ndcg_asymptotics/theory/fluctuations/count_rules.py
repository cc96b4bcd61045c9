"""Rules of few nodes for means over the label counts of a whole list."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.theory.fluctuations.effort import Effort
from ndcg_asymptotics.theory.rules.condense import condensed
from ndcg_asymptotics.theory.rules.counts import EVERY, EVERY_SPLIT, CountLaw, gauss_rule, nodes_for
from ndcg_asymptotics.theory.rules.ideal import Sums
from ndcg_asymptotics.theory.rules.splits import distributed, nodes_of_splits


@dataclass(frozen=True)
class CountRule:
    """Nodes for a mean over the counts of a list with at least one item of gain.

    Attributes
    ----------
    counts : (C, J + 1)
    weights : (C,)
        They add up to ``1 - none``.
    ideal : (C,)
        IDCG.
    none : float
        The probability that no item has a gain.
    """

    counts: Floats
    weights: Floats
    ideal: Floats
    none: float

    @classmethod
    def of(cls, law: Floats, gains: Floats, sums: Sums, n: int, digits: float) -> CountRule:
        """Return the rule for lists of n items with the label law ``law``, whose last grade has no gain.

        The number of items with a gain is distributed over the grades, best grade first.
        """
        some, splits = min(float(law[:-1].sum()), 1.0), len(gains) - 1
        first = CountLaw(n, some, least=1)
        count = 2 + nodes_for(1 / max(first.rarer, 1.0), digits)
        numbers, chances = first.nodes(count, EVERY_SPLIT if splits else EVERY)
        most = nodes_of_splits(20_000 / max(numbers.size, 1), splits)
        graded, ways = distributed(numbers, law[:-1], most, digits)
        weights = (chances[:, None] * ways).ravel()
        counts = np.column_stack([graded.reshape(weights.size, -1), n - np.repeat(numbers, ways.shape[1])])
        kept = np.abs(weights) > 1e-17
        counts, weights = counts[kept], weights[kept]
        none = math.exp(n * math.log1p(-some)) if some < 1 else 0.0
        weights = weights * ((1 - none) / weights.sum())
        steps = gains - np.append(gains[1:], 0.0)
        ideal = np.asarray(sums(np.cumsum(counts[:, :-1], axis=1)) @ steps)
        # a grade may have the gain 0; half an item of the smallest other gain is none
        gained = ideal > gains[gains > 0].min() * sums(np.ones(1)) / 2
        none += float(weights[~gained].sum())
        return cls(counts[gained], weights[gained], ideal[gained], none)

    def few(self, law: Floats, n: int, effort: Effort) -> tuple[Floats, Floats]:
        """Return few nodes for ``E[f / IDCG^2]``, f a polynomial in the counts as parts of n.

        They are exact to about ``effort.digits`` for an f that changes by its own size over n items.
        """
        degree = effort.degree(law, n, effort.digits, most=60)
        if self.counts.shape[1] == 2:
            few = effort.nodes(degree, n * float(law.min()))
            if len(self.counts) <= few:
                return self.counts, self.weights / self.ideal**2
            first, weights = gauss_rule(self.counts[:, 0], self.weights / self.ideal**2, few)
            return np.column_stack([first, n - first]), weights
        columns = (self.weights / self.ideal**2)[:, None]
        counts, weights = condensed(self.counts, columns, degree)
        return counts, weights[:, 0]
