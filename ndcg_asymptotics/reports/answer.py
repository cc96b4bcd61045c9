"""The main findings of a study, in three sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ndcg_asymptotics.analysis.check_outcome import Check
from ndcg_asymptotics.analysis.limit_tests import LimitVerdict
from ndcg_asymptotics.analysis.orders.distinguish import Distinction
from ndcg_asymptotics.analysis.orders.pair import Pair
from ndcg_asymptotics.results import Results

SURE = 0.99  # fraction of streams in the right order from which on the order of a pair counts as settled


def main_findings(results: Results, found: Check | None, orders: Distinction | None) -> Iterator[str]:
    """Return sentences about simulated and exact means, about limits, and about the order of scorers."""
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
        return "No simulated mean could be tested, because no exact mean is available."
    if not wrong:
        return (
            f"Simulation and theory agree: each of the {len(tested)} simulated means is the exact mean up "
            f"to its Monte Carlo error (family-wise error rate: {found.alpha:g})."
        )
    first = wrong[0]
    return (
        f"Simulation and theory disagree: {len(wrong)} of {len(tested)} simulated means differ from the "
        f"exact mean, first {first.measure} of {first.scorer} at n = {first.n:g} (z = {first.z:.1f})."
    )


def _limits(found: Check) -> str:
    counts = Counter(row.verdict for row in found.limits)
    descriptions: dict[LimitVerdict, str] = {
        "agrees": "tend to the limit of their theorem",
        "does not converge": "have no limit, as their theorem says, and keep their standard deviation",
        "assumptions not met": "do not meet the assumptions of their theorem",
        "not tested": "have a limit that is unknown or was not tested",
        "disagrees": "DISAGREE with their theorem",
    }
    parts = [f"{counts[verdict]} {words}" for verdict, words in descriptions.items() if counts[verdict]]
    return f"Of the {len(found.limits)} combinations of scorer and measure, {'; '.join(parts)}."


def settled(pair: Pair) -> int | None:
    """Return the first n from which on the right order holds in 99% of streams; None if there is none.

    The largest n of a study does not count, because no list length follows it.
    """
    if pair.right is None:
        return None
    return next((rate.n for rate in pair.from_n[:-1] if rate.rate >= SURE), None)


def _orders(orders: Distinction, largest: int) -> str:
    found = [(n, pair) for pair in orders.pairs if (n := settled(pair)) is not None]
    if not found:
        return (
            f"No measure settles the order of a pair up to n = {largest:g}: there is no list length from "
            f"which on the right scorer stays ahead in {SURE:.0%} of the simulated streams."
        )
    n, pair = min(found, key=lambda one: one[0])
    (since,) = (rate for rate in pair.from_n if rate.n == n)
    behind = pair.pair[1] if pair.right == pair.pair[0] else pair.pair[0]
    return (
        f"In {len(found)} of {len(orders.pairs)} comparisons the order settles: from some list length on, "
        f"the right scorer stays ahead in {SURE:.0%} of the simulated streams, up to n = {largest:g}. It "
        f"does so first with {pair.measure}, which puts {pair.right} ahead of {behind} from n = {n:g} on in "
        f"{since.rate:.4f} [{since.low:.4f}, {since.high:.4f}] of the streams."
    )
