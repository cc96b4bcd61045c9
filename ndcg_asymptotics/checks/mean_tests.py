"""Tests of simulated means against exact means, at every list length.

Where NDCG is nearly normal, which is decided before anything is simulated, by Student's t; elsewhere by
betting (`stats.betting`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from scipy.special import ndtri, stdtr, stdtrit

from ndcg_asymptotics.checks.limit_tests import LimitTest, LimitVerdict
from ndcg_asymptotics.core.arrays import Floats, standard_error
from ndcg_asymptotics.core.errors import NotAvailableError
from ndcg_asymptotics.core.rows import Column, decimals, fixed, general
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.stats.betting import detectable, exceeds
from ndcg_asymptotics.theory.limits.pseudo_expectation import pseudo_expectation
from ndcg_asymptotics.theory.mean import expected_ndcg

TestVerdict = Literal["agrees", "disagrees", "not tested"]

POWER = 0.99
"""The probability with which an error that is called detectable would be detected."""

_FEWEST_REPLICATES = 30  # for Student's t; fewer are tested by betting
_FEWEST_ITEMS = 300  # of every part of the list that counts, for the same
_ROUNDING = 1e-12  # of a simulated mean


@dataclass(frozen=True)
class Simulated:
    """Simulated NDCG or DCG of one scorer under one measure, and bounds where the engine gives brackets.

    Attributes
    ----------
    scorer : Scorer
    measure : Measure
    sizes : tuple of int
        The list lengths.
    ndcg, low, high : (R, N)
        By replicate and list length.
    """

    scorer: Scorer
    measure: Measure
    sizes: tuple[int, ...]
    ndcg: Floats
    low: Floats
    high: Floats

    @classmethod
    def of(cls, results: Results, name: str, measure: Measure) -> Simulated:
        """Return the values of one scorer of a study under one of its measures."""
        arrays = results.of_scorer(name, measure)
        ndcg, low, high = (np.asarray(arrays.get(bound, arrays["ndcg"])) for bound in ("ndcg", "low", "high"))
        return cls(results.study.scorers[name], measure, results.study.n, ndcg, low, high)

    def at(self, n: int) -> tuple[Floats, Floats, Floats]:
        """Return values and bounds (R,) at one list length."""
        i = self.sizes.index(n)
        return self.ndcg[:, i], self.low[:, i], self.high[:, i]


@dataclass(frozen=True)
class MeanTest:
    """The simulated and the exact mean for one scorer, measure and list length."""

    scorer: str
    measure: str
    n: Annotated[int, Column("n", general("g"), key=True)]
    simulated: Annotated[float, Column("simulated", decimals(5))]
    mcse: Annotated[float, Column("standard error", general(".1e"), 1)]
    pseudo_expectation: Annotated[float | None, Column("pseudo-expectation", fixed(5), 2)]
    limit: float | None
    theorem: str
    assumptions: list[str]
    expectation: Annotated[float | None, Column("exact mean", decimals(5))]
    z: Annotated[float | None, Column("z", fixed(2))]
    verdict: Annotated[TestVerdict, Column("verdict")]
    false_alarm: float
    limit_verdict: LimitVerdict


def check_means(
    simulated: Simulated,
    limit: LimitTest,
    factor: float,
    alpha_each: float,
    below: float = math.inf,
) -> tuple[list[MeanTest], float]:
    """Compare the simulated mean at every n with the exact one times ``factor``.

    Also return the smallest relative error of an exact mean that one of these tests detects, or ``below`` if
    that is smaller.
    """
    scorer, measure = simulated.scorer, simulated.measure
    values, sizes = simulated.ndcg, simulated.sizes
    # the tests are for values from 0 to 1, in units of the largest possible one
    most = np.array([measure.largest(scorer.gains, n) for n in sizes])
    means = values.mean(axis=0)
    mcse = standard_error(values)
    pseudo = [pseudo_expectation(scorer, measure, n) for n in sizes]
    pseudo = [None if p is None else p * factor for p in pseudo]
    exact = error = None
    try:
        expectation = expected_ndcg(scorer, measure, sizes)
        # the simulated mean is known up to its bracket, the exact one up to its stated error
        exact, error = expectation.value * factor, expectation.error + _ROUNDING * most
    except NotAvailableError:  # a user-defined discount that is no sum of exponentials
        pass
    tests = []
    for i, n in reversed(list(enumerate(sizes))):
        z: float | None = None
        mean: float | None = None
        verdict: TestVerdict = "not tested"
        if exact is not None and error is not None:
            mean, bounds = float(exact[i]), (simulated.low[:, i], simulated.high[:, i])
            claimed = (float(exact[i] - error[i]), float(exact[i] + error[i]))
            z = _z(bounds, claimed, float(mcse[i]))
            # no test detects less than the error of the exact mean and half the mean bracket of the values
            unseen = float(error[i] + np.mean(bounds[1] - bounds[0]) / 2) / mean if mean > 0 else math.inf
            if nearly_normal(scorer, measure, n, len(values)):
                wrong = bool(2 * stdtr(len(values) - 1, -abs(z)) < alpha_each)
                reach = float(ndtri(POWER) - stdtrit(len(values) - 1, alpha_each / 2))
                least = float(reach * mcse[i]) / mean if mean > 0 else math.inf
            else:
                low, high = (bound / most[i] for bound in bounds)
                wrong = exceeds(low, high, claimed[0] / most[i], claimed[1] / most[i], -math.log(alpha_each))
                least = detectable(values[:, i] / most[i], mean / most[i], alpha_each, POWER, below)
            below = min(below, least + unseen)
            verdict = "disagrees" if wrong else "agrees"
        tests.append(
            MeanTest(
                limit.scorer,
                limit.measure,
                n,
                simulated=float(means[i]),
                mcse=float(mcse[i]),
                pseudo_expectation=pseudo[i],
                limit=limit.limit,
                theorem=limit.theorem,
                assumptions=limit.assumptions,
                expectation=mean,
                z=z,
                verdict=verdict,
                false_alarm=alpha_each,
                limit_verdict=limit.verdict,
            )
        )
    return tests[::-1], below


def _z(bounds: tuple[Floats, Floats], claimed: tuple[float, float], mcse: float) -> float:
    """Return the distance from the bracket of a mean to the claimed interval, in standard errors."""
    low, high = (float(x.mean()) for x in bounds)
    shift = min(high - claimed[0], 0.0) + max(low - claimed[1], 0.0)
    return shift / mcse if mcse > 0 else (0.0 if shift == 0 else math.copysign(math.inf, shift))


def nearly_normal(scorer: Scorer, measure: Measure, n: int, replicates: int) -> bool:
    """Return whether NDCG_n is so nearly normal that Student's t is valid far out in its tails.

    The discount falls so slowly that no single rank dominates, and every part of the list that counts has
    hundreds of items: those of the best grade, those without gain, and those within the cutoff. The data do
    not enter, because a test must be chosen before they are seen.

    >>> curve, measure = Scorer.parse("constant(0.3)"), Measure.parse("nDCG")
    >>> [nearly_normal(curve, measure, n, 60) for n in (100, 10_000)]
    [False, True]
    """
    discount, growth = measure.discount, measure.cutoff.growth
    slow = discount.asymptotics.known and not discount.asymptotics.square_summable
    if not scorer.iid or replicates < _FEWEST_REPLICATES:
        return False
    if not (slow and growth.share > 0):
        return False
    occurs = [mass for mass in scorer.masses if mass > 0]
    if not occurs:
        return False
    share = min(occurs[0], 1.0 - sum(occurs), measure.cutoff(n) / n)
    return n * share >= _FEWEST_ITEMS
