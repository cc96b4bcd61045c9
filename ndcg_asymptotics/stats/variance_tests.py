"""Tests of a variance: chi-square for nearly normal values, betting for any values in [0, 1].

*Chi-square.* ``(R - 1) s^2 / sigma^2`` has a chi-square law if values are normal. The variance of s^2 is
``sigma^4 (2 / (R - 1) + excess / R)``, so an excess kurtosis lowers the degrees of freedom to
``(R - 1) / (1 + excess / 2)`` (Box 1953). A negative sample excess is taken as 0.

*Betting.* If the mean mu is known, ``Z = (X - mu)^2`` is a value in [0, M], whose mean `betting` tests. Such
bets detect a variance that is larger than claimed, but hardly one that is smaller by less than M/R: rare,
distant values, not observed in R replicates, could make up for it. A bound ``E Z^2 <= K (E Z)^2`` excludes
these. Since ``exp(-z) <= 1 - z + z^2/2``, the wealth ``prod_i exp(-l Z_i / s^2) / (1 - l + l^2 K / 2)`` has a
mean of at most 1 for every l > 0 if the variance is s^2 (compare Maurer 2003). Both are described in
docs/check.md, section 2.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from scipy.special import chdtr, chdtrc, chdtri, gammaincinv, logsumexp, ndtri

from ndcg_asymptotics.core.arrays import Floats, bisected
from ndcg_asymptotics.stats.betting import assured, log_wealth

_RATES = np.geomspace(0.01, 1.0, 24)
"""The l K above: fractions of 1/K, beyond which a larger l gains nothing."""
_BETS = np.geomspace(3e-3, 0.99, 24)
"""Bets on Z, as fractions of the largest one allowed."""
_MISSING = 0.75  # of the variance, where the true standard deviation is half of the claimed one
_LARGEST_ERROR = 3.0  # a factor of 4 in the standard deviation
_HALVINGS = 12  # of the interval in which the detectable error is searched: 3/4096


def chi_square_freedom(values: Floats) -> float:
    """Return the degrees of freedom of the sample variance of values (R,).

    >>> chi_square_freedom(np.array([0.0, 0.0, 0.1, 0.9, 1.0, 1.0]))
    5.0
    """
    squares = (values - values.mean()) ** 2
    variance = float(squares.mean())
    excess = float(np.mean(squares**2)) / variance**2 - 3 if variance else 0.0
    return (len(values) - 1) / (1 + max(excess, 0.0) / 2)


def chi_square_test(least: float, most: float, freedom: float) -> float:
    """Return the p-value of a ratio of sample to true standard deviation between ``least`` and ``most``.

    >>> round(chi_square_test(1.1, 1.1, 999.0), 5)
    1e-05
    """
    if least <= 1 <= most:
        return 1.0
    beyond = chdtrc(freedom, freedom * least**2) if least > 1 else chdtr(freedom, freedom * most**2)
    return float(2 * beyond)


def chi_square_detectable(freedom: float, alpha: float, power: float) -> float:
    """Return the smallest relative error of a standard deviation, in both directions, that is detected.

    >>> round(chi_square_detectable(999.0, 1e-6, 0.99), 2)
    0.18
    """
    rejected_below, rejected_above = (2 * gammaincinv(freedom / 2, alpha / 2), chdtri(freedom, alpha / 2))
    low, high = chdtri(freedom, power), chdtri(freedom, 1 - power)
    too_small, too_large = math.sqrt(low / rejected_above), math.sqrt(high / rejected_below)
    return float(max(1 - too_small, too_large - 1))


def variance_log_wealth(
    low: Floats, high: Floats, largest: float, least: float, most: float, kurtosis: float | None
) -> float:
    """Return the logarithm of the wealth won against the claim that the variance is in [``least``, ``most``].

    Parameters
    ----------
    low, high : (R,)
        Bounds of each squared deviation from the mean.
    largest : float
        The M above, a bound of all squared deviations.
    least, most : float
    kurtosis : float or None
        The K above, if a bound is known.

    Returns
    -------
    float
        Exceeds ``log(1 / alpha)`` with probability at most alpha if the claim is true.

    >>> squares = np.random.default_rng(1).normal(0.0, 0.01, 1000) ** 2
    >>> [variance_log_wealth(squares, squares, 1.0, v, v, 4.0) > 20 for v in (5e-5, 1e-4, 2e-4)]
    [True, False, True]
    """
    wealth = log_wealth(low / largest, high / largest, least / largest, most / largest)
    if kurtosis is None:
        return wealth
    rates = _RATES / kurtosis
    growth = -rates * float(high.sum()) / most - len(high) * np.log1p(-rates * least / most + _rest(kurtosis))
    return float(np.logaddexp(wealth, logsumexp(growth) - math.log(len(rates)))) - math.log(2)


def _rest(kurtosis: float) -> Floats:
    """Return l^2 K / 2 for every l."""
    return _RATES**2 / (2 * kurtosis)


def replicates_for_variance(variance: float, largest: float, alpha: float, kurtosis: float | None) -> float:
    """Return the number of replicates that detects a claim of twice the true standard deviation.

    >>> replicates_for_variance(0.01, 1.0, 1e-6, None) > replicates_for_variance(0.01, 1.0, 1e-6, 4.0) > 100
    True
    """
    threshold = math.log(2 * len(_RATES) / alpha)
    best = _MISSING * variance / largest
    if kurtosis is not None:
        rates = _RATES / kurtosis
        best = max(best, float(np.max(-rates / 4 - np.log1p(-rates + _rest(kurtosis)))))
    return threshold / best if best > 0 else math.inf


def detectable_std(
    squares: Floats, largest: float, alpha: float, power: float, kurtosis: float | None
) -> float:
    """Return the smallest relative error of a standard deviation that such squared deviations detect.

    The error may be in either direction, and the probability of detection is about ``power``. Infinite if
    not even a factor of 4 is detected.

    >>> squares = np.random.default_rng(1).normal(0.0, 0.1, 1000) ** 2
    >>> 0.1 < detectable_std(squares, 1.0, 1e-6, 0.99, 4.0) < 0.4
    True
    """
    variance, threshold = float(squares.mean()), math.log(4 * len(_RATES) / alpha)
    quantile = float(ndtri(power))
    if not variance > 0:
        return math.inf
    distinct, counts = np.unique(squares, return_counts=True)

    def missed(error: Floats | float, sign: int) -> bool:
        claimed = variance * (1 + error) ** (2 * sign)
        part = claimed / largest
        bets = _BETS / claimed if sign < 0 else -_BETS / (largest * max(1 - part, 1e-300))
        terms = np.log1p(np.maximum(np.outer(bets, distinct - claimed), -1 + 1e-15))
        if sign > 0 and kurtosis is not None:
            rates = _RATES / kurtosis
            normaliser = np.log1p(-rates + _rest(kurtosis))
            terms = np.vstack([terms, -np.outer(rates, distinct / claimed) - normaliser[:, None]])
        return not assured(terms, counts, quantile) >= threshold

    worst = 0.0
    for sign in (-1, 1):
        if missed(_LARGEST_ERROR, sign):
            return math.inf
        high = float(bisected(partial(missed, sign=sign), 0.0, _LARGEST_ERROR, _HALVINGS)[1])
        worst = max(worst, high if sign > 0 else high / (1 + high))
    return worst
