"""Binomial and multinomial counts of up to 1e18 items, also with chances near the rounding of 1.

numpy before 2.4 computes (1 - p)^n from the rounded number 1 - p, so counts with n p < 30 and p below 1e-11
have another law, or take minutes. A Poisson count of mean n p stands for them: its law is within p, in total
variation, of the binomial one (Barbour and Hall, 1984, Theorem 1).
"""

from __future__ import annotations

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, Integers

_RARE = 1e-11  # chances of which 1 - p has lost the sixth digit of p


def multinomial_counts(rng: np.random.Generator, n: int, law: Floats) -> Integers:
    """Draw counts of n items, none in a cell of probability 0 whatever rounding does.

    The total variation between their law and the multinomial one is at most the mass of the rare cells.

    >>> multinomial_counts(np.random.default_rng(1), 10**18, np.array([3e-18, 0.0, 1.0]))
    array([                 4,                  0, 999999999999999996])
    """
    counts = np.zeros(len(law), np.int64)
    rare = (law > 0) & (law < _RARE)
    if n and rare.any():
        counts[rare] = rng.poisson(n * law[rare])
    likely = np.flatnonzero(law >= _RARE)
    if n:
        counts[likely] = rng.multinomial(n - int(counts.sum()), law[likely] / law[likely].sum())
    return counts


def binomial_counts(rng: np.random.Generator, n: Integers, p: Floats) -> Integers:
    """Draw counts of n items with chances p each; the arrays are broadcast.

    >>> binomial_counts(np.random.default_rng(1), np.array([10**18, 10]), np.array([3e-18, 1.0]))
    array([ 3, 10])
    """
    counts = rng.binomial(n, np.where(p < _RARE, 0.0, p))
    rare = np.broadcast_to((p > 0) & (p < _RARE), counts.shape)
    if rare.any():
        counts[rare] = rng.poisson(np.broadcast_to(n * p, counts.shape)[rare])
    return np.asarray(counts, np.int64)
