"""The probability that one list of n items does not show the right order of two scorers.

It is computed in one of these ways, the first that applies, and stated with an interval:

==================  =====================================================================================
counted             on drawn lists of up to 4096 items, or tops of lists, if 100 of them are wrong; with a
                    fixed number of relevant items on drawn ranks; elsewhere on drawn labels at the top, where
                    these stay random
weighted draws      by importance sampling (`engines.rare`), where fewer are wrong
large deviations    by the tilt's cost and width (`theory.rare`), where a draw takes long
normal law          with the exact mean and variance (`theory.deviation.regime`), without an interval
==================  =====================================================================================

Draws have fixed seeds, so that equal arguments give equal answers. The engines are imported where lists are
drawn, so that nothing else waits for numba.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from scipy import special

from ndcg_asymptotics.analysis.orders.list_moments import list_moments
from ndcg_asymptotics.analysis.orders.rates import clopper_pearson
from ndcg_asymptotics.analysis.orders.weighted import weighted_rate
from ndcg_asymptotics.core.arrays import LEVEL
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.core.errors import InputError, NotAvailableError
from ndcg_asymptotics.core.rows import Data
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import FixedCounts, Scorer
from ndcg_asymptotics.theory.deviation.regime import regime
from ndcg_asymptotics.theory.rare import Tilt, level_tilt, log_wrong_probability

SIMULATED = 4096
"""Up to this length whole lists are drawn."""
ENOUGH = 100
"""Wrong orders among drawn lists, which leave a relative standard error of 10%."""
_ENOUGH_AT_LESS = 25  # of these, with less than the usual effort
TOP_LISTS = 20_000
"""How many times the labels of the top ranks are drawn."""
SEED = 20130611
"""The seed of all draws."""
FEWEST_LISTS, MOST_LISTS = 400, 100_000
"""How many lists of one length are drawn."""

Counts = tuple[int, int]
"""The number of wrong orders, and of the lists among which they are."""
OrderMethod = Literal["counted", "weighted draws", "large deviations", "normal law"]

_ITEMS = 3_000_000  # drawn of each scorer
_RANKED_LISTS = 20_000  # draws of the ranks of a fixed number of relevant items
_WEIGHTED, _FEWEST_WEIGHTED = 400, 100
_PILOT = 6  # weighted draws that tell how long one takes
_LEAVES = 800_000  # cells of depth in all weighted draws together
_PUT_IN_ORDER = 50_000  # cells that take as long as to put the items of a list in order one by one
_COSTLIEST = 300.0  # nats; a smaller probability is that of large deviations
# The probability lies at most so many decades below that of large deviations, and above it, for each standard
# deviation of the tilted law and up to a number: found over random pairs, measures and lengths
# (tests/README.md)
_BELOW, _ABOVE = (0.05, 0.1, 0.3), (0.1, 0.25, 1.6)
_BITS = math.log2(10)
_SAME, _WIDE = 1e-4, 0.3  # widths of intervals, in decades, that leave more than two digits, and one
_LOWEST_DECIMAL = -3  # power of ten, below which numbers are written with it


@dataclass(frozen=True)
class WrongOrder:
    """The probability that a scorer is not ahead on one list; a tie counts as wrong.

    Attributes
    ----------
    log10 : float or None
        None where it is 0, and where it is so small that there is only the upper end.
    low, high : float or None
        log10 of the ends of an interval, which holds the probability with 95%. None for an end that is 0, and
        both where no interval is known.
    method : str
    """

    log10: Annotated[float | None, Data("log10_wrong")]
    low: Annotated[float | None, Data("log10_wrong_low")]
    high: Annotated[float | None, Data("log10_wrong_high")]
    method: Annotated[OrderMethod, Data("wrong_method")]

    @classmethod
    def counted(cls, wrong: int, lists: int) -> WrongOrder:
        """Return what ``wrong`` of so many drawn lists say.

        >>> found = WrongOrder.counted(100, 1000)
        >>> [round(10**x, 4) for x in (found.log10, found.low, found.high)]
        [0.1, 0.0821, 0.1203]
        """
        low, high = clopper_pearson(wrong, lists, LEVEL)
        return cls(_log10(wrong / lists), _log10(low), _log10(high), "counted")

    @classmethod
    def normal(cls, effect: float) -> WrongOrder:
        """Return what the normal law says of an effect size.

        >>> round(WrongOrder.normal(40.0).log10, 3)
        -349.437
        """
        return cls(float(special.log_ndtr(-effect)) / math.log(10), None, None, "normal law")

    @property
    def width(self) -> float:
        """The width of the interval, in decades."""
        return math.inf if self.low is None or self.high is None else self.high - self.low

    def __str__(self) -> str:
        """Return the probability as it is printed: with the digits that its interval leaves.

        >>> counted = (WrongOrder.counted(wrong, 10_000) for wrong in (300, 3, 0))
        >>> [str(found) for found in counted]
        ['0.030 ± 0.004', '6e-5 to 9e-4', 'below 4e-4']
        >>> print(WrongOrder(-1.1, None, None, "normal law"))
        about 0.08
        """
        if self.high is None:
            return "-" if self.log10 is None else f"about {log10_text(self.log10, 1)}"
        if self.log10 is None:
            return f"below {log10_text(self.high, 1, math.ceil)}"
        if self.width < _SAME:
            return log10_text(self.log10, 2)
        low = -math.inf if self.low is None else self.low
        half = (10**self.high - 10**low) / 2
        if self.log10 > _LOWEST_DECIMAL and half < 10**self.log10 / 2:
            digits = -math.floor(math.log10(half / 2))
            value = round(10**self.log10, digits)
            most = max(10**self.high - value, value - 10**low)
            return f"{value:.{digits}f} ± {math.ceil(most * 10**digits) / 10**digits:.{digits}f}"
        digits = 1 if self.width > _WIDE else 2
        return f"{log10_text(low, digits, math.floor)} to {log10_text(self.high, digits, math.ceil)}"


def log10_text(log10: float, digits: int, rounded: Callable[[float], float] = round) -> str:
    """Return the number with this logarithm, with one or two digits, however small it is.

    >>> log10_text(-1.1, 2), log10_text(-74.2, 1), log10_text(-74.2, 2, math.ceil), log10_text(0.0, 2)
    ('0.079', '6e-75', '6.4e-75', '1')
    """
    if math.isinf(log10):
        return "0"
    power = math.floor(log10)
    ten = 10 ** (digits - 1)
    number = rounded(10 ** (log10 - power) * ten)
    if number >= 10 * ten:
        number, power = ten, power + 1
    if power >= _LOWEST_DECIMAL:
        return f"{number / ten * 10.0**power:.{max(digits - 1 - power, 0)}f}".rstrip("0").rstrip(".")
    return f"{number / ten:.{digits - 1}f}e{power}"


@shared
def wrong_order(
    a: Scorer, b: Scorer, measure: Measure, n: int, drawn: Counts | None = None, effort: float = 1.0
) -> WrongOrder:
    """Return P(NDCG_n(a) <= NDCG_n(b)) on one list.

    Parameters
    ----------
    a, b : Scorer
        With the same label law, independent given the label; a is the one that should be ahead.
    measure : Measure
    n : int
    drawn : (int, int), optional
        What `draw_orders` returns for the measure if a should be ahead, where that is known.
    effort : float
        The share of the usual number of draws; with fewer, intervals are wider.

    >>> pair = Scorer.of("linear(0.1, 0.7)"), Scorer.of("constant(0.4)")
    >>> found = wrong_order(*pair, Measure.of("nDCG@3"), 100)
    >>> abs(10**found.log10 - 0.29) < 0.01, found.method
    (True, 'counted')
    """
    plain = None
    if drawable(a, measure, n):
        wrong, lists = drawn or draw_orders(a, b, [measure], n, effort)[0][0]
        plain = WrongOrder.counted(wrong, lists)
        if wrong >= (ENOUGH if effort == 1 else _ENOUGH_AT_LESS):
            return plain
    if not a.iid:
        return plain or of_fixed_counts(a, b, measure, n)
    try:
        found = level_tilt(a.model, b.model, measure, n, leader=1)
    except (InputError, NotAvailableError):
        found = None  # the wrong order is impossible, or a tie
    if found is not None:
        weighted = _weighted(a, b, measure, n, effort) if found.cost <= _COSTLIEST else None
        weighted = weighted or (_large_deviations(found) if plain is None and found.cost > 0 else None)
        if weighted is not None and (plain is None or weighted.width < plain.width):
            return weighted
    if plain is not None:
        return plain
    if regime((a, b), measure) == "lasting":
        lists = max(int(effort * TOP_LISTS), FEWEST_LISTS)
        return WrongOrder.counted(lists - orders_at_the_top(a, b, measure, lists)[0], lists)
    return WrongOrder(_log10(1 - list_moments((a, b), measure, n).right_rate), None, None, "normal law")


def orders_at_the_top(a: Scorer, b: Scorer, measure: Measure, lists: int) -> Counts:
    """Count how often each of two scorers is ahead among drawn labels of the top ranks, which stay random."""
    from ndcg_asymptotics.engines.items.lists import count_orders_at_the_top

    return count_orders_at_the_top(a.model, b.model, measure, lists, SEED)


def drawable(scorer: Scorer, measure: Measure, n: int) -> bool:
    """Return whether some hundred lists, or their tops, are drawn in well under a second."""
    from ndcg_asymptotics.engines.items.lists import items_drawn

    return items_drawn(scorer, [measure], n) <= SIMULATED


def draw_orders(
    a: Scorer, b: Scorer, measures: Sequence[Measure], n: int, effort: float = 1.0
) -> list[tuple[Counts, Counts]]:
    """Draw some thousand lists that all measures share.

    Returns
    -------
    list
        For each measure what is counted if a should be ahead, and if b should.
    """
    from ndcg_asymptotics.engines.items.lists import count_orders, items_drawn

    items = items_drawn(a, measures, n)
    lists = max(int(effort * min(_ITEMS // items, MOST_LISTS)), FEWEST_LISTS)
    counts = count_orders(a, b, measures, n, lists, SEED)
    return [((lists - int(first), lists), (lists - int(second), lists)) for first, second in counts]


@shared
def of_fixed_counts(a: Scorer, b: Scorer, measure: Measure, n: int) -> WrongOrder:
    """Return `wrong_order` with a fixed number of relevant items, from draws of their ranks.

    >>> pair = (Scorer.parse(f"relevant(1, roc_power({k}))") for k in (0.4, 0.6))
    >>> str(of_fixed_counts(*pair, Measure.of("nDCG"), 10**12))
    '0.398 ± 0.008'
    """
    from ndcg_asymptotics.engines.cells.ranks import count_orders_of_ranks

    assert isinstance(a, FixedCounts)
    assert isinstance(b, FixedCounts)
    right = count_orders_of_ranks(a, b, measure, n, _RANKED_LISTS, SEED)[0]
    return WrongOrder.counted(_RANKED_LISTS - int(right), _RANKED_LISTS)


def _weighted(a: Scorer, b: Scorer, measure: Measure, n: int, effort: float) -> WrongOrder | None:
    """Return what weighted draws say; None where cells show no tilt, or draws take long, or too few count."""
    from ndcg_asymptotics.engines.engine import UNDECIDED
    from ndcg_asymptotics.engines.rare.draw import draw_pair
    from ndcg_asymptotics.engines.rare.plan import make

    try:
        plan = make(a.model, b.model, measure, n, 1)
    except NotAvailableError:  # cells show no tilt, as the means of lists do
        return None
    rng = np.random.default_rng(np.random.SeedSequence(SEED, spawn_key=(n,)))
    drawn = [draw_pair(plan, rng) for _ in range(_PILOT)]
    cells = [sum(len(part.cell) for part in one.lists) if one.kept else _PUT_IN_ORDER for one in drawn]
    draws = min(max(int(effort * _WEIGHTED), _FEWEST_WEIGHTED), int(_LEAVES / np.mean(cells)))
    if draws < _FEWEST_WEIGHTED:
        return None
    drawn += [draw_pair(plan, rng) for _ in range(draws - _PILOT)]
    order, log_weight = np.array([one.order for one in drawn]), np.array([one.log_weight for one in drawn])
    unknown = order == UNDECIDED
    found = weighted_rate(n, log_weight, (order != 1) & ~unknown, unknown)
    most = weighted_rate(n, log_weight, order != 1, np.zeros_like(unknown))
    if found.log10_wrong is None or most.log10_wrong is None:
        return None
    low, high = found.log10_wrong - found.log10_error, most.log10_wrong + most.log10_error
    # a list without relevant items, or with nothing else, is a tie; the tilted law may hardly ever draw it
    tie = max(n * math.log10(p) for p in (*a.masses, 1 - sum(a.masses)) if p > 0)
    both = float(np.logaddexp2(high * _BITS, tie * _BITS)) / _BITS
    return WrongOrder(max(found.log10_wrong, tie), max(low, tie), min(both, 0.0), "weighted draws")


def _large_deviations(found: Tilt) -> WrongOrder:
    log10 = log_wrong_probability(found.cost, found.std) / math.log(10)
    below, above = (min(least + slope * found.std, most) for least, slope, most in (_BELOW, _ABOVE))
    low, high = log10 - below, min(log10 + above, 0.0)
    return WrongOrder((low + high) / 2, low, high, "large deviations")


def _log10(p: float) -> float | None:
    return math.log10(p) if p > 0 else None
