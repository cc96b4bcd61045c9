"""Exact mean and variance of a metric when a user's relevant item is ranked among m sampled negatives.

A user has one relevant item, of rank rho among N. Its rank among the negatives is 1 + A, where A is the
number of sampled ones above it (`law`), and its NDCG is f(1 + A) with f(r) = D(r)/D(1) up to the cutoff, in a
list of m + 1 items. The mean and the variance of f(1 + A), or of any other function of the sampled rank, are
sums over the law of A.
"""

from __future__ import annotations

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.theory.sampled.law import likely_counts


def metric_of_ranks(measure: Measure, rank: Floats | Integers, items: int) -> Floats:
    """Return NDCG of lists of some items with one relevant item: D(rank)/D(1) up to the cutoff, else 0.

    Parameters
    ----------
    measure : Measure
    rank : array
        Of the relevant item, >= 1. Corrected estimates need values between whole numbers as well.
    items : int
        The length of the list.

    Raises
    ------
    InputError
        For DCG.

    >>> metric_of_ranks(Measure.parse("nDCG@3"), np.array([1, 3, 4]), 10)
    array([1. , 0.5, 0. ])
    """
    require(measure.normalised, f"{measure}: ranks of one relevant item are measured by NDCG", "measures")
    at_top = measure.discount(np.ones(1), float(items))[0]
    return np.where(rank <= measure.cutoff(items), measure.discount(rank, float(items)) / at_top, 0.0)


def sampled_moments(
    values: Floats, rank: Integers, items: int, *, replacement: bool = False
) -> tuple[Floats, Floats]:
    """Return the exact mean and variance of a function of the sampled rank.

    Parameters
    ----------
    values : (m + 1,)
        The function at the sampled ranks 1 … m + 1.
    rank : (U,)
        The ranks of the relevant items among all, from 1 to ``items``.
    items : int
        N, the number of items from which negatives are sampled, the relevant one included.
    replacement : bool
        Whether an item can be sampled twice; without it m is at most N - 1.

    Returns
    -------
    mean, variance : (U,)
        The error is below 1e-10 of the largest value.

    >>> mean, variance = sampled_moments(np.array([1.0, 0.63093]), np.array([2]), 3)
    >>> mean.round(6), variance.round(6)  # half the time the better item is sampled
    (array([0.815465]), array([0.034053]))
    """
    above, inverse = np.unique(rank - 1, return_inverse=True)
    last = int(np.flatnonzero(values).max(initial=-1))
    moments = np.zeros((2, above.size))
    for chunk, x, chances in likely_counts(values.size - 1, above, items - 1, last, replacement):
        value = values[x]
        mean = (chances * value).sum(axis=1)
        # ranks beyond the last value that is not 0
        beyond = np.maximum(1 - chances.sum(axis=1), 0.0) if last < values.size - 1 else 0.0
        deviation = value - mean[:, None]
        moments[:, chunk] = mean, (chances * deviation**2).sum(axis=1) + beyond * mean**2
    return moments[0, inverse], moments[1, inverse]
