"""Estimate probabilities of a wrong order from weighted draws, and fit error exponents to them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from ndcg_asymptotics.core.arrays import Bools, Floats
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.stats.rates import NORMAL_QUANTILE, Rate
from ndcg_asymptotics.theory.orders import error_exponent

LEAST_EFFECTIVE = 20.0
"""The smallest effective sample size of a reliable estimate."""
LARGEST_SHARE = 0.2
"""The largest share of the weight that one draw of a reliable estimate may have."""

_MOST_WIDENED = 2.0  # the upper estimate of P(wrong) over the lower one, in a reliable estimate
_LARGEST_WRONG = 0.5  # a probability above this says nothing about the error exponent
_FEWEST = 3  # points needed to fit an exponent


@dataclass(frozen=True)
class WeightedRate(Rate):
    """The rate of the right order from weighted draws.

    Attributes
    ----------
    effective_sample_size : float
        (sum w)^2 / sum w^2 over the draws with a wrong order.
    largest_share : float
        The share of the largest weight in their sum.
    undecided : float
        The share of draws whose order is not known; they widen the interval.
    """

    effective_sample_size: float = 0.0
    largest_share: float = 1.0
    undecided: float = 0.0


def weighted_rate(n: int, log_weight: Floats, wrong: Bools, unknown: Bools) -> WeightedRate:
    """Estimate P(wrong) by the mean of ``exp(log_weight) 1(wrong)``.

    The interval is normal for log P, with the relative standard error; its upper end counts every
    unknown order as wrong. An estimate is not reliable, and has no number, if the effective sample size is
    below `LEAST_EFFECTIVE`, if one draw has more than `LARGEST_SHARE` of the weight, or if the unknown orders
    could have more weight than the wrong ones.

    >>> point = weighted_rate(10, np.full(100, np.log(1e-30)), np.arange(100) < 50, np.zeros(100, bool))
    >>> round(point.log10_wrong, 3), round(point.relative_se, 3), point.reliable
    (-30.301, 0.101, True)
    """
    share = float(unknown.mean())
    return _estimate(n, (log_weight, wrong & ~unknown), (log_weight, wrong | unknown), share)


def _estimate(n: int, least: tuple[Floats, Bools], most: tuple[Floats, Bools], share: float) -> WeightedRate:
    """Estimate P(wrong) from the draws known to be wrong, its upper end from those that may be.

    ``least`` and ``most`` are the log weights of all draws, and which of them are (or may be) wrong.
    """
    log_mean, relative, effective, largest = _mean(*least)
    upper, upper_relative, *_ = _mean(*most)
    narrow = math.isfinite(log_mean) and upper - log_mean < math.log(_MOST_WIDENED)
    if not (effective >= LEAST_EFFECTIVE and largest <= LARGEST_SHARE and narrow):
        nan = math.nan
        return WeightedRate(
            n,
            rate=nan,
            low=nan,
            high=nan,
            log10_wrong=None,
            relative_se=None,
            reliable=False,
            effective_sample_size=effective,
            largest_share=largest,
            undecided=share,
        )
    # the ends of P(wrong); those of the rate, of the right order, are 1 minus these
    low = math.exp(min(log_mean - NORMAL_QUANTILE * relative, 0))
    high = math.exp(min(upper + NORMAL_QUANTILE * upper_relative, 0))
    return WeightedRate(
        n,
        rate=max(1 - math.exp(log_mean), 0.0),
        low=1 - high,
        high=1 - low,
        log10_wrong=log_mean / math.log(10),
        relative_se=relative,
        reliable=True,
        effective_sample_size=effective,
        largest_share=largest,
        undecided=share,
    )


def _mean(log_weight: Floats, subset: Bools) -> tuple[float, float, float, float]:
    """Return log mean weight of a subset of draws, relative error, effective sample size, largest share."""
    if not subset.any():
        return -math.inf, math.inf, 0.0, 1.0
    # relative to the largest weight, which is 1 then, as weights may be below the smallest double; other
    # draws may weigh more, and must not overflow
    top = float(log_weight[subset].max())
    w = np.where(subset, np.exp(np.minimum(log_weight - top, 0.0)), 0.0)
    mean, total = float(w.mean()), float(w.sum())
    relative = float(w.std(ddof=1)) / mean / math.sqrt(len(w)) if len(w) > 1 else math.inf
    return math.log(mean) + top, relative, total**2 / float(np.sum(w**2)), 1.0 / total


def rates_from_n_on(
    sizes: Sequence[int], log_weight: Floats, last: Bools, unknown: Bools
) -> list[WeightedRate]:
    """Estimate P(wrong at some size >= N) for each N: the sum of P(size is the last wrong one) over sizes.

    Arrays are (replicate, size); ``unknown`` is where it is not known whether a wrong size is the last one.
    Draws at different sizes are independent, so a replicate's sum over sizes is one draw of the estimate.
    """
    rates = []
    for k, n in enumerate(sizes):
        log_weights = log_weight[:, k:]
        surely_last, possibly_last = last[:, k:], last[:, k:] | unknown[:, k:]
        top = float(np.max(log_weights, where=possibly_last, initial=-math.inf))
        top = top if math.isfinite(top) else 0.0
        weights = np.exp(np.minimum(log_weights - top, 0.0))
        w = np.where(surely_last, weights, 0.0).sum(axis=1)
        w_open = np.where(possibly_last, weights, 0.0).sum(axis=1)
        with np.errstate(divide="ignore"):  # most replicates are wrong nowhere: log 0
            log_sum, log_open = np.log(w) + top, np.log(w_open) + top
        share = float(np.mean(w_open > w))
        rates.append(_estimate(n, (log_sum, w > 0), (log_open, w_open > 0), share))
    return rates


@dataclass(frozen=True)
class FittedExponent:
    """The exponent of the power of n that ``-log P(wrong at n)`` grows like, fitted and predicted.

    Attributes
    ----------
    exponent, interval
        Fitted over ``range`` (the upper half, in log n, of what is visible), with a 95% interval that holds
        the scatter about a power law as well as the sampling error.
    predicted : float or None
        As n grows without bound (`theory.orders.error_exponent`); None where no theorem gives it.
    """

    exponent: float | None
    interval: tuple[float, float] | None
    predicted: float | None
    range: tuple[int, int] | None
    reason: str


def fit_exponent(points: Sequence[Rate], a: Relevance, b: Relevance, measure: Measure) -> FittedExponent:
    """Fit the error exponent to these points, and predict it."""
    limit = error_exponent(a, b, measure)
    reliable = [
        (p.n, -p.log10_wrong * math.log(10), p.relative_se or 0.0)
        for p in points
        if p.reliable and p.log10_wrong is not None and p.log10_wrong < math.log10(_LARGEST_WRONG)
    ]
    if len(reliable) < _FEWEST:
        return FittedExponent(None, None, limit.exponent, None, limit.reason)
    # -log P grows like n^e, so log(-log P) has the slope e in log n; its upper half is nearest to the limit
    middle = math.sqrt(reliable[0][0] * reliable[-1][0])
    upper = [point for point in reliable if point[0] >= middle]
    largest = upper if len(upper) >= _FEWEST else reliable[-_FEWEST:]
    n, nats, relative = np.array(largest).T
    x, y = (np.log(values) - np.log(values).mean() for values in (n, nats))
    slope = float(x @ y) / float(x @ x)
    # the standard error of a least-squares slope, from the points' relative errors and from their scatter;
    # log(-log P) has the error of log P, which is relative, over -log P
    sampled = float(np.linalg.norm(x * relative / nats)) / float(x @ x)
    scattered = float(np.linalg.norm(y - slope * x) / np.linalg.norm(x)) / math.sqrt(len(n) - 2)
    half = max(NORMAL_QUANTILE * sampled, float(stdtrit(len(n) - 2, 0.975)) * scattered)
    fitted = int(n[0]), int(n[-1])
    return FittedExponent(slope, (slope - half, slope + half), limit.exponent, fitted, limit.reason)
