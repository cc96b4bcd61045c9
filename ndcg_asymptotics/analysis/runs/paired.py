"""Paired differences over queries: intervals, tests, and how many queries a difference takes.

The same queries are answered by both runs, so a difference is a mean of one number per query, d_q.
*Bootstrap* draws queries with replacement. *Permutation* exchanges the two runs within a query at random:
if they are alike the sign of d_q is a coin's, and the shifts of d that this does not reject make an
interval. Its ends are quantiles of the means of random subsets of the queries, each in or out with
probability 1/2 (Hartigan 1969, "Using subsample values as typical values").
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from ndcg_asymptotics.analysis.power import paired_power
from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import require

FEWEST = 5
"""Queries below which a difference is not judged: fewer permutations than a 95% interval needs."""

MOST_QUERIES = 10**6
"""Queries beyond which a difference is said to be too small to be seen."""

_AT_ONCE = 1 << 22  # numbers held for subsets of the queries


@dataclass(frozen=True)
class Interval:
    """A confidence interval."""

    low: float
    high: float

    @property
    def sign(self) -> int:
        """1 or -1 where 0 is outside, else 0."""
        return int(self.low > 0) - int(self.high < 0)


@dataclass(frozen=True)
class Difference:
    """What is known of a mean difference.

    Attributes
    ----------
    mean, sd : float
        Of the differences over queries.
    bootstrap, permutation : Interval
    p : float
        Two-sided, by permutation.
    queries : int or None
        How many queries a paired t-test needs for the power asked; None if more than 1e6.
    """

    mean: float
    sd: float
    bootstrap: Interval
    permutation: Interval
    p: float
    queries: int | None

    @property
    def effect(self) -> float:
        """mean / sd, the signal of one query in its noise."""
        return (
            self.mean / self.sd if self.sd > 0 else math.copysign(math.inf, self.mean) if self.mean else 0.0
        )


def paired_difference(
    differences: Floats, *, level: float = 0.95, power: float = 0.8, resamples: int = 9999, seed: int = 0
) -> Difference:
    """Judge the mean of paired differences.

    Parameters
    ----------
    differences : (queries,)
        At least 5.
    level : float
        Of the intervals; the tests are at 1 - level.
    power : float
        For which the number of queries is wanted.
    resamples, seed : int
        Bootstrap samples and permutations, and their seed.

    Raises
    ------
    InputError
        For fewer than 5 queries, or a level or power outside (0, 1).

    >>> found = paired_difference(np.array([0.1, 0.2, 0.0, 0.15, 0.05, 0.1, 0.12, 0.08]))
    >>> round(found.mean, 3), found.permutation.sign, found.queries
    (0.1, 1, 6)
    """
    d = np.asarray(differences, np.float64)
    require(d.size >= FEWEST, f"a comparison needs at least {FEWEST} common queries, there are {d.size}")
    require(0 < level < 1, f"must lie inside (0, 1), got {level:g}", "level")
    mean, sd = float(d.mean()), float(d.std(ddof=1))
    # rounding of values that are equal is no difference
    if float(np.abs(d).max()) <= 1e-12:
        return Difference(0.0, 0.0, Interval(0.0, 0.0), Interval(0.0, 0.0), 1.0, None)
    rng = np.random.default_rng(seed)
    return Difference(
        mean,
        sd,
        _bootstrap(d, level, resamples, rng),
        _typical_values(d, level, resamples, rng),
        _permutation_p(d, resamples, rng),
        queries_needed(mean / sd, 1 - level, power) if sd > 0 else FEWEST,
    )


def _bootstrap(d: Floats, level: float, resamples: int, rng: np.random.Generator) -> Interval:
    if np.ptp(d) == 0:
        return Interval(float(d[0]), float(d[0]))
    found = stats.bootstrap(
        (d,), np.mean, confidence_level=level, n_resamples=resamples, method="BCa", rng=rng, batch=1000
    ).confidence_interval
    return Interval(float(found.low), float(found.high))


def _permutation_p(d: Floats, resamples: int, rng: np.random.Generator) -> float:
    found = stats.permutation_test(
        (d, np.zeros_like(d)),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples",
        n_resamples=resamples,
        vectorized=True,
        batch=1000,
        rng=rng,
    )
    return float(found.pvalue)


def _typical_values(d: Floats, level: float, resamples: int, rng: np.random.Generator) -> Interval:
    """The shifts that no permutation test at 1 - level rejects.

    Signs s reject the shift m on the side where sum s (d - m) exceeds sum (d - m) in absolute value, which
    changes at the mean of the d with s = -1: so the interval's ends are order statistics of such means.
    """
    means: list[Floats] = []
    wanted, rows = resamples, max(1, _AT_ONCE // d.size)
    while wanted > 0:
        chosen = rng.random((min(rows, 2 * wanted), d.size)) < 0.5
        chosen = chosen[chosen.any(axis=1)][:wanted]
        means.append(chosen @ d / chosen.sum(axis=1))
        wanted -= len(chosen)
    found = np.sort(np.concatenate(means))
    cut = math.floor((1 - level) / 2 * (resamples + 1))
    if cut < 1:
        return Interval(-math.inf, math.inf)
    return Interval(float(found[cut - 1]), float(found[-cut]))


def queries_needed(effect: float, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """The fewest queries with which a two-sided paired t-test at level alpha has a power.

    About ``((z_(1-alpha/2) + z_power) / effect)^2``, with Student's correction; None beyond 1e6.

    Raises
    ------
    InputError
        For alpha or power outside (0, 1), or a power that is not above alpha.

    >>> queries_needed(0.5), queries_needed(0.05), queries_needed(0.0)
    (34, 3142, None)
    """
    require(0 < alpha < 1, f"must lie inside (0, 1), got {alpha:g}", "alpha")
    require(alpha < power < 1, f"must lie between alpha = {alpha:g} and 1, got {power:g}", "power")
    if effect == 0 or paired_power(effect, MOST_QUERIES, alpha) < power:
        return None
    low, high = 2, MOST_QUERIES
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if paired_power(effect, middle, alpha) >= power else (middle + 1, high)
    return low


def holm(p: Sequence[float]) -> list[float]:
    """p-values corrected for their number so that any false alarm among them has the level's chance.

    Holm's step-down: the k-th smallest of m is multiplied by m - k + 1, and none is below the one before.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, kind="stable")
    raised = np.asarray(p)[order] * np.arange(len(p), 0, -1)
    found = np.empty(len(p))
    found[order] = np.minimum(np.maximum.accumulate(raised), 1.0)
    return found.tolist()
