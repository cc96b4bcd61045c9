"""What it takes to tell two rankers apart: how long a list, or how many lists.

The number of lists follows from the exact mean and variance of the difference in NDCG of two relevance
curves; Sakai's topic set size design takes the same numbers from past runs. The length of a list follows
from the rate of the right order, which is exact, simulated or that of a law of long lists (`right_order`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ndcg_asymptotics.analysis.power import lists_for
from ndcg_asymptotics.analysis.right_order import Length, required_lengths
from ndcg_asymptotics.core.arrays import list_lengths
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.progress import tracked
from ndcg_asymptotics.core.tables import Column, Line, Part, Shown, Table, general
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Population, Relevance
from ndcg_asymptotics.theory.fluctuations.effort import FEW_GRADES, QUICK, USUAL
from ndcg_asymptotics.theory.fluctuations.variance import moments
from ndcg_asymptotics.theory.mean import expected_ndcg

if TYPE_CHECKING:
    import pandas as pd

_DEFAULT_N = 1000


@dataclass(frozen=True)
class Requirement:
    """What one measure takes.

    Attributes
    ----------
    measure : str
    n : int
        The length of the lists of which ``required_lists`` says how many.
    difference, sd : float
        Exact mean and standard deviation of NDCG_n(a) - NDCG_n(b) of one list.
    required_n : int or None
        The length from which on one list shows the right order with the required probability. A tie does
        not show it.
    between : (int, int) or None
        A 95% interval for ``required_n`` where it is found by simulation.
    method : str
        How ``required_n`` is found: "exact", "simulated on ... lists", or a law of long lists, with the
        number of simulated lists that confirm it (see `analysis.right_order`).
    required_lists : int or None
        How many lists of n items a paired t test takes.
    reason : str
        Why a number is missing, or what limits it.
    """

    measure: str
    n: int
    difference: float | None
    sd: float | None
    required_n: int | None
    between: tuple[int, int] | None
    method: str
    required_lists: int | None
    reason: str


def _interval(between: tuple[int, int]) -> str:
    return f"{between[0]:,} to {between[1]:,}"


@dataclass(frozen=True, repr=False)
class Required(Shown):
    """The outcome of `required`."""

    a: str
    b: str
    rate: float
    power: float
    alpha: float
    rows: tuple[Requirement, ...]

    def as_dicts(self) -> list[dict[str, Any]]:
        """As plain data, for JSON."""
        return [{"a": self.a, "b": self.b, **asdict(row)} for row in self.rows]

    def to_dataframe(self) -> pd.DataFrame:
        """A row per measure."""
        import pandas as pd

        return pd.DataFrame([asdict(row) for row in self.rows])

    def parts(self) -> Iterator[Part]:
        """One table, and what its numbers mean."""
        n = self.rows[0].n
        columns = (
            Column("measure"), Column(f"difference at {n:g}", general("+.5f")), Column("sd", general(".5f")),
            Column("required n", general(",")), Column("95% interval", _interval, 1), Column("method", None, 2),
            Column("required lists", general(",")),
        )  # fmt: skip
        cells = (
            (r.measure, r.difference, r.sd, r.required_n, r.between, r.method, r.required_lists)
            for r in self.rows
        )
        yield Table(f"{self.a} against {self.b}", columns, tuple(cells))
        yield Line(
            f"Required n: one list shows the right order with probability {self.rate:g}, from this length "
            f"on. Required lists: of {n:g} items each, for a paired t test at level {self.alpha:g} with "
            f"power {self.power:g}."
        )
        for row in self.rows:
            if row.reason:
                yield Line(f"{row.measure}: {row.reason}.")


def required(
    a: Relevance | str,
    b: Relevance | str,
    measures: Measure | str | Sequence[Measure | str],
    *,
    n: int = _DEFAULT_N,
    rate: float = 0.95,
    power: float = 0.8,
    alpha: float = 0.05,
) -> Required:
    """How long a list, and how many lists, it takes to tell two rankers apart.

    Parameters
    ----------
    a, b : Relevance or text
        Relevance curves with the same label law, independent given the label; those of fitted runs are
        ``empirical("FILE.json")``.
    measures : Measure or text, or several
    n : int
        The length of the lists that a test has.
    rate : float
        The probability with which one list is to show the right order.
    power, alpha : float
        Of the paired test, alpha < power < 1.

    Raises
    ------
    InputError
        If the curves are equal or their label laws differ, or a number is out of range.

    >>> found = required("linear(0.1, 0.7)", "constant(0.4)", "nDCG", n=100)
    >>> found.rows[0].required_n, found.rows[0].required_lists
    (116, 6)
    """
    scorers = Population.of({"a": a, "b": b}).scorers
    first, second = scorers["a"], scorers["b"]
    (size,) = list_lengths(n, "n")
    require(0 < alpha < 1, f"must lie inside (0, 1), got {alpha:g}", "alpha")
    require(alpha < power < 1, f"must lie between alpha = {alpha:g} and 1, got {power:g}", "power")
    require(0.5 < rate < 1, f"must lie between 0.5 and 1, got {rate:g}", "rate")
    require(
        first != second, f"both have the relevance curve {first}: no list is long enough to tell them apart"
    )
    asked = [measures] if isinstance(measures, str | Measure) else list(measures)
    require(bool(asked), "expected at least one measure, got none", "measure")
    several = [Measure.of(measure) for measure in asked]
    found = {m: _moments(first, second, m, size) for m in tracked(several, "measures")}
    proper = [m for m, (difference, *_) in found.items() if difference is not None]
    lengths = dict(
        zip(
            proper,
            required_lengths(first, second, proper, [_ahead(first, second, m) for m in proper], rate),
            strict=True,
        )
    )
    rows = []
    for measure in several:
        difference, sd, reason, known = found[measure]
        length = lengths.get(measure, Length(None, None, ""))
        lists = None
        if known and difference is not None and sd is not None:
            lists = lists_for(difference / sd, power, alpha) if sd > 0 else 2
        reasons = "; ".join(text for text in (reason, length.reason) if text)
        rows.append(
            Requirement(
                str(measure), size, difference, sd, length.n, length.between, length.method, lists, reasons
            )
        )
    return Required(str(first), str(second), rate, power, alpha, tuple(rows))


def _moments(
    a: Relevance, b: Relevance, measure: Measure, n: int
) -> tuple[float | None, float | None, str, bool]:
    """The difference of the means and its standard deviation, why there are none, and whether one is ahead."""
    try:
        means = [expected_ndcg(scorer, measure, [n]) for scorer in (a, b)]
        effort = USUAL if len(a.gains) <= FEW_GRADES else QUICK
        variance = moments((a, b), measure, n, effort).variance
    except InputError as error:
        return None, None, str(error), False
    difference = float(means[0].value[0] - means[1].value[0])
    known = abs(difference) > float(means[0].error[0] + means[1].error[0])
    reason = "" if known else f"the two means at n = {n:g} do not differ by more than their stated errors"
    return difference, math.sqrt(max(variance, 0.0)), reason, known


def _ahead(a: Relevance, b: Relevance, measure: Measure) -> int:
    """0 if a is ahead on long lists, 1 if b is."""
    return 0 if moments((a, b), measure, 10**9, QUICK).mean >= 0 else 1
