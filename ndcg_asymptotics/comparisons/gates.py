"""A gate for continuous integration: whether a new run may take the place of older ones."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

from ndcg_asymptotics.comparisons.pairs import Tally
from ndcg_asymptotics.core.arrays import brief
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.rows import HIDDEN, Data, computed_value
from ndcg_asymptotics.core.search import first_true
from ndcg_asymptotics.stats.paired import FEW_DIFFERING, alpha_of, level_text
from ndcg_asymptotics.stats.rates import clopper_pearson

if TYPE_CHECKING:
    from ndcg_asymptotics.comparisons.comparison import Comparison
    from ndcg_asymptotics.comparisons.judged import JudgedComparison
    from ndcg_asymptotics.comparisons.pairs import Answer

_MOST_QUERIES = 10**15  # beyond which no number of queries is looked for


@dataclass(frozen=True)
class GateRow:
    """The new run against an older one by one measure.

    Attributes
    ----------
    old, measure : str
    difference, low, high : float
        New less old with the ends of its interval, in the unit of the measure.
    p : float
        Corrected for all tests.
    passed : bool
    loss_bound : float or None
        Of a gate with a margin, where the runs differ in fewer than 30 queries: an upper bound of the mean
        loss, which has to be below the margin, too.
    queries_needed : int or None
        The number of queries that such a margin takes, if shares of queries stay as they are, where the bound
        is too large.
    """

    old: str
    measure: str
    difference: float
    low: float
    high: float
    p: float
    passed: bool
    loss_bound: float | None = None
    queries_needed: int | None = None
    tally: Annotated[Tally | None, HIDDEN] = None

    def __str__(self) -> str:
        ends = f"[{self.low:+.4g}, {self.high:+.4g}]".replace("inf", "∞")
        return f"{self.measure} {self.difference:+.4g} {ends}"

    @property
    def on_rare_losses(self) -> str:
        """What the bound of the loss is, and how many queries would be enough, in words."""
        if self.queries_needed is None or self.tally is None or self.loss_bound is None:
            return ""
        queries, _, losses, span = self.tally
        return (
            f". Fewer than {FEW_DIFFERING} queries differ by {self.measure}, too few for the interval "
            f"alone: {losses} of {queries:,} lose, at most {self.loss_bound / span:.2g} of all, by at most "
            f"{span:.4g} each and {self.loss_bound:.2g} in the mean. It takes about "
            f"{self.queries_needed:,} queries like these"
        )


@dataclass(frozen=True)
class Gate:
    """Whether a run passes a gate (`gate`), and why.

    Attributes
    ----------
    new : str
    margin : float or None
        None for a gate that a run fails if it is worse.
    level : float
        Of the intervals.
    queries : str
        What the intervals come from.
    rows : tuple of GateRow
        Each older run by each measure.
    """

    new: str
    margin: float | None
    level: float
    queries: Annotated[str, Data(json=False)]
    rows: tuple[GateRow, ...]

    @computed_value(Data())
    def passed(self) -> bool:
        """Whether every row passes."""
        return all(row.passed for row in self.rows)

    @computed_value(Data())
    def line(self) -> str:
        """A line for a log: whether the run passes, and why."""
        decisive = [row for row in self.rows if row.passed == self.passed]
        olds = list(dict.fromkeys(row.old for row in decisive))
        if self.margin is not None:
            shown_to_be = "is shown to be" if self.passed else "is not shown to be"
            verdict = f"{self.new} {shown_to_be} less than {self.margin:g} worse than {' and of '.join(olds)}"
        elif self.passed:
            verdict = f"{self.new} is not shown to be worse than {' or '.join(olds)}"
        else:
            verdict = f"{self.new} is worse than {' and '.join(olds)}"
        many_olds = len({row.old for row in self.rows}) > 1
        rows = "; ".join(f"{row} against {row.old}" if many_olds else str(row) for row in decisive)
        most = max(self.rows, key=lambda row: row.queries_needed or 0)
        return (
            f"{'PASS' if self.passed else 'FAIL'}: {verdict}: {rows} ({self.queries}, "
            f"{level_text(alpha_of(self.level))} interval{'s' * (len(decisive) > 1)} of the difference)"
            f"{most.on_rare_losses}"
        )


def gate(comparison: Comparison | JudgedComparison, *, margin: float | None = None) -> Gate:
    """Return whether the first run of a comparison may take the place of the others.

    Without a margin the new run fails if it is significantly worse, after correction, than another one by
    some measure; for a single test that is an interval on the wrong side of 0. A run passes if nothing is
    shown.

    With a margin D it passes if it is shown to be noninferior: if the interval of how much better it is lies
    above -D for every older run and measure. A wide interval fails. As every row has to pass, the intervals
    need no correction (Berger 1982, "Multiparameter hypothesis testing and acceptance sampling",
    Technometrics 24).

    An interval says little about losses so rare that the queries have few of them or none. So where fewer
    than 30 differences are not 0, a bound of the mean loss has to be below D as well: the upper bound of
    Clopper and Pearson for the share of queries that lose, at the probability that the interval leaves on one
    side, times the largest possible loss of a query. docs/howto/gate.md says how often a gate is wrong.

    Parameters
    ----------
    comparison : Comparison or JudgedComparison
        The new run is its first.
    margin : float, optional
        Above 0, in the unit of the measures.

    Raises
    ------
    InputError
        For a margin that is not above 0.

    >>> import numpy as np
    >>> from ndcg_asymptotics.comparisons import compare
    >>> rng = np.random.default_rng(1)
    >>> old = {str(q): value for q, value in enumerate(rng.random(100))}
    >>> new = {q: value + 0.01 * rng.normal() for q, value in old.items()}
    >>> compared = compare(values={"new": new, "old": old})
    >>> gate(compared).passed, gate(compared, margin=0.01).passed, gate(compared, margin=0.0001).passed
    (True, True, False)

    Of 20 queries without a difference up to 17% may be losses of 1 that these do not show:

    >>> equal = dict.fromkeys(map(str, range(20)), 0.5)
    >>> (row,) = gate(compare(values={"new": equal, "old": equal}), margin=0.02).rows
    >>> row.passed, round(row.loss_bound, 3), row.queries_needed
    (False, 0.168, 183)
    """
    from ndcg_asymptotics.comparisons.comparison import Comparison
    from ndcg_asymptotics.comparisons.judged import JudgedComparison

    compared = isinstance(comparison, Comparison | JudgedComparison)
    require(compared, f"expected what compare returns, got {brief(comparison)}", "comparison")
    require(
        margin is None or (isinstance(margin, int | float) and 0 < margin < math.inf),
        f"must be a number above 0, got {brief(margin)}",
        "margin",
    )
    new, by = comparison.runs[0], comparison.words.shown_by
    rows = tuple(
        _row(pair.b, judged.answer, comparison.alpha, comparison.tail, margin)
        for pair in comparison.pairs
        if pair.a == new
        for judged in pair.by_measure
    )
    require(
        len(rows) > 0,
        "the first run is what the others are compared with: name the new run first",
        "baseline",
    )
    return Gate(new, margin, comparison.level, by, rows)


def _row(old: str, answer: Answer, alpha: float, tail: float, margin: float | None) -> GateRow:
    """Return a row; runs that are the same for every query differ by 0, without an error."""
    low, high = answer.interval or (answer.difference, answer.difference)
    worst = min(answer.direction * low, answer.direction * high)
    row = GateRow(
        old, answer.measure, answer.difference, low, high, answer.p, passed=True, tally=answer.tally
    )
    if margin is None:
        return replace(row, passed=not (answer.p < alpha and answer.ahead < 0))
    row = replace(row, passed=worst > -margin)
    if answer.tally is None or answer.tally.differing >= FEW_DIFFERING:
        return row
    # of so few differences the interval alone holds the true one too rarely
    bound = _loss_bound(answer.tally, tail)
    if bound < margin:
        return replace(row, loss_bound=bound)
    queries = _queries_needed(answer.tally, tail, margin)
    return replace(row, passed=False, loss_bound=bound, queries_needed=queries)


def _loss_bound(tally: Tally, tail: float) -> float:
    """Return the bound of the mean loss, below the true one with at most the probability ``tail``."""
    # an interval at the level 1 - 2 tail leaves the probability ``tail`` on each side
    return tally.span * clopper_pearson(tally.losses, tally.queries, 1 - 2 * tail)[1]


def _queries_needed(tally: Tally, tail: float, margin: float) -> int:
    """Return with how many queries the bound is below the margin, or the interval decides alone."""
    by_interval = math.inf
    if tally.differing:
        by_interval = math.ceil(FEW_DIFFERING * tally.queries / tally.differing)
    share = tally.losses / tally.queries
    if share * tally.span >= margin:  # with any number of queries like these
        return int(by_interval)

    def enough(queries: int) -> bool:
        return tally.span * clopper_pearson(share * queries, queries, 1 - 2 * tail)[1] < margin

    return int(min(first_true(enough, tally.queries, _MOST_QUERIES), by_interval))
