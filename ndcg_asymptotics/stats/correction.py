"""Corrections of p-values for the number of tests: max-T, Holm, and Benjamini and Hochberg.

*max-T* (Westfall and Young 1993, step-down as in Ge, Dudoit and Speed 2003) exchanges the runs of every pair
within the same queries, so that one set of permutations serves all tests. A permutation that changes the
signs s_q of the differences d_q has the statistic

    u = |sum s_q d_q| / sqrt(sum d_q^2),

of which the t statistic u sqrt((n - 1) / (n - u^2)) is an increasing function. The largest difference is
held against the largest u of all tests in each permutation, the second largest against the largest u of the
others, and so on. Because measures and pairs of runs are correlated, the maximum is smaller than that of
independent tests, and the smallest p-value, 1/(permutations + 1), does not grow with the number of tests.

The family-wise error rate is exact if the vector of differences of a query, for the tests without a true
difference, is symmetric about 0. Without symmetry it is approximate for many queries, because the
signs keep the variances and correlations of the differences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ndcg_asymptotics.core.arrays import (
    Floats,
    Integers,
    random_generator,
    require_choice,
    require_fraction,
)
from ndcg_asymptotics.core.defaults import LEVEL
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.stats.paired import (
    ZERO_DIFFERENCE,
    Difference,
    alpha_of,
    enough_resamples,
    paired_differences,
    permutations,
    sign_changes,
    without_rounding,
)

Correction = Literal["maxt", "holm", "bh"]
"""Corrections of p-values for the number of tests."""

DESCRIPTIONS: dict[Correction, str] = {
    "maxt": "max-T (Westfall and Young)",
    "holm": "Holm's",
    "bh": "Benjamini and Hochberg's",
}


@dataclass(frozen=True)
class MultipleTests:
    """The tests of a comparison, whose options are checked when they are stated.

    Attributes
    ----------
    level, power : float
        Of the intervals, and the target of the sample-size estimate.
    correction : {"maxt", "holm", "bh"}
    resamples, seed : int
        Number of permutations, and the seed of their generator.

    Raises
    ------
    InputError
        For a level or a power outside (0, 1), and an unknown correction.

    >>> d = np.random.default_rng(1).normal([0.0, 1.0], 1.0, (20, 2))
    >>> differences, p = MultipleTests().of(d)
    >>> [d.sign for d in differences], p[1] < 0.05 < p[0]
    ([0, 1], True)
    """

    level: float = LEVEL
    power: float = 0.8
    correction: Correction = "maxt"
    resamples: int = 9999
    seed: int = 0

    def __post_init__(self) -> None:
        require_fraction(self.level, "level")
        require_fraction(self.power, "power")
        require_choice(self.correction, DESCRIPTIONS, "correction")
        enough_resamples(self.resamples, self.alpha)

    @property
    def alpha(self) -> float:
        """1 - level: the error rate of the tests."""
        return alpha_of(self.level)

    def differences(self, d: Floats) -> list[Difference]:
        """Return the outcomes of tests with the differences d, (queries, tests)."""
        return paired_differences(
            d, level=self.level, power=self.power, resamples=self.resamples, seed=self.seed
        )

    def corrected(self, p: Sequence[float], d: Floats) -> list[float]:
        """Return p-values corrected for their number, none of them below the uncorrected one.

        The false discovery rate of Benjamini and Hochberg (1995) holds for tests that are independent or
        positively dependent.

        Parameters
        ----------
        p : (tests,)
            From `differences`.
        d : (queries, tests)

        >>> d = np.random.default_rng(1).normal([0.0, 1.0], 1.0, (20, 2))
        >>> [round(x, 2) for x in MultipleTests(correction="holm").corrected([0.9, 0.001], d)]
        [0.9, 0.0]
        """
        if self.correction == "holm":
            return holm(p)
        if self.correction == "bh":
            from scipy.stats import false_discovery_control  # takes long to import

            return list(map(float, false_discovery_control(p)))
        largest = max_t(d, self.resamples, self.seed)
        return [max(pair) for pair in zip(p, largest, strict=True)]

    def of(self, d: Floats) -> tuple[list[Difference], list[float]]:
        """Return the outcomes of tests, and their corrected p-values."""
        outcomes = self.differences(d)
        return outcomes, self.corrected([outcome.p for outcome in outcomes], d)

    def limitation(self, tests: int, queries: int) -> str | None:
        """Return what keeps the smallest possible p-value from being significant once corrected, if anything.

        >>> print(MultipleTests(correction="holm").limitation(20, 8))
        With 8 queries no p-value is below 0.0078, so Holm's correction for 20 tests can reject nothing
        >>> MultipleTests(correction="maxt").limitation(20, 8)
        """
        total = permutations(queries, self.resamples)
        if self.correction == "maxt" or tests < self.alpha * total:
            return None
        size = f"{queries} queries" if total <= self.resamples else f"{self.resamples} permutations"
        start = (
            f"With {size} no p-value is below {1 / total:.2g}, "
            f"so {DESCRIPTIONS[self.correction]} correction for {tests} tests "
        )
        if self.correction == "holm":
            return start + "can reject nothing"
        return start + f"can reject only {int(tests / (self.alpha * total)) + 1} or more of them together"


def require_runs(count: int) -> None:
    """Refuse fewer than two runs."""
    example = 'such as {"a": run_a, "b": run_b} or ["a.run", "b.run"]'
    require(count >= 2, f"a comparison needs at least two runs, {example}, got {count}", "runs")


def max_t(differences: Floats, resamples: int = 9999, seed: int = 0) -> list[float]:
    """Return the step-down max-T p-values of tests that share their queries.

    The p-value of the k-th largest u is the fraction of permutations, the identity among them, in which the
    largest u of this test and of those after it reaches its own, and at least the p-value before it.

    Parameters
    ----------
    differences : (queries, tests)
    resamples, seed : int
        Number of permutations, and the seed of their generator. If there are no more than these in all, each
        is taken once, and the p-values are exact.

    >>> d = np.random.default_rng(1).normal([0.0, 1.0], 1.0, (20, 2))
    >>> [round(p, 4) for p in max_t(d)]
    [0.9728, 0.0006]
    """
    d = without_rounding(differences)
    norms = np.sqrt((d * d).sum(axis=0))
    scaled = d / np.where(norms > 0, norms, 1.0)
    total = permutations(len(d), resamples)

    def permuted(order: Integers) -> Iterator[Floats]:
        ordered = scaled[:, order]
        whole = ordered.sum(axis=0)
        for changed in sign_changes(len(d), total, random_generator(seed), len(order)):
            yield np.abs(whole - 2 * (changed @ ordered))

    return step_down(np.abs(scaled.sum(axis=0)), permuted, total)


def step_down(observed: Floats, draws: Callable[[Integers], Iterator[Floats]], total: int) -> list[float]:
    """Return step-down p-values of statistics, from their joint law if no test has a true difference.

    Parameters
    ----------
    observed : (tests,)
        The statistics; large ones speak against their tests.
    draws : callable
        Given the order of the tests, yields the statistics of draws, (draws, tests), some at a time.
    total : int
        The number of draws, with the observed one.

    >>> rng = np.random.default_rng(1)
    >>> step_down(np.array([1.0, 3.0]), lambda order: iter([rng.random((99, 2))]), 100)
    [0.01, 0.01]
    """
    # the smallest first, so that a running maximum is that of a test and later ones
    order = np.argsort(observed)
    least = observed[order] - ZERO_DIFFERENCE
    reached = np.ones(len(order))  # by the observed ones
    for statistics in draws(order):
        reached += (np.maximum.accumulate(statistics, axis=1) >= least).sum(axis=0)
    adjusted = np.empty(len(order))
    adjusted[order] = np.maximum.accumulate(reached[::-1])[::-1] / total
    return adjusted.tolist()


def holm(p: Sequence[float]) -> list[float]:
    """Return Holm's p-values: tests at alpha have a family-wise error rate of alpha.

    The k-th smallest of m is multiplied by m - k + 1, and none is below the one before (Holm 1979).

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, kind="stable")
    raised = np.asarray(p)[order] * np.arange(len(p), 0, -1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(raised), 1.0)
    return adjusted.tolist()
