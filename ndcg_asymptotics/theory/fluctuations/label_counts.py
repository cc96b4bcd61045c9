"""Means over the label counts of a whole list, and its ideal DCG."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.theory.mean.condense import condensed
from ndcg_asymptotics.theory.mean.counts import smooth_rule
from ndcg_asymptotics.theory.mean.sums import Sums
from ndcg_asymptotics.theory.mean.tails import binomial_beyond

_DEVIATIONS, _FURTHER = 9.0, 20.0  # fewer items with a gain than that do not occur
_MOST = 60  # moments that a condensed rule keeps


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
    def of(cls, law: Floats, gains: Floats, sums: Sums, n: int, tolerance: float) -> CountRule:
        """For lists of n items whose grades have the probabilities ``law``, the last one without gain."""
        some = min(float(law[:-1].sum()), 1.0)
        deviation = math.sqrt(n * some * (1 - some))
        least = max(1, math.floor(n * some - _DEVIATIONS * deviation - _FURTHER))
        head = binomial_beyond(n, some, least) if some < 1 else (np.array([float(n)]), np.ones(1))
        steps = gains - np.append(gains[1:], 0.0)

        def ideal(counts: Floats) -> Floats:
            return np.asarray(sums(np.cumsum(counts[:, :-1], axis=1)) @ steps)

        if len(gains) == 1:
            counts, weights = np.column_stack([head[0], n - head[0]]), head[1]
        else:
            order = range(len(gains), 0, -1)
            rule = smooth_rule(n, law, order, lambda c: ideal(c) ** -2.0, tolerance, head)
            counts, weights = rule.counts, rule.weights
        none = math.exp(n * math.log1p(-some)) if some < 1 else 0.0
        weights = weights * ((1 - none) / weights.sum())
        return cls(counts, weights, ideal(counts), none)

    def few(self, law: Floats, n: int, digits: float) -> tuple[Floats, Floats]:
        """The same for ``E[f / IDCG^2]``, f a polynomial in the counts as parts of n, in few nodes.

        They suffice for what changes by its own size over n items, to about ``digits``.
        """
        wide = 3 * math.sqrt(float((law * (1 - law)).max()) / n)
        degree = math.ceil(math.log(digits) / math.log(min(max(wide, 1e-12), 0.2)))
        columns = (self.weights / self.ideal**2)[:, None]
        counts, weights = condensed(self.counts, columns, _degree(len(law) - 1, degree))
        return counts, weights[:, 0]


def _degree(grades: int, wanted: int) -> int:
    """The degree wanted, or the highest of which there are not too many moments."""
    return max(d for d in range(wanted + 1) if math.comb(d + grades, grades) <= _MOST or d < 2)
