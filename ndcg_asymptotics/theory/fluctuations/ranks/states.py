"""Label counts of the first ranks, and of the items below them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import betainc

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.theory.rules.binomial import log_binomial

FAR = 50.0  #: minus the logarithm of the probability of numbers that are left out
UNLIKELY = 1e-26  #: probability of label counts that are left out
_SUMMED = 1e12  # items from which a probability is 1 less a sum, as scipy's is wrong there


@dataclass(frozen=True)
class CountStates:
    """Label counts of the first ranks.

    Attributes
    ----------
    counts : (S, J)
        How many items have each gain; those with fewer items come first.
    up : (J, S)
        The position of the counts with one more item of a gain; -1 if they are left out.
    """

    counts: Integers
    up: Integers

    @classmethod
    def of(cls, k: int, expected: Floats) -> CountStates:
        """Return the counts of k items that are likely where (J,) of each gain are expected at most.

        >>> CountStates.of(2, np.array([1.0])).counts.ravel()
        array([0, 1, 2])
        """
        most = largest_counts(k, expected)
        grid = np.indices([m + 1 for m in most]).reshape(len(most), -1).T
        grid = grid[grid.sum(axis=1) <= k]
        grid = grid[np.argsort(grid.sum(axis=1), kind="stable")]
        position = np.full([m + 2 for m in most], -1)
        position[tuple(grid.T)] = np.arange(len(grid))
        up = np.array([position[tuple((grid + unit).T)] for unit in np.eye(len(most), dtype=int)])
        return cls(grid, up)

    @classmethod
    def none(cls, gains: int) -> CountStates:
        """Return a single state for all counts, where nothing depends on them."""
        return cls(np.zeros((1, gains), int), np.zeros((gains, 1), int))


def largest_counts(k: int, expected: Floats) -> list[int]:
    """Return for each mean a number up to k that a binomial variable hardly exceeds.

    >>> largest_counts(100, np.array([0.0, 1e-5, 20.0]))
    [0, 4, 79]
    """
    return [next(m for m in range(k + 1) if m == k or _rare(m + 1, float(mean))) for mean in expected]


def _rare(number: int, mean: float) -> bool:
    """Return whether a binomial variable is hardly as large, by Chernoff's bound."""
    if mean == 0:
        return True
    return number > mean and number * math.log(number / mean) - (number - mean) > FAR


def counts_below(shares: Floats, size: int, k: int) -> tuple[Integers, Floats]:
    """Return the numbers of items that have each gain or a higher one, up to k, and their law.

    Parameters
    ----------
    shares : (J, T)
        The probability of each gain, for T laws.
    size : int
        The number of items.

    Returns
    -------
    ends : (B, J)
        Increasing along a row; k stands for k and more.
    law : (T, B)

    >>> ends, law = counts_below(np.array([[0.5]]), 2, 1)
    >>> ends.ravel(), law
    (array([0, 1]), array([[0.25, 0.75]]))
    """
    if size == 0:
        return np.zeros((1, len(shares)), int), np.ones((shares.shape[1], 1))
    ends, law, taken = np.zeros((1, 0), int), np.ones((shares.shape[1], 1)), np.zeros(shares.shape[1])
    for share in shares:
        chance = np.where(taken < 1, np.minimum(share / np.where(taken < 1, 1 - taken, 1.0), 1.0), 0.0)
        taken = taken + share
        last = ends[:, -1] if ends.shape[1] else np.zeros(1, int)
        rows, columns = [], []
        for known in np.unique(last):
            here = last == known
            more = _up_to(size - int(known), chance, k - int(known)) if known < k else np.ones((len(law), 1))
            numbers = known + np.arange(more.shape[1])
            rows.append(
                np.column_stack([np.repeat(ends[here], numbers.size, axis=0), np.tile(numbers, here.sum())])
            )
            columns.append((law[:, here, None] * more[:, None]).reshape(len(law), -1))
        ends, law = np.concatenate(rows), np.concatenate(columns, axis=1)
        likely = law.max(axis=0) > UNLIKELY
        ends, law = ends[likely], law[:, likely]
    return ends, law


def _up_to(size: int, chance: Floats, most: int) -> Floats:
    """Return P(Bin(size, chance) = 0, 1, …), the last entry that of ``most`` and more: (T, most + 1)."""
    numbers = np.arange(float(min(most, size + 1)))
    law = np.zeros((chance.size, most + 1))
    law[:, : numbers.size] = np.exp(log_binomial(numbers, float(size), chance[:, None]))
    if size < most:
        return law
    # scipy's function keeps the digits of a small probability
    exact = size < _SUMMED
    law[:, -1] = betainc(most, size - most + 1.0, chance) if exact else np.maximum(1 - law.sum(axis=1), 0.0)
    return law
