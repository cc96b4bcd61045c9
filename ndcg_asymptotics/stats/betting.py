"""A test of a mean that is valid for every distribution on [0, 1], however skewed or sparse.

If independent values x_i have the mean mu, then for every fixed bet -1/(1 - mu) <= b <= 1/mu the wealth
``prod_i (1 + b (x_i - mu))`` has mean 1, and so has its average over several bets. By Markov's inequality the
wealth exceeds 1/alpha with probability at most alpha. Averaging over bets of all sizes costs little compared
with the best bet (Waudby-Smith and Ramdas 2024), so the test detects about what Student's t test would.
The exception is a standard deviation far below the range of the values, because a rare, distant value that
was not observed could then change the mean.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import logsumexp, ndtri

from ndcg_asymptotics.core.arrays import Floats, Integers

_BETS = np.geomspace(1e-4, 0.99, 48)
"""Bets, as fractions of the largest one allowed."""

_TOLERANCE = 1e-3  # relative, of the smallest detectable error


def log_wealth(low: Floats, high: Floats, least: float, most: float) -> float:
    """Return the logarithm of the wealth won against the claim that the mean is in [``least``, ``most``].

    Parameters
    ----------
    low, high : (R,)
        Bounds of each value, from 0 to 1; equal where the value is known.
    least, most : float

    Returns
    -------
    float
        Exceeds ``log(1 / alpha)`` with probability at most alpha if the claim is true.

    >>> values = np.array([0.0] * 58 + [0.5] * 2)  # as rare relevant items give
    >>> log_wealth(values, values, 0.02, 0.02) < 1 < 10 < log_wealth(values, values, 0.3, 0.3)
    True
    """
    pairs, counts = np.unique(low + 1j * high, return_counts=True)
    sides = _both_sides(pairs.real, pairs.imag, least, most)
    won = [np.log1p(np.maximum(np.outer(bets, gain), -1.0 + 1e-15)) @ counts for bets, gain in sides]
    return float(logsumexp(won) - math.log(2 * len(_BETS)))


def exceeds(low: Floats, high: Floats, least: float, most: float, threshold: float) -> bool:
    """Return whether `log_wealth` is above a threshold.

    The bound ``log(1 + y) <= y - y^2/2 + y^3/3`` needs three sums only and mostly shows that it is not.

    >>> values = np.random.default_rng(1).random(1000)
    >>> [exceeds(values, values, mean, mean, 16.0) for mean in (0.4, 0.5)]
    [True, False]
    """
    with np.errstate(over="ignore", invalid="ignore"):
        bounds = [
            bets * (gain.sum() - bets * (gain @ gain / 2 - bets * (gain * gain @ gain / 3)))
            for bets, gain in _both_sides(low, high, least, most)
        ]
        bound = np.logaddexp.reduce(bounds, axis=None) - math.log(2 * len(_BETS))
    return not bound <= threshold and log_wealth(low, high, least, most) > threshold


def _both_sides(
    low: Floats, high: Floats, least: float, most: float
) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """Return bets on a larger and on a smaller mean, each with the least that every value contributes."""
    larger = _BETS / max(most, 1e-300)
    smaller = _BETS / max(1.0 - least, 1e-300)
    return (larger, low - most), (smaller, least - high)


def detectable(values: Floats, mean: float, alpha: float, power: float, below: float = math.inf) -> float:
    """Return the smallest relative error of a claimed mean that such values detect at ``alpha``.

    The probability of detection is about ``power``: the log wealth is a sum over replicates, from which a
    multiple of its standard error is subtracted. Infinite if no error ``below`` the given one is detected,
    and for a mean of 0, which has no relative error.

    >>> values = np.random.default_rng(1).random(1000)
    >>> 0.05 < detectable(values, 0.5, 1e-6, 0.99) < 0.2
    True
    """
    if mean <= 0:
        return math.inf
    distinct, counts = np.unique(values, return_counts=True)
    centred = np.clip(distinct - values.mean() + mean, 0.0, 1.0)  # as if the claimed mean were the true one
    quantile, threshold = float(ndtri(power)), math.log(2 * len(_BETS) / alpha)

    def detected(error: float) -> bool:
        return all(_best_bet(centred, counts, mean * (1 + e), quantile) >= threshold for e in (-error, error))

    if math.isfinite(below) and not detected(below):
        return math.inf
    low, high = 0.0, min(below, 1.0)
    while not detected(high):
        high *= 2
        if mean * (1 + high) >= 1 and high > 2:
            return math.inf
    while high - low > _TOLERANCE * high:
        middle = (low + high) / 2
        low, high = (low, middle) if detected(middle) else (middle, high)
    return high


def _best_bet(values: Floats, counts: Integers, mean: float, quantile: float) -> float:
    """Return the log wealth of the best bet against a wrong mean, less ``quantile`` standard errors."""
    if not 0 < mean < 1:
        return math.inf
    gain = values - mean
    bets = _BETS / mean if gain @ counts > 0 else -_BETS / (1 - mean)
    return assured(np.log1p(np.outer(bets, gain)), counts, quantile)


def assured(terms: Floats, counts: Integers, quantile: float) -> float:
    """Return the largest sum of terms (bets, distinct values), less ``quantile`` standard errors of it.

    ``counts`` says how often each value occurs: short lists have few distinct values.

    >>> float(assured(np.array([[1.0, 3.0]]), np.array([1, 1]), 0.5))  # 4 - 0.5 sqrt(2)
    3.2928932188134525
    """
    sums, squares = terms @ counts, terms**2 @ counts
    # R times the variance; it is not small beside the squares, so few digits are lost
    spread = np.maximum(squares - sums**2 / counts.sum(), 0.0)
    return float((sums - quantile * np.sqrt(spread)).max())
