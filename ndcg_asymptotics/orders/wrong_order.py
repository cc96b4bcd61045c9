"""The probability that one list of n items does not show the right order of two scorers.

It is computed in one of these ways, the first that applies, and stated with an interval:

==================  =====================================================================================
counted             on drawn lists, or their tops under a fixed cutoff, if 100 of them are wrong; with a fixed
                    number of relevant items on drawn ranks
drawn tops          where sum D^2 is finite, on lists of more than 4096 items: the first 500 ranks are drawn,
                    and the difference of the DCGs below them by its normal law
weighted draws      by importance sampling (`engines.rare`), where fewer are wrong or lists are too long
large deviations    by the tilt's cost and width (`theory.orders`), where a draw takes long
normal law          with the exact mean and variance, without an interval: long lists in the regime "normal"
rough normal law    the same in other regimes (`theory.deviation.regime`)
==================  =====================================================================================

Draws have fixed seeds, so that equal arguments give equal answers. The engines are imported where lists are
drawn, so that nothing else waits for numba.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ndcg_asymptotics.core.caching import shared, shared_each
from ndcg_asymptotics.core.errors import InputError, NotAvailableError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.orders.list_moments import list_moments
from ndcg_asymptotics.orders.probability import OrderMethod, WrongOrder
from ndcg_asymptotics.orders.weighted import weighted_rate
from ndcg_asymptotics.populations import FixedCounts, Relevance, Scorer
from ndcg_asymptotics.theory.deviation import moments
from ndcg_asymptotics.theory.deviation.regime import regime
from ndcg_asymptotics.theory.orders import Tilt, level_tilt, log_wrong_probability

if TYPE_CHECKING:
    from ndcg_asymptotics.engines.items.lists import DrawnRanks

SEED = 20130611
"""The seed of all draws."""

_MOST_ITEMS = 4096  # of a list that is drawn
_ITEMS = 3_000_000  # drawn of each scorer
_FEWEST_LISTS, _MOST_LISTS = 400, 100_000  # drawn lists
_RANKED_LISTS = 20_000  # draws of the ranks of a fixed number of relevant items
_ENOUGH, _ENOUGH_AT_LESS = 100, 25  # wrong orders among drawn lists, and with less than the usual effort
_TOP = 500  # ranks that are drawn one by one where sum D^2 is finite
_FEWEST_RANDOM = 10.0  # expected unlikely labels at these ranks, by which those below are nearly normal
_NOTHING = 1e-16  # a discount, relative to the first one
_WEIGHTED, _FEWEST_WEIGHTED = 400, 100  # weighted draws, as a rule and at least
_PILOT = 6  # weighted draws that tell how long one takes
_LEAVES = 800_000  # cells of depth in all weighted draws together
_PUT_IN_ORDER = 50_000  # cells that take as long as to put the items of a list in order one by one
_COSTLIEST = 300.0  # nats; a smaller probability is that of large deviations
_RARE = 10.0  # nats, beyond which large deviations say more than lists none of which is wrong
# The probability lies at most so many decades below that of large deviations, and above it, for each standard
# deviation of the tilted law and up to a number: found over random pairs, measures and lengths
# (tests/README.md)
_BELOW, _ABOVE = (0.05, 0.1, 0.3), (0.1, 0.25, 1.6)
_BLURRED = 0.25  # and this share of what was taken off the cost for a sharp cutoff
_BITS = math.log2(10)


class DrawnOrders(NamedTuple):
    """Counts of drawn lists: of all, and of those on which either scorer is not ahead."""

    lists: int
    wrong: tuple[int, int]
    method: OrderMethod = "counted"


@shared
def wrong_order(
    a: Scorer, b: Scorer, measure: Measure, n: int, ahead: int = 0, effort: float = 1.0
) -> WrongOrder:
    """Return P(one of two scorers is not ahead on one list).

    Parameters
    ----------
    a, b : Scorer
        With the same label law, independent given the label.
    measure : Measure
    n : int
    ahead : int
        0 if a should be ahead, 1 if b should. A tie is wrong.
    effort : float
        The share of the usual number of draws; with fewer, intervals are wider.

    >>> pair = Scorer.of("linear(0.1, 0.7)"), Scorer.of("constant(0.4)")
    >>> wrong = wrong_order(*pair, Measure.of("nDCG@3"), 100)
    >>> abs(10**wrong.log10 - 0.29) < 0.01, wrong.method
    (True, 'counted')
    """
    plain, (counts,) = None, drawn_orders([measure], a, b, n, effort)
    if counts is not None:
        plain = WrongOrder.counted(counts.wrong[ahead], counts.lists, counts.method)
        if not a.iid or counts.wrong[ahead] >= (_ENOUGH if effort == 1 else _ENOUGH_AT_LESS):
            return plain
    better, worse = (b.model, a.model) if ahead else (a.model, b.model)
    try:
        tilt = level_tilt(better, worse, measure, n, leader=1)
    except (InputError, NotAvailableError):
        tilt = None  # the wrong order is impossible, or a tie
    if tilt is not None:
        rare = _weighted(better, worse, measure, n, effort) if tilt.cost <= _COSTLIEST else None
        if rare is None and tilt.cost > (0.0 if plain is None else _RARE):
            rare = _large_deviations(tilt)
        if rare is not None and (plain is None or rare.width < plain.width):
            return rare
    if plain is not None:
        return plain
    mean, sd, *_ = list_moments((better, worse), measure, n)
    rough = regime((better, worse), measure) != "normal"
    return WrongOrder.normal(
        mean / sd if sd > 0 else math.copysign(math.inf, mean), "rough normal law" if rough else "normal law"
    )


@shared_each  # those of measures that are asked for together are drawn together
def drawn_orders(
    measures: Sequence[Measure], a: Scorer, b: Scorer, n: int, effort: float
) -> list[DrawnOrders | None]:
    """Return for each measure what is counted on drawn lists; None where that takes too long."""
    from ndcg_asymptotics.engines.cells.ranks import count_orders_of_ranks
    from ndcg_asymptotics.engines.items.lists import count_orders, items_drawn

    drawn: dict[Measure, DrawnOrders] = {}
    if isinstance(a, FixedCounts):
        assert isinstance(b, FixedCounts)
        lists = max(int(effort * min(_RANKED_LISTS, _ITEMS // a.least_n)), _FEWEST_LISTS)
        for measure in measures:
            first, second = count_orders_of_ranks(a, b, measure, n, lists, SEED)
            drawn[measure] = DrawnOrders(lists, (lists - first, lists - second))
        return [drawn[measure] for measure in measures]
    tops = {measure: _top(a.model, b.model, measure, n) for measure in measures}
    items = {measure: items_drawn(a, top.ranks, n) for measure, top in tops.items()}
    whole = [measure for measure in measures if items[measure] == n]
    for group in (whole, *([measure] for measure in measures if items[measure] < n)):
        if group and items[group[0]] <= _MOST_ITEMS:
            lists = max(int(effort * min(_ITEMS // items[group[0]], _MOST_LISTS)), _FEWEST_LISTS)
            counts = count_orders(a, b, group, n, lists, SEED, [tops[measure] for measure in group])
            for measure, (first, second) in zip(group, counts.tolist(), strict=True):
                method: OrderMethod = "drawn tops" if any(tops[measure][1:]) else "counted"
                drawn[measure] = DrawnOrders(lists, (lists - first, lists - second), method)
    return [drawn.get(measure) for measure in measures]


def _top(a: Relevance, b: Relevance, measure: Measure, n: int) -> DrawnRanks:
    """Return which ranks are drawn one by one, and the law of what lies below them."""
    from ndcg_asymptotics.engines.items.lists import DrawnRanks

    k = min(measure.cutoff(n), n)
    if k <= _TOP or not measure.discount.asymptotics.square_summable:
        return DrawnRanks(k)
    weights = measure.discount(np.arange(1.0, _TOP + 1), float(n))
    if weights[-1] <= _NOTHING * weights[0]:
        return DrawnRanks(int((weights > _NOTHING * weights[0]).sum()))
    if n <= _MOST_ITEMS:
        return DrawnRanks(k)
    likeliest = (scorer.label_law(_TOP / n / 2)[1].max() for scorer in (a, b))
    if _TOP * sum(1 - chance for chance in likeliest) < _FEWEST_RANDOM:
        return DrawnRanks(k)
    cut = Measure(measure.discount, _TOP, False)
    whole = Measure(measure.discount, measure.cutoff, False)
    try:
        (mean, sd), (mean_above, sd_above) = (moments((a, b), part, n) for part in (whole, cut))
    except NotAvailableError:
        return DrawnRanks(k)
    return DrawnRanks(_TOP, mean - mean_above, math.sqrt(max(sd**2 - sd_above**2, 0.0)))


def _weighted(a: Relevance, b: Relevance, measure: Measure, n: int, effort: float) -> WrongOrder | None:
    """Return what weighted draws say; None where cells show no tilt, or draws take long, or too few count."""
    from ndcg_asymptotics.engines.engine import UNDECIDED
    from ndcg_asymptotics.engines.rare.draw import draw_pair
    from ndcg_asymptotics.engines.rare.plan import make

    try:
        plan = make(a, b, measure, n, 1)
    except NotAvailableError:  # cells show no tilt, as the means of lists do
        return None
    rng = np.random.default_rng(np.random.SeedSequence(SEED, spawn_key=(n,)))
    sample = [draw_pair(plan, rng) for _ in range(_PILOT)]
    cells = [
        sum(len(part.cell) for part in draw.lists) if draw.in_leaves else _PUT_IN_ORDER for draw in sample
    ]
    draws = min(max(int(effort * _WEIGHTED), _FEWEST_WEIGHTED), int(_LEAVES / np.mean(cells)))
    if draws < _FEWEST_WEIGHTED:
        return None
    sample += [draw_pair(plan, rng) for _ in range(draws - _PILOT)]
    order = np.array([draw.order for draw in sample])
    log_weight = np.array([draw.log_weight for draw in sample])
    unknown = order == UNDECIDED
    rate = weighted_rate(n, log_weight, (order != 1) & ~unknown, unknown)
    most = weighted_rate(n, log_weight, order != 1, np.zeros_like(unknown))
    if rate.log10_wrong is None or most.log10_wrong is None:
        return None
    low, high = rate.log10_wrong - rate.log10_error, most.log10_wrong + most.log10_error
    # a list without relevant items, or with nothing else, is a tie; the tilted law may hardly ever draw it
    tie = max(n * math.log10(p) for p in (*a.masses, 1 - sum(a.masses)) if p > 0)
    with_ties = float(np.logaddexp2(high * _BITS, tie * _BITS)) / _BITS
    return WrongOrder(max(rate.log10_wrong, tie), max(low, tie), min(with_ties, 0.0), "weighted draws")


def _large_deviations(tilt: Tilt) -> WrongOrder:
    log10 = log_wrong_probability(tilt.cost, tilt.std) / math.log(10)
    doubt = _BLURRED * abs(tilt.blur) / math.log(10)
    below, above = (min(least + slope * tilt.std, most) + doubt for least, slope, most in (_BELOW, _ABOVE))
    low, high = log10 - below, min(log10 + above, 0.0)
    return WrongOrder((low + high) / 2, low, high, "large deviations")
