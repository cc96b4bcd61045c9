"""A test of a mean that holds for any law on [0, 1], skewed or rare as it may be.

If independent values have the mean mu, then for every fixed bet -1/(1 - mu) <= b <= 1/mu the wealth
``prod_i (1 + b (x_i - mu))`` has the mean 1, and so has an average over bets. A wealth above 1/alpha
therefore has a chance of at most alpha (Markov). An average over bets of all sizes is little less than the
best of them (Waudby-Smith and Ramdas 2024), so that the test sees what Student's t would see, unless the
spread of the values is far below their range: a rare value far away could then move the mean, unseen.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import stats
from scipy.special import logsumexp

from ndcg_asymptotics.core.arrays import Floats

_BETS = np.geomspace(1e-4, 0.99, 48)
"""Parts of the largest bet that is allowed."""

_CLOSE = 1e-3  # to which an error that would be seen is found, relative


def log_wealth(low: Floats, high: Floats, least: float, most: float) -> float:
    """The logarithm of the wealth against a mean from ``least`` to ``most``.

    Parameters
    ----------
    low, high : (R,)
        Each value, from 0 to 1, as far as it is known.
    least, most : float

    Returns
    -------
    float
        Above ``log(1 / alpha)`` with a chance of at most alpha, if the values have such a mean.

    >>> values = np.array([0.0] * 58 + [0.5] * 2)  # what rare labels give
    >>> log_wealth(values, values, 0.02, 0.02) < 1 < 10 < log_wealth(values, values, 0.3, 0.3)
    True
    """
    bets = np.concatenate([
        np.log1p(np.maximum(np.outer(bets, off), -1.0 + 1e-15)).sum(axis=1)
        for bets, off in _sides(low, high, least, most)
    ])  # fmt: skip
    return float(logsumexp(bets) - math.log(len(bets)))


def exceeds(low: Floats, high: Floats, least: float, most: float, bar: float) -> bool:
    """Whether that wealth is above a bar.

    Mostly three sums tell that it is not, as ``log(1 + y) <= y - y^2/2 + y^3/3``.

    >>> values = np.random.default_rng(1).random(1000)
    >>> [exceeds(values, values, mean, mean, 16.0) for mean in (0.4, 0.5)]
    [True, False]
    """
    with np.errstate(over="ignore", invalid="ignore"):
        bets = np.concatenate([
            bets * (off.sum() - bets * (off @ off / 2 - bets * (off * off @ off / 3)))
            for bets, off in _sides(low, high, least, most)
        ])  # fmt: skip
        bound = np.logaddexp.reduce(bets) - math.log(len(bets))
    return not bound <= bar and log_wealth(low, high, least, most) > bar


def _sides(low: Floats, high: Floats, least: float, most: float) -> tuple[tuple[Floats, Floats], ...]:
    """Bets that the mean is larger and smaller, with what each value is at least worth to them."""
    above = _BETS / max(most, 1e-300)
    below = _BETS / max(1.0 - least, 1e-300)
    return (above, low - most), (below, least - high)


def detectable(values: Floats, mean: float, level: float, power: float, below: float = math.inf) -> float:
    """The error of a mean, relative, that such values would show at a level, with a chance near ``power``.

    The wealth is a sum over replicates, whose standard error is allowed for; infinite if no error ``below``
    the given one would do.

    >>> values = np.random.default_rng(1).random(1000)
    >>> 0.05 < detectable(values, 0.5, 1e-6, 0.99) < 0.2
    True
    """
    centred = values - values.mean() + mean  # as if the mean were right
    centred = np.clip(centred, 0.0, 1.0)
    sure, needed = float(stats.norm.ppf(power)), math.log(2 * len(_BETS) / level)

    def shown(error: float) -> bool:
        return all(_best(centred, mean * (1 + e), sure) >= needed for e in (-error, error))

    if math.isfinite(below) and not shown(below):
        return math.inf
    low, high = 0.0, min(below, 1.0)
    while not shown(high):
        high *= 2
        if mean * (1 + high) >= 1 and high > 2:
            return math.inf
    while high - low > _CLOSE * high:
        middle = (low + high) / 2
        low, high = (low, middle) if shown(middle) else (middle, high)
    return high


def _best(values: Floats, mean: float, sure: float) -> float:
    """What the best bet against a mean that they are not about gains, less ``sure`` standard errors."""
    if not 0 < mean < 1:
        return math.inf
    off = values - mean
    bets = _BETS / mean if off.mean() > 0 else -_BETS / (1 - mean)
    terms = np.log1p(np.outer(bets, off))
    return float((terms.sum(axis=1) - sure * terms.std(axis=1) * math.sqrt(len(values))).max())
