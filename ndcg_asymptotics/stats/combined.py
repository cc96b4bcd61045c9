"""A few queries judged by humans and many judged by a machine, combined into one estimate.

For a query q let y_q be the difference of two runs by the labels of humans, and f_q by those of a judge, such
as a language model. The judge has judged N queries, and humans n of them, drawn at random. With the slope of
the regression of y on f over the n queries,

    b = Cov_n(y, f) / Var_n f,      lambda = clip(b, 0, 1),
    estimate = mean_n(y) + lambda (mean_N(f) - mean_n(f)),

which is unbiased for a fixed lambda, whatever errors the judge makes: mean_n(y - lambda f) corrects them.
This is an estimate of PPI++ (Angelopoulos, Duchi and Zrnic, arXiv 2311.01453), as docs/judges.md shows.

With e = y - lambda f, the variance of y has a part that only humans reduce and one that the judge reduces,

    Var y = r + j,      r = sum_n (e - mean e)^2 / (n - 2),      j = lambda (2 b - lambda) Var_N f,

where j is lambda^2 Var f, and 2 lambda Cov(e, f) if lambda is clipped. The variance of the estimate is that
of double sampling with an estimated slope (Cochran 1977, "Sampling Techniques", section 12.6),

    r (1/n + (mean_N(f) - mean_n(f))^2 / sum_n (f - mean_n f)^2) + j / N.

Student's law with n - 2 degrees of freedom gives the interval. docs/judges.md has its coverage, next to that
of humans alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, Integers, random_generator
from ndcg_asymptotics.core.defaults import LEVEL
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.search import first_true
from ndcg_asymptotics.stats.correction import step_down
from ndcg_asymptotics.stats.paired import (
    AT_ONCE,
    ZERO_DIFFERENCE,
    Interval,
    alpha_of,
    t_test,
    without_rounding,
)
from ndcg_asymptotics.stats.power import paired_power, require_power

FEWEST = 4
"""The fewest queries judged by humans for which the variance has degrees of freedom, and one more."""


@dataclass(frozen=True)
class Combined:
    """The combined estimate of a difference.

    Attributes
    ----------
    mean, error : float
        The estimate and its standard error.
    weight : float
        lambda, the weight of the judge: 0 leaves it out.
    interval : Interval or None
        None if no difference varies.
    p : float
        Two-sided; 1 if no difference varies.
    noise, of_judge : float
        r, and j / N: the part of the estimate's variance that more queries judged by humans do not reduce.
    total : int
        N, the queries judged by the judge.
    wins, losses : int
        The numbers of queries judged by humans in which the difference is above and below 0.
    """

    mean: float
    error: float
    weight: float
    interval: Interval | None
    p: float
    noise: float
    of_judge: float
    total: int
    wins: int
    losses: int

    @property
    def equivalent(self) -> float | None:
        """The number of queries judged by humans whose mean alone has the same variance.

        It is (r + j) over the variance of the estimate, and at most N.
        """
        return (self.noise + self.total * self.of_judge) / self.error**2 if self.interval else None

    def needed(self, power: float, alpha: float) -> int | None:
        """Return with how many queries judged by humans, at most N, a test has the power.

        The true difference is taken to be the estimate, and the judge to have judged N queries, so that T has
        n - 2 degrees of freedom and the noncentrality mean / sqrt(V(n)), where V(n) is the variance above
        with the expectation (1/n - 1/N)/(n - 3) of its second term. None where N are too few.
        """
        require_power(power, alpha)
        if self.interval is None or self.mean == 0:
            return None

        def enough(queries: int) -> bool:
            slope = (1 / queries - 1 / self.total) / (queries - 3)
            error = math.sqrt(self.noise * (1 / queries + slope) + self.of_judge)
            effect = abs(self.mean) / error / math.sqrt(queries - 1)
            return paired_power(effect, queries - 1, alpha) >= power

        fewest = first_true(enough, FEWEST - 1, self.total + 1)
        return fewest if fewest <= self.total else None


def combine(human: Floats, judge: Floats, *, level: float = LEVEL) -> list[Combined]:
    """Combine differences by the labels of humans with differences by those of a judge.

    Parameters
    ----------
    human : (n, tests)
        Differences by the labels of humans.
    judge : (N, tests)
        Differences by the labels of the judge; the first n queries are those of ``human``.
    level : float
        Confidence level of the intervals.

    Raises
    ------
    InputError
        For fewer than 4 queries judged by humans, or fewer by the judge than by humans.

    >>> rng = np.random.default_rng(1)
    >>> f = rng.normal(0.3, 1.0, (400, 1))
    >>> y = f[:40] - 0.2 + rng.normal(0.0, 0.3, (40, 1))  # the judge favours the first run by 0.2
    >>> estimate = combine(y, f)[0]
    >>> round(estimate.mean, 3), round(estimate.error, 3)
    (0.017, 0.065)
    >>> round(estimate.weight, 2), round(estimate.equivalent)
    (1.0, 217)
    """
    y, f = map(without_rounding, (human, judge))
    queries, total = len(y), len(f)
    require(
        queries >= FEWEST, f"needs at least {FEWEST} queries judged by humans and the judge, got {queries}"
    )
    require(total >= queries, f"the judge has judged {total} queries, fewer than the {queries} of humans")
    alpha, freedom = alpha_of(level), queries - 2
    weight, slope = _weights(y, f)
    residual = y - weight * f[:queries]
    shift = f.mean(axis=0) - f[:queries].mean(axis=0)
    estimate = y.mean(axis=0) + weight * shift
    noise = queries * residual.var(axis=0) / freedom  # r
    around = queries * f[:queries].var(axis=0)  # sum_n (f - mean_n f)^2
    of_slope = np.divide(shift**2, around, out=np.zeros_like(shift), where=around > 0)
    of_judge = weight * (2 * slope - weight) * f.var(axis=0, ddof=1) / total  # j / N
    variance = noise * (1 / queries + of_slope) + of_judge
    estimates = []
    for i, mean in enumerate(estimate.tolist()):
        estimate_with = partial(
            Combined,
            mean=mean,
            weight=float(weight[i]),
            noise=float(noise[i]),
            of_judge=float(of_judge[i]),
            total=total,
            wins=int((y[:, i] > 0).sum()),
            losses=int((y[:, i] < 0).sum()),
        )
        error = math.sqrt(variance[i])
        if error <= ZERO_DIFFERENCE:  # no difference varies
            estimates.append(estimate_with(error=0.0, interval=None, p=1.0))
            continue
        interval, p = t_test(mean, error, freedom, alpha)
        estimates.append(estimate_with(error=error, interval=interval, p=p))
    return estimates


def _weights(y: Floats, f: Floats) -> tuple[Floats, Floats]:
    """Return lambda and the slope of y on f over the queries of humans, for each test.

    Where the judge has judged no further query there is nothing to weigh: both are 0.
    """
    first = f[: len(y)]
    covariance = ((y - y.mean(axis=0)) * (first - first.mean(axis=0))).mean(axis=0)
    spread = first.var(axis=0)
    slope = np.divide(covariance, spread, out=np.zeros_like(spread), where=spread > 0)
    if len(f) == len(y):
        slope = np.zeros_like(slope)
    return np.clip(slope, 0.0, 1.0), slope


def corrected_for_all(
    human: Floats, judge: Floats, estimates: list[Combined], *, resamples: int = 9999, seed: int = 0
) -> list[float]:
    """Return step-down max-T p-values of combined estimates, none of them below the uncorrected one.

    An estimate is the sum over queries of

        psi_q = (e_q - mean e)/n [q judged by humans] + lambda (f_q - mean_N f)/N,

    up to terms of smaller order, so that the t statistics of several tests have nearly a multivariate t law
    with the correlations of psi and n - 2 degrees of freedom (Hothorn, Bretz and Westfall 2008, "Simultaneous
    inference in general parametric models"). It is drawn as sum g_q psi_q with normal g_q.

    Parameters
    ----------
    human, judge : (n, tests), (N, tests)
        As in `combine`.
    estimates : list of Combined
        What `combine` returns.
    resamples, seed : int
        Number of draws, and the seed of their generator.

    >>> rng = np.random.default_rng(1)
    >>> f = rng.normal([0.0, 1.0], 1.0, (400, 2))
    >>> y = f[:40] + rng.normal(0.0, 0.3, (40, 2))
    >>> [round(p, 3) for p in corrected_for_all(y, f, combine(y, f))]
    [0.162, 0.0]
    """
    queries, total = len(human), len(judge)
    weight = np.array([estimate.weight for estimate in estimates])
    residual = human - weight * judge[:queries]
    psi = weight * (judge - judge.mean(axis=0)) / total
    psi[:queries] += (residual - residual.mean(axis=0)) / queries
    norms = np.sqrt((psi**2).sum(axis=0))
    psi /= np.where(norms > 0, norms, 1.0)
    observed = np.array(
        [abs(estimate.mean) / estimate.error if estimate.error > 0 else 0.0 for estimate in estimates]
    )
    rng = random_generator(seed)

    def draws(order: Integers) -> Iterator[Floats]:
        rows = max(1, AT_ONCE // total)
        for start in range(0, resamples, rows):
            count = min(rows, resamples - start)
            scale = np.sqrt(rng.chisquare(queries - 2, (count, 1)) / (queries - 2))
            yield np.abs(rng.standard_normal((count, total)) @ psi[:, order]) / scale

    by_draws = step_down(observed, draws, resamples + 1)
    return [max(estimate.p, p) for estimate, p in zip(estimates, by_draws, strict=True)]
