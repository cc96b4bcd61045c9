"""A gate for continuous integration: whether a new run may take the place of older ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from ndcg_asymptotics.analysis.runs.paired import alpha_of, level_text
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.tables import Data

if TYPE_CHECKING:
    from ndcg_asymptotics.analysis.runs.comparison import Comparison
    from ndcg_asymptotics.analysis.runs.judged import JudgedComparison
    from ndcg_asymptotics.analysis.runs.pairs import Answer


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
    """

    old: str
    measure: str
    difference: float
    low: float
    high: float
    p: float
    passed: bool

    def __str__(self) -> str:
        ends = f"[{self.low:+.4g}, {self.high:+.4g}]".replace("inf", "∞")
        return f"{self.measure} {self.difference:+.4g} {ends}"


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

    @property
    def passed(self) -> Annotated[bool, Data(before="new")]:
        """Whether every row passes."""
        return all(row.passed for row in self.rows)

    @property
    def line(self) -> Annotated[str, Data(before="new")]:
        """A line for a log: whether the run passes, and why."""
        shown = [row for row in self.rows if row.passed == self.passed]
        olds = list(dict.fromkeys(row.old for row in shown))
        if self.margin is not None:
            shown_to_be = "is shown to be" if self.passed else "is not shown to be"
            said = f"{self.new} {shown_to_be} less than {self.margin:g} worse than {' and of '.join(olds)}"
        elif self.passed:
            said = f"{self.new} is not shown to be worse than {' or '.join(olds)}"
        else:
            said = f"{self.new} is worse than {' and '.join(olds)}"
        several = len({row.old for row in self.rows}) > 1
        rows = "; ".join(f"{row} against {row.old}" if several else str(row) for row in shown)
        return (
            f"{'PASS' if self.passed else 'FAIL'}: {said}: {rows} ({self.queries}, "
            f"{level_text(alpha_of(self.level))} interval{'s' * (len(shown) > 1)} of the difference)"
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

    Parameters
    ----------
    comparison : Comparison or JudgedComparison
        The new run is its first.
    margin : float, optional
        Above 0, in the unit of the measures.

    Raises
    ------
    InputError
        For a margin that is not above 0, and for one-sided intervals without the end that decides.

    >>> import numpy as np
    >>> from ndcg_asymptotics.analysis import compare
    >>> rng = np.random.default_rng(1)
    >>> old = {str(q): value for q, value in enumerate(rng.random(100))}
    >>> new = {q: value + 0.01 * rng.normal() for q, value in old.items()}
    >>> compared = compare(values={"new": new, "old": old})
    >>> gate(compared).passed, gate(compared, margin=0.01).passed, gate(compared, margin=0.0001).passed
    (True, True, False)
    """
    require(
        margin is None or (isinstance(margin, int | float) and 0 < margin < math.inf),
        f"must be a number above 0, got {margin}",
        "margin",
    )
    new, alpha, by = comparison.runs[0], comparison.alpha, comparison.words.shown_by
    rows = tuple(
        _row(pair.b, judged.answer, alpha, margin)
        for pair in comparison.pairs
        if pair.a == new
        for judged in pair.by_measure
    )
    return Gate(new, margin, comparison.level, by, rows)


def _row(old: str, answer: Answer, alpha: float, margin: float | None) -> GateRow:
    """Return a row; runs that are the same for every query differ by 0, without an error."""
    low, high = answer.interval or (answer.difference, answer.difference)
    worst, best = sorted((answer.direction * low, answer.direction * high))
    require(
        math.isfinite(best if margin is None else worst),
        f"the interval of {answer.measure} has no {'upper' if margin is None else 'lower'} end for how much "
        "better the first run is; use the other alternative, or two-sided",
        "alternative",
    )
    passed = worst > -margin if margin is not None else not (answer.p < alpha and answer.ahead < 0)
    return GateRow(old, answer.measure, answer.difference, low, high, answer.p, passed)
