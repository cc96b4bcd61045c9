"""The list length from which on a single list shows the right order of two scorers often enough.

The normal law with the exact moments tells about where the probability of the right order crosses the
required one. There `orders.wrong_order` computes it, and from its value and the slope of the law follows a
better length, until the two agree. Short lengths are found by bisection.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtr, ndtri

from ndcg_asymptotics.analysis.orders.list_moments import list_moments
from ndcg_asymptotics.analysis.orders.long_run import long_run
from ndcg_asymptotics.analysis.orders.probability import WrongOrder
from ndcg_asymptotics.analysis.orders.wrong_order import wrong_order
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.core.errors import NotAvailableError
from ndcg_asymptotics.core.search import first_true
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Scorer

LONGEST = 10**12
"""The largest length that is considered."""

_APART = 4  # ratio of the lengths at which the normal law is evaluated
_SHORT = 40  # lengths up to this are found by bisection, with a share of the draws at each
_FIRST_SHARE = 0.25  # of the draws, at lengths that may be far from the required one
_STEPS, _LONGEST_STEP, _LAST_STEP, _FAR = 10, 1.5, 0.08, 0.2  # of log n
_FLATTEST, _STEEPEST = 0.02, 1.5  # slopes of quantiles in log n, relative to the required quantile
_WIDE = 2  # ratio of the ends of an interval, beyond which the length of the law stands if it is inside
_FLAT = 0.1  # slope in log n, relative to the required quantile, below which all draws are made at once
_HIGHEST = 8.0  # quantiles are limited to this


@dataclass(frozen=True)
class Length:
    """The list length from which on the right order has the required probability.

    Attributes
    ----------
    n : int or None
        None where no length is sufficient, or none is known to be.
    last : int or None
        The largest sufficient length, where longer lists are not sufficient.
    between : (int, int) or None
        A 95% interval for n, where the probability has one.
    method : str or None
        How the probability at n is known.
    reason : str
        Why there is no n.
    """

    n: int | None = None
    last: int | None = None
    between: tuple[int, int] | None = None
    method: str | None = None
    reason: str = ""


@shared
def required_length(a: Scorer, b: Scorer, measure: Measure, rate: float, effort: float = 1.0) -> Length:
    """Return the smallest n from which on one list shows the right order with the required probability.

    Parameters
    ----------
    a, b : Scorer
        With the same label law, independent given the label.
    measure : Measure
    rate : float
        Between 0.5 and 1. A tie does not show the right order.
    effort : float
        The share of the usual number of draws.

    Raises
    ------
    NotAvailableError
        If the measure has no exact variance.

    >>> pair = Scorer.of("linear(0.1, 0.7)"), Scorer.of("constant(0.4)")
    >>> length = required_length(*pair, Measure.of("nDCG"), 0.95)
    >>> 118 < length.between[0] < length.n < length.between[1] < 132, length.last, length.method
    (True, None, 'counted')
    """
    run = long_run(a, b, measure)
    search = _Search(a, b, measure, run.ahead, rate, effort)
    stays = run.rate is not None and run.rate >= rate
    laws: dict[int, float] = {}
    n = a.least_n
    while n <= LONGEST and not (stays and max(laws.values(), default=0.0) >= search.wanted):
        laws[n] = search.law(n)
        n *= _APART
    first = next((n for n, law in laws.items() if law >= search.wanted), None)
    if first is None:
        last, law = laws.popitem()
        chance = f"at n = {last:.0e} the normal law has the probability {ndtr(law):.3f}"
        return Length(reason=chance if stays or run.rate is None else "")
    length = search.near(*search.crossing(laws, first))
    after = next((n for n, law in laws.items() if n > first and law < search.wanted), None)
    if length.n is None or after is None or not a.iid:
        return length
    return replace(length, last=search.near(*search.crossing(laws, after)).n)


@dataclass(frozen=True)
class _Search:
    """The search for a length at which the scorer ``ahead`` is ahead with a probability."""

    a: Scorer
    b: Scorer
    measure: Measure
    ahead: int
    rate: float
    effort: float

    @property
    def wanted(self) -> float:
        """The normal quantile of the required probability."""
        return float(ndtri(self.rate))

    def wrong(self, n: int, effort: float | None = None) -> WrongOrder:
        """Return the probability at n, by default from the fewer draws of lengths that may be far off."""
        effort = _FIRST_SHARE * self.effort if effort is None else effort
        return wrong_order(self.a, self.b, self.measure, n, self.ahead, effort)

    def law(self, n: int) -> float:
        """Return the normal quantile of the probability, by the normal law where labels are i.i.d."""
        if not self.a.iid:
            return _quantile(self.wrong(n).right[0])
        try:
            mean, sd, *_ = list_moments((self.a, self.b), self.measure, n)
        except NotAvailableError:  # no standard deviation: not known to be enough
            return 0.0
        return (-mean if self.ahead else mean) / sd if sd > 0 else 0.0

    def crossing(self, laws: Mapping[int, float], n: int) -> tuple[int, float]:
        """Return where between n and the length before it the law is the required one, and its slope."""
        if n == self.a.least_n:
            return n, self.wanted
        slope = (laws[n] - laws[n // _APART]) / math.log(_APART)
        return round(n * math.exp((self.wanted - laws[n]) / slope)), slope

    def near(self, n: int, slope: float) -> Length:
        """Return the required length near n, given the slope of the quantile in log n."""
        if n <= _SHORT:
            size, low, high = (self._short(n, which) for which in (0, 2, 1))
            if high < _APART * _SHORT:
                return Length(size, None, (low, high), "counted")
        crossing, law, before = n, slope, None
        flat = abs(slope) < _FLAT * self.wanted
        full = max(self.effort, 1.0) if flat else self.effort  # fewer would leave lengths open by a factor
        effort = full if flat else _FIRST_SHARE * full
        for _ in range(_STEPS):
            wrong = self.wrong(n, effort)
            at = math.log(n), _quantile(wrong.right[0])
            if before and abs(at[0] - before[0]) > _FAR:
                slope = math.copysign((at[1] - before[1]) / (at[0] - before[0]), slope)
            # two drawn values may be close by chance: ends allow for the flatter slope, of them or of the law
            flatter = min(slope, law, key=abs)
            step, *to_ends = map(self._step, wrong.right, (slope, flatter, flatter))
            size, *ends = (round(n * math.exp(x)) for x in (step, *to_ends))
            agrees = wrong.right[1] <= self.rate <= wrong.right[2]
            if effort == full and (agrees or abs(step) <= _LAST_STEP):
                low, high = min(ends), max(ends)
                if high > _WIDE * low and low <= crossing <= high:  # the law says more than the draws do
                    size = crossing
                return Length(size, None, (low, high) if wrong.high else None, wrong.method)
            before = at
            if not agrees:
                n = max(size, self.a.least_n)
            if agrees or abs(step) <= _FAR:
                effort = full
        return Length(reason=f"drawn lists of about {n:,} documents do not confirm the normal law")

    def _step(self, right: float, slope: float) -> float:
        """Return how far in log n a probability is from the required one, by the slope of its quantile."""
        limited = math.copysign(np.clip(abs(slope) / self.wanted, _FLATTEST, _STEEPEST) * self.wanted, slope)
        return float(np.clip((self.wanted - _quantile(right)) / limited, -_LONGEST_STEP, _LONGEST_STEP))

    def _short(self, n: int, which: int) -> int:
        """Return the first length, near n, at which the probability or an end of its interval is enough."""
        least, most = self.a.least_n - 1, _APART * _SHORT
        return first_true(lambda m: self.wrong(m).right[which] >= self.rate, least, most, guess=n)


def _quantile(rate: float) -> float:
    return float(np.clip(ndtri(rate), -_HIGHEST, _HIGHEST))
