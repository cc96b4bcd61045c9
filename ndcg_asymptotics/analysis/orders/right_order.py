"""The probability that one list of n items shows the right order of two scorers, and its limit.

The right order is that of long lists. Its probability at n, P(NDCG_n(a) > NDCG_n(b)) if a is ahead on long
lists, is simulated on independent lists that are drawn, or that of the normal law with the exact mean and
variance (`theory.deviation.regime`). Draws have a fixed seed, so that equal arguments give equal answers.
The engines are imported where lists are drawn, so that nothing else waits for numba.

The limit (`long_run`) is that of the theorems on the error exponent where they give it, else that of the law.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import numpy as np
from scipy import special

from ndcg_asymptotics.analysis.orders.list_moments import list_moments
from ndcg_asymptotics.analysis.orders.one_list import (
    FEWEST_LISTS,
    MOST_LISTS,
    SEED,
    SIMULATED,
    TOP_LISTS,
    Counts,
    WrongOrder,
    of_fixed_counts,
    orders_at_the_top,
)
from ndcg_asymptotics.analysis.orders.rates import clopper_pearson
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance, Scorer
from ndcg_asymptotics.theory.deviation.regime import regime
from ndcg_asymptotics.theory.limits import limit
from ndcg_asymptotics.theory.mean import expected_ndcg
from ndcg_asymptotics.theory.rare import ErrorExponent, error_exponent

_Ranker = TypeVar("_Ranker", bound=Scorer | Relevance)

LONG = 10**9
"""A length at which the scorer with the larger mean is the one that is ahead on long lists."""
LONGEST = 10**12
"""The largest n at which the law of long lists is evaluated."""

_DISTINCT = 1e-6  # a larger difference of limits is that of means, whose error bounds are below this
_FEWEST_TOP_LISTS = 4000  # draws of the labels at the top, which stay random
_TOP_LABELS = 8_000_000  # drawn of each scorer there
_ITEMS = 4_000_000  # drawn of each scorer for one probability
_HIGHEST = 8.0  # quantiles of rates are limited to this
_SETTLED = 1e-3  # relative to P(wrong order): no larger change from one length to another 1000 times as long


@dataclass(frozen=True)
class LongRun:
    """The order of two scorers by one measure as lists grow.

    Attributes
    ----------
    ahead : int
        0 if a is ahead on long lists, 1 if b is.
    rate : float
        The limit of P(right order at n) or, where no theorem tells, its value at n = 1e12.
    end : ErrorExponent
        How fast P(wrong order at n) falls, and the theorem's reason.
    reason : str
        Why the rate is not 1; empty where it is.
    """

    ahead: int
    rate: float
    end: ErrorExponent
    reason: str = ""


def right(log10_wrong: float | None) -> float:
    """Return the probability of the right order, given the logarithm of that of the wrong one."""
    return 1.0 if log10_wrong is None else 1 - 10**log10_wrong


def clipped_quantile(rate: float) -> float:
    """Return the normal quantile of a probability, from -8 to 8."""
    return float(np.clip(special.ndtri(rate), -_HIGHEST, _HIGHEST))


@dataclass
class RightOrder:
    """The probability of the right order by one measure, and the lists that are drawn for it.

    Attributes
    ----------
    a, b : Scorer
        With the same label law, independent given the label.
    measure : Measure
    ahead : int
        0 if a is ahead on long lists, 1 if b is.
    effort : float
        The share of the usual number of draws.
    seen : dict of int to (int, int)
        By length: the drawn lists in the right order, and all drawn lists.
    """

    a: Scorer
    b: Scorer
    measure: Measure
    ahead: int
    effort: float = 1.0
    seen: dict[int, Counts] = field(default_factory=dict)

    @property
    def pair(self) -> tuple[Scorer, Scorer]:
        """The scorers, the better one first."""
        return better_first((self.a, self.b), self.ahead)

    @property
    def lasting(self) -> bool:
        """Whether the labels of the top ranks stay random and decide."""
        return regime(self.pair, self.measure) == "lasting"

    @property
    def law_name(self) -> str:
        """How the probability on long lists is known."""
        if not self.a.iid:
            return "drawn ranks"
        return "drawn labels at the top" if self.lasting else "normal law"

    @cached_property
    def at_the_top(self) -> float:
        """The limit of the probability where the top ranks stay random, from drawn labels."""
        ranks = min(self.measure.cutoff(LONGEST), _TOP_LABELS)
        lists = int(self.effort * np.clip(_TOP_LABELS // ranks, _FEWEST_TOP_LISTS, TOP_LISTS))
        return (orders_at_the_top(self.a, self.b, self.measure, lists)[self.ahead] + 0.5) / (lists + 1)

    def by_law(self, n: int) -> float:
        """Return the probability from draws where few items or the top decide, else by the normal law."""
        if not self.a.iid:
            return right(self.of_fixed_counts(n).log10)
        if self.lasting:
            if self.items(n) > SIMULATED:
                return self.at_the_top
            self.simulate(n, max(self.affordable(n) // 4, self.fewest))
            return self.share(n)
        return list_moments(self.pair, self.measure, n).right_rate

    def law_quantile(self, n: int) -> float:
        """Return the normal quantile of the probability on long lists."""
        if self.a.iid and not self.lasting:
            mean, sd, *_ = list_moments(self.pair, self.measure, n)
            return mean / sd if sd > 0 else math.copysign(_HIGHEST, mean)
        return clipped_quantile(self.by_law(n))

    def of_fixed_counts(self, n: int) -> WrongOrder:
        """Return the probability of the wrong order of lists with a fixed number of relevant items."""
        return of_fixed_counts(*self.pair, self.measure, n)

    def items(self, n: int) -> int:
        """Return how many items of a list are drawn."""
        from ndcg_asymptotics.engines.items.lists import items_drawn

        return items_drawn(self.a, [self.measure], n)

    @property
    def fewest(self) -> int:
        """How many lists of one length are drawn at least."""
        return FEWEST_LISTS if self.effort == 1 else FEWEST_LISTS // 2

    def affordable(self, n: int, lengths: int = 1) -> int:
        """Return how many lists of about n items to draw, for each of several lengths."""
        lists = min(max(_ITEMS // (self.items(n) * lengths), FEWEST_LISTS), MOST_LISTS)
        return max(int(self.effort * lists), self.fewest)

    def simulate(self, n: int, lists: int) -> None:
        """Draw lists of n items and count the right orders."""
        simulate_together([self], n, lists)

    def share(self, n: int) -> float:
        """Return the probability by the lists that were drawn at n, never 0 or 1."""
        right, lists = self.seen[n]
        return (right + 0.5) / (lists + 1)

    def interval(self, n: int, level: float) -> tuple[float, float]:
        """Return a confidence interval for the probability by the lists that were drawn at n."""
        return clopper_pearson(*self.seen[n], level)


def simulate_together(orders: Sequence[RightOrder], n: int, lists: int) -> None:
    """Draw lists of n items, the same for several measures, and count their right orders."""
    from ndcg_asymptotics.engines.items.lists import count_orders

    a, b = orders[0].a, orders[0].b
    counts = count_orders(a, b, [order.measure for order in orders], n, lists, SEED)
    for order, counted in zip(orders, counts, strict=True):
        order.seen[n] = int(counted[order.ahead]), lists


def long_run(a: Scorer, b: Scorer, measure: Measure, effort: float = 1.0) -> LongRun:
    """Return which scorer is ahead on long lists, and the limit of the probability of the right order.

    Parameters
    ----------
    a, b : Scorer
        With the same label law, independent given the label.
    measure : Measure
    effort : float
        The share of the usual number of draws, where the labels of the top ranks stay random.

    Raises
    ------
    NotAvailableError
        If the measure has no exact variance.

    >>> pair = Scorer.of("linear(0.1, 0.7)"), Scorer.of("constant(0.4)")
    >>> whole, top = (long_run(*pair, Measure.of(text)) for text in ("nDCG", "nDCG@1"))
    >>> (whole.ahead, whole.rate), (top.ahead, round(top.rate, 1))
    ((0, 1.0), (0, 0.4))
    """
    first = ahead(a, b, measure)
    end = error_exponent(a, b, measure)
    if end.settles:
        return LongRun(first, 1.0, end)
    order = RightOrder(a, b, measure, first, effort)
    rate = order.at_the_top if order.lasting else order.by_law(LONGEST)
    if end.settles is False:
        return LongRun(first, rate, end, f"{end.reason}{_drawn(order)}")
    settled = abs(rate - order.by_law(LONG)) < _SETTLED * max(1 - rate, _SETTLED)
    if settled and rate > 1 - 1e-9:
        return LongRun(first, 1.0, end)
    grows = "and does not grow" if settled else "and still grows"
    reason = f"{end.reason}; it is {rate:.3f} at n = {LONGEST:.0e} {grows}{_drawn(order)}"
    return LongRun(first, rate, end, reason)


def _drawn(order: RightOrder) -> str:
    """Return the interval of a long run that is drawn, of lists with a fixed number of relevant items."""
    if order.a.iid:
        return ""
    found = order.of_fixed_counts(LONGEST)
    low, high = right(found.high), right(found.low)
    return f"; the long run is that of drawn lists of {LONGEST:.0e} items, {low:.1%} to {high:.1%} with 95%"


def better_first(pair: tuple[_Ranker, _Ranker], ahead: int) -> tuple[_Ranker, _Ranker]:
    """Return a pair with the scorer first that is ahead: the second one if ``ahead`` is 1."""
    return pair[::-1] if ahead else pair


def ahead(a: Scorer, b: Scorer, measure: Measure) -> int:
    """Return 0 if a has the larger mean on long lists, 1 if b has."""
    limits = limit(a, measure).value, limit(b, measure).value
    if limits[0] is None or limits[1] is None or abs(limits[0] - limits[1]) < _DISTINCT:
        means = [float(expected_ndcg(scorer, measure, [LONG]).value[0]) for scorer in (a, b)]
        return int(means[0] < means[1])
    return int(limits[0] < limits[1])
