"""Rates of the right order with intervals, and how fast the rate of the wrong order falls with n."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv, ndtri

from ndcg_asymptotics.core.arrays import Bools, Integers, tails
from ndcg_asymptotics.core.defaults import LEVEL

_FEW = 10  # wrong replicates, below which the rate at an n is too uncertain for a slope
_FEWEST_SIZES = 4  # two for each half of the range
_FLAT = 0.05  # a slope below this does not count as a fall
_BOOTSTRAP = 400  # samples
_CONSTANT = "does not fall over the observed range"
_TOO_SHORT = "is visible at too few list lengths to tell how fast it falls"
NORMAL_QUANTILE = float(ndtri(tails(LEVEL)[1]))
"""Standard errors on either side of an estimate in an interval."""
SETTLED_RATE = 0.99
"""Rate of the right order at every length from n on, above which the order is settled from n on."""
SETTLED_BEYOND = 10
"""A settled order is observed up to this multiple of n, or further."""


@dataclass(frozen=True)
class Rate:
    """The share of replicates with the right order and its Wilson interval (95%, for this n alone).

    ``log10_wrong`` is log10(1 - rate), ``relative_se`` the relative standard error of 1 - rate, and
    ``reliable`` says whether there are enough wrong replicates for these two.
    """

    n: int
    rate: float
    low: float
    high: float
    log10_wrong: float | None = None
    relative_se: float | None = None
    reliable: bool = False

    @property
    def log10_error(self) -> float:
        """Half of the interval of ``log10_wrong``."""
        return NORMAL_QUANTILE * (self.relative_se or 0.0) / math.log(10)


@dataclass(frozen=True)
class Decay:
    """The decay of the rate of the wrong order: ``n^-slope`` over the first and second half of the range.

    ``verdict`` distinguishes *faster than a power of n* and *more slowly* by ``interval``, a 95% bootstrap
    interval (over replicates) of second - first, and says *does not fall* where the upper end of
    the interval of both slopes is below 0.05; where neither a fall nor that is known, it cannot be told.
    """

    verdict: str
    first: float | None = None
    second: float | None = None
    interval: tuple[float, float] | None = None
    range: tuple[int, int] | None = None


def rate_of(n: int, hits: Bools) -> Rate:
    """Return the rate of hits among replicates (R,)."""
    low, high = _wilson(int(hits.sum()), len(hits))
    rate, wrong = float(hits.mean()), int(np.sum(~hits))
    log10 = math.log10(wrong / len(hits)) if wrong else None
    error = math.sqrt(rate / wrong) if wrong else None  # sqrt(p (1 - p) / R) / p for p = wrong / R
    return Rate(
        n=n, rate=rate, low=low, high=high, log10_wrong=log10, relative_se=error, reliable=wrong >= _FEW
    )


def settled_from(from_n: Sequence[Rate]) -> int | None:
    """Return the first n from which on the right order is settled; None if there is none.

    From n on, to a length of at least 10 n, the right scorer stays ahead in at least 99% of the replicates,
    by the lower end of the interval. That takes 381 replicates or more, because the lower end is at most
    R/(R + 1.96²).

    Parameters
    ----------
    from_n : sequence of Rate
        Rates of the right order at every length from n on, by increasing n.

    >>> always = np.ones(381, dtype=bool)
    >>> [settled_from([rate_of(n, always[:count]) for n in (10, 50, 100)]) for count in (380, 381)]
    [None, 10]
    """
    longest = from_n[-1].n
    return next((r.n for r in from_n if r.low >= SETTLED_RATE and SETTLED_BEYOND * r.n <= longest), None)


def _wilson(successes: int, trials: int) -> tuple[float, float]:
    """Return the interval of Wilson (1927) for a proportion, faster than scipy's `binomtest`.

    >>> [round(end, 6) for end in _wilson(9, 10)]
    [0.59585, 0.982124]
    """
    rate, width = successes / trials, NORMAL_QUANTILE**2 / trials
    centre = (rate + width / 2) / (1 + width)
    half = math.sqrt(rate * (1 - rate) * width + width**2 / 4) / (1 + width)
    low = 0.0 if successes == 0 else centre - half
    return low, 1.0 if successes == trials else centre + half


def clopper_pearson(successes: float, trials: float, level: float) -> tuple[float, float]:
    """Return the interval of Clopper and Pearson (1934) for a proportion, which holds it at least so often.

    >>> [round(end, 6) for end in clopper_pearson(9, 10, 0.95)]
    [0.554984, 0.997471]
    """
    below, above = tails(level)
    low = betaincinv(successes, trials - successes + 1, below) if successes > 0 else 0.0
    high = betaincinv(successes + 1, trials - successes, above) if successes < trials else 1.0
    return float(low), float(high)


def fit_decay(correct: Bools, sizes: Integers) -> Decay:
    """Compare the slope of -log P(wrong at n) in log n over the two halves of the visible range.

    Parameters
    ----------
    correct : (R, N) bool
        Whether a replicate has the right order at a list length.
    sizes : (N,)
        The list lengths, increasing.
    """
    wrong = ~correct
    usable = np.flatnonzero(wrong.sum(axis=0) >= _FEW)
    if len(sizes) < _FEWEST_SIZES:
        return Decay(f"needs at least {_FEWEST_SIZES} list lengths to tell how fast it falls")
    if len(usable) < _FEWEST_SIZES:
        return Decay("is too low to tell how fast it falls")
    # from the maximum on, because the rate may rise before it falls
    usable = usable[usable >= usable[np.argmax(wrong.mean(axis=0)[usable])]]
    rng = np.random.default_rng(len(wrong))  # the same samples whenever these replicates are analysed
    samples = (rng.integers(0, len(wrong), len(wrong)) for _ in range(_BOOTSTRAP))
    # how often each replicate is in a sample; the first row is all of them once
    counts = np.array([np.ones(len(wrong)), *(np.bincount(each, minlength=len(wrong)) for each in samples)])
    shares = counts @ wrong[:, usable] / len(wrong)
    # (size, sample); no wrong replicate in a sample counts as half of one
    y = -np.log(np.maximum(shares, 0.5 / len(wrong))).T
    x = np.log(sizes[usable].astype(float))
    fallen = float(np.quantile((y[-1] - y[0])[1:], 0.975))
    if len(usable) < _FEWEST_SIZES:
        flat = usable[-1] == len(sizes) - 1 and fallen <= _FLAT * (x[-1] - x[0])
        return Decay(_CONSTANT if flat else _TOO_SHORT, range=(int(sizes[0]), int(sizes[-1])))
    middle = (len(usable) + 1) // 2
    # slopes over the two halves, which share the middle size: (half, sample)
    slopes = np.array(
        [np.polyfit(x[half], y[half], 1)[0] for half in (slice(middle), slice(middle - 1, None))]
    )
    first, second = slopes[:, 0].tolist()
    resampled = slopes[:, 1:]
    low, high = np.quantile(resampled[1] - resampled[0], [0.025, 0.975])
    steepest = float(np.quantile(resampled.max(axis=0), 0.975))
    overall_low = float(np.quantile(np.polyfit(x, y, 1)[0][1:], 0.025))
    if steepest < _FLAT:
        verdict = _CONSTANT
    elif np.quantile(resampled[1], 0.975) < _FLAT:
        verdict = "no longer falls in the upper half of the observed range"
    elif overall_low <= 0:
        verdict = f"cannot be told from one that {_CONSTANT}"
    elif low > 0:
        verdict = "falls faster than a power of n over the observed range"
    elif high < 0:
        verdict = "falls more slowly than a power of n over the observed range"
    else:
        verdict = "cannot be told from a power of n over the observed range"
    return Decay(
        verdict, first, second, (float(low), float(high)), (int(sizes[usable[0]]), int(sizes[usable[-1]]))
    )
