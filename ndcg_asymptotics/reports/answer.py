"""What a study has shown, in three sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ndcg_asymptotics.analysis.check import Check
from ndcg_asymptotics.analysis.limit_tests import LimitOutcome
from ndcg_asymptotics.analysis.orders.distinguish import Distinction, Pair
from ndcg_asymptotics.results import Results

SURE = 0.99  # the share of streams that have to be in order for a pair to count as settled


def answer(results: Results, found: Check | None, orders: Distinction | None) -> Iterator[str]:
    """Simulation against the exact mean; the limits; what tells scorers apart."""
    if found is None:
        yield f"There are {results.replicates_complete} complete replicates; verdicts need at least two."
    else:
        yield _means(found)
        yield _limits(found)
    if orders is not None:
        yield _orders(orders, results.study.n[-1])
    elif found is not None and found.detectable:
        measure, smallest = min(found.detectable.items(), key=lambda item: item[1])
        yield (
            f"An error of {100 * smallest:.2g}% in the exact mean of {measure} would have been reported "
            "(with 99% power)."
        )


def _means(found: Check) -> str:
    tested = [row for row in found.rows if row.verdict != "not tested"]
    wrong = [row for row in tested if row.verdict == "disagrees"]
    if not tested:
        return "No simulated mean could be tested: theory knows no exact mean here."
    if not wrong:
        return (
            f"Simulation and theory agree: each of the {len(tested)} simulated means is the exact mean up "
            f"to its Monte Carlo error (chance of any false alarm: {found.alpha:g})."
        )
    first = wrong[0]
    return (
        f"Simulation and theory disagree: {len(wrong)} of {len(tested)} simulated means are off the exact "
        f"mean, first {first.measure} of {first.scorer} at n = {first.n:g} (z = {first.z:.1f})."
    )


def _limits(found: Check) -> str:
    counts = Counter(row.verdict for row in found.limits)
    said: dict[LimitOutcome, str] = {
        "agrees": "go where their theorem says",
        "does not converge": "have no limit, as proved, and keep their spread",
        "assumptions not met": "do not meet their theorem’s assumptions",
        "not tested": "have a limit that is not known or not tested",
        "disagrees": "DISAGREE with their theorem",
    }
    parts = [f"{counts[verdict]} {words}" for verdict, words in said.items() if counts[verdict]]
    return f"Of the {len(found.limits)} combinations of scorer and measure, {'; '.join(parts)}."


def settled(pair: Pair) -> int | None:
    """The first n from which on the right order holds in 99% of streams; None if there is none.

    The largest n of a study has nothing after it, so it does not count.
    """
    if pair.right is None:
        return None
    return next((rate.n for rate in pair.from_n[:-1] if rate.rate >= SURE), None)


def _orders(orders: Distinction, largest: int) -> str:
    fastest: tuple[int, Pair] | None = None
    count = 0
    for pair in orders.pairs:
        n = settled(pair)
        if n is None:
            continue
        count += 1
        if fastest is None or n < fastest[0]:
            fastest = n, pair
    total = len(orders.pairs)
    if fastest is None:
        return (
            f"No measure settles the order of a pair up to n = {largest:g}: nowhere does the right scorer "
            f"stay ahead in {SURE:.0%} of streams."
        )
    n, pair = fastest
    behind = pair.pair[1] if pair.right == pair.pair[0] else pair.pair[0]
    return (
        f"In {count} of {total} comparisons the order settles, that is, the right scorer stays ahead in "
        f"{SURE:.0%} of streams up to n = {largest:g}; earliest with {pair.measure}, which has {pair.right} "
        f"ahead of {behind} from n = {n:g} on."
    )
