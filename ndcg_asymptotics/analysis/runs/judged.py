"""The outcome of a comparison of runs by labels of humans, of a judge, and of both together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from ndcg_asymptotics.analysis.runs.agreement import JudgeAgreement
from ndcg_asymptotics.analysis.runs.compared import ComparedPairs, Ranking, frame_of_pairs, leaders_text
from ndcg_asymptotics.analysis.runs.correction import Correction
from ndcg_asymptotics.analysis.runs.judged_text import JudgedWords
from ndcg_asymptotics.analysis.runs.paired import Interval, WithInterval
from ndcg_asymptotics.analysis.runs.ranks import LEGEND, RankedRun, rank_runs
from ndcg_asymptotics.core.tables import (
    HIDDEN,
    Column,
    Data,
    Line,
    ReportBlock,
    Table,
    details,
    general,
)

if TYPE_CHECKING:
    import pandas as pd

Design = Literal["nested", "equal"]
"""Whether the judge has judged more queries than humans, theirs among them, or the same."""


@dataclass(frozen=True)
class Labelled(WithInterval):
    """The difference of two runs by some labels: a - b, with its interval and test.

    ``interval`` is None where the runs are the same for every query; ``queries`` is the number of queries.
    """

    measure: Annotated[str, Column("measure", whole=True), Data(json=False)]
    labels: Annotated[str, Column("labels"), Data(json=False)]
    difference: Annotated[float, Column("difference", general("+.4f"))]
    interval: Annotated[Interval | None, Data(frame=False)]
    p: Annotated[float, Column("p", general(".2g"), 3)]
    p_corrected: Annotated[float, Column("corrected p", general(".2g"))]
    queries: Annotated[int, Column("queries", general(","), 2)]

    @property
    def worth(self) -> Annotated[float | None, Column("worth", general(",.0f")), Data(json=False)]:
        """How many queries judged by humans have a mean of the same variance, if that is known."""
        return None


@dataclass(frozen=True)
class OfHumans(Labelled):
    """The difference by the labels of humans."""

    @property
    def worth(self) -> float | None:
        """The number of queries."""
        return float(self.queries)


@dataclass(frozen=True)
class OfBoth(Labelled):
    """The difference by the labels of humans and of the judge together (`analysis.runs.combined`).

    Attributes
    ----------
    weight : float
        The weight lambda of the judge.
    human_queries, machine_queries : int
        The queries judged by humans, and by the judge.
    design : {"nested", "equal"}
    effective_human_queries : float or None
        The number of queries judged by humans whose mean has the same variance.
    human_queries_needed : int or None
        The number of queries judged by humans with which, beside those of the judge, the test has the target
        power if the true difference is the observed one; None if those of the judge are too few.
    differing : int
        The number of queries judged by humans in which the runs differ.
    """

    weight: Annotated[float, Data("lambda")]
    human_queries: int
    machine_queries: int
    design: Design
    effective_human_queries: float | None
    human_queries_needed: int | None
    differing: int

    @property
    def worth(self) -> float | None:
        """The number of queries judged by humans whose mean has the same variance."""
        return self.effective_human_queries


@dataclass(frozen=True)
class Quality:
    """The bias of the judge between two runs, and its errors: numbers with their intervals.

    ``bias`` is the mean of the difference by its labels minus that by labels of humans, over the queries of
    humans; rates and kappa are those of `JudgeAgreement`.
    """

    bias: float
    bias_interval: Interval | None
    fpr: float | None
    fpr_interval: Interval | None
    fnr: float | None
    fnr_interval: Interval | None
    kappa: float | None
    kappa_interval: Interval | None

    @classmethod
    def of(cls, bias: float, interval: Interval | None, found: JudgeAgreement) -> Quality:
        """Return the bias with the rates of an agreement."""
        rates = [part for rate in (found.fpr, found.fnr, found.kappa) for part in (rate.value, rate.interval)]
        return cls(bias, interval, *rates)  # type: ignore[arg-type]

    @property
    def favours(self) -> int:
        """1 where the judge favours the first run, -1 the second, 0 where its bias may be 0."""
        return self.bias_interval.sign if self.bias_interval else 0


@dataclass(frozen=True)
class JudgedMeasure:
    """Two runs compared by one measure and each kind of labels."""

    measure: str
    human: OfHumans
    machine: Labelled
    combined: OfBoth
    judge: Quality

    @property
    def rows(self) -> tuple[Labelled, ...]:
        """The rows of a table."""
        return self.human, self.machine, self.combined


@dataclass(frozen=True)
class JudgedPair:
    """Two runs compared by every measure, with all of it in words."""

    a: Annotated[str, HIDDEN]
    b: Annotated[str, HIDDEN]
    measures: tuple[JudgedMeasure, ...]
    text: Annotated[str, Data(before="measures")] = ""

    @property
    def pair(self) -> Annotated[tuple[str, str], Data(before="text")]:
        """The names of the runs."""
        return self.a, self.b

    @property
    def clearest(self) -> JudgedMeasure:
        """The measure that shows the clearest difference by both kinds of labels."""
        return min(self.measures, key=lambda j: (j.combined.p_corrected, j.combined.p))

    def by(self, measure: int) -> JudgedPair:
        """Return the comparison by one of the measures alone, without words."""
        return JudgedPair(self.a, self.b, (self.measures[measure],))

    def table(self, level: str) -> Table:
        """Return a table with three rows for each measure; ``level`` is that of the intervals, in words."""
        title = f"{self.a} against {self.b} (difference: first minus second)"
        rows = [row for judged in self.measures for row in judged.rows]
        return Table.of(title, Labelled, rows, interval_text=f"{level} interval")


@dataclass(frozen=True, repr=False)
class JudgedComparison(ComparedPairs):
    """The outcome of `compare` with the labels of a judge.

    Attributes
    ----------
    runs : tuple of str
    human_queries, machine_queries : int
        The queries judged by humans, and by the judge.
    level, power : float
    pairs : tuple of JudgedPair
    agreement : JudgeAgreement
    correction : {"maxt", "holm", "bh"}
    remarks : tuple of str
    means : tuple of mapping
        For each measure the mean of each run by both kinds of labels.
    """

    runs: tuple[str, ...]
    human_queries: int
    machine_queries: int
    level: float
    power: float
    correction: Correction
    pairs: tuple[JudgedPair, ...]
    agreement: JudgeAgreement
    remarks: tuple[str, ...] = ()
    by_query: Annotated[Table, HIDDEN] = Table("", (), ())
    means: Annotated[tuple[dict[str, float], ...], HIDDEN] = ()

    @property
    def words(self) -> JudgedWords:
        """What says the comparison in words."""
        return JudgedWords(self.human_queries, self.machine_queries, self.alpha, self.power)

    def ranked(self, measure: int) -> tuple[RankedRun, ...]:
        """Return the runs in order of their means by a measure, with their possible ranks and groups."""
        combined = {(pair.a, pair.b): pair.measures[measure].combined for pair in self.pairs}
        return rank_runs(
            self.means[measure],
            {
                both: row.significant(row.difference, row.p_corrected, self.alpha)
                for both, row in combined.items()
            },
        )

    def leaders(self) -> str:
        """Return how the first two of several runs compare, by the measure that tells most pairs apart."""
        apart = [
            sum(pair.measures[i].combined.p_corrected < self.alpha for pair in self.pairs)
            for i in range(len(self.means))
        ]
        measure = apart.index(max(apart))

        def headline(pair: JudgedPair) -> str:
            return self.words.headline(pair.by(measure))

        name = self.pairs[0].measures[measure].measure
        return leaders_text(self.ranked(measure), self.pairs, headline, name, apart[measure])

    @property
    def rankings(self) -> Annotated[list[Ranking], Data()]:
        """The runs in order of their means, by each measure."""
        return [Ranking(judged.measure, self.ranked(i)) for i, judged in enumerate(self.pairs[0].measures)]

    def to_dataframe(self) -> pd.DataFrame:
        """Return a row per pair, measure and kind of labels."""
        every = [(pair, row) for pair in self.pairs for judged in pair.measures for row in judged.rows]
        return frame_of_pairs(Labelled, every)

    def blocks(self, full: bool = False) -> Iterator[ReportBlock]:
        """Return a paragraph and tables for two runs; for more, their ranks by each measure.

        Parameters
        ----------
        full : bool
            Whether to add the paragraph and tables of every pair of more than two runs.
        """
        several = len(self.runs) > 2
        yield from self.said(warnings=True)
        if several:
            yield Line(self.leaders() + "\n")
            title = "Runs by {}, humans and judge together"
            tables = [Table.of(title.format(of.measure), RankedRun, of.runs) for of in self.rankings]
            yield tables[0]
            yield Line(self.words.biased(self.pairs))
            yield from details([*tables[1:], Line(LEGEND + ("" if full else " --full shows every pair."))])
        for pair in self.pairs if full or not several else ():
            yield Line(pair.text + "\n")
            yield pair.table(self.words.level)
        tests = len(self.pairs) * len(self.pairs[0].measures)
        yield from details(
            (
                self.agreement.table(),
                Line(self.words.quality(self.agreement)),
                *self.said(warnings=False),
                Line(self.words.method(self.correction, tests)),
            )
        )
