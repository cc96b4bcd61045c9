"""Label counts above and below a depth, in nodes for what has a kink where the ideal list is just full.

1/IDCG is a part with a kink in one C_j only, and parts ``1(C_j > k) (1/I_j - 1/I_(j+1))`` with a threshold
each (`mean.ideal`). So for every part C_j is gone through number by number above the depth, on both sides of
the threshold below it, and what is smooth, how C_j is dealt out to grades, by Gauss rules.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.theory.fluctuations.cut.filling import CutIdeal
from ndcg_asymptotics.theory.fluctuations.effort import Effort
from ndcg_asymptotics.theory.mean.counts import gauss
from ndcg_asymptotics.theory.mean.tails import binomial_pieces, log_binomial, nodes_for

_DEVIATIONS, _FURTHER = 9.0, 16.0  # a law ends so many standard deviations and numbers from its mean
_STEP = 0.8  # of the lattice on which numbers above are met, in standard deviations
_NODES = 300  # of it, at most
_PIECE = 6.0  # width of a piece, in standard deviations
_EVERY, _EVERY_UNSPLIT = 100, 2000  # numbers that are all taken
_FEWEST, _MOST = 2, 8  # ways in which one grade is split off
_SPLIT = 0.1  # of the digits asked for


@dataclass(frozen=True)
class Labels:
    """The laws (J + 1,) of k items above a depth, of the one at it, and of those below it."""

    ideal: CutIdeal
    above: Floats
    at: Floats
    below: Floats

    def filling(self) -> tuple[Floats, Floats]:
        """Counts above (N, J + 1), with the weights of means of 1, delta and delta^2 (N, 3)."""
        parts = [self._part(j, beyond=beyond) for j, beyond in self.ideal.parts]
        counts, weights = (np.concatenate(part) for part in zip(*parts, strict=True))
        return counts, weights

    def _part(self, j: int, *, beyond: bool) -> tuple[Floats, Floats]:
        """Of 1/IDCG, C_j gone through by number; only ``beyond`` the threshold, or everywhere."""
        numbers, chances = self._numbers(j)
        own, weights = dealt(numbers, self.above[:j], self.ideal.effort)
        means = np.array([self._means(x, j, beyond=beyond) for x in own])  # (A, M, 2)
        return with_others(
            own, (chances[:, None] * weights), means, self.ideal.k, self.above[j:], beyond=beyond
        )

    def _numbers(self, j: int) -> tuple[Floats, Floats]:
        """Numbers of items of grade j or better above the depth, and their probabilities."""
        k, rest, effort = self.ideal.k, self.ideal.n - self.ideal.k - 1, self.ideal.effort
        q, q_below = share(self.above, j), share(self.below, j)
        wide, narrow = (math.sqrt(size * p * (1 - p)) for size, p in ((k, q), (rest, q_below)))
        reach = _DEVIATIONS * wide + _FURTHER
        low, high = max(0, math.floor(k * q - reach)), min(k, math.ceil(k * q + reach))
        step = max(math.floor(_STEP / effort.refine * min(wide, max(narrow, 1.0))), (high - low) // _NODES, 1)
        numbers = np.arange(low, high + 1, step, dtype=np.float64)
        chances = np.exp(log_binomial(numbers, float(k), q))
        chances = chances / chances.sum()
        kept = chances > effort.negligible * chances[numbers > 0].max(initial=0.0)  # gains may be rare
        return numbers[kept], chances[kept]

    def _means(self, own: Floats, j: int, *, beyond: bool) -> Floats:
        """Means of delta's part and of that of its square, for counts above (M, j) with one sum: (M, 2)."""
        total, number = np.zeros((len(own), 2)), round(float(own[0].sum()))
        if self.ideal.full:
            return total
        for grade, chance in enumerate([*self.at[:j], 1 - share(self.at, j)]):
            if chance > 0:
                here = np.eye(j + 1)[grade, :j]  # the item at the depth
                below, weights = self._below(number + int(here.sum()), j, beyond=beyond)
                if weights.size:
                    parts = self.ideal.part(own, below + here, beyond=beyond)
                    total += chance * np.stack([part @ weights for part in parts], axis=1)
        return total

    def _below(self, known: int, j: int, *, beyond: bool) -> tuple[Floats, Floats]:
        """Counts (N, j) below the depth where so many items are at it or above, and weights."""
        size, kink = self.ideal.n - self.ideal.k - 1, self.ideal.k - known
        numbers, chances = pieces(
            size, share(self.below, j), kink, self.ideal.effort, beyond=beyond, split=j > 1
        )
        counts, weights = dealt(numbers, self.below[:j], self.ideal.effort)
        weights = chances[:, None] * weights
        kept = weights > self.ideal.effort.negligible
        return counts[kept], weights[kept]


def with_others(
    own: Floats, chances: Floats, means: Floats, total: int, law: Floats, *, beyond: bool
) -> tuple[Floats, Floats]:
    """Counts (A, M, j) of the first grades, with those of the others, of so many items in all.

    ``chances`` (A, M) and means of delta and its square (A, M, 2) make the weights of a `Filling`.
    """
    others, ways = dealt(total - own[:, 0].sum(axis=1), law, None)
    one = np.full((*chances.shape, 1), 0.0 if beyond else 1.0)
    weights = chances[..., None] * np.concatenate([one, means], axis=2)
    counts = np.concatenate(
        [
            np.repeat(own[:, :, None], others.shape[1], axis=2),
            np.repeat(others[:, None], own.shape[1], axis=1),
        ],
        axis=3,
    )
    weights = weights[:, :, None] * ways[:, None, :, None]
    return counts.reshape(-1, counts.shape[-1]), weights.reshape(-1, 3)


def pieces(
    size: int, q: float, kink: int, effort: Effort, *, beyond: bool, split: bool
) -> tuple[Floats, Floats]:
    """Numbers of a binomial law with a kink, and weights; only those beyond it, or all.

    Few where they are to be ``split`` further.
    """
    reach = _DEVIATIONS * math.sqrt(size * q * (1 - q)) + _FURTHER
    if size * q + reach < _EVERY or (not split and 2 * reach < _EVERY_UNSPLIT):  # 0 may be one of them
        numbers, chances = _every(size, q)
    else:
        numbers, chances = binomial_pieces(size, q, kink, _PIECE / effort.refine)
    kept = chances > effort.negligible * chances.max()
    if beyond:
        kept &= numbers > kink
    return numbers[kept], chances[kept]


@lru_cache(maxsize=256)  # those below a depth are met with each number of those above
def _every(size: int, q: float) -> tuple[Floats, Floats]:
    return binomial_pieces(size, q, 0, 0.0)


def dealt(sizes: Floats, law: Floats, effort: Effort | None) -> tuple[Floats, Floats]:
    """Items dealt out to grades: counts (C, M, grades) that add up to the sizes (C,), and weights (C, M).

    Each grade is split off in a few ways, the more the fewer grades there are; in three without an effort.

    >>> counts, weights = dealt(np.array([10.0]), np.array([0.2, 0.2, 0.1]), None)
    >>> (weights[0] @ counts[0]).round(12)
    array([4., 4., 2.])
    """
    left, weights = sizes[:, None], np.ones((sizes.size, 1))
    counts: list[Floats] = []
    most = _FEWEST + 1
    if effort is not None and law.size > 1:
        most = min(max(int(effort.splits ** (0.5 / (law.size - 1))), _FEWEST), _MOST)
    for grade, q in enumerate(law[:-1]):
        p = float(q) / rest if (rest := float(law[grade:].sum())) > 0 else 0.0
        ways = most
        if effort is not None:
            mean = p * float((weights * left).sum()) / max(sizes.size, 1)
            ways = min(
                max(nodes_for(mean * (1 - p) / (1 + mean) ** 2, _SPLIT * effort.digits), _FEWEST), most
            )
        nodes, chances = gauss(left.ravel(), p, ways)
        counts = [np.repeat(x, ways, axis=1) for x in counts]
        weights = np.repeat(weights, ways, axis=1)
        weights = weights * chances.reshape(weights.shape)
        counts.append(nodes.reshape(weights.shape))
        left = np.repeat(left, ways, axis=1) - counts[-1]
    return np.stack([*counts, left], axis=2), weights


def share(law: Floats, j: int) -> float:
    """The probability of the first j grades."""
    return min(float(law[:j].sum()), 1.0)
