"""The list length from which on a single list shows the right order of two scorers often enough.

The search follows the probability of the right order (`orders.right_order`) as lists grow:

1. The limit says whether there is such a length at all (`long_run`).
2. Some hundred lists are drawn at lengths a factor 2 apart, up to 4096. They tell a length at which the
   probability is too low and a longer one from which on it is high enough (`_scan`).
3. Where 4096 items are too few, tops of longer lists are drawn if the cutoff is fixed (`_upwards`). Elsewhere
   bisection of log n finds the length at which the normal law has the probability; up to 16,384 items drawn
   lists confirm it (`_by_law`).
4. Between the two lengths the required one is found from more drawn lists and the slope of the law, with an
   interval (`_refined`).

With a fixed number of relevant items the probability is known at every length (`_by_ranks`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from ndcg_asymptotics.analysis.orders.one_list import SIMULATED, WrongOrder
from ndcg_asymptotics.analysis.orders.right_order import (
    LONGEST,
    LongRun,
    RightOrder,
    long_run,
    right,
    simulate_together,
)
from ndcg_asymptotics.core.caching import shared_each
from ndcg_asymptotics.core.errors import NotAvailableError
from ndcg_asymptotics.core.progress import tracked
from ndcg_asymptotics.core.search import first_true
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.theory.deviation.regime import regime

DRAWN = 4 * SIMULATED
"""Up to this length a length that the law gives is confirmed by simulation."""

_FEW_LENGTHS = 12  # in ranges of at most this many lengths every length is simulated
_SHORT = 40  # lengths up to this are decided one by one
_FIRST_SHARE = 4  # the first simulation draws one of so many lists
_FURTHEST, _NEAR = 1.0, 0.9  # by which a step changes log n at most, and by which the last one does
_MOST_STEPS = 4  # with all draws
_APART, _DRAWN_APART = 1.25, 2.0  # ratio of lengths between which a slope is taken, and of drawn rates
_DECISION_LEVEL, _REPORTED_LEVEL = 0.999, 0.95  # of confidence intervals
_FAR_RATIO = 8  # of neighbouring lengths where tops of long lists are drawn
_FEWEST_RELEVANT = 100  # items, below which the normal law may be inaccurate


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


def lengths_for(
    a: Scorer, b: Scorer, measures: Sequence[Measure], rate: float
) -> dict[Measure, tuple[LongRun, Length]]:
    """Return for each measure the long run and the smallest n from which on the right order is likely enough.

    Measures without an exact variance are left out.

    Parameters
    ----------
    a, b : Scorer
        With the same label law, independent given the label.
    measures : sequence of Measure
    rate : float
        The required probability, between 0.5 and 1. A tie does not show the right order.

    >>> pair = (Scorer.of(text) for text in ("linear(0.1, 0.7)", "constant(0.4)"))
    >>> ((run, length),) = lengths_for(*pair, [Measure.of("nDCG")], 0.95).values()
    >>> run.rate, length.n, length.between
    (1.0, 126, (122, 130))
    """
    lengths = _lengths(measures, a, b, rate)
    return {measure: length for measure, length in zip(measures, lengths, strict=True) if length is not None}


@shared_each  # the measures that a page compares its own with stay the same, whatever n and this one are
def _lengths(
    measures: Sequence[Measure], a: Scorer, b: Scorer, rate: float
) -> list[tuple[LongRun, Length] | None]:
    runs = {}
    for measure in tracked(measures, "measures"):
        try:
            runs[measure] = long_run(a, b, measure)
        except NotAvailableError:
            continue
    questions = {measure: _Question(a, b, measure, run.ahead, rate=rate) for measure, run in runs.items()}
    if a.iid:
        _scan([question for measure, question in questions.items() if runs[measure].rate >= rate])
    lengths = {}
    for measure, run in tracked(list(runs.items()), "required lengths"):
        question = questions[measure]
        if run.rate < rate:
            method = "theorem" if run.end.settles is False else question.law_name
            lengths[measure] = run, Length(None, None, method, run.reason)
        else:
            lengths[measure] = run, _between(question) if a.iid else _by_ranks(question)
    return [lengths.get(measure) for measure in measures]


@dataclass
class _Question(RightOrder):
    """The probability of the right order by one measure, and the one that is required."""

    rate: float = 0.95

    @property
    def wanted(self) -> float:
        """The normal quantile of the required probability."""
        return float(special.ndtri(self.rate))

    def decide(self, n: int) -> int:
        """Return -1 if the lists drawn at n say that the rate is too low, 1 if it is high enough, else 0."""
        low, high = self.interval(n, _DECISION_LEVEL)
        return -1 if high < self.rate else int(low >= self.rate)


def _by_ranks(question: _Question) -> Length:
    """Return the required length of lists with a fixed number of relevant items."""

    def first(log10: Callable[[WrongOrder], float | None]) -> int:
        """Return the length from which on the rate by a probability, or an end of its interval, is enough."""
        return first_true(
            lambda n: right(log10(question.of_fixed_counts(n))) >= question.rate,
            question.a.least_n - 1,
            LONGEST + 1,
        )

    length = first(lambda found: found.log10)
    if length > LONGEST:
        return _too_long(question)
    between = first(lambda found: found.low), min(first(lambda found: found.high), LONGEST)
    return Length(length, between, "simulated on drawn ranks")


def _scan(questions: Sequence[_Question]) -> None:
    """Draw lists, from long ones down to those with which the rate is too low, for all measures at once."""
    unfinished = list(questions)
    for halvings in tracked(range(SIMULATED.bit_length()), "simulated list lengths"):
        n = SIMULATED >> halvings
        if unfinished:
            simulate_together(unfinished, n, unfinished[0].fewest)
        unfinished = [q for q in unfinished if q.decide(n) >= 0]


def _between(question: _Question) -> Length:
    """Return the required length from what the scan tells."""
    scanned = sorted(question.seen)
    fixed = question.items(LONGEST) <= SIMULATED
    low = scanned[0] if question.decide(scanned[0]) < 0 else 0
    enough = [n for n in scanned if all(question.decide(m) > 0 for m in scanned if m >= n)]
    if enough:
        high = enough[0]
    elif not fixed:
        return _by_law(question, scanned[0])
    else:
        low, high = _upwards(question, low)
        if high > LONGEST:
            return _too_long(question)
    return _refined(question, low, high)


def _upwards(question: _Question, low: int) -> tuple[int, int]:
    """Return lengths at which the rate is too low and high enough, from draws of tops of long lists."""
    n = SIMULATED
    while n < LONGEST:
        n = min(_FAR_RATIO * n, LONGEST)
        question.simulate(n, question.fewest)
        decided = question.decide(n)
        if decided > 0:
            return low, n
        low = n if decided < 0 else low
    return low, LONGEST + 1


def _by_law(question: _Question, low: int) -> Length:
    """Return a required length of about `SIMULATED` items or more, by the law if simulation confirms it."""
    n = first_true(lambda n: _enough_by_law(question, n), low, LONGEST + 1)
    if n > LONGEST:
        return _too_long(question)
    name = question.law_name
    if n > DRAWN:
        return _of_law(question, n)
    question.simulate(n, question.affordable(n))
    if question.decide(n) == 0 and regime(question.pair, question.measure) == "normal":
        return Length(n, None, f"{name}, confirmed on {question.seen[n][1]:,} simulated lists")
    if question.decide(n) > 0:
        return _refined(question, low, n)
    question.simulate(DRAWN, question.affordable(DRAWN))
    if question.decide(DRAWN) >= 0:
        return _refined(question, n if question.decide(n) < 0 else low, DRAWN)
    contradicted = f"the normal law gives n = {n:,}, but simulated lists of {DRAWN:,} items contradict it"
    return Length(None, None, name, contradicted)


def _enough_by_law(question: _Question, n: int) -> bool:
    """Return whether the law says that the rate is high enough; where it has no deviation it does not."""
    try:
        return question.law_quantile(n) >= question.wanted
    except NotAvailableError:
        return False


def _of_law(question: _Question, n: int) -> Length:
    """Return a length that the law gives, beyond those of lists that are drawn."""
    relevant = n * sum(question.a.masses)
    reason = ""
    if relevant < _FEWEST_RELEVANT:
        reason = f"lists of {n:.2g} items have {relevant:.2g} relevant ones, few for the normal law"
    elif regime(question.pair, question.measure) == "top ranks":
        reason = "a few top ranks decide, for which the normal law is rough"
    return Length(n, None, question.law_name, reason)


def _too_long(question: _Question) -> Length:
    if LONGEST in question.seen:
        drawn, lists = question.seen[LONGEST]
        last = drawn / lists
    else:
        last = question.by_law(LONGEST)
    reason = f"more than {LONGEST:.0e} items, where the rate of the right order is {last:.3f}"
    return Length(None, None, question.law_name, reason)


def _refined(question: _Question, low: int, high: int) -> Length:
    """Return the required length in (low, high]: the rate is too low at low and high enough from high on.

    Lists are drawn at a guess, which the scan gives, and then at the length that Newton's method gives. It is
    used for the normal quantile of the rate as a function of log n, with the slope that the normal law has.
    Short lengths are decided one by one.
    """
    guess, slope = _guess(question, low, high), 0.0
    for share in (_FIRST_SHARE, *[1] * _MOST_STEPS):
        if guess <= _SHORT or high - low <= _FEW_LENGTHS:
            return _one_by_one(question, max(low, guess // 2), min(high, 2 * guess))
        question.simulate(guess, max(question.affordable(guess) // share, question.fewest))
        before, lists = guess, question.seen[guess][1]
        slope = slope or _slope(question, guess)
        guess, ends = _newton(question, guess, slope, low + 1, high)
        if share == 1 and abs(math.log(guess / before)) < _NEAR:  # else the interval ends where the step does
            break
    return Length(guess, ends, f"simulated on {lists:,} lists")


def _newton(question: _Question, n: int, slope: float, least: int, most: int) -> tuple[int, tuple[int, int]]:
    """Return the required length by lists drawn at n, with a 95% interval, none shorter or longer than these.

    Parameters
    ----------
    slope : float
        The derivative of the normal quantile of the rate in log n.
    """
    chance, lists = question.share(n), question.seen[n][1]
    at = float(special.ndtri(chance))
    error = math.sqrt(chance * (1 - chance) / lists * 2 * math.pi) * math.exp(at**2 / 2) / slope
    step = (question.wanted - at) / slope
    steps = np.clip([step, step - 1.96 * error, step + 1.96 * error], -_FURTHEST, _FURTHEST)
    found, low, high = (round(x) for x in np.clip(n * np.exp(steps), least, most).tolist())
    return found, (low, high)


def _guess(question: _Question, low: int, high: int) -> int:
    """Return about where the rate in (low, high] is the required one, by the lengths that were scanned."""
    near = sorted(n for n in question.seen if low <= n <= high)
    rates = [question.share(n) for n in near]
    if len(near) < 2 or not rates[0] < question.rate < rates[-1]:
        return math.ceil(math.sqrt((low + 1) * high))
    # the quantiles of the rates, made to increase with n
    quantiles = np.maximum.accumulate(special.ndtri(rates))
    return math.ceil(math.exp(np.interp(question.wanted, quantiles, np.log(near))))


def _slope(question: _Question, n: int) -> float:
    """Return the derivative of the normal quantile of the rate in log n, by the normal law.

    It is at least a fifth of that of a quantile which grows like the root of n.
    """
    apart = _DRAWN_APART if question.lasting else _APART
    ends = [max(1, round(n * factor)) for factor in (1 / apart, apart)]
    try:
        low, high = (question.law_quantile(end) for end in ends)
    except NotAvailableError:  # no standard deviation there
        return question.wanted / 2
    return max((high - low) / math.log(ends[1] / ends[0]), question.wanted / 10)


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
