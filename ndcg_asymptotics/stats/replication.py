"""How many queries another experiment needs, by the difference that some queries have shown.

The t statistic of Q normal differences has a noncentral t law with Q - 1 degrees of freedom and the
noncentrality ``effect sqrt(Q)``, where the effect is the mean difference over its standard deviation. An
experiment that is planned for the observed effect has its power in half of the cases at best, and in fewer
where differences are looked at because they are large. docs/howto/plan.md says how often each number
here keeps the power, in simulations and on queries that were not used for planning.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import median
from typing import NamedTuple

from scipy import special

from ndcg_asymptotics.stats.power import queries_for

ASSURANCE = 0.8
"""The confidence with which the effect exceeds `effect_bound`."""

IF_OBSERVED = "if the true difference is as large as the observed one"
IF_BOUND = f"if it is as large as its lower {ASSURANCE:.0%} bound"
BOUND_LEGEND = (
    f"Assured queries: the same at the lower {ASSURANCE:.0%} confidence bound of the effect size, which for "
    'a significant difference allows for its selection as a large one; "-" where that bound is not above 0. '
    "Neither number is a promise: docs/howto/plan.md says how often each one kept the power."
)

_LARGEST_EFFECT = 100.0  # no larger one needs more queries, and scipy's inverse does not end for t near 1e6


class Replication(NamedTuple):
    """Numbers of queries with which a paired t test on new queries has the power; None if there is none.

    ``observed`` is the number if the true effect is the observed one, ``low`` and ``high`` its confidence
    interval (`effect_interval`), and ``assured`` the number at `effect_bound`, None if that is 0.
    """

    observed: int | None
    low: int | None
    high: int | None
    assured: int | None


def in_interval(number: int | None, low: int | None, high: int | None) -> str:
    """Return a number of queries with its interval; None stands for more than any number.

    >>> in_interval(84, 33, 513), in_interval(1151, 105, None), in_interval(2, 2, 2)
    ('84 [33, 513]', '1,151 [105, ∞)', '2')
    """
    middle, first, last = ("∞" if value is None else f"{value:,}" for value in (number, low, high))
    return middle if low == number == high else f"{middle} [{first}, {last}{')' if high is None else ']'}"


def median_number(numbers: Iterable[int | None]) -> float | None:
    """Return the median of numbers of queries, None if it is more than any number.

    >>> median_number([20, None, 5]), median_number([20, None])
    (20, None)
    """
    middle = median(math.inf if number is None else number for number in numbers)
    return middle if math.isfinite(middle) else None


def replication(effect: float, queries: int, power: float, alpha: float) -> Replication:
    """Return the numbers of queries that a paired t test needs after an experiment that showed an effect.

    Parameters
    ----------
    effect : float
        The observed mean difference over the observed standard deviation; the sign does not matter.
    queries : int
        The number of queries that showed it, at least 2.
    power, alpha : float
        Of the two-sided test on new queries; the interval has the level 1 - alpha.

    >>> replication(0.31, 100, 0.8, 0.05)
    Replication(observed=84, low=33, high=668, assured=321)
    >>> replication(0.1, 100, 0.8, 0.05)
    Replication(observed=787, low=92, high=None, assured=33210)
    """
    size = min(abs(effect), _LARGEST_EFFECT)
    effects = (size, *effect_interval(size, queries, alpha), effect_bound(size, queries, alpha))
    return Replication(*(queries_for(magnitude, power, alpha) for magnitude in effects))


def effect_interval(effect: float, queries: int, alpha: float) -> tuple[float, float]:
    """Return an interval of the absolute effect size at level 1 - alpha, its larger end first.

    The interval holds the effects between whose quantiles at alpha/2 and 1 - alpha/2 the observed t
    statistic lies; effects above 100 count as 100. The smaller end is 0 where Student's test does not
    reject 0.

    >>> [round(end, 3) for end in effect_interval(0.31, 100, 0.05)]
    [0.51, 0.109]
    """
    t = min(abs(effect), _LARGEST_EFFECT) * math.sqrt(queries)
    high, low = (float(special.nctdtrinc(queries - 1, p, t)) for p in (alpha / 2, 1 - alpha / 2))
    return high / math.sqrt(queries), max(low, 0.0) / math.sqrt(queries)


def effect_bound(effect: float, queries: int, alpha: float) -> float:
    """Return a one-sided lower confidence bound of the effect at 80% (`ASSURANCE`), 0 if it is not positive.

    It is the noncentrality d sqrt(Q) with which T exceeds the observed t in 20% of the experiments::

        P(T > t; d) = 0.2                    where Student's test does not reject at alpha,
        P(T > t | T > c; d) = 0.2            where it does, with the critical value c.

    The second takes account of the selection of significant differences, which are too large in the mean
    (Anderson, Kelley and Maxwell 2017, "Sample-size planning for more accurate statistical power: a method
    adjusting sample effect sizes for publication bias and uncertainty", Psychological Science 28). So it is
    positive exactly if the two-sided p-value is below 0.4 and not below alpha, or below 0.2 alpha. With
    alpha = 0 no difference counts as selected.

    >>> [round(effect_bound(effect, 100, 0.05), 3) for effect in (0.05, 0.15, 0.22, 0.31, 0.6)]
    [0.0, 0.065, 0.0, 0.157, 0.507]
    """
    freedom, root = queries - 1, math.sqrt(queries)
    t, critical = min(abs(effect), _LARGEST_EFFECT) * root, -float(special.stdtrit(freedom, alpha / 2))
    if t <= critical:
        return max(float(special.nctdtrinc(freedom, ASSURANCE, t)), 0.0) / root

    def beyond(value: float, noncentrality: float) -> float:
        below = float(special.nctdtr(freedom, noncentrality, value))
        return 1.0 - (0.0 if math.isnan(below) else below)  # NaN where it is below 1e-70

    def rarer(noncentrality: float) -> float:
        return beyond(t, noncentrality) - (1 - ASSURANCE) * beyond(critical, noncentrality)

    if rarer(0.0) >= 0:
        return 0.0
    from scipy.optimize import brentq  # here: it takes long to load

    return float(brentq(rarer, 0.0, t)) / root
