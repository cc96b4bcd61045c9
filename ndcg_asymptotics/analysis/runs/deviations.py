"""How far from i.i.d. are real lists? Growing lists of real runs beside the exact means of theory.

The gap between the real mean and that of one pooled curve has two parts: queries differ, which a
mixture of groups knows (*heterogeneity*, mixture - pooled), and what is *left* (real - mixture). Each
query's own part of what is left is known, so its standard error is that of a mean over queries, and
so are the intervals, by bootstrap over queries, with the curves as they were fitted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.tables import Column, Line, Report, ReportBlock, Table, fixed, general
from ndcg_asymptotics.lists.growth import Growth, resampled_means

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.95
WITHIN = 2.0
"""Standard errors over queries within which theory is said to hold."""

_RESAMPLES = 2000


@dataclass(frozen=True)
class Deviation:
    """Real lists and three i.i.d. stand-ins, for one run, measure and list length.

    ``error`` is the standard error of ``real`` over the queries; ``left`` is real - mixture and
    ``dependence`` is real - redrawn, what independence alone gets wrong, with their intervals.
    """

    run: str
    measure: str
    n: int
    real: float
    error: float
    pooled: float
    mixture: float
    redrawn: float
    heterogeneity: float
    left: float
    left_low: float
    left_high: float
    dependence: float
    dependence_low: float
    dependence_high: float

    @property
    def pooled_z(self) -> float:
        """real - pooled in standard errors over queries."""
        return _ratio(self.real - self.pooled, self.error)

    @property
    def mixture_z(self) -> float:
        """real - mixture in standard errors over queries."""
        return _ratio(self.left, self.error)


@dataclass(frozen=True, repr=False)
class Deviations(Report):
    """The outcome of `deviations`."""

    queries: int
    groups: int
    rows: tuple[Deviation, ...]

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
        rows = [asdict(r) | {"pooled_z": r.pooled_z, "mixture_z": r.mixture_z} for r in self.rows]
        return {"queries": self.queries, "groups": self.groups, "rows": rows}

    def to_dataframe(self) -> pd.DataFrame:
        """A row per run, measure and n."""
        import pandas as pd

        return pd.DataFrame(self.as_dict()["rows"])

    def blocks(self) -> Iterator[ReportBlock]:
        """A table, and a statement for each measure."""
        columns = (
            Column("run"), Column("measure"), Column("n", general("d")), Column("real", fixed(4)),
            Column("±", fixed(4), 1), Column("pooled", fixed(4)), Column("z", fixed(1)),
            Column("mixture", fixed(4)), Column("z ", fixed(1)), Column("left", str, 2),
            Column("redrawn", fixed(4), 3),
        )  # fmt: skip
        rows = tuple(
            (r.run, r.measure, r.n, r.real, r.error, r.pooled, r.pooled_z, r.mixture, r.mixture_z,
             f"{r.left:+.4f} [{r.left_low:+.4f}, {r.left_high:+.4f}]", r.redrawn)
            for r in self.rows
        )  # fmt: skip
        title = f"Real lists and i.i.d. theory: {self.queries} queries, a mixture of {self.groups} groups"
        yield Table(title, columns, rows)
        yield from self.statements()

    def statements(self) -> Iterator[Line]:
        """Where and by how much they part, a line for each measure."""
        for measure in dict.fromkeys(row.measure for row in self.rows):
            yield Line(self.statement(measure))
        yield Line(
            f"± is the standard error over queries, z the gap in it; intervals: {LEVEL:.0%}, bootstrap over "
            "queries. Redrawn lists draw the query's own documents with replacement."
        )

    def statement(self, measure: str) -> str:
        """Where and by how much theory and one measure's real lists part, in words."""
        rows = [row for row in self.rows if row.measure == measure]
        worst = max(rows, key=lambda row: abs(row.real - row.pooled))
        there = f"{worst.run} at n = {worst.n}"
        gap = worst.real - worst.pooled
        said = f"{measure}: one pooled curve is off most for {there}, by {gap:+.4f} ({worst.pooled_z:+.1f} "
        said += f"standard errors); {worst.heterogeneity:+.4f} of it is that queries differ, "
        by_pooled = sum(abs(row.pooled_z) <= WITHIN for row in rows)
        by_mixture = sum(abs(row.mixture_z) <= WITHIN for row in rows)
        said += (
            f"{worst.left:+.4f} is left. Within {WITHIN:g} standard errors of the real mean: {by_pooled} of "
        )
        said += f"{len(rows)} by the pooled curve, {by_mixture} by the mixture. That documents are not "
        far = max(rows, key=lambda row: abs(row.dependence))
        said += f"independent makes at most {far.dependence:+.4f} [{far.dependence_low:+.4f}, "
        return said + f"{far.dependence_high:+.4f}] ({far.run} at n = {far.n})."


def deviations(growth: Growth, *, seed: int = 0) -> Deviations:
    """Where and by how much growing lists and their i.i.d. theory part.

    Parameters
    ----------
    growth : Growth
        With theory, that is made with ``by``.
    seed : int
        Of the bootstrap.

    Raises
    ------
    InputError
        If it was not held against theory, or has one query only.

    >>> import numpy as np, ndcg_asymptotics as na
    >>> rng = np.random.default_rng(1)
    >>> run = {str(q): {f"d{i}": float(i) for i in range(40)} for q in range(6)}
    >>> labels = {q: {d: float(rng.random() < 0.4) for d in docs} for q, docs in run.items()}
    >>> found = deviations(na.lists.grow({"mine": run}, labels, "nDCG", by=2, orders=5))
    >>> found.groups, [row.n for row in found.rows]
    (2, [10, 20, 40])
    """
    theory = growth.theory
    if theory is None:
        require(False, "these lists were not held against theory; grow them with a number of groups: --by 8")
        raise AssertionError
    queries = len(growth.queries)
    require(queries >= 2, f"a standard error over queries needs at least 2 of them, got {queries}")
    real = growth.ndcg[..., growth.at(theory.sizes.tolist())]
    error = real.std(axis=0, ddof=1) / np.sqrt(queries)
    mixture, redrawn = theory.mixture, theory.redrawn.mean(axis=0)
    left = _interval(real - theory.groups[theory.group], seed)
    dependence = _interval(real - theory.redrawn, seed)
    rows = []
    for at in np.ndindex(mixture.shape):
        run, measure, n = growth.runs[at[0]], growth.measures[at[1]], int(theory.sizes[at[2]])
        values = (
            real.mean(axis=0), error, theory.pooled, mixture, redrawn, mixture - theory.pooled,
            *left, *dependence,
        )  # fmt: skip
        rows.append(Deviation(run, str(measure), n, *(float(value[at]) for value in values)))
    return Deviations(queries, len(theory.groups), tuple(rows))


def _ratio(gap: float, error: float) -> float:
    if error > 0:
        return gap / error
    return math.copysign(math.inf, gap) if gap else 0.0


def _interval(values: Floats, seed: int) -> tuple[Floats, Floats, Floats]:
    """The mean over queries with an interval."""
    means = resampled_means(values, _RESAMPLES, seed)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return values.mean(axis=0), low, high
