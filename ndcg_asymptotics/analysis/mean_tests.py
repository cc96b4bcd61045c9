"""Is the simulated mean the exact mean? z and a verdict at every n.

Where NDCG is nearly normal, which is known beforehand, by Student's t; elsewhere by bets (`bets`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from ndcg_asymptotics.analysis.betting import detectable, exceeds
from ndcg_asymptotics.analysis.limit_tests import LimitOutcome
from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import NotAvailableError
from ndcg_asymptotics.core.tables import Column, fixed, general
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.theory.cache import TheoryCache

Outcome = Literal["agrees", "disagrees", "not tested"]

Cell = Mapping[Any, ArrayLike]
"""``ndcg`` of one scorer and measure, (R, N) or at one ``n`` (R,); brackets as ``low`` and ``high``."""

_T = TypeVar("_T")

_FEW = 30  # replicates, below which a mean is judged by bets
_ITEMS = 300  # the same of items that count
POWER = 0.99  # of the errors that are said to be seen


@dataclass(frozen=True)
class MeanTest:
    """Simulation and theory for one scorer, measure and list length."""

    scorer: str
    measure: str
    n: Annotated[int, Column("n", general("g"))]
    simulated: Annotated[float, Column("simulated", fixed(5))]
    mcse: Annotated[float, Column("MCSE", general(".1e"))]
    pseudo_expectation: Annotated[float | None, Column("pseudo", fixed(5), 1)]
    limit: float | None
    theorem: str
    assumptions: list[str]
    expectation: Annotated[float | None, Column("exact mean", fixed(5))]
    z: Annotated[float | None, Column("z", fixed(2))]
    verdict: Annotated[Outcome, Column("verdict")]
    false_alarm: float
    limit_verdict: LimitOutcome


def quantile_of(level: float, replicates: int) -> float:
    return float(stats.t.isf(level / 2, replicates - 1))


@dataclass(frozen=True)
class Mean:
    """A simulated mean and what theory says of it; ``detectable`` is relative, at the test's level."""

    simulated: float
    mcse: float
    exact: float | None = None
    z: float | None = None
    verdict: Outcome = "not tested"
    detectable: float = math.inf


def brackets(data: Mapping[Any, _T]) -> tuple[_T, _T]:
    """The least and the largest that NDCG may be; the same where the engine gives it exactly."""
    low, high = (data[name if name in data else "ndcg"] for name in ("low", "high"))
    return low, high


def judge_means(
    cell: Cell, cache: TheoryCache, scorer: Scorer, measure: Measure, sizes: tuple[int, ...],
    factor: float, level: float, below: float = math.inf,
) -> list[Mean]:  # fmt: skip
    """The mean at each n against the exact one.

    What would be detectable is found where it is less than at every larger n, and ``below`` what is given.
    """
    values = np.asarray(cell["ndcg"])
    simulated = values.mean(axis=0)
    mcse = values.std(axis=0, ddof=1) / math.sqrt(len(values))
    try:
        expectation = cache.mean(scorer, measure, sizes)
    except NotAvailableError:  # a discount of the user's own that is no sum of exponentials
        return [Mean(float(m), float(s)) for m, s in zip(simulated, mcse, strict=True)]
    # the simulated mean is known up to its bracket, the exact one up to its stated error
    low, high = map(np.asarray, brackets(cell))
    exact, slack = expectation.value * factor, expectation.error + 1e-12
    reach = quantile_of(level, len(values)) + float(stats.norm.ppf(POWER))
    found = []
    for i, n in reversed(list(enumerate(sizes))):
        given, truth = (low[:, i], high[:, i]), (float(exact[i] - slack[i]), float(exact[i] + slack[i]))
        z = _z(given, truth, float(mcse[i]))
        if bell_shaped(scorer, measure, n, len(values)):
            wrong = 2 * stats.t.sf(abs(z), len(values) - 1) < level
            seen = reach * mcse[i]
            least = float(seen / exact[i]) if exact[i] else math.inf
        else:
            wrong = exceeds(*given, *truth, -math.log(level))
            least = detectable(values[:, i], float(exact[i]), level, POWER, below)
        below = min(below, least)
        verdict: Outcome = "disagrees" if wrong else "agrees"
        found.append(Mean(float(simulated[i]), float(mcse[i]), float(exact[i]), z, verdict, least))
    return found[::-1]


def _z(given: tuple[Floats, Floats], truth: tuple[float, float], mcse: float) -> float:
    """How many standard errors a mean within its bracket is from the nearest that theory allows."""
    shift = min(float(given[1].mean()) - truth[0], 0.0) + max(float(given[0].mean()) - truth[1], 0.0)
    return shift / mcse if mcse > 0 else (0.0 if shift == 0 else math.copysign(math.inf, shift))


def bell_shaped(scorer: Scorer, measure: Measure, n: int, replicates: int) -> bool:
    """Whether NDCG_n is so nearly normal that Student's t can be trusted far out.

    The discount falls so slowly that no rank counts for much, and every part of the list that
    counts has hundreds of items: those of the best grade, those without gain, those within the cutoff. This
    is known before anything is simulated, as a test must be chosen.

    >>> curve, measure = Scorer.parse("constant(0.3)"), Measure.parse("nDCG")
    >>> [bell_shaped(curve, measure, n, 60) for n in (100, 10_000)]
    [False, True]
    """
    discount, cutoff = measure.discount, measure.cutoff.regime
    slow = discount.asymptotics.known and not discount.asymptotics.square_summable
    if scorer.mixed or replicates < _FEW or not (slow and cutoff in ("none", "fraction")):
        return False
    occurs = [mass for mass in scorer.masses if mass > 0]
    if not occurs:
        return False
    share = min(occurs[0], 1.0 - sum(occurs), measure.cutoff(n) / n)
    return n * share >= _ITEMS
