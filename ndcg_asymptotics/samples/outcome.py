"""What sampled negatives say about systems: rows, tables and sentences of `sampled`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Annotated

from ndcg_asymptotics.core.rows import Column, computed_value, fixed, general
from ndcg_asymptotics.core.tables import Line, Report, ReportBlock, Table
from ndcg_asymptotics.core.text import listed

_NAMED = 3  # pairs that a sentence names


@dataclass(frozen=True)
class SystemRow:
    """A row of one system by one measure."""

    system: Annotated[str, Column("system")]
    measure: Annotated[str, Column("measure")]


@dataclass(frozen=True)
class SampledRow(SystemRow):
    """One system against m sampled negatives.

    Attributes
    ----------
    negatives : int
    mean, sd : float
        The exact mean and standard deviation of the mean over users.
    full : float
        The metric of the ranking of all items.
    estimate, bias, estimate_sd : float or None
        The exact mean of the bias-variance estimate of the full metric, its bias and its standard deviation.
        None where it is not computed.
    """

    negatives: Annotated[int, Column("negatives", general("d"))]
    mean: Annotated[float, Column("sampled mean", fixed(4))]
    sd: Annotated[float, Column("standard deviation", fixed(4), later=1)]
    full: Annotated[float, Column("full", fixed(4))]
    estimate: Annotated[float | None, Column("estimate of full", fixed(4), later=2, optional=True)] = None
    bias: Annotated[float | None, Column("its bias", general("+.4f"), later=2, optional=True)] = None
    estimate_sd: Annotated[
        float | None, Column("its standard deviation", fixed(4), later=3, optional=True)
    ] = None


@dataclass(frozen=True)
class PairRow:
    """Two systems by one measure: how sampled negatives order them.

    Attributes
    ----------
    negatives : int
    full, sampled : float
        Differences a - b of the full metric, and of the means of the sampled one.
    right : float
        The probability that the sampled order is the full one; 0 where the full metrics are equal.
    crossings : tuple of int
        The m at which the order of the means differs from that at m - 1.
    enough : int or None
        The smallest M such that for every m >= M the sampled order is the full one with the probability
        ``level``. None if there is none up to the largest m.
    """

    a: str
    b: str
    measure: Annotated[str, Column("measure")]
    negatives: Annotated[int, Column("negatives", general("d"))]
    full: Annotated[float, Column("full difference", fixed(4), later=1)]
    sampled: float
    right: Annotated[float, Column("P(right order)", fixed(2))]
    crossings: Annotated[
        tuple[int, ...], Column("order changes at", lambda m: ", ".join(map(str, m)) or "never")
    ]
    enough: Annotated[int | None, Column("enough from m", general(","))]

    @computed_value(Column("systems", fold=True, before="measure"))
    def systems(self) -> str:
        """The names of both, which take two lines where they are long."""
        return f"{self.a}, {self.b}"


@dataclass(frozen=True)
class CandidateRow(SystemRow):
    """What the candidates of one system say.

    Attributes
    ----------
    mean : float
        The mean over users of the metric among the candidates.
    low, high : float
        Bounds of the full metric of these users.
    """

    mean: Annotated[float, Column("among candidates", fixed(4))]
    low: Annotated[float, Column("full, at least", fixed(3))]
    high: Annotated[float, Column("full, at most", fixed(3))]


@dataclass(frozen=True, repr=False)
class Sampled(Report):
    """Sampled metrics of some systems, compared with the full ones.

    Attributes
    ----------
    items, users : int
    replacement : bool
    level : float
    rows : tuple of SampledRow
    pairs : tuple of PairRow
    statements : tuple of str
        A sentence per measure and number of negatives, and why there are no estimates, where there are none.
    """

    items: int
    users: int
    replacement: bool
    level: float
    rows: tuple[SampledRow, ...]
    pairs: tuple[PairRow, ...]
    statements: tuple[str, ...]

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield the sentences and the tables."""
        how = "with" if self.replacement else "without"
        different = {row.negatives for row in self.rows}
        alone = f"{different.pop()} " if len(different) == 1 else ""
        heading = {"negatives": None} if alone else {}
        yield from map(Line, (*self.statements, ""))
        title = f"{_users(self.users)}, {self.items} items, {alone}negatives sampled {how} replacement"
        yield Table.of(title, SampledRow, self.rows, **heading)
        if self.pairs:
            title = f"Order of two systems, enough for probability {self.level:g}"
            yield Table.of(title, PairRow, self.pairs, **heading)


def _users(count: int) -> str:
    return f"{count:,} user{'s' * (count != 1)}"


def order_statement(measure: str, m: int, level: float, rows: Sequence[PairRow]) -> str:
    """Return in a sentence for how many pairs of systems m negatives show the order of the full metric."""
    sure = sum(row.right >= level for row in rows)
    show, pairs = "show", f" for {sure} of {len(rows)} pairs of systems"
    if len(rows) == 1:
        show, pairs = "show" if sure else "do not show", ""
    sentence = (
        f"By {measure}, {m} sampled negatives {show} the order of the full metric{pairs} with probability "
        f"{level:g} or more"
    )
    wrong = [row for row in rows if row.full * row.sampled < 0][:_NAMED]
    ahead = [" ahead of ".join((row.a, row.b)[:: 1 if row.sampled > 0 else -1]) for row in wrong]
    if wrong:
        sentence += f"; on average they show {listed(ahead)}, the wrong order, however often they are drawn"
    return sentence + "."


@dataclass(frozen=True, repr=False)
class Candidates(Report):
    """The outcome of `sampled` for runs that hold sampled candidates."""

    items: int
    users: int
    negatives: int
    level: float
    rows: tuple[CandidateRow, ...]
    statements: tuple[str, ...]

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield the sentences and the table."""
        yield from map(Line, (*self.statements, ""))
        title = f"{_users(self.users)}, {self.negatives} sampled negatives of {self.items:,} items"
        yield Table.of(title, CandidateRow, self.rows)
        yield Line(
            "Full: bounds of the metric of a ranking of all items for these users, with "
            f"{100 * self.level:.4g}% confidence for all systems together, if the negatives are a uniform "
            "sample. What is measured among candidates is not this metric."
        )


def bounds_statement(measure: str, rows: Sequence[CandidateRow]) -> str:
    """Return in a sentence which systems are told apart by the bounds of the full metric."""
    orders = [f"{a.system} is ahead of {b.system}" for a, b in permutations(rows, 2) if a.low > b.high]
    overlap = "the bounds of the full metric overlap: these candidates do not tell the order of the systems"
    return f"By {measure}, {f'{listed(orders)} among all items' if orders else overlap}."
