"""A test of a variance that holds for any law on [0, 1], and what more the fourth moment gives.

With a mean mu that is known ``Z = (X - mu)^2`` is a value on [0, M], and `bets` test its mean. They see a
variance that is larger than claimed, but hardly one that is smaller by less than M/R: rare values far away,
not seen in R replicates, could make up for it. If ``E Z^2 <= K (E Z)^2`` they could not. As
``exp(-z) <= 1 - z + z^2/2``, the wealth ``prod_i exp(-l Z_i / s^2) / (1 - l + l^2 K / 2)`` has a mean of at
most 1 if the variance is s^2, for every l > 0 (Maurer 2003 bounds sums of such variables so).
"""

from __future__ import annotations

import math

import numpy as np
from scipy import stats
from scipy.special import logsumexp

from ndcg_asymptotics.analysis.betting import log_wealth
from ndcg_asymptotics.core.arrays import Floats

_BETS = np.geomspace(0.01, 1.0, 24)
"""Parts of the bet 1/K, beyond which nothing is gained."""
_PARTS = np.geomspace(3e-3, 0.99, 24)
"""The same of the largest bet where nothing is known of the fourth moment."""
_SHOWN = 0.75  # of a variance that is missing where the standard deviation is half of what is claimed
_HALVINGS = 12


def variance_log_wealth(
    low: Floats, high: Floats, largest: float, least: float, most: float, kurtosis: float | None
) -> float:
    """The logarithm of the wealth against a variance from ``least`` to ``most``.

    Parameters
    ----------
    low, high : (R,)
        Each square of a deviation from the mean, as far as it is known.
    largest : float
        A bound of such squares.
    least, most : float
    kurtosis : float or None
        A bound of ``E Z^2 / (E Z)^2``, if there is one.

    Returns
    -------
    float
        Above ``log(1 / alpha)`` with a chance of at most alpha, if values have such a variance.

    >>> squares = np.random.default_rng(1).normal(0.0, 0.01, 1000) ** 2
    >>> [variance_log_wealth(squares, squares, 1.0, v, v, 4.0) > 20 for v in (5e-5, 1e-4, 2e-4)]
    [True, False, True]
    """
    found = log_wealth(low / largest, high / largest, least / largest, most / largest)
    if kurtosis is None:
        return found
    bets = _BETS / kurtosis
    growth = -bets * float(high.sum()) / most - len(high) * np.log1p(-bets * least / most + _rest(kurtosis))
    return float(np.logaddexp(found, logsumexp(growth) - math.log(len(bets)))) - math.log(2)


def _rest(kurtosis: float) -> Floats:
    """l^2 K / 2 of every bet l."""
    return _BETS**2 / (2 * kurtosis)


def replicates_for_variance(variance: float, largest: float, level: float, kurtosis: float | None) -> float:
    """The replicates from which on a standard deviation of half the claimed one is seen.

    >>> replicates_for_variance(0.01, 1.0, 1e-6, None) > replicates_for_variance(0.01, 1.0, 1e-6, 4.0) > 100
    True
    """
    needed = math.log(2 * len(_BETS) / level)
    best = _SHOWN * variance / largest
    if kurtosis is not None:
        best = max(best, float(np.max(-_BETS / kurtosis / 4 - np.log1p(-_BETS / kurtosis + _rest(kurtosis)))))
    return needed / best if best > 0 else math.inf


def detectable_std(
    squares: Floats, largest: float, level: float, power: float, kurtosis: float | None
) -> float:
    """The error of a standard deviation, relative, that such squares would show at a level.

    With a chance near ``power``, whether it is too large or too small; infinite if no error up to a
    factor 4 would do.

    >>> squares = np.random.default_rng(1).normal(0.0, 0.1, 1000) ** 2
    >>> 0.1 < detectable_std(squares, 1.0, 1e-6, 0.99, 4.0) < 0.4
    True
    """
    variance, needed = float(squares.mean()), math.log(4 * len(_BETS) / level)
    sure = float(stats.norm.ppf(power))
    if not variance > 0:
        return math.inf

    def shown(error: float, sign: int) -> bool:
        claimed = variance * (1 + error) ** (2 * sign)
        part = claimed / largest
        bets = _PARTS / claimed if sign < 0 else -_PARTS / (largest * max(1 - part, 1e-300))
        terms = np.log1p(np.maximum(np.outer(bets, squares - claimed), -1 + 1e-15))
        if sign > 0 and kurtosis is not None:
            rates = _BETS / kurtosis
            falls = np.log1p(-rates + _rest(kurtosis))
            terms = np.vstack([terms, -np.outer(rates, squares / claimed) - falls[:, None]])
        gains = terms.sum(axis=1) - sure * terms.std(axis=1) * math.sqrt(len(squares))
        return float(gains.max()) >= needed

    worst = 0.0
    for sign in (-1, 1):
        low, high = 0.0, 3.0
        if not shown(high, sign):
            return math.inf
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (low, middle) if shown(middle, sign) else (middle, high)
        worst = max(worst, high if sign > 0 else high / (1 + high))
    return worst
