"""The list length from which on a single list shows the right order of two scorers often enough.

The rate of the right order at n, P(NDCG_n(a) > NDCG_n(b)), is computed in one of three ways:

==============  ====================================================================================
exact           by enumeration of labels, where few ranks count (`theory.fluctuations.enumeration`)
simulated       on independent lists, up to 4096 items or with a fixed cutoff, and where the law below is
                not accurate
law             by the law of long lists with the exact mean and variance (`theory.fluctuations.laws`)
==============  ====================================================================================

Where lists can be drawn, a length given by the law is confirmed by simulation or replaced by a simulated
one. Draws have a fixed seed, so that equal arguments give equal answers. The engines are imported where lists
are drawn, so that nothing else waits for numba.

Whether there is such a length follows from the rate in the long run (`long_run`): the theorems on the error
exponent give it where they can, the law of long lists elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import special

from ndcg_asymptotics.analysis.orders.one_list import SEED, SIMULATED, WrongOrder, ranked
from ndcg_asymptotics.core.progress import tracked
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.theory.fluctuations.effort import ROUGH
from ndcg_asymptotics.theory.fluctuations.enumeration import (
    enumerable,
    order_law,
    order_law_at_the_top,
)
from ndcg_asymptotics.theory.fluctuations.laws import regime, right_rate
from ndcg_asymptotics.theory.fluctuations.variance import moments
from ndcg_asymptotics.theory.limits import limit
from ndcg_asymptotics.theory.rare import ErrorExponent, error_exponent
from ndcg_asymptotics.theory.scaled_limits import lasting_order

LONGEST = 10**12
"""The largest n at which the law of long lists is evaluated."""
DRAWN = 4 * SIMULATED
"""Up to this length a rate that the law gives is confirmed by simulation."""

_LONG = 10**9  # items, at which the scorer with the larger mean is the better one
_DISTINCT = 1e-6  # a larger difference of limits is that of means, whose error bounds are below this
_RATIO = 2.0  # of neighbouring lengths in the first scan
_MOST_TOP_LISTS, _FEWEST_TOP_LISTS = 20_000, 4000  # draws of the labels at the top, which stay random
_TOP_LABELS = 8_000_000  # drawn of each scorer there
_ITEMS = 4_000_000  # drawn of each scorer in the final simulation
_FEWEST_LISTS, _MOST_LISTS = 400, 100_000  # of one length
_FEW_LENGTHS = 12  # in ranges of at most this many lengths every length is simulated
_SHORT = 40  # lengths up to this are decided one by one
_FIRST_SHARE = 4  # the first simulation draws one of so many lists
_FURTHEST = 1.0  # by which a step changes log n at most
_APART, _DRAWN_APART = 1.25, 2.0  # ratio of lengths between which a slope is taken, and of drawn rates
_DECISION_LEVEL, _REPORTED_LEVEL = 0.999, 0.95  # of confidence intervals
# a step of log n after which interpolation is exact to about 0.005, and steps that may halve an interval less
_CLOSE, _SLOW_STEPS = 0.03, 3
_NEARLY = 1 - 2.0**-53
_LOWEST, _HIGHEST = 1e-3, 8.0  # quantiles of rates are limited to these
# of neighbouring lengths, where many lengths have exact rates, for lengths up to a number
_EXACT_RATIOS = ((1000, 1.5), (10**6, 3.0), (math.inf, 30.0))
_FAR_RATIO = 8  # of neighbouring lengths where tops of long lists are drawn
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


@dataclass
class _Question:
    """One measure, and what is known about the rate of the right order under it."""

    a: Scorer
    b: Scorer
    measure: Measure
    rate: float
    ahead: int  # 0 if a is ahead on long lists, 1 if b is
    effort: float = 1.0  # the share of the usual number of draws
    seen: dict[int, tuple[int, int]] = field(default_factory=dict)  # by length: lists in right order, lists

    @property
    def pair(self) -> tuple[Scorer, Scorer]:
        """The scorers, the better one first."""
        return (self.b, self.a) if self.ahead else (self.a, self.b)

    @property
    def lasting(self) -> bool:
        """Whether the labels of the top ranks stay random and decide."""
        return regime(self.pair, self.measure) == "lasting"

    def law(self, n: int) -> float:
        """Return the rate exactly or from drawn tops where that is possible, else by the law."""
        if not self.a.iid:
            return _right(ranked(*self.pair, self.measure, n).log10)
        if self.lasting and not enumerable(self.a, self.measure, n):
            return self.drawn(n) if self.items(n) <= SIMULATED else self.at_the_top
        return right_rate(*self.pair, self.measure, n, ROUGH)

    @cached_property
    def at_the_top(self) -> float:
        """The limit of the rate where the top ranks stay random, exact or from draws of their labels."""
        top = order_law_at_the_top(*self.pair, self.measure)
        if top is not None:
            return top.more
        from ndcg_asymptotics.engines.items.lists import count_orders_at_the_top

        ranks = min(self.measure.cutoff(LONGEST), _TOP_LABELS)
        lists = int(self.effort * np.clip(_TOP_LABELS // ranks, _FEWEST_TOP_LISTS, _MOST_TOP_LISTS))
        counts = count_orders_at_the_top(self.a.model, self.b.model, self.measure, lists, SEED)
        return float(counts[self.ahead]) / lists

    def quantile(self, n: int) -> float:
        """Return the normal quantile of the rate by the law of long lists."""
        if regime(self.pair, self.measure) == "normal":
            mean, variance, *_ = moments((self.a, self.b), self.measure, n, ROUGH)
            mean = -mean if self.ahead else mean
            return mean / math.sqrt(variance) if variance > 0 else math.copysign(_HIGHEST, mean)
        return float(np.clip(special.ndtri(self.law(n)), -_HIGHEST, _HIGHEST))

    def exact(self, n: int) -> float:
        """Return the rate at a length at which labels can be enumerated."""
        return order_law(*self.pair, self.measure, n).more

    def exact_to(self) -> int:
        """Return the length up to which rates are exact."""
        return last_true(lambda n: enumerable(self.a, self.measure, n), 0, LONGEST)

    @property
    def scanned_from(self) -> int:
        """The shortest length in the first scan: where rates are exact it only saves time."""
        exact_to = self.exact_to()
        return exact_to + 1 if exact_to < SIMULATED else 2 * _FEW_LENGTHS + 1

    def items(self, n: int) -> int:
        """Return how many items of a list are drawn."""
        from ndcg_asymptotics.engines.items.lists import items_drawn

        return items_drawn(self.a, [self.measure], n)

    def affordable(self, n: int, lengths: int = 1) -> int:
        """Return how many lists of about n items to draw, for each of several lengths."""
        lists = min(max(_ITEMS // (self.items(n) * lengths), _FEWEST_LISTS), _MOST_LISTS)
        return max(int(self.effort * lists), _fewest(self.effort))

    def drawn(self, n: int) -> float:
        """Return the rate in some of the lists that are drawn at n."""
        from ndcg_asymptotics.engines.items.lists import count_orders

        lists = max(self.affordable(n) // _FIRST_SHARE, _fewest(self.effort))
        counts = count_orders(self.a, self.b, [self.measure], n, lists, SEED)
        return (float(counts[0, self.ahead]) + 0.5) / (lists + 1)

    def simulate(self, n: int, lists: int) -> None:
        """Draw lists of n items and count the right orders."""
        from ndcg_asymptotics.engines.items.lists import count_orders

        counts = count_orders(self.a, self.b, [self.measure], n, lists, SEED)
        self.seen[n] = int(counts[0, self.ahead]), lists

    def interval(self, n: int, level: float) -> tuple[float, float]:
        """Return a confidence interval for the rate at a simulated length."""
        right, lists = self.seen[n]
        p = (1 - level) / 2
        # Clopper and Pearson's
        low = special.betaincinv(right, lists - right + 1, p) if right > 0 else 0.0
        high = special.betaincinv(right + 1, lists - right, 1 - p) if right < lists else 1.0
        return float(low), float(high)

    def decide(self, n: int) -> int:
        """Return -1 if the rate at n is certainly too low, 1 if it is certainly high enough, else 0."""
        low, high = self.interval(n, _DECISION_LEVEL)
        return -1 if high < self.rate else int(low >= self.rate)


def last_true(condition: Callable[[int], bool], low: int, high: int) -> int:
    """Return the last number up to ``high`` at which a condition holds.

    The condition holds at ``low`` and up to that number. Found by bisection of logarithms.

    >>> last_true(lambda n: n * n <= 1000, 1, 10**12)
    31
    """
    if condition(high):
        return high
    while high - low > 1:
        middle = min(max(round(math.sqrt(max(low, 1) * high)), low + 1), high - 1)
        low, high = (middle, high) if condition(middle) else (low, middle)
    return low


def long_run(a: Scorer, b: Scorer, measure: Measure, effort: float = 1.0) -> LongRun:
    """Return which scorer is ahead on long lists, and the limit of the rate of the right order.

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
    >>> (whole.ahead, whole.rate), (top.ahead, round(top.rate, 2))
    ((0, 1.0), (0, 0.42))
    """
    first = ahead(a, b, measure)
    end = error_exponent(a, b, measure)
    if end.settles:
        return LongRun(first, 1.0, end)
    known = lasting_order(*((b, a) if first else (a, b)), measure)
    if known is not None:
        # an order that never settles is wrong on some lists, however rarely
        return LongRun(first, known if end.settles is not False else min(known, _NEARLY), end, end.reason)
    question = _Question(a, b, measure, 0.5, first, effort)
    rate = question.at_the_top if question.lasting else question.law(LONGEST)
    if end.settles is False:
        return LongRun(first, rate, end, f"{end.reason}{_drawn(question)}")
    settled = abs(rate - question.law(_LONG)) < 1e-3 * max(1 - rate, 1e-3)
    if settled and rate > 1 - 1e-9:
        return LongRun(first, 1.0, end)
    grows = "and does not grow" if settled else "and still grows"
    reason = f"{end.reason}; it is {rate:.3f} at n = {LONGEST:.0e} {grows}{_drawn(question)}"
    return LongRun(first, rate, end, reason)


def _drawn(question: _Question) -> str:
    """Return the interval of a long run that is drawn, of lists with a fixed number of relevant items."""
    if question.a.iid:
        return ""
    found = ranked(*question.pair, question.measure, LONGEST)
    if found.method == "exact":
        return ""
    low, high = (_right(end) for end in (found.high, found.low))
    return f"; the long run is that of drawn lists of {LONGEST:.0e} items, {low:.1%} to {high:.1%} with 95%"


def ahead(a: Scorer, b: Scorer, measure: Measure) -> int:
    """Return 0 if a has the larger mean on long lists, 1 if b has."""
    limits = limit(a, measure).value, limit(b, measure).value
    if limits[0] is None or limits[1] is None or abs(limits[0] - limits[1]) < _DISTINCT:
        return 0 if moments((a, b), measure, _LONG, ROUGH).mean >= 0 else 1
    return int(limits[0] < limits[1])


def required_lengths(
    a: Scorer,
    b: Scorer,
    measures: Sequence[Measure],
    runs: Sequence[LongRun],
    rate: float,
    effort: float = 1.0,
) -> list[Length]:
    """Return the smallest n from which on the right order has the probability ``rate``, for each measure.

    Parameters
    ----------
    a, b : Scorer
        With the same label law, independent given the label.
    measures : sequence of Measure
    runs : sequence of LongRun
        That of each measure.
    rate : float
        Between 0.5 and 1. A tie does not show the right order.
    effort : float
        The share of the usual number of draws; with fewer, intervals are wider.

    Raises
    ------
    NotAvailableError
        If a measure has no exact variance.
    """
    questions = [_Question(a, b, m, rate, run.ahead, effort) for m, run in zip(measures, runs, strict=True)]
    never = {q.measure: _never(q, run) for q, run in zip(questions, runs, strict=True)}
    find = _find if a.iid else _by_ranks
    if a.iid:
        _scan(a, b, [q for q in questions if never[q.measure] is None])
    return [never[q.measure] or find(q) for q in tracked(questions, "required lengths")]


def _by_ranks(question: _Question) -> Length:
    """Return the required length of lists with a fixed number of relevant items."""

    def first(log10: Callable[[WrongOrder], float | None]) -> int:
        """Return the length from which on the rate by a probability, or an end of its interval, is enough."""

        def too_low(n: int) -> bool:
            found = ranked(*question.pair, question.measure, n)
            return _right(log10(found)) < question.rate

        shortest = question.a.least_n
        return last_true(lambda n: n < shortest or too_low(n), shortest - 1, LONGEST) + 1

    length = first(lambda found: found.log10)
    if length > LONGEST:
        return _too_long(question)
    if ranked(*question.pair, question.measure, length).method == "exact":
        return Length(length, None, "exact")
    between = first(lambda found: found.low), min(first(lambda found: found.high), LONGEST)
    return Length(length, between, "simulated on drawn ranks")


def _right(log10_wrong: float | None) -> float:
    return 1.0 if log10_wrong is None else 1 - 10**log10_wrong


def _never(question: _Question, run: LongRun) -> Length | None:
    """Return the answer if the right order never becomes likely enough, None if it does."""
    if run.rate >= question.rate:
        return None
    return Length(None, None, "theorem" if run.end.settles is False else _law_name(question), run.reason)


def _law_name(question: _Question) -> str:
    kind = regime((question.a, question.b), question.measure)
    return {"top ranks": "law of the top ranks", "lasting": "law of the top ranks"}.get(kind, "normal law")


def _scan(a: Scorer, b: Scorer, questions: Sequence[_Question]) -> None:
    """Simulate rates from long lists down to lengths at which they are too low, for all measures at once."""
    from ndcg_asymptotics.engines.items.lists import count_orders

    starts = {q.measure: q.scanned_from for q in questions}
    sizes = [SIMULATED]
    while sizes[-1] > 1:
        sizes.append(math.floor(sizes[-1] / _RATIO))
    unfinished = list(questions)
    lists = _fewest(questions[0].effort) if questions else 0
    for n in tracked(sizes, "simulated list lengths"):
        asked = [q for q in unfinished if starts[q.measure] <= n]
        if asked:
            counts = count_orders(a, b, [q.measure for q in asked], n, lists, SEED)
            for question, row in zip(asked, counts, strict=True):
                question.seen[n] = int(row[question.ahead]), lists
        unfinished = [q for q in unfinished if n not in q.seen or q.decide(n) >= 0]


def _find(question: _Question) -> Length:
    """Return the required length, after the first scan."""
    seen, exact_to = sorted(question.seen, reverse=True), question.exact_to()
    tops = question.items(LONGEST) <= SIMULATED
    if seen and question.decide(seen[0]) <= 0 and not tops:
        return _by_law(question, seen[-1])
    low, high = seen[-1] if seen and question.decide(seen[-1]) < 0 else 0, LONGEST
    for n in seen:  # the shortest from which on all are high enough
        if question.decide(n) <= 0:
            break
        high = n
    if high == LONGEST and seen and tops:
        between = _upwards(question, low)
        if between is None:
            return _too_long(question)
        low, high = between
    if low and exact_to < high:
        return _refined(question, low, high)
    if low and question.exact(low) < question.rate <= question.exact(high):
        return Length(_last_between(question, low, high) + 1, None, "exact")
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
            return _last_between(question, n, before) if before > n else n
        # under a fixed cutoff the rate is smooth in n; where the cutoff grows it jumps
        leap = n > 2 * _FEW_LENGTHS and question.measure.cutoff.regime == "fixed"
        ratio = next(ratio for longest, ratio in _EXACT_RATIOS if n <= longest)
        before, n = n, math.floor(n / ratio) if leap else n - 1
    return 0


def _last_between(question: _Question, low: int, high: int) -> int:
    """Return the last length from ``low`` on at which the exact rate is too low, as it is not at ``high``."""
    wanted = float(special.ndtri(question.rate))

    def gap(n: int) -> float:
        return float(np.clip(special.ndtri(question.exact(n)), -_HIGHEST, _HIGHEST)) - wanted

    known, slow = {math.log(n): gap(n) for n in (low, high)}, 0
    while high - low > 1:
        at = _interpolated(known, math.log(low), math.log(high))
        if slow == _SLOW_STEPS:
            at, slow = (math.log(low) + math.log(high)) / 2, 0
        n, width = min(max(math.ceil(math.exp(at)), low + 1), high - 1), high - low
        known[math.log(n)] = gap(n)
        low, high = (n, high) if known[math.log(n)] < 0 else (low, n)
        slow = slow + 1 if high - low > width / 2 else 0
    return low


def _upwards(question: _Question, low: int) -> tuple[int, int] | None:
    """Return lengths at which the rate is too low and high enough, from draws of tops of long lists."""
    n = SIMULATED
    while n < LONGEST:
        n = min(_FAR_RATIO * n, LONGEST)
        question.simulate(n, _fewest(question.effort))
        if question.decide(n) > 0:
            return low, n
        low = n if question.decide(n) < 0 else low
    return None


def _by_law(question: _Question, low: int) -> Length:
    """Return a required length of about `SIMULATED` items or more, by the law if simulation confirms it."""
    found, name = _crossing_of_law(question, low), _law_name(question)
    if found is None:
        return _too_long(question)
    if found > DRAWN:
        relevant = found * sum(question.a.masses)
        few = f"lists of {found:.2g} items have {relevant:.2g} relevant ones, few for the law of long lists"
        return Length(found, None, name, few if relevant < _FEWEST_RELEVANT else "")
    question.simulate(found, question.affordable(found))
    if question.decide(found) == 0:
        return Length(found, None, f"{name}, confirmed on {question.seen[found][1]:,} simulated lists")
    if question.decide(found) < 0:
        question.simulate(DRAWN, question.affordable(DRAWN))
        if question.decide(DRAWN) < 0:
            return Length(
                None, None, name,
                f"the law of long lists gives n = {found:,}, but simulated lists of {DRAWN:,} items "
                "contradict it",
            )  # fmt: skip
        return _refined(question, found, DRAWN)
    return _refined(question, low, found)


def _too_long(question: _Question) -> Length:
    last = question.law(LONGEST)
    if LONGEST in question.seen:
        right, lists = question.seen[LONGEST]
        last = right / lists
    reason = f"more than {LONGEST:.0e} items, where the rate of the right order is {last:.3f}"
    return Length(None, None, _law_name(question), reason)


def _crossing_of_law(question: _Question, low: int) -> int | None:
    """Return the length beyond ``low`` at which the law gives the required rate; None beyond `LONGEST`."""
    wanted = float(special.ndtri(question.rate))

    def gap(x: float) -> float:
        return math.log(max(question.quantile(round(math.exp(x))), _LOWEST) / wanted)

    start = math.log(max(low, 1))
    if gap(start) >= 0:
        return low + 1
    for end in (math.log(_LONG), math.log(LONGEST)):
        if gap(end) >= 0:
            return math.ceil(math.exp(crossing(gap, start, end)))
        start = end
    return None


def crossing(gap: Callable[[float], float], low: float, high: float) -> float:
    """Return where a nearly linear function is 0, to a few thousandths, from few of its values.

    By inverse interpolation, whose last step is not verified. The function is below 0 at ``low``, and it is
    not at ``high``. On logarithmic scales the normal quantile of the rate of the right order is such a
    function.

    >>> seen = []
    >>> at = crossing(lambda x: seen.append(x) or x**1.2 - 3, 0.0, 10.0)
    >>> abs(at - 3 ** (1 / 1.2)) < 0.005, len(seen)
    (True, 5)
    """
    known = {x: gap(x) for x in (low, high)}
    at, slow = _interpolated(known, low, high), 0
    while True:
        known[at] = gap(at)
        width = high - low
        low, high = (at, high) if known[at] < 0 else (low, at)
        slow = slow + 1 if high - low > width / 2 else 0
        before, at = at, _interpolated(known, low, high)
        if abs(at - before) <= _CLOSE or high - low <= _CLOSE:
            return at
        if slow == _SLOW_STEPS:  # not at all linear
            at, slow = (low + high) / 2, 0


def _interpolated(values: Mapping[float, float], low: float, high: float) -> float:
    """Return about where a function is 0 between two of the points at which its value is known."""
    points = [(x, y) for x, y in sorted(values.items(), key=lambda item: abs(item[1]))[:3]]
    if len({y for _, y in points}) == len(points) == 3:
        (a, f), (b, g), (c, h) = points
        at = a + f * (g * (a - c) / ((f - h) * (h - g)) - h * (a - b) / ((f - g) * (h - g)))
        if low < at < high:
            return at
    return low + (high - low) * values[low] / (values[low] - values[high])


def _fewest(effort: float) -> int:
    """Return how many lists of one length are drawn at least: enough to decide (`_DECISION_LEVEL`)."""
    return _FEWEST_LISTS if effort == 1 else _FEWEST_LISTS // 2


def _refined(question: _Question, low: int, high: int) -> Length:
    """Return the required length in (low, high]: the rate is too low at low and high enough from high on.

    Lists are drawn at a guess, which the scan gives, and then at the length that Newton's method gives. It is
    used for the normal quantile of the rate as a function of log n, with the slope that the law of long lists
    has. Short lengths are decided one by one.
    """
    guess, slope = _guess(question, low, high), 0.0
    for share in (_FIRST_SHARE, 1):
        if guess <= _SHORT or high - low <= _FEW_LENGTHS:
            return _one_by_one(question, max(low, guess // 2), min(high, 2 * guess))
        question.simulate(guess, max(question.affordable(guess) // share, _fewest(question.effort)))
        right, lists = question.seen[guess]
        chance = (right + 0.5) / (lists + 1)
        quantile = float(special.ndtri(chance))
        slope = slope or _slope(question, guess)
        error = math.sqrt(chance * (1 - chance) / lists * 2 * math.pi) * math.exp(quantile**2 / 2) / slope
        step = (float(special.ndtri(question.rate)) - quantile) / slope
        steps = np.clip([step, step - 1.96 * error, step + 1.96 * error], -_FURTHEST, _FURTHEST)
        guess, *ends = (round(n) for n in np.clip(guess * np.exp(steps), low + 1, high).tolist())
    return Length(guess, (ends[0], ends[1]), f"simulated on {lists:,} lists")


def _guess(question: _Question, low: int, high: int) -> int:
    """Return about where the rate in (low, high] is the required one, by the lengths that were scanned."""
    near = sorted(n for n in question.seen if low <= n <= high)
    rates = [(question.seen[n][0] + 0.5) / (question.seen[n][1] + 1) for n in near]
    if len(near) < 2 or not rates[0] < question.rate < rates[-1]:
        return math.ceil(math.sqrt((low + 1) * high))
    # the quantiles of the rates, made to increase with n
    quantiles = np.maximum.accumulate(special.ndtri(rates))
    return math.ceil(math.exp(np.interp(float(special.ndtri(question.rate)), quantiles, np.log(near))))


def _slope(question: _Question, n: int) -> float:
    """Return the derivative of the normal quantile of the rate in log n, by the law of long lists.

    It is at least a fifth of that of a quantile which grows like the root of n.
    """
    apart = _DRAWN_APART if question.lasting else _APART
    ends = [max(1, round(n * factor)) for factor in (1 / apart, apart)]
    low, high = (question.quantile(end) for end in ends)
    return max((high - low) / math.log(ends[1] / ends[0]), float(special.ndtri(question.rate)) / 10)


def _one_by_one(question: _Question, low: int, high: int) -> Length:
    """Return the required length in (low, high] from draws at every length, or at some of many."""
    sizes = np.arange(low + 1, high + 1)
    for n in sizes:
        question.simulate(int(n), question.affordable(int(n), sizes.size))
    rates = np.array([question.seen[int(n)][0] / question.seen[int(n)][1] for n in sizes])
    lower, upper = np.array([question.interval(int(n), _REPORTED_LEVEL) for n in sizes]).T
    first, length, last = (
        min(int(sizes[too_low].max(initial=low)) + 1, high)
        for too_low in (upper < question.rate, rates < question.rate, lower < question.rate)
    )
    lists = sum(question.seen[int(n)][1] for n in sizes)
    return Length(length, (first, last), f"simulated on {lists:,} lists")
