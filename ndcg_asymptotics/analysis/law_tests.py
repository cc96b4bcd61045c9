"""Tests of the law of NDCG_n at the last list length against the one of theory (Kolmogorov-Smirnov).

Theory knows the law at n exactly where lists have one relevant item or few ranks count
(`theory.fluctuations.enumeration`), and else the law of long lists and a bound of its distance from the law
at n (`theory.fluctuations.limit_law`). The test allows for this distance, and gives no verdict where it
exceeds half of what the replicates can detect. See docs/check.md, section 2.

The exact law has atoms, for which the test is conservative.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated

import numpy as np
from scipy.special import kolmogi, smirnovi

from ndcg_asymptotics.analysis.mean_tests import Simulated, TestVerdict
from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import NotAvailableError
from ndcg_asymptotics.core.tables import Column, decimals, general
from ndcg_asymptotics.theory.fluctuations.enumeration import EnumeratedLaw
from ndcg_asymptotics.theory.fluctuations.limit_law import LimitLaw
from ndcg_asymptotics.theory.fluctuations.one_item import OneItemLaw
from ndcg_asymptotics.theory.values import TheoreticalValues

_COARSEST = 0.25  # the largest critical distance at which a test says anything
_NEGLIGIBLE = 0.5  # of the critical distance, the largest error of the law of long lists
_POINTS = 200  # quantiles of the sample at which an exact law is evaluated
_LONG = 10_000  # the exact law takes 30 ms for so many values, and a time quadratic in their number
_TIE = 1e-9  # relative difference up to which a simulated value is an atom of an exact law


@dataclass(frozen=True)
class LawTest:
    """The simulated law of one scorer's NDCG_n and that of theory.

    Attributes
    ----------
    law : str
        The kind of law, as in `theory.fluctuations.laws.regime`.
    distance : float, optional
        The largest difference of the distribution functions, the statistic of Kolmogorov and Smirnov.
    unexplained : float, optional
        The largest difference that the error of the law does not explain, which the verdict is about.
    stated : float, optional
        The bound of Lévy's distance between the law of theory and the law at n, as a probability or in
        standard deviations.
    critical : float
        The smallest distance that is rejected.
    reason : str
        Why the law was not tested.
    """

    scorer: Annotated[str, Column("scorer")]
    measure: Annotated[str, Column("measure", whole=True)]
    n: Annotated[int, Column("n", general("g"))]
    law: Annotated[str, Column("law")]
    distance: Annotated[float | None, Column("distance", decimals(4))]
    unexplained: Annotated[float | None, Column("unexplained distance", decimals(4), 2)]
    stated: Annotated[float | None, Column("error of the law", general(".0e"), 2)]
    critical: Annotated[float, Column("critical distance", decimals(4), 1)]
    verdict: Annotated[TestVerdict, Column("verdict")]
    reason: str
    false_alarm: float


def judge_law(
    simulated: Simulated, theory: TheoreticalValues, name: str, factor: float, level: float
) -> LawTest:
    """Compare the law of NDCG of scorer ``name`` at the last n with that of theory times ``factor``."""
    n = simulated.sizes[-1]
    values, low, high = simulated.at(n)
    critical = _critical_distance(level, len(values))

    nothing = LawTest(
        name,
        str(theory.measure),
        n,
        theory.regime,
        distance=None,
        unexplained=None,
        stated=None,
        critical=critical,
        verdict="not tested",
        reason="",
        false_alarm=level,
    )

    def judged(distance: float, unexplained: float, stated: float) -> LawTest:
        verdict: TestVerdict = "disagrees" if unexplained > critical else "agrees"
        least = max(unexplained, 0.0)
        return replace(nothing, verdict=verdict, distance=distance, unexplained=least, stated=stated)

    if critical > _COARSEST:
        return replace(nothing, reason="too few replicates to tell laws apart")
    try:
        exact = theory.exact_law(n)
        if exact is not None:
            distance, stated = _distance_from_atoms(exact, low / factor, high / factor)
            return judged(distance, distance - stated, stated)
        law = theory.law(n)
    except NotAvailableError as why:
        return replace(nothing, reason=str(why))
    stated = law.distance
    if stated > _NEGLIGIBLE * critical and math.isfinite(stated):
        error = f"at this n the law of long lists is only known to within {min(stated, 1.0):.2g}"
        return replace(nothing, reason=error, stated=stated)
    if not math.isfinite(stated) or law.law is None:
        return replace(nothing, reason="no law of long lists is known")
    distance = _distance(law.law, low / factor, high / factor, 0.0)
    unexplained = _distance(law.law, low / factor, high / factor, law.law.shift) - law.law.chance
    return judged(distance, unexplained, stated)


@cache
def _critical_distance(level: float, count: int) -> float:
    """Return a distance that a sample exceeds with a probability of at most ``level``, and hardly less.

    Each one-sided distance exceeds it with half of that probability (Miller 1956); both do at once with 1e-5
    of it at the level 0.05, and less below. In large samples, the law is its limit moved by 1/(6 count)
    (Maag and Dicaire 1971), which gives at most 1 + 1.5e-4 times the distance, at the level 1e-12.

    >>> round(_critical_distance(0.05, 10), 4)  # a table's 0.409
    0.4092
    """
    if count > _LONG:
        return float(kolmogi(level)) / math.sqrt(count) - 1 / (6 * count)
    return float(smirnovi(count, level / 2))


def _distance(law: LimitLaw, low: Floats, high: Floats, shift: float) -> float:
    """Return the largest difference of the distribution functions where the law's may be shifted by this."""
    count = len(low)
    steps = np.arange(count + 1) / count
    above = steps[1:] - law.cdf((np.sort(high) - law.centre) / law.scale + shift)
    below = law.cdf((np.sort(low) - law.centre) / law.scale - shift) - steps[:-1]
    return max(float(above.max()), float(below.max()))


def _distance_from_atoms(law: OneItemLaw | EnumeratedLaw, low: Floats, high: Floats) -> tuple[float, float]:
    """Return the largest difference of distribution functions from an exact law, and the error of that law.

    The largest one at the points that are compared is at most the largest one at all.
    """
    count = len(low)
    points = np.unique(np.linspace(0, count - 1, min(count, _POINTS)).round().astype(int))
    lower, upper = np.sort(low), np.sort(high)
    # P(NDCG <= x) at upper ends and P(NDCG < x) at lower ends; the tiny number keeps an atom at 0 out of it
    at, before = upper[points] * (1 + _TIE), lower[points] * (1 - _TIE) - np.finfo(float).tiny
    (at_most, error), (less, other) = law.above(at), law.above(before)
    above = np.searchsorted(upper, at, side="right") / count - (1 - at_most)
    below = (1 - less) - np.searchsorted(lower, before, side="left") / count
    return max(float(above.max()), float(below.max())), float(max(error.max(), other.max()))
