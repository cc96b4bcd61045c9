"""The list length, or the number of lists, that is needed to tell two rankers apart.

The number of lists follows from the exact mean and variance of the difference in NDCG of two relevance
curves; Sakai's topic set size design takes the same two numbers from past runs. The list length follows
from the rate of the right order, which is exact, simulated or that of a law of long lists (`right_order`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from ndcg_asymptotics.analysis.power import lists_for
from ndcg_asymptotics.analysis.right_order import required_lengths
from ndcg_asymptotics.core.arrays import list_lengths, require_fraction
from ndcg_asymptotics.core.errors import NotAvailableError, require
from ndcg_asymptotics.core.progress import tracked
from ndcg_asymptotics.core.tables import Column, Line, Report, ReportBlock, Table, general
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Population, Scorer
from ndcg_asymptotics.theory.fluctuations.effort import FEW_GRADES, QUICK, USUAL, Effort
from ndcg_asymptotics.theory.fluctuations.variance import moments
from ndcg_asymptotics.theory.mean import expected_ndcg

_DEFAULT_N = 1000


def _interval(between: tuple[int, int]) -> str:
    return f"{between[0]:,} to {between[1]:,}"


@dataclass(frozen=True)
class Requirement:
    """The list length and the number of lists that one measure needs to tell two rankers apart.

    Attributes
    ----------
    measure : str
    n : int
        The length of the ``required_lists``.
    difference, sd : float
        Exact mean and standard deviation of NDCG_n(a) - NDCG_n(b) of one list; a difference within the
        stated error of the two means is 0.
    required_n : int or None
        The smallest length from which on one list shows the right order with the required probability. A
        tie is not the right order.
    between : (int, int) or None
        A 95% interval for ``required_n`` where it is found by simulation.
    method : str
        How ``required_n`` is found: "exact", "simulated on ... lists", or a law of long lists, with the
        number of simulated lists that confirm it (see `analysis.right_order`).
    required_lists : int or None
        The number of lists of n items that a paired t test needs.
    reason : str
        Why a number is missing, or how far it can be trusted.
    """

    measure: Annotated[str, Column("measure")]
    n: int
    difference: Annotated[float | None, Column("difference", general("+.5f"))]
    sd: Annotated[float | None, Column("standard deviation", general(".5f"), 1)]
    required_n: Annotated[int | None, Column("required n", general(","))]
    between: Annotated[tuple[int, int] | None, Column("95% interval", _interval, 2)]
    method: Annotated[str, Column("method", drop=3)]
    required_lists: Annotated[int | None, Column("required lists", general(","))]
    reason: str


@dataclass(frozen=True, repr=False)
class Required(Report):
    """The outcome of `required`."""

    a: str
    b: str
    rate: float
    power: float
    alpha: float
    rows: tuple[Requirement, ...]

    def as_dicts(self) -> list[dict[str, Any]]:
        """Return the rows as plain data, for JSON."""
        return [{"a": self.a, "b": self.b, **asdict(row)} for row in self.rows]

    def blocks(self) -> Iterator[ReportBlock]:
        """Return a table, and lines that say what its numbers mean."""
        n = self.rows[0].n
        title = f"{self.a} against {self.b}"
        yield Table.of(title, Requirement, self.rows, difference=f"difference at {n:g}")
        yield Line(
            f"Required n: the smallest length from which on a single list shows the right order with "
            f"probability {self.rate:g}. Required lists: the number of lists of {n:g} items with which a "
            f"paired t test at level {self.alpha:g} has power {self.power:g}."
        )
        for row in self.rows:
            if row.reason:
                yield Line(f"{row.measure}: {row.reason}.")


def required(
    a: Scorer | str,
    b: Scorer | str,
    measures: Measure | str | Sequence[Measure | str],
    *,
    n: int = _DEFAULT_N,
    rate: float = 0.95,
    power: float = 0.8,
    alpha: float = 0.05,
) -> Required:
    """Compute the list length and the number of lists that are needed to tell two rankers apart.

    Parameters
    ----------
    a, b : Scorer or text
        Scorers with the same label law, independent given the label; those of fitted runs are
        ``empirical("FILE.json")``.
    measures : Measure or text, or several
    n : int
        The length of the lists that are tested.
    rate : float
        The probability with which a single list shall show the right order.
    power, alpha : float
        Power and level of the paired t test, alpha < power < 1.

    Raises
    ------
    InputError
        If the curves are equal or their label laws differ, or a number is out of range.

    >>> found = required("linear(0.1, 0.7)", "constant(0.4)", "nDCG", n=100)
    >>> found.rows[0].required_n, found.rows[0].required_lists
    (125, 6)
    """
    scorers = Population.of({"a": a, "b": b}).scorers
    first, second = scorers["a"], scorers["b"]
    (size,) = list_lengths(n, "n")
    require_fraction(alpha, "alpha")
    require(alpha < power < 1, f"must lie between alpha = {alpha:g} and 1, got {power:g}", "power")
    require(0.5 < rate < 1, f"must lie between 0.5 and 1, got {rate:g}", "rate")
    require(
        first != second, f"both have the relevance curve {first}: no list is long enough to tell them apart"
    )
    asked = [measures] if isinstance(measures, str | Measure) else list(measures)
    require(bool(asked), "expected at least one measure, got none", "measure")
    several = [Measure.of(measure) for measure in asked]
    found, reasons = {}, {}
    for measure in tracked(several, "measures"):
        try:
            effort = USUAL if len(first.gains) <= FEW_GRADES else QUICK
            found[measure] = difference_at(first, second, measure, size, effort)
        except NotAvailableError as error:
            reasons[measure] = str(error)
    ahead = [_ahead(first, second, measure) for measure in found]
    lengths = dict(zip(found, required_lengths(first, second, list(found), ahead, rate), strict=True))
    rows = []
    for measure in several:
        if measure not in found:
            rows.append(Requirement(str(measure), size, None, None, None, None, "", None, reasons[measure]))
            continue
        (difference, sd), length = found[measure], lengths[measure]
        level = "" if difference else f"the two means at n = {size:g} are equal to within their error bounds"
        lists = lists_for(difference / sd, power, alpha) if sd > 0 else 2 if difference else None
        rows.append(
            Requirement(
                str(measure), size, difference, sd, length.n, length.between, length.method, lists,
                "; ".join(text for text in (level, length.reason) if text),
            )
        )  # fmt: skip
    return Required(str(first), str(second), rate, power, alpha, tuple(rows))


def difference_at(a: Scorer, b: Scorer, measure: Measure, n: int, effort: Effort) -> tuple[float, float]:
    """Return the mean of NDCG_n(a) - NDCG_n(b), 0 if within its error bound, and its standard deviation.

    Raises
    ------
    NotAvailableError
        If the measure has no exact mean or variance.
    """
    means = [expected_ndcg(scorer, measure, [n]) for scorer in (a, b)]
    difference = float(means[0].value[0] - means[1].value[0])
    error = float(means[0].error[0] + means[1].error[0])
    variance = moments((a, b), measure, n, effort).variance
    return difference if abs(difference) > error else 0.0, math.sqrt(max(variance, 0.0))


def _ahead(a: Scorer, b: Scorer, measure: Measure) -> int:
    """Return 0 if a is ahead on long lists, 1 if b is."""
    return 0 if moments((a, b), measure, 10**9, QUICK).mean >= 0 else 1
