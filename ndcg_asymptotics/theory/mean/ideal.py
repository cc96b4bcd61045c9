"""The reciprocal of IDCG as a sum of smooth parts.

With C_j the number of items of grade j or better and y_1 > … > y_J > y_(J+1) = 0 the gains::

    IDCG = sum_j (y_j - y_(j+1)) F(min(C_j, k))

has a kink where a C_j passes k. Let I_c be IDCG with the terms j >= c cut and the others left
uncut. Since C_j grows with j, only I_j and I_(j+1) matter where C_j > k, and 1/IDCG telescopes into a
smooth function and parts with one threshold each::

    1/IDCG = 1/I_(J+1) + sum_j 1(C_j > k) (1/I_j - 1/I_(j+1)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ndcg_asymptotics.core.arrays import Bools, Floats
from ndcg_asymptotics.theory.mean.counts import Nodes, Rule, smooth_rule
from ndcg_asymptotics.theory.mean.ranks import RankMean
from ndcg_asymptotics.theory.mean.tails import binomial_beyond, binomial_pieces

_CERTAIN = 60.0  # a count whose mean is sqrt(60 mean) off k is on that side of it: 1e-13


@dataclass(frozen=True)
class IdealRule:
    """A rule for the mean of a function over IDCG.

    Attributes
    ----------
    counts : (C, J + 1)
        Of n - 1 items; (1, 1) where IDCG is the same whatever they are.
    weights : (C, J)
        Column j has what 1/IDCG is with one more item of grade j.
    missed : float
        The error of the mean of 1/IDCG, relative.
    """

    counts: Floats
    weights: Floats
    missed: float = 0.0

    @property
    def nbytes(self) -> int:
        return self.counts.nbytes + self.weights.nbytes


def binary_rule(mean: RankMean, gain: float, p: float, k: int, n: int, width: float) -> IdealRule:
    """For functions that a polynomial follows on pieces ``width`` standard deviations of the count wide."""
    counts, weights = binomial_pieces(n - 1, p, k, width)
    weights /= gain * mean.sums(np.minimum(counts + 1.0, float(k)), n)
    return IdealRule(np.column_stack([counts, n - 1 - counts]), weights[:, None])


def ideal_rule(
    mean: RankMean, gains: Floats, law: Floats, k: int, n: int, tolerance: float, halves: bool
) -> IdealRule:
    """For functions that are smooth in the label counts.

    Parameters
    ----------
    gains : (J,)
    law : (J + 1,)
        The probabilities of the grades, the last one without gain.
    tolerance : float
        Relative.
    halves : bool
        Grades are split into halves again and again, and not off the lowest: two rules whose errors have
        little in common.
    """
    others, grades = n - 1, len(gains)
    expected = others * np.minimum(np.cumsum(law[:-1]), 1.0)
    more, fewer = _surely_more(expected, k), _surely_fewer(expected, k)
    ideal = _Ideal(mean, np.append(gains, 0.0), k, n)
    uncut = int(np.count_nonzero(~more))
    if uncut == 0:  # the top grade alone fills the ideal list: grades need not be told apart
        return IdealRule(np.full((1, 1), float(others)), np.full((1, grades), 1 / (gains[0] * ideal.whole)))

    def varies(counts: Floats) -> Floats:
        """1/IDCG, and times what an item gains if the order is perfect: among c + 1 of its grade."""
        gained = (others * law[:-1] + 1) / (counts[:, :-1] + 1)
        return np.asarray((ideal.inverse(counts, uncut) * (1 + gained)).mean(axis=1))

    def rule(order: Sequence[int], head: Nodes | None = None) -> Rule:
        return smooth_rule(others, law, order, varies, tolerance, head)

    smooth = rule(_order(law, 0, grades + 1, halves))
    counts, weights = [smooth.counts], [smooth.weights[:, None] * ideal.inverse(smooth.counts, uncut)]
    missed = smooth.missed
    for j in map(int, np.flatnonzero(~(more | fewer)) if k < n else ()):
        head = binomial_beyond(others, min(float(law[: j + 1].sum()), 1.0), k)
        if head[0].size:
            above, below = _order(law, 0, j + 1, halves), _order(law, j + 1, grades + 1, halves)
            beyond = rule((j + 1, *above, *below), head)
            change = ideal.inverse(beyond.counts, j) - ideal.inverse(beyond.counts, j + 1)
            counts.append(beyond.counts)
            weights.append(beyond.weights[:, None] * change)
            missed += beyond.missed
    whole = np.concatenate(weights)
    return IdealRule(np.concatenate(counts), whole, missed / float(whole.mean(axis=1).sum()))


def surely_filled(law: Floats, k: int, n: int) -> bool:
    """Whether items of the top grade fill an ideal list of k: then nothing depends on label counts."""
    return bool(_surely_more((n - 1) * law[:1], k).all())


def _surely_more(expected: Floats, k: int) -> Bools:
    gap = expected - k
    return np.asarray((gap > 0) & (gap**2 >= _CERTAIN * expected))


def _surely_fewer(expected: Floats, k: int) -> Bools:
    gap = expected - k
    return np.asarray((gap < 0) & (gap**2 >= _CERTAIN * (expected - gap / 3)))


def _order(law: Floats, first: int, last: int, halves: bool) -> tuple[int, ...]:
    """Where the grades ``first`` to ``last - 1`` are split, one split after another."""
    if last - first < 2:
        return ()
    middle = last - 1
    if halves:
        shares = np.cumsum(law[first : last - 1])
        middle = first + 1 + int(np.argmin(np.abs(shares - law[first:last].sum() / 2)))
    return (middle, *_order(law, first, middle, halves), *_order(law, middle, last, halves))


@dataclass(frozen=True)
class _Ideal:
    """Gains (J + 1, the last 0), the cutoff and the length of the list."""

    mean: RankMean
    gains: Floats
    k: int
    n: int

    @cached_property
    def whole(self) -> float:
        """F(k)."""
        return float(self.mean.sums(np.array(float(self.k)), self.n))

    def inverse(self, counts: Floats, uncut: int) -> Floats:
        """1/I_(uncut + 1) of the counts with one more item of grade j, (C, J)."""
        grades = len(self.gains) - 1
        ends = np.cumsum(counts[:, :uncut], axis=1)
        without, with_one = self.mean.sums(np.stack([ends, ends + 1.0]), self.n)
        # an item of grade j counts among those of grade i or better if i >= j
        below = np.tri(uncut, grades, dtype=bool)
        steps = (self.gains[:-1] - self.gains[1:])[:uncut]
        ideal = without @ (steps[:, None] * ~below) + with_one @ (steps[:, None] * below)
        return np.asarray(1.0 / (ideal + self.gains[uncut] * self.whole))
