"""What a study shows of its pairs in one table: a row per pair and measure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ndcg_asymptotics.core.tables import Column, Table, fixed, general

if TYPE_CHECKING:
    from ndcg_asymptotics.analysis.orders.distinguish import Pair

_RATES = (0.95, 0.99)


def first_with(pair: Pair, rate: float) -> int | None:
    """The smallest simulated n from which on the rate of the right order is at least ``rate``."""
    found = None
    for point in reversed(pair.points):
        if point.rate < rate:
            break
        found = point.n
    return found


def summary_table(pairs: Sequence[Pair]) -> Table:
    """Right, tied and wrong at the largest n, the smallest n for 95% and 99%, how the wrong order falls.

    The error exponent e is the predicted one: P(wrong order at n) is ``exp(-n^(e + o(1)))``.
    """
    columns = (
        Column("pair"), Column("measure"), Column("ahead"), Column("n", general("g"), 2),
        Column("right", fixed(4)), Column("interval", str, 1), Column("tied", fixed(4)),
        Column("wrong", fixed(4)), Column("n for 95%", general("g")), Column("n for 99%", general("g")),
        Column("error exponent", general(".3g"), 2), Column("the wrong order", None, 3),
    )  # fmt: skip
    rows = []
    for pair in pairs:
        end, tied = pair.points[-1], pair.ties_at_n[-1]
        rows.append((
            " ".join(pair.pair), pair.measure, pair.right or "-", end.n, end.rate,
            f"[{end.low:.4f}, {end.high:.4f}]", tied, max(1 - end.rate - tied, 0.0),
            *(first_with(pair, rate) for rate in _RATES), pair.error_exponent.predicted, pair.decay.verdict,
        ))  # fmt: skip
    return Table("At the largest n", columns, tuple(rows))
