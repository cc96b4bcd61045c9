"""The main findings of a study, in three sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ndcg_asymptotics.analysis.check_outcome import Check
from ndcg_asymptotics.analysis.limit_tests import LimitVerdict
from ndcg_asymptotics.analysis.orders.distinguish import Distinction
from ndcg_asymptotics.analysis.orders.pair import settled_sentence
from ndcg_asymptotics.results import Results


def main_findings(results: Results, checked: Check | None, orders: Distinction | None) -> Iterator[str]:
    """Return sentences about simulated and exact means, about limits, and about the order of scorers."""
    if checked is None:
        yield f"There are {results.replicates_complete} complete replicates; verdicts need at least two."
    else:
        yield _means(checked)
        yield _limits(checked)
    if orders is not None:
        yield settled_sentence(orders.pairs)


def _means(checked: Check) -> str:
    tested = [row for row in checked.rows if row.verdict != "not tested"]
    wrong = [row for row in tested if row.verdict == "disagrees"]
    if not tested:
        return "No simulated mean could be tested, because no exact mean is available."
    if not wrong:
        return (
            f"Simulation and theory agree: each of the {len(tested)} simulated means is the exact mean up "
            f"to its Monte Carlo error (family-wise error rate: {checked.alpha:g})."
        )
    first = wrong[0]
    return (
        f"Simulation and theory disagree: {len(wrong)} of {len(tested)} simulated means differ from the "
        f"exact mean, first {first.measure} of {first.scorer} at n = {first.n:g} (z = {first.z:.1f})."
    )


def _limits(checked: Check) -> str:
    counts = Counter(row.verdict for row in checked.limits)
    descriptions: dict[LimitVerdict, str] = {
        "agrees": "tend to the limit of their theorem",
        "does not converge": "have no limit, as their theorem says, and keep their standard deviation",
        "assumptions not met": "do not meet the assumptions of their theorem",
        "not tested": "have a limit that is unknown or was not tested",
        "disagrees": "DISAGREE with their theorem",
    }
    parts = [f"{counts[verdict]} {words}" for verdict, words in descriptions.items() if counts[verdict]]
    return f"Of the {len(checked.limits)} combinations of scorer and measure, {'; '.join(parts)}."
