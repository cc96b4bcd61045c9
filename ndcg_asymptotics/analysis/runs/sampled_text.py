"""What evaluations against sampled negatives, and runs that hold candidates, can and cannot say, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from ndcg_asymptotics.analysis.runs.sampled_rows import CandidateRow, OrderAt
from ndcg_asymptotics.lists.ranked_users import RelevantDepths
from ndcg_asymptotics.measures import Measure

_NAMED = 3  # pairs that a sentence names


def statement(orders: Sequence[OrderAt], measure: str, m: int, level: float) -> str:
    """Return in a sentence what a sampled result can and cannot say about the order of the systems."""
    sure, rest = ([o for o in orders if (o.right >= level) is yes] for yes in (True, False))
    parts = []
    if sure or len(orders) > 1:
        alone = f"{orders[0].pair.a} and {orders[0].pair.b}"
        count = f"{len(sure)} of {len(orders)} pairs" if len(orders) > 1 else alone
        words = f"orders {count} as the full metric does with probability {level:g} or more"
        parts.append(f"a sampled result {words}")
    parts += [_relapse(o, level) for o in sure if o.pair.enough is None or o.pair.enough > m][:_NAMED]
    parts += [_exception(o) for o in rest[:_NAMED]]
    if len(rest) > _NAMED:
        parts.append(f"{len(rest) - _NAMED} further pairs are not certain either")
    return f"{measure}, m = {m}: {'; '.join(parts)}."


def _relapse(order: OrderAt, level: float) -> str:
    """Return that two systems, whose sampled order is right at some m, need not be so at larger ones."""
    pair = order.pair
    last = f" and is back above it from m = {pair.enough:,} on" if pair.enough else ""
    return f"for {pair.a} and {pair.b} the probability falls below {level:g} at larger m{last}"


def _exception(order: OrderAt) -> str:
    """Return what is wrong with the sampled order of two systems."""
    pair, (ahead, behind) = order.pair, order.names
    if not pair.difference:
        return f"{pair.a} and {pair.b} are equal by the full metric"
    if order.difference * pair.difference > 0:
        return f"{ahead} is ahead, as by the full metric, of {behind} with probability {order.right:.2g} only"
    reverse = f"puts {behind} ahead on average" if order.difference else "does not tell them apart"
    mend = f", and from m = {pair.enough:,} on it puts {ahead} ahead" if pair.enough else ""
    return (
        f"by the full metric {ahead} is ahead of {behind}, but the sampled one {reverse}, however often it "
        f"is repeated{mend}"
    )


def short_lists(systems: Mapping[str, RelevantDepths]) -> list[str]:
    """Return that lists are short, if all are, so that the metric of them need not be that of all items."""
    longest = max((depths.longest for depths in systems.values()), default=0)
    items = next((depths.ranked.items for depths in systems.values()), 0)
    if 2 * longest > items or not systems:
        return []
    return [
        f"Full: the lists hold at most {longest:,} of {items:,} items. A relevant item that a run did not "
        "retrieve gains nothing, so this is the metric of a ranking of all items only for cutoffs up to the "
        "length of the shortest list."
    ]


def about_candidates(longest: int, items: int, level: float) -> str:
    """Return what lists that hold candidates do not say, and what is computed from them."""
    return (
        f"Every list has at most {longest:,} of {items:,} items, its relevant item among them: "
        "candidates that were sampled. What is measured on them is not the metric of a ranking of all items. "
        f"Full: bounds of that for these users, with {100 * level:.4g}% confidence for all systems together, "
        "if the negatives are a uniform sample. ±: standard errors over users; estimates are also biased"
    )


def order_by_bounds(measure: Measure, rows: Sequence[CandidateRow]) -> str:
    """Return which systems are told apart by the bounds of the full metric."""
    told = []
    for a, b in combinations(rows, 2):
        if a.low is None or b.low is None or a.high is None or b.high is None:
            continue
        if a.low > b.high:
            told.append(f"{a.system} is ahead of {b.system}")
        elif b.low > a.high:
            told.append(f"{b.system} is ahead of {a.system}")
    count = len(rows) * (len(rows) - 1) // 2
    if not told:
        return f"{measure}: the bounds overlap, so these candidates do not tell the order of the full metric"
    rest = "" if len(told) == count else "; the bounds of the other pairs overlap"
    return f"{measure}, all items: {', '.join(told)}{rest}"
