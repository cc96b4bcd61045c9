"""Binomial and multinomial counts of up to 1e18 items, also with chances near the rounding of 1.

numpy before 2.4 computes (1 - p)^n from the rounded number 1 - p, an error of up to 5.6e-17 n in its
exponent: where n is large and n p < 30, counts have another law, or take minutes. A Poisson count of mean n p
stands for them: its total variation from the binomial law is at most p (Barbour and Hall, 1984,
Theorem 1).
"""

from __future__ import annotations

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, Integers

_LONG = 10**12  # items; with fewer that exponent is right to 6e-5
_RARE = 1e-11  # chances; with n p < 30 others do not occur in longer lists than 3e12


def multinomial_counts(rng: np.random.Generator, n: int, law: Floats) -> Integers:
    """Draw counts of n items, none in a cell of probability 0 whatever rounding does.

    The total variation between their law and the multinomial one is at most the mass of the rare cells.

    >>> multinomial_counts(np.random.default_rng(1), 10**18, np.array([3e-18, 0.0, 1.0]))
    array([                 4,                  0, 999999999999999996])
    """
    counts = np.zeros(len(law), np.int64)
    rare = (law > 0) & (law < _RARE) & (n > _LONG)
    if rare.any():
        counts[rare] = rng.poisson(n * law[rare])
    likely = np.flatnonzero((law > 0) & ~rare)
    if n:
        counts[likely] = rng.multinomial(n - int(counts.sum()), law[likely] / law[likely].sum())
    return counts


def binomial_counts(rng: np.random.Generator, n: Integers, p: Floats) -> Integers:
    """Draw counts of n items with chances p each; the arrays are broadcast.

    >>> binomial_counts(np.random.default_rng(1), np.array([10**18, 10]), np.array([3e-18, 1.0]))
    array([ 3, 10])
    """
    rare = (p > 0) & (p < _RARE) & (n > _LONG)
    counts = rng.binomial(n, np.where(rare, 0.0, p))
    if rare.any():
        counts[rare] = rng.poisson(np.broadcast_to(n * p, counts.shape)[rare])
    return np.asarray(counts, np.int64)
