"""What all comparisons of runs have in common: pairs of runs by several measures, and what is said of them.

A comparison decides by one `Answer` for two runs and a measure, such as that of the labels of humans and of a
judge together, or that of the mean over collections. Ranks, leaders and sentences follow from these.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, NamedTuple, Protocol, Self, TypeVar

from ndcg_asymptotics.comparisons.ranks import LEGEND, RankedRun, rank_runs
from ndcg_asymptotics.core.looks import Look
from ndcg_asymptotics.core.rows import HIDDEN, Data, computed_value, frame_of
from ndcg_asymptotics.core.tables import Line, Report, ReportBlock, Table, details, remark_lines
from ndcg_asymptotics.stats.correction import DESCRIPTIONS, Correction
from ndcg_asymptotics.stats.paired import Interval, alpha_of, level_text

if TYPE_CHECKING:
    import pandas as pd


class Tally(NamedTuple):
    """For how many queries the first of two runs is better and worse.

    ``span`` is the largest possible difference in a query (`RunValues.spans`).
    """

    queries: int
    wins: int
    losses: int
    span: float

    @property
    def differing(self) -> int:
        """The number of queries in which the runs differ."""
        return self.wins + self.losses


@dataclass(frozen=True)
class Answer:
    """What decides about two runs by one measure.

    Attributes
    ----------
    measure : str
    difference : float
        Of the means, first less second run.
    interval : Interval or None
        None if the runs are identical.
    p : float
        Corrected for all tests.
    means : (float, float)
    lower_is_better : bool
    tally : Tally, optional
        Of the queries that decide, in a comparison on one collection.
    """

    measure: str
    difference: float
    interval: Interval | None
    p: float
    means: tuple[float, float]
    lower_is_better: bool = False
    tally: Tally | None = None

    @property
    def direction(self) -> int:
        """1 where higher values are better, else -1."""
        return -1 if self.lower_is_better else 1

    @property
    def ahead(self) -> int:
        """1 if the first run has the better mean, -1 if the second has, 0 if they are equal."""
        return self.direction * (int(self.difference > 0) - int(self.difference < 0))

    @property
    def better(self) -> int:
        """1 if the interval shows the first run to be better, -1 if the second, else 0."""
        return self.direction * self.interval.sign if self.interval else 0

    def significant(self, alpha: float) -> int | None:
        """Return 1 or -1 where the first run is significantly better or worse, 0 else; None if identical."""
        if self.interval is None:
            return None
        return 0 if self.p >= alpha else 1 if self.ahead > 0 else -1


@dataclass(frozen=True)
class ShownDifference:
    """A row of a chart of differences: its name, its look, the mean with its interval, and p."""

    name: str
    look: Look
    mean: float
    low: float | None
    high: float | None
    p: float


class OfMeasure(Protocol):
    """Two runs compared by one measure: what decides, and the rows of tables."""

    @property
    def answer(self) -> Answer: ...
    @property
    def rows(self) -> Sequence[object]: ...


_OfMeasure = TypeVar("_OfMeasure", bound=OfMeasure)


@dataclass(frozen=True)
class ComparedPair(Generic[_OfMeasure]):
    """Two runs compared by every measure, with all of it in words."""

    a: Annotated[str, HIDDEN]
    b: Annotated[str, HIDDEN]
    by_measure: Annotated[tuple[_OfMeasure, ...], Data("measures")]
    text: str = ""

    kind: ClassVar[type]
    """The dataclass of the rows of tables."""

    @computed_value(Data())
    def pair(self) -> tuple[str, str]:
        """The names of the runs."""
        return self.a, self.b

    @property
    def rows(self) -> list[object]:
        """The rows of all measures."""
        return [row for judged in self.by_measure for row in judged.rows]

    @property
    def first(self) -> _OfMeasure:
        """The two runs compared by the first measure, which decides."""
        return self.by_measure[0]

    def table(self, level: str, over: str = "") -> Table:
        """Return the rows as a table, with the level of the intervals and what the means are over."""
        title = f"{self.a} against {self.b}{over} (difference: first minus second)"
        return Table.of(title, self.kind, self.rows, **self.headings(level))

    def headings(self, level: str) -> dict[str, str]:
        """Return the headings of columns that belong to the runs, and to the level of the intervals."""
        return {"mean_a": self.a, "mean_b": self.b, "interval_text": f"{level} interval"}


_Pair = TypeVar("_Pair", bound=ComparedPair[Any])


@dataclass(frozen=True)
class PairWords(ABC, Generic[_Pair]):
    """What a comparison at the level ``alpha`` says of pairs of runs, with a target power of new queries."""

    alpha: float
    power: float

    @property
    def level(self) -> str:
        """The level of the intervals."""
        return level_text(self.alpha)

    @property
    @abstractmethod
    def shown_by(self) -> str:
        """What shows a difference, such as "50 queries"."""

    @abstractmethod
    def headline(self, pair: _Pair) -> str:
        """Return which run is better by the first measure, and how certainly."""

    @abstractmethod
    def paragraph(self, pair: _Pair) -> str:
        """Return the answer in words."""

    @abstractmethod
    def method(self, comparison: ComparedPairs[_Pair], *, pairs: bool) -> str:
        """Return what the numbers are; those of the tables of a pair only if these are printed."""

    def better(self, pair: _Pair, answer: Answer) -> str:
        """Return which run is significantly better by a measure, and by how much, without a full stop."""
        ahead, behind = pair.pair if answer.ahead > 0 else pair.pair[::-1]
        low, high = sorted(map(abs, answer.interval or ()))
        between = f"interval {low:.4f} to {high:.4f}" if math.isfinite(high) else f"bound {low:.4f}"
        return (
            f"{ahead} is better than {behind} by {abs(answer.difference):.4f} {answer.measure} "
            f"({self.level} {between}, corrected p-value {answer.p:.2g})"
        )

    def undecided(self, pair: _Pair, answer: Answer) -> str:
        """Return that a measure shows no significant difference, without a full stop."""
        return (
            f"By {answer.measure}, {self.shown_by} show no significant difference between {pair.a} and "
            f"{pair.b} (corrected p-value {answer.p:.2g})"
        )


@dataclass(frozen=True)
class Ranking:
    """The runs in order of their means by a measure."""

    measure: str
    runs: Sequence[RankedRun]

    def table(self, over: str = "") -> Table:
        """Return a row for each run; the title ends with what the means are over."""
        return Table.of(f"Runs by {self.measure}{over}", RankedRun, self.runs)


class ComparedPairs(Report, Generic[_Pair]):
    """Base class of comparisons of every pair of some runs, at a level and with remarks."""

    page: ClassVar = "ndcg_asymptotics.comparisons.page.comparison_contents"

    runs: tuple[str, ...]
    level: float
    power: float
    pairs: tuple[_Pair, ...]
    correction: Correction
    remarks: tuple[str, ...]
    by_query: Table
    baseline: str | None = None

    @property
    def alpha(self) -> float:
        """The level of the tests."""
        return alpha_of(self.level)

    @property
    def tail(self) -> float:
        """The probability with which an interval may lie on one side of the true difference."""
        return self.alpha / 2

    @property
    def measures(self) -> list[str]:
        """The names of the measures."""
        return [judged.answer.measure for judged in self.pairs[0].by_measure]

    @property
    @abstractmethod
    def words(self) -> PairWords[_Pair]:
        """What says the comparison in words."""

    def in_words(self) -> Self:
        """Return the comparison with a paragraph for each pair."""
        pairs = tuple(replace(pair, text=self.words.paragraph(pair)) for pair in self.pairs)
        return replace(self, pairs=pairs)  # type: ignore[type-var]

    def ranked(self, measure: int) -> tuple[RankedRun, ...]:
        """Return the runs in order of their means by a measure, with their possible ranks."""
        lower_is_better = self.pairs[0].by_measure[measure].answer.lower_is_better
        return rank_runs(self.means(measure), self.signs(measure), lower_is_better=lower_is_better)

    def means(self, measure: int) -> dict[str, float]:
        """Return the means of the runs by a measure, the best first."""
        answers = {pair.pair: pair.by_measure[measure].answer for pair in self.pairs}
        means = {run: m for of, answer in answers.items() for run, m in zip(of, answer.means, strict=True)}
        lower = next(iter(answers.values())).lower_is_better
        return dict(sorted(means.items(), key=itemgetter(1), reverse=not lower))

    def signs(self, measure: int) -> dict[tuple[str, str], int | None]:
        """Return for each pair which run is significantly better by a measure (`Answer.significant`)."""
        return {pair.pair: pair.by_measure[measure].answer.significant(self.alpha) for pair in self.pairs}

    @computed_value(Data())
    def rankings(self) -> Sequence[Ranking]:
        """The runs in order of their means, by each measure; none if there is a baseline."""
        measures = [] if self.baseline else self.measures
        return [Ranking(measure, self.ranked(i)) for i, measure in enumerate(measures)]

    @property
    def corrected(self) -> str:
        """How p-values are corrected, and for how many tests."""
        tests = len(self.pairs) * len(self.measures)
        return f"Corrected p-values are {DESCRIPTIONS[self.correction]}, for {tests} test{'s' * (tests > 1)}"

    def leaders(self) -> str:
        """Return how the first two of several runs compare by the first measure."""
        first, second = (row.run for row in self.ranked(0)[:2])
        pair = next(pair for pair in self.pairs if {*pair.pair} == {first, second})
        apart = sum(map(bool, self.signs(0).values()))
        return (
            f"{self.words.headline(pair)} {first} and {second} are the first two of {len(self.runs)} runs by "
            f"{self.measures[0]}, which tells {apart} of {len(self.pairs)} pairs apart after correction."
        )

    def to_dataframe(self) -> pd.DataFrame:
        """Return a row per pair and measure, and per kind of labels or way to treat collections."""
        rows = [(pair, row) for pair in self.pairs for row in pair.rows]
        return frame_of_pairs(self.pairs[0].kind, rows)

    def blocks(self) -> Iterator[ReportBlock]:
        """Return a paragraph and tables for two runs; for more, their ranks by each measure."""
        ranked = len(self.runs) > 2
        yield from remark_lines(self.remarks, warnings=True)
        if ranked:
            answer, secondary = self.leaderboard()
            yield from answer
            legend = [] if self.baseline else [Line(LEGEND)]  # ranks, which a baseline leaves out
            yield from details([*secondary, *legend])
        else:
            for pair in self.pairs:
                yield Line(pair.text + "\n")
                yield from self.tables(pair)
        method = self.words.method(self, pairs=not ranked)
        yield from details([*self.notes(), *remark_lines(self.remarks, warnings=False), Line(method)])

    @abstractmethod
    def leaderboard(self) -> tuple[list[ReportBlock], list[ReportBlock]]:
        """Return what is shown of several runs, and its details."""

    @abstractmethod
    def tables(self, pair: _Pair) -> Iterator[Table]:
        """Yield the tables of two runs."""

    def notes(self) -> list[ReportBlock]:
        """Return what there is to know about all pairs."""
        return []


def frame_of_pairs(kind: type, rows: Sequence[tuple[ComparedPair[Any], object]]) -> pd.DataFrame:
    """Return a DataFrame of rows that a dataclass declares, with the names of the two runs of each."""
    frame = frame_of(kind, [row for _, row in rows])
    frame.insert(0, "a", [pair.a for pair, _ in rows])
    frame.insert(1, "b", [pair.b for pair, _ in rows])
    return frame
