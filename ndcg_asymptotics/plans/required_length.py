"""The list length from which on a single list shows the right order of two scorers often enough.

The normal law with the exact moments tells about where the probability of the right order crosses the
required one, and like which power of n its quantile grows there. `orders.wrong_order` confirms that length or
says by that power which one is nearer. Short lengths are found by bisection.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtr, ndtri

from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.core.errors import NotAvailableError
from ndcg_asymptotics.core.search import first_true
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.orders.list_moments import list_moments
from ndcg_asymptotics.orders.long_run import long_run
from ndcg_asymptotics.orders.probability import WrongOrder
from ndcg_asymptotics.orders.wrong_order import wrong_order
from ndcg_asymptotics.populations import Scorer

LONGEST = 10**12
"""The largest length that is considered."""

_APART = 4  # ratio of the lengths at which the normal law is evaluated
_CLOSE = 0.7  # of the required quantile: beside such a length all are considered, else every other one
_SHORT, _SHARE = 40, 0.25  # lengths up to this are found by bisection, with a share of the draws at each
_FLATTEST, _FLAT, _STEEPEST = 0.02, 0.1, 1.5  # powers of n like which quantiles grow
_STEPS, _LONGEST_STEP, _LAST_STEP, _FAR = 10, 1.5, 0.08, 0.2  # of log n
_WIDE = 1.3  # ratio of the ends of an interval, beyond which draws say no more than that they agree
_CERTAIN = float(np.nextafter(1.0, 0.0))
_LEAST = 1e-3  # quantiles are at least this where their logarithm is taken


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
    >>> 118 < length.between[0] < length.n < length.between[1] < 138, length.last, length.method
    (True, None, 'counted')
    """
    run, quantile = long_run(a, b, measure), _quantile(rate)
    search = _Search(a, b, measure, run.ahead, rate, effort)
    stays = run.rate is not None and run.rate >= rate
    laws: dict[int, float] = {}
    n = a.least_n
    while n <= LONGEST and not (stays and max(laws.values(), default=0.0) >= quantile):
        laws[n] = search.law(n)
        n *= _APART**2
    for n in list(laws):
        if _APART * n < LONGEST and max(laws[n], laws.get(_APART**2 * n, 0.0)) >= _CLOSE * quantile:
            laws[_APART * n] = search.law(_APART * n)
    laws = dict(sorted(laws.items()))
    first = next((n for n, law in laws.items() if law >= quantile), None)
    if first is None:
        last, law = laws.popitem()
        chance = f"at n = {last:.0e} the normal law has the probability {ndtr(law):.3f}"
        return Length(reason=chance if stays or run.rate is None else "")
    length = search.between(laws, first, first // _APART)
    # a law of 0 is one that is not available, and no sign that longer lists are not sufficient
    after = next((n for n, law in laws.items() if n > first and law and law < quantile), None)
    if length.n is None or after is None or not a.iid:
        return length
    return replace(length, last=search.between(laws, after // _APART, after).n)


@dataclass(frozen=True)
class _Search:
    """The search for a length at which the scorer ``ahead`` is ahead with a probability."""

    a: Scorer
    b: Scorer
    measure: Measure
    ahead: int
    rate: float
    effort: float

    def wrong(self, n: int, effort: float) -> WrongOrder:
        """Return the probability at n, from a share of the usual draws."""
        return wrong_order(self.a, self.b, self.measure, n, self.ahead, effort)

    def law(self, n: int) -> float:
        """Return the normal quantile of the probability, by the normal law where labels are i.i.d."""
        if not self.a.iid:
            return _quantile(self.wrong(n, _SHARE * self.effort).right[0])
        try:
            mean, sd, *_ = list_moments((self.a, self.b), self.measure, n)
        except NotAvailableError:  # no standard deviation: not known to be enough
            return 0.0
        return (-mean if self.ahead else mean) / sd if sd > 0 else 0.0

    def between(self, laws: Mapping[int, float], enough: int, insufficient: int) -> Length:
        """Return the required length between one that is enough by the normal law and one that is not."""
        sign = 1 if enough > insufficient else -1
        power = law = _log_ratio(laws[enough], laws.get(insufficient, 0.0)) / math.log(_APART)
        n = self._moved(enough, sign, laws[enough], power)
        if n <= _SHORT:
            size, low, high = (self._short(n, index) for index in (0, 2, 1))
            if high < _APART * _SHORT:
                return Length(size, None, (low, high), "counted")
        effort = self.effort if law > _FLAT else 1.0  # fewer draws would leave lengths open by a factor
        before: tuple[int, float] | None = None
        for _ in range(_STEPS):
            wrong = self.wrong(n, effort)
            value, *ends = map(_quantile, wrong.right)
            if before and abs(math.log(n / before[0])) > _FAR:
                power = sign * _log_ratio(value, before[1]) / math.log(n / before[0])
            size = self._moved(n, sign, value, power)
            if wrong.right[1] <= self.rate <= wrong.right[2] or abs(math.log(size / n)) <= _LAST_STEP:
                # two drawn values may be close by chance: the flatter power, of them or of the law
                low, _, high = sorted([size, *(self._moved(n, sign, end, min(power, law)) for end in ends)])
                size = n if high > _WIDE * low else size
                return Length(size, None, (low, high) if wrong.high else None, wrong.method)
            n, before = size, (n, value)
        return Length(reason=f"drawn lists of about {n:,} documents do not confirm the normal law")

    def _moved(self, n: int, sign: int, quantile: float, power: float) -> int:
        """Return the length at which a quantile is the required one that grows like a power, from n on."""
        step = _log_ratio(_quantile(self.rate), quantile) / np.clip(power, _FLATTEST, _STEEPEST)
        return max(round(n * math.exp(sign * np.clip(step, -_LONGEST_STEP, _LONGEST_STEP))), self.a.least_n)

    def _short(self, n: int, index: int) -> int:
        """Return the first length, near n, at which the probability or an end of its interval is enough."""
        least, most = self.a.least_n - 1, _APART * _SHORT
        effort = _SHARE * self.effort
        return first_true(lambda m: self.wrong(m, effort).right[index] >= self.rate, least, most, guess=n)


def _quantile(probability: float) -> float:
    """Return the normal quantile of a probability; that of 1, to which 1 - 1e-17 is rounded, is finite."""
    return float(ndtri(min(probability, _CERTAIN)))


def _log_ratio(first: float, second: float) -> float:
    return math.log(max(first, _LEAST) / max(second, _LEAST))
