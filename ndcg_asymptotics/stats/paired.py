"""Paired differences over queries: a test, an interval, and how many queries a difference takes.

Both runs answer the same queries, so a difference of means is a mean of one number per query, d_q.

The *permutation test* exchanges the two runs within queries at random. If the runs are alike, the sign of d_q
is a fair coin's. With signs -1 on the queries I and +1 on the others J, the sum of |the permuted differences|
reaches that of d - m if and only if m lies between the means of d over I and over J:

    (sum s (d - m))^2 >= (sum (d - m))^2   <=>   (mean_I d - m) (mean_J d - m) <= 0.

So one set of permutations gives the p-value of every shift m, and the shifts that are not rejected are an
interval (compare Hartigan 1969, "Using subsample values as typical values"). It covers as stated if
differences are symmetric about their mean; where most of them are 0 it is too short, and Student's interval
is longer. The interval here is the shorter one that holds both, and the p-value is the larger of the
two: an interval excludes 0 exactly if p < 1 - level. docs/comparing.md has its coverage.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, NamedTuple

import numpy as np
from scipy import special

from ndcg_asymptotics.core.arrays import Bools, Floats, random_generator, whole_number
from ndcg_asymptotics.core.defaults import LEVEL
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.rows import Column, Data, computed_value, general
from ndcg_asymptotics.stats.replication import Replication, in_interval, replication

_MOST_RESAMPLES = 10**7  # which take minutes with 50 queries
AT_ONCE = 1 << 22
"""Numbers that resampling holds in memory at a time."""
_CACHED = 1 << 17  # numbers of permutations that stay in the cache of a core while every test reads them
ZERO_DIFFERENCE = 1e-12
"""Smaller differences count as 0, of values that are not larger than about 1."""
FEW_DIFFERING = 30
"""Differences that are not 0, with fewer of which intervals of mostly equal values cover too rarely."""
FEWEST_DIFFERING = 10
"""Differences that are not 0, with fewer of which mostly equal values give no number of new queries."""


class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float

    @property
    def sign(self) -> int:
        """1 or -1 where 0 is outside, else 0."""
        return int(self.low > 0) - int(self.high < 0)


class WithInterval:
    """Base class of rows with the interval of a difference of two runs, None if these are identical."""

    interval: Annotated[Interval | None, Data(frame=False)]

    @computed_value(Data(json=False))
    def low(self) -> float:
        """The lower end of the interval; NaN if the runs are identical."""
        return self.interval.low if self.interval else math.nan

    @computed_value(Data(json=False))
    def high(self) -> float:
        """The upper end of the interval; NaN if the runs are identical."""
        return self.interval.high if self.interval else math.nan

    @computed_value(Column("interval", str, before="p"))
    def interval_text(self) -> str:
        """The interval in a table."""
        if self.interval is None:
            return "equal"
        return f"[{self.low:+.4f}, {self.high:+.4f}]"

    @property
    def sign(self) -> int:
        """1 or -1 where 0 is outside the interval, else 0."""
        return self.interval.sign if self.interval else 0


@dataclass(frozen=True)
class Difference(WithInterval):
    """A mean difference, with its test and interval.

    Attributes
    ----------
    mean, sd : float
        Mean and standard deviation of the differences over queries.
    interval : Interval or None
        None if the runs are identical, because there is no variation then.
    p : float
        1 if the runs are identical.
    queries, queries_low, queries_high, queries_assured : int or None
        The numbers of queries with which a paired t test on new queries has the target power
        (`stats.replication`): if the true effect is the observed one, with a confidence interval, and at
        a lower bound of the effect. ``queries_high`` is None if the effect may be 0, ``queries_assured`` if
        the bound is not positive, and all are None if the runs are identical, or differ in fewer than 10
        queries of which most are equal.
    """

    mean: Annotated[float, Column("difference", general("+.4f")), Data("difference")]
    sd: Annotated[float, Data(frame=False)]
    interval: Annotated[Interval | None, Data(frame=False)]
    p: Annotated[float, Column("p", general(".2g"), 5)]
    queries: int | None = None
    queries_low: int | None = None
    queries_high: int | None = None
    queries_assured: Annotated[int | None, Column("assured queries", general(","), 1)] = None

    def times(self, unit: float) -> Difference:
        """Return the difference of values that are ``unit`` times as large.

        >>> difference = Difference(0.5, 1.0, Interval(0.25, 0.75), 0.01).times(4.0)
        >>> difference.mean, difference.sd, difference.low, difference.high, difference.p
        (2.0, 4.0, 1.0, 3.0, 0.01)
        """
        interval = self.interval and Interval(unit * self.interval.low, unit * self.interval.high)
        return replace(self, mean=unit * self.mean, sd=unit * self.sd, interval=interval)

    @computed_value(Data(frame=False))
    def identical(self) -> bool:
        """Whether the two runs have the same value for every query."""
        return self.interval is None

    @computed_value(Column("queries as observed", str, 2, before="queries_assured"))
    def queries_text(self) -> str | None:
        """The number of queries with its interval, such as "84 [33, 513]" or "1,151 [105, ∞)"."""
        if self.queries_low is None:
            return None
        return in_interval(self.queries, self.queries_low, self.queries_high)

    @computed_value(Column("effect size", general("+.2f"), 4, before="queries"), Data())
    def effect(self) -> float:
        """mean / sd, the signal of one query relative to its noise."""
        return effect_size(self.mean, self.sd)


def effect_size(mean: float, sd: float) -> float:
    """Return mean / sd; infinite where every difference is the same, 0 where each is 0."""
    return mean / sd if sd > 0 else math.copysign(math.inf, mean) if mean else 0.0


def alpha_of(level: float) -> float:
    """Return 1 - level without its rounding: p = 0.05 does not reject at level 0.95.

    >>> alpha_of(0.95), 1 - 0.95
    (0.05, 0.050000000000000044)
    """
    return round(1 - level, 12)


def level_text(alpha: float) -> str:
    """Return the level of intervals in percent.

    >>> level_text(0.05), level_text(alpha_of(0.999))
    ('95%', '99.9%')
    """
    return f"{100 * (1 - alpha):.6g}%"


def fewest_queries(level: float) -> int:
    """Return the fewest queries with which a permutation test can reject at 1 - level.

    Of n queries there are 2^(n-1) different permutations, so p is at least 2^-(n-1).

    >>> [fewest_queries(level) for level in (0.8, 0.9, 0.95, 0.99)]
    [4, 5, 6, 8]
    """
    queries = 2
    while 0.5 ** (queries - 1) >= alpha_of(level):
        queries += 1
    return queries


def paired_differences(
    differences: Floats,
    *,
    level: float = LEVEL,
    power: float = 0.8,
    resamples: int = 9999,
    seed: int = 0,
) -> list[Difference]:
    """Test the means of paired differences, and estimate them with intervals.

    The tests share their permutations, which are drawn once, and each result is that of the test by itself.

    Parameters
    ----------
    differences : (queries, tests)
        At least `fewest_queries` of the level.
    level : float
        Confidence level of the intervals; the tests are at 1 - level.
    power : float
        Target power of the sample-size estimate.
    resamples, seed : int
        Number of permutations, and the seed of their generator. If there are no more than these in all, each
        is taken once.

    Raises
    ------
    InputError
        For too few queries or permutations for the level, and a level or power outside (0, 1).

    >>> values = np.array([[0.1], [0.2], [0.0], [0.15], [0.05], [0.1], [0.12], [0.08]])
    >>> (difference,) = paired_differences(values)
    >>> round(difference.mean, 3), difference.sign, round(difference.p, 4), difference.queries
    (0.1, 1, 0.0156, 6)
    """
    d = np.asarray(differences, np.float64)
    queries, alpha = len(d), alpha_of(level)
    require(0 < alpha < 1, f"must lie inside (0, 1), got {level:g}", "level")
    fewest = fewest_queries(level)
    require(
        queries >= fewest,
        f"a comparison at level {level:g} needs at least {fewest} common queries, there are {queries}",
    )
    resamples = enough_resamples(resamples, alpha)
    d = without_rounding(d)
    moments, differing = moments_of(d), np.count_nonzero(d, axis=0).tolist()
    students = [student_test(mean, sd, queries, alpha) for mean, sd in moments]
    estimates = []
    tests = mean_tests(d, students, alpha=alpha, resamples=resamples, seed=seed)
    for (mean, sd), test, count in zip(moments, tests, differing, strict=True):
        if test is None:
            estimates.append(Difference(0.0, 0.0, None, 1.0))
            continue
        sample_size = Replication(None, None, None, None)
        if not mostly_ties(count, queries, FEWEST_DIFFERING):
            sample_size = replication(mean / sd if sd > 0 else math.inf, queries, power, alpha)
        estimates.append(Difference(mean, sd, test.interval, test.p, *sample_size))
    return estimates


def mostly_ties(differing: int, queries: int, fewest: int = FEW_DIFFERING) -> bool:
    """Return whether most queries have the difference 0, and fewer than ``fewest`` have another.

    >>> mostly_ties(1, 40), mostly_ties(25, 40), mostly_ties(40, 400)
    (True, False, False)
    """
    return differing < min(fewest, queries / 2)


def without_rounding(differences: Floats, units: Floats | float = 1.0) -> Floats:
    """Return differences with 0 in place of rounding errors, of values that are about ``units`` large.

    >>> without_rounding(np.array([0.1 + 0.2 - 0.3, 0.25]))
    array([0.  , 0.25])
    """
    return np.where(np.abs(differences) <= ZERO_DIFFERENCE * units, 0.0, differences)


def moments_of(differences: Floats) -> list[tuple[float, float]]:
    """Return mean and standard deviation of each test of d, (queries, tests); 0 for equal differences.

    >>> moments_of(np.array([[0.5, 1.0], [0.5, 3.0]]))
    [(0.5, 0.0), (2.0, 1.4142135623730951)]
    """
    columns = map(np.ascontiguousarray, differences.T)
    return [
        (float(column.mean()), float(column.std(ddof=1)) if np.ptp(column) > ZERO_DIFFERENCE else 0.0)
        for column in columns
    ]


class PairedTest(NamedTuple):
    """The interval and the two-sided p-value of a mean difference."""

    interval: Interval
    p: float


def mean_tests(
    differences: Floats,
    students: Sequence[tuple[Interval, float]],
    *,
    alpha: float,
    resamples: int,
    seed: int,
    weights: Floats | None = None,
) -> list[PairedTest | None]:
    """Return the interval and the p-value of each mean that hold by permutations and by Student's t.

    Parameters
    ----------
    differences : (queries, tests)
        Without rounding errors: what counts as 0 is 0.
    students : (tests,)
        Student's interval and p-value of each.
    alpha : float
    resamples, seed : int
        As in `paired_differences`.
    weights : (queries,), optional
        Positive weights of the queries in the means.

    Returns
    -------
    list
        The shorter interval that holds both, and the larger p-value; None where every difference is 0.
    """
    paired_tests: list[PairedTest | None] = [None] * differences.shape[1]
    differing = np.flatnonzero(differences.any(axis=0))
    at_once = max(1, AT_ONCE // permutations(len(differences), resamples))
    for start in range(0, differing.size, at_once):
        part = differing[start : start + at_once]
        rng = random_generator(seed)
        tests = permutation_tests(differences[:, part], alpha, resamples, rng, weights)
        for test, (permutation, p) in zip(part.tolist(), tests, strict=True):
            student, student_p = students[test]
            interval = Interval(min(permutation.low, student.low), max(permutation.high, student.high))
            paired_tests[test] = PairedTest(interval, max(p, student_p))
    return paired_tests


def student_test(mean: float, sd: float, queries: int, alpha: float) -> tuple[Interval, float]:
    """Return Student's interval of a mean at level 1 - alpha, and the two-sided p-value of the mean 0.

    >>> interval, p = student_test(0.1, 0.06, 8, 0.05)
    >>> round(interval.low, 4), round(interval.high, 4), round(p, 4)
    (0.0498, 0.1502, 0.0022)
    """
    return t_test(mean, sd / math.sqrt(queries), queries - 1, alpha)


def t_test(mean: float, error: float, freedom: float, alpha: float) -> tuple[Interval, float]:
    """Return the t interval of a mean with a standard error, and the two-sided p-value of the mean 0."""
    if error == 0:
        return Interval(mean, mean), float(mean == 0)
    reach = -error * float(special.stdtrit(freedom, alpha / 2))
    p = 2 * float(special.stdtr(freedom, -abs(mean) / error))
    return Interval(mean - reach, mean + reach), p


def permutation_tests(
    d: Floats, alpha: float, resamples: int, rng: np.random.Generator, weights: Floats | None = None
) -> list[tuple[Interval, float]]:
    """Apply the same permutations to each column of d, (queries, tests).

    Returned are the shifts that the permutation test does not reject at alpha, and the p-value of the shift
    0. A permutation does not speak against the shifts between its two means; the identity speaks against
    none. With positive weights of the queries, means are weighted.
    """
    total = permutations(len(d), resamples)
    w = np.ones(len(d)) if weights is None else weights
    columns = np.ascontiguousarray((d * w[:, None]).T)
    whole = float(w.sum())
    low, high = np.empty((2, len(columns), total - 1))
    inside = np.empty(total - 1)
    rows = max(4, _CACHED // len(d))
    start = 0
    for changed in sign_changes(len(d), total, rng):
        for first in range(0, len(changed), rows):
            sets = changed[first : first + rows].astype(np.float64)
            part = slice(start, start + len(sets))
            inside[part] = sets @ w
            for test, column in enumerate(columns):
                # a product with a vector, so that no digit of a test depends on the others
                low[test, part] = sets @ column
            start = part.stop
    for test, column in enumerate(columns):
        low[test], high[test] = _means(column.sum(), whole, inside, low[test])
    # sums that rounding alone keeps from being equal are equal
    slack = ZERO_DIFFERENCE * np.abs(d).max(axis=0)
    low -= slack[:, None]
    high += slack[:, None]
    # the fewest permutations, the identity among them, with which a shift is not rejected
    least = math.ceil(alpha * total)
    least += int(least / total < alpha) - int((least - 1) / total >= alpha)
    outcomes = []
    for column, lows, highs in zip(columns, low, high, strict=True):
        reached = np.count_nonzero(lows <= 0 if column.sum() > 0 else highs >= 0)
        lows.partition(least - 2)
        highs.partition(total - least)
        interval = Interval(float(lows[least - 2]), float(highs[total - least]))
        outcomes.append((interval, (1 + int(reached)) / total))
    return outcomes


def enough_resamples(resamples: object, alpha: float) -> int:
    """Return a number of permutations, of which the smallest p-value, 1/(resamples + 1), is below alpha.

    >>> enough_resamples(99, 0.05)
    99
    """
    count = whole_number(resamples, "resamples", 1, _MOST_RESAMPLES)
    enough = (count + 1) * alpha > 1 + 1e-9
    require(enough, f"must exceed {1 / alpha - 1:.4g} at this level, got {count}", "resamples")
    return count


def permutations(queries: int, resamples: int) -> int:
    """Return how many permutations a test takes, with the identity: all 2^(queries - 1), if these are fewer.

    >>> permutations(6, 9999), permutations(50, 9999)
    (32, 10000)
    """
    return min(1 << min(queries - 1, 63), resamples + 1)


def sign_changes(size: int, total: int, rng: np.random.Generator, tests: int = 1) -> Iterator[Bools]:
    """Iterate over permutations, as the sets of queries whose signs they change, some rows at a time.

    The identity is left out. A set and the rest make the same permutation. If there are ``total`` of them
    with the identity, each comes once. How many rows come at a time depends on ``tests``, the number of
    tests that share them; which rows come does not.
    """
    rows = max(1, AT_ONCE // max(size, tests))
    for start in range(1, total, rows):
        count = min(rows, total - start)
        if total == 2 ** (size - 1):
            numbers = np.arange(start, start + count)
            yield (numbers[:, None] >> np.arange(size)) % 2 == 1
        else:
            yield rng.random((count, size)) < 0.5


def _means(total: float, whole: float, inside: Floats, sums: Floats) -> tuple[Floats, Floats]:
    """Return the smaller and the larger of the means over sets of queries, and over the rest of each.

    The sets have the weights ``inside`` and these sums, and all queries the weight ``whole`` and the sum
    ``total``. Where there is no rest, as for the identity, every shift lies between.
    """
    outside = whole - inside
    least = ZERO_DIFFERENCE * whole
    empty = (inside <= least) | (outside <= least)
    first = sums / np.where(empty, 1.0, inside)
    second = (total - sums) / np.where(empty, 1.0, outside)
    low, high = np.minimum(first, second), np.maximum(first, second)
    return np.where(empty, -math.inf, low), np.where(empty, math.inf, high)
