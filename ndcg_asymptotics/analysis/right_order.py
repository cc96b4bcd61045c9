"""The list length from which on a single list shows the right order of two scorers often enough.

The rate of the right order at n, P(NDCG_n(a) > NDCG_n(b)), is computed in one of three ways:

==============  ====================================================================================
exact           by enumeration of labels, where few ranks count (`theory.fluctuations.enumeration`)
simulated       on independent lists, up to 4096 items, and where the law below is not accurate
law             by the law of long lists with the exact mean and variance (`theory.fluctuations.laws`)
==============  ====================================================================================

Where lists can be drawn, a length given by the law is confirmed by simulation or replaced by a simulated
one. Draws have a fixed seed, so that equal arguments give equal answers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import special, stats

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.core.progress import tracked
from ndcg_asymptotics.engines.items.lists import count_orders, count_orders_at_the_top
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.theory.fluctuations.enumeration import (
    enumerable,
    order_law,
    order_law_at_the_top,
)
from ndcg_asymptotics.theory.fluctuations.laws import regime, right_rate

LONGEST = 10**12
"""The largest n at which the law of long lists is evaluated."""
SIMULATED = 4096
"""Up to this length rates are exact or simulated."""
DRAWN = 100_000
"""Up to this length a rate that the law gives is confirmed by simulation."""

_SEED = 20130611  # of all draws
_RATIO = 1.3  # of neighbouring lengths in the first scan
_TOP_LISTS = 20_000  # draws of the labels at the top, where the order never settles
_SCANNED = 2000  # lists of each length in the first scan
_ITEMS = 16_000_000  # drawn of each scorer in the final simulation
_FEWEST_LISTS, _MOST_LISTS = 400, 100_000  # of one length
_FEW_LENGTHS = 12  # in ranges of at most this many lengths every length is simulated
_NEAR = 1.15  # ratio of the ends of the final range to its middle
_DECISION_LEVEL, _REPORTED_LEVEL = 0.999, 0.95  # of confidence intervals
_TOLERANCE = 1e-3  # relative, of a length that the law gives
_EXACT_RATIO = 1.5  # of neighbouring lengths, where many lengths have exact rates
_FEWEST_RELEVANT = 100  # items, below which the law of long lists may be inaccurate


@dataclass(frozen=True)
class Length:
    """The list length from which on the right order has the required probability.

    Attributes
    ----------
    n : int or None
        None where no length is sufficient, or none is known to be.
    between : (int, int) or None
        A 95% interval for n where rates are simulated.
    method : str
        How the rate at n is known; empty where no theory applies.
    reason : str
        Why there is no n, or how far it can be trusted.
    """

    n: int | None
    between: tuple[int, int] | None
    method: str
    reason: str = ""


@dataclass
class _Question:
    """One measure, and what is known about the rate of the right order under it."""

    a: Scorer
    b: Scorer
    measure: Measure
    rate: float
    ahead: int  # 0 if a is ahead on long lists, 1 if b is
    seen: dict[int, tuple[int, int]] = field(default_factory=dict)  # by length: lists in right order, lists

    @property
    def pair(self) -> tuple[Scorer, Scorer]:
        """The scorers, the better one first."""
        return (self.b, self.a) if self.ahead else (self.a, self.b)

    def law(self, n: int) -> float:
        """Return the rate by the law of long lists."""
        if regime(self.pair, self.measure) != "lasting":
            return right_rate(*self.pair, self.measure, n)
        top = order_law_at_the_top(*self.pair, self.measure)
        return self.drawn_at_the_top if top is None else top.more

    @cached_property
    def drawn_at_the_top(self) -> float:
        """The limit of the rate where the top ranks stay random, from draws of their labels."""
        counts = count_orders_at_the_top(self.a.model, self.b.model, self.measure, _TOP_LISTS, _SEED)
        return float(counts[self.ahead]) / _TOP_LISTS

    def exact(self, n: int) -> float:
        """Return the rate at a length at which labels can be enumerated."""
        return order_law(*self.pair, self.measure, n).more

    def exact_to(self) -> int:
        """Return the length up to which rates are exact."""
        return last_true(lambda n: enumerable(self.a, self.measure, n), 0, DRAWN)

    def simulate(self, n: int, lists: int) -> None:
        """Draw lists of n items and count the right orders."""
        counts = count_orders(self.a, self.b, [self.measure], n, lists, _SEED)
        self.seen[n] = int(counts[0, self.ahead]), lists

    def interval(self, n: int, level: float) -> tuple[float, float]:
        """Return a confidence interval for the rate at a simulated length."""
        right, lists = self.seen[n]
        low, high = stats.binomtest(right, lists).proportion_ci(level)
        return float(low), float(high)

    def decide(self, n: int) -> int:
        """Return -1 if the rate at n is certainly too low, 1 if it is certainly high enough, else 0."""
        low, high = self.interval(n, _DECISION_LEVEL)
        return -1 if high < self.rate else int(low >= self.rate)


def last_true(condition: Callable[[int], bool], low: int, high: int, close: float = 0.0) -> int:
    """Return the last number up to ``high`` at which a condition holds.

    The condition holds at ``low`` and up to that number. Found by bisection of logarithms, exactly or to a
    relative error of ``close``.

    >>> last_true(lambda n: n * n <= 1000, 1, 10**12)
    31
    """
    if condition(high):
        return high
    while high - low > max(1, close * low):
        middle = min(max(round(math.sqrt(max(low, 1) * high)), low + 1), high - 1)
        low, high = (middle, high) if condition(middle) else (low, middle)
    return low


def required_lengths(
    a: Scorer, b: Scorer, measures: Sequence[Measure], ahead: Sequence[int], rate: float
) -> list[Length]:
    """Return the smallest n from which on the right order has the probability ``rate``, for each measure.

    Parameters
    ----------
    a, b : Scorer
        With the same label law, independent given the label.
    measures : sequence of Measure
    ahead : sequence of int
        For each measure 0 if a is ahead on long lists, 1 if b is.
    rate : float
        Between 0.5 and 1. A tie does not show the right order.

    Raises
    ------
    NotAvailableError
        If a measure has no exact variance.
    """
    questions = [_Question(a, b, m, rate, first) for m, first in zip(measures, ahead, strict=True)]
    never = {q.measure: _never(q) for q in questions}
    _scan(a, b, [q for q in questions if never[q.measure] is None])
    return [never[q.measure] or _find(q) for q in tracked(questions, "required lengths")]


def _never(question: _Question) -> Length | None:
    """Return the answer if the right order never becomes likely enough, None if it does."""
    last = question.law(LONGEST)
    if last >= question.rate:
        return None
    shown = f"the rate of the right order is {last:.3f} at n = {LONGEST:.0e}"
    settled = abs(last - question.law(LONGEST // 1000)) < 1e-3 * max(1 - last, 1e-3)
    if settled:
        return Length(None, None, _law_name(question), f"the order never settles: {shown} and stays there")
    return Length(None, None, _law_name(question), f"{shown}, and still rising")


def _law_name(question: _Question) -> str:
    kind = regime((question.a, question.b), question.measure)
    return {"top ranks": "law of the top ranks", "lasting": "law of the top ranks"}.get(kind, "normal law")


def _scan(a: Scorer, b: Scorer, questions: Sequence[_Question]) -> None:
    """Simulate rates from long lists down to lengths at which they are too low, for all measures at once."""
    starts = {q.measure: q.exact_to() + 1 for q in questions}
    sizes = [SIMULATED]
    while sizes[-1] > 1:
        sizes.append(math.floor(sizes[-1] / _RATIO))
    unfinished = list(questions)
    for n in tracked(sizes, "simulated list lengths"):
        asked = [q for q in unfinished if starts[q.measure] <= n]
        for lists in (_FEWEST_LISTS, _SCANNED):
            if asked:
                counts = count_orders(a, b, [q.measure for q in asked], n, lists, _SEED)
                for question, row in zip(asked, counts, strict=True):
                    question.seen[n] = int(row[question.ahead]), lists
            asked = [q for q in asked if q.decide(n) == 0]
        unfinished = [q for q in unfinished if n not in q.seen or q.decide(n) >= 0]


def _find(question: _Question) -> Length:
    """Return the required length, after the first scan."""
    seen, exact_to = sorted(question.seen, reverse=True), question.exact_to()
    if seen and question.decide(seen[0]) <= 0:
        return _by_law(question, seen[-1])
    high = LONGEST
    for n in seen:  # the shortest from which on all are high enough
        if question.decide(n) <= 0:
            break
        high = n
    if seen and question.decide(seen[-1]) < 0:
        return _refined(question, seen[-1], high)
    below = _last_below_exactly(question, exact_to)
    if seen and (below == exact_to or high > seen[-1]) and high > exact_to + 1:
        found = _refined(question, exact_to, high)
        if below == exact_to or found.n != exact_to + 1:
            return found
    if not seen and below == exact_to:
        reason = f"the rate tends to the required one, and is still too low at n = {exact_to:,}"
        return Length(None, None, "exact", reason)
    return Length(below + 1, None, "exact")


def _last_below_exactly(question: _Question, exact_to: int) -> int:
    """Return the last length up to ``exact_to`` at which the exact rate is too low, 0 if there is none."""
    before = exact_to
    n = exact_to
    while n > 0:
        if question.exact(n) < question.rate:
            return last_true(lambda m: question.exact(m) < question.rate, n, before) if before > n else n
        # under a fixed cutoff the rate is smooth in n; where the cutoff grows it jumps
        leap = n > 2 * _FEW_LENGTHS and question.measure.cutoff.regime == "fixed"
        before, n = n, math.floor(n / _EXACT_RATIO) if leap else n - 1
    return 0


def _by_law(question: _Question, low: int) -> Length:
    """Return a required length of about `SIMULATED` items or more, by the law if simulation confirms it."""
    found = last_true(lambda n: question.law(n) < question.rate, low, LONGEST, _TOLERANCE) + 1
    name = _law_name(question)
    if found > DRAWN:
        relevant = found * sum(question.a.masses)
        few = f"lists of {found:.2g} items have {relevant:.2g} relevant ones, few for the law of long lists"
        return Length(found, None, name, few if relevant < _FEWEST_RELEVANT else "")
    question.simulate(found, _affordable(found))
    if question.decide(found) == 0:
        return Length(found, None, f"{name}, confirmed on {question.seen[found][1]:,} simulated lists")
    if question.decide(found) < 0:
        question.simulate(DRAWN, _affordable(DRAWN))
        if question.decide(DRAWN) < 0:
            return Length(
                None, None, name,
                f"the law of long lists gives n = {found:,}, but simulated lists of {DRAWN:,} items "
                "contradict it",
            )  # fmt: skip
        return _refined(question, found, DRAWN)
    return _refined(question, low, found)


def _affordable(n: int, lengths: int = 1) -> int:
    """Return how many lists of about n items to draw, for each of several lengths."""
    return min(max(_ITEMS // (n * lengths), _FEWEST_LISTS), _MOST_LISTS)


def _refined(question: _Question, low: int, high: int) -> Length:
    """Return the required length in (low, high]: the rate is too low at low and high enough from high on."""
    if high - low > _FEW_LENGTHS:
        middle, error = _crossing(question, _spaced(low + 1, high, 8), 4)
        low, high = max(low, math.floor(middle / _NEAR)), min(high, math.ceil(middle * _NEAR))
    sizes = _spaced(low + 1, high, 10)
    if high - low > _FEW_LENGTHS:
        middle, error = _crossing(question, sizes, 1)
        ends = [round(float(np.clip(middle * math.exp(z * error), low + 1, high))) for z in (-1.96, 1.96)]
        n = min(max(math.ceil(middle), low + 1), high)
        return Length(n, (min(ends[0], n), max(ends[1], n)), _simulated(question, sizes))
    for n in sizes:
        question.simulate(int(n), _affordable(int(n), sizes.size))
    rates = np.array([question.seen[int(n)][0] / question.seen[int(n)][1] for n in sizes])
    lower, upper = np.array([question.interval(int(n), _REPORTED_LEVEL) for n in sizes]).T
    first, n, last = (
        int(sizes[too_low].max(initial=low)) + 1
        for too_low in (upper < question.rate, rates < question.rate, lower < question.rate)
    )
    return Length(n, (first, last), _simulated(question, sizes))


def _simulated(question: _Question, sizes: Integers) -> str:
    return f"simulated on {sum(question.seen[int(n)][1] for n in sizes):,} lists"


def _spaced(low: int, high: int, count: int) -> Integers:
    """Return all integers from low to high if there are few, else some in nearly geometric progression."""
    if high - low < _FEW_LENGTHS:
        return np.arange(low, high + 1)
    return np.unique(np.geomspace(low, high, count).round().astype(np.int64))


def _crossing(question: _Question, sizes: Integers, share: int) -> tuple[float, float]:
    """Return the length at which the rate crosses the required one, and the standard error of its logarithm.

    A line is fitted to the normal quantiles of the rates against log n by weighted least squares.
    """
    lists = max(_affordable(int(sizes.mean()), sizes.size) // share, _FEWEST_LISTS)
    for n in sizes:
        question.simulate(int(n), lists)
    right = np.array([question.seen[int(n)][0] for n in sizes])
    chance: Floats = (right + 0.5) / (lists + 1)
    z, x = special.ndtri(chance), np.log(sizes)
    variance = chance * (1 - chance) / lists * 2 * math.pi * np.exp(z**2)
    weight = 1 / variance
    centre = weight @ x / weight.sum()
    slope = weight @ ((x - centre) * z) / (weight @ (x - centre) ** 2)
    if not slope > 0:
        return math.sqrt(float(sizes[0]) * float(sizes[-1])), math.inf
    at = (special.ndtri(question.rate) - weight @ z / weight.sum()) / slope
    off = 1 / weight.sum() + at**2 / (weight @ (x - centre) ** 2)
    middle = float(np.clip(math.exp(np.clip(centre + at, -1, 60)), sizes[0], sizes[-1]))
    return middle, math.sqrt(float(off)) / float(slope)
