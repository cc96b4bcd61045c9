"""How often the better of two scorers is ahead on one list, and how long a list that takes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.fluctuations.effort import QUICK
from ndcg_asymptotics.theory.fluctuations.laws import standard_cdf
from ndcg_asymptotics.theory.fluctuations.variance import moments

LONGEST = 10**12
"""Lists longer than this nobody has."""
_ROUNDING = 1e-9
_CLOSE = 1e-3  # relative, of a required length


@dataclass(frozen=True)
class Length:
    """The list length from which the right order is as likely as asked.

    Attributes
    ----------
    n : int or None
        None where no list is long enough.
    reason : str
        Why there is none.
    tends_to : float
        The rate of the right order at the longest list looked at.
    """

    n: int | None
    reason: str
    tends_to: float


@lru_cache(maxsize=4096)
def right_rate(a: Relevance, b: Relevance, measure: Measure, n: int) -> float:
    """P(NDCG_n(a) > NDCG_n(b)) by the exact mean and variance and the law of long lists.

    >>> good, blank = Relevance.of("linear(0.1, 0.7)"), Relevance.of("constant(0.4)")
    >>> round(right_rate(good, blank, Measure.of("nDCG"), 100), 2)
    0.94
    """
    mean, variance, size, _ = moments((a, b), measure, n, QUICK)
    if variance <= _ROUNDING * size:
        return float(mean > 0)
    return 1.0 - standard_cdf((a, b), measure, -mean / math.sqrt(variance))


def length_for(a: Relevance, b: Relevance, measure: Measure, rate: float, largest: int = LONGEST) -> Length:
    """The smallest n from which on a is ahead of b with probability ``rate``.

    Looked for up to ``largest``, exactly below 1000 and to 0.1% beyond.
    """

    def enough(n: int) -> bool:
        try:
            return right_rate(a, b, measure, n) >= rate
        except InputError:  # the list is too short for its cutoff
            return False

    last = right_rate(a, b, measure, largest)
    if last < rate:
        return Length(None, _why(a, b, measure, largest, last), last)
    low, high = 1, largest
    while high > 3 * low:  # the rate rises, but for short lists
        middle = round(math.sqrt(low * high))
        low, high = (low, middle) if enough(middle) else (middle, high)
    while high - low > max(1, _CLOSE * low if low >= 1000 else 1):
        middle = round(math.sqrt(low * high)) if high > low + 2 else low + 1
        low, high = (low, middle) if enough(middle) else (middle, high)
    return Length(high, "", last)


def _why(a: Relevance, b: Relevance, measure: Measure, largest: int, last: float) -> str:
    shown = f"the rate of the right order is {last:.3f} at n = {largest:.0e}"
    before = right_rate(a, b, measure, largest // 1000)
    settled = abs(last - before) < 1e-3 * max(1 - last, 1e-3)
    return f"the order never settles: {shown} and stays there" if settled else f"{shown}, and still rising"
