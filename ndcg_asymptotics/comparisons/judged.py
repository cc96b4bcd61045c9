"""The outcome of a comparison of runs by labels of humans, of a judge, and of both together."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from ndcg_asymptotics.comparisons.agreement import JudgeAgreement
from ndcg_asymptotics.comparisons.judged_text import JudgedWords
from ndcg_asymptotics.comparisons.pairs import (
    Answer,
    ComparedPair,
    ComparedPairs,
    ShownDifference,
    Tally,
)
from ndcg_asymptotics.core.looks import COLORS, Look
from ndcg_asymptotics.core.rows import HIDDEN, Column, Data, computed_value, general
from ndcg_asymptotics.core.tables import Line, ReportBlock, Table
from ndcg_asymptotics.plots.hooks import OutcomeFigures
from ndcg_asymptotics.stats.correction import Correction
from ndcg_asymptotics.stats.paired import Difference, Interval, WithInterval

Nesting = Literal["nested", "equal"]
"""Whether the judge has judged more queries than humans, theirs among them, or the same."""


LABEL_LOOKS = {
    "humans": Look(COLORS[0], "solid", "o"),
    "judge": Look(COLORS[5], "solid", "s"),
    "both": Look(COLORS[6], "solid", "D"),
}
"""How each kind of labels is drawn."""


@dataclass(frozen=True)
class Labelled(WithInterval):
    """The difference of two runs by some labels: a - b, with its interval and test.

    ``interval`` is None where the runs are the same for every query; ``queries`` is the number of queries,
    and ``worth`` that of queries judged by humans whose mean has the same variance, if it is known.
    """

    measure: Annotated[str, Column("measure"), Data(json=False)]
    labels: Annotated[str, Column("labels"), Data(json=False)]
    difference: Annotated[float, Column("difference", general("+.4f"))]
    interval: Annotated[Interval | None, Data(frame=False)]
    p: Annotated[float, Column("p", general(".2g"), 3)]
    p_corrected: Annotated[float, Column("corrected p", general(".2g"))]
    queries: Annotated[int, Column("queries", general(","), 2)]
    worth: Annotated[float | None, Column("worth", general(",.0f")), Data(json=False)]

    @classmethod
    def of(
        cls, measure: str, labels: str, difference: Difference, p: float, queries: int, worth: float | None
    ) -> Labelled:
        """Return the row of a difference, with its corrected p-value."""
        return Labelled(
            measure=measure,
            labels=labels,
            difference=difference.mean,
            interval=difference.interval,
            p=difference.p,
            p_corrected=p,
            queries=queries,
            worth=worth,
        )


@dataclass(frozen=True)
class OfBoth(Labelled):
    """The difference by the labels of humans and of the judge together (`stats.combined`).

    Attributes
    ----------
    weight : float
        The weight lambda of the judge.
    human_queries, machine_queries : int
        The queries judged by humans, and by the judge.
    design : {"nested", "equal"}
    human_queries_needed : int or None
        The number of queries judged by humans with which, beside those of the judge, the test has the target
        power if the true difference is the observed one; None if those of the judge are too few.
    tally : Tally
        For how many of the queries judged by humans the first run is better and worse.
    means : (float, float)
        Of the two runs, by both kinds of labels.
    """

    weight: Annotated[float, Data("lambda")]
    human_queries: int
    machine_queries: int
    design: Nesting
    human_queries_needed: int | None
    tally: Annotated[Tally, HIDDEN]
    means: Annotated[tuple[float, float], HIDDEN] = (math.nan, math.nan)

    @computed_value(Data())
    def differing(self) -> int:
        """The number of queries judged by humans in which the runs differ."""
        return self.tally.differing

    @computed_value(Data())
    def effective_human_queries(self) -> float | None:
        """The number of queries judged by humans whose mean has the same variance."""
        return self.worth


@dataclass(frozen=True)
class Quality:
    """The bias of the judge between two runs, and its errors: numbers with their intervals.

    ``bias`` is the mean of the difference by its labels minus that by labels of humans, over the queries of
    humans; rates are those of `JudgeAgreement`.
    """

    bias: float
    bias_interval: Interval | None
    fpr: float | None
    fpr_interval: Interval | None
    fnr: float | None
    fnr_interval: Interval | None

    @classmethod
    def of(cls, bias: float, interval: Interval | None, agreement: JudgeAgreement) -> Quality:
        """Return the bias with the rates of an agreement."""
        rates = [part for rate in (agreement.fpr, agreement.fnr) for part in (rate.value, rate.interval)]
        return cls(bias, interval, *rates)  # type: ignore[arg-type]

    @property
    def favours(self) -> int:
        """1 where the judge favours the first run, -1 the second, 0 where its bias may be 0."""
        return self.bias_interval.sign if self.bias_interval else 0


@dataclass(frozen=True)
class JudgedMeasure:
    """Two runs compared by one measure and each kind of labels."""

    measure: str
    human: Labelled
    machine: Labelled
    combined: OfBoth
    judge: Quality

    @property
    def rows(self) -> tuple[Labelled, ...]:
        """The rows of a table."""
        return self.human, self.machine, self.combined

    @property
    def answer(self) -> Answer:
        """What both kinds of labels say together."""
        row = self.combined
        return Answer(
            self.measure,
            row.difference,
            row.interval,
            row.p_corrected,
            row.means,
            tally=row.tally,
        )


@dataclass(frozen=True)
class JudgedPair(ComparedPair[JudgedMeasure]):
    """Two runs compared by every measure, with three rows for each."""

    kind: ClassVar[type] = Labelled

    @property
    def drawn(self) -> list[ShownDifference]:
        """The differences as figures draw them, by every measure and kind of labels."""
        differences = []
        for row in (row for judged in self.by_measure for row in judged.rows):
            low, high = row.interval or (None, None)
            name, look = f"{row.measure}, {row.labels}", LABEL_LOOKS[row.labels]
            differences.append(ShownDifference(name, look, row.difference, low, high, row.p_corrected))
        return differences


@dataclass(frozen=True, repr=False)
class JudgedComparison(ComparedPairs[JudgedPair]):
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
    """

    figures: ClassVar = OutcomeFigures(
        "ndcg_asymptotics.comparisons.judged_figures.judged_drawings", "a comparison with a judge"
    )

    json_kind: ClassVar[str] = "compare with a judge"

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

    @property
    def words(self) -> JudgedWords:
        """What says the comparison in words."""
        return JudgedWords(self.alpha, self.power, self.human_queries, self.machine_queries)

    def leaderboard(self) -> tuple[list[ReportBlock], list[ReportBlock]]:
        """Return the leaders and how often the judge favours a run; the ranks by other measures."""
        first, *secondary = (ranking.table(", humans and judge together") for ranking in self.rankings)
        return [Line(self.leaders() + "\n"), first, Line(self.words.biased(self.pairs))], [*secondary]

    def tables(self, pair: JudgedPair) -> Iterator[Table]:
        """Yield a table with three rows for each measure."""
        yield pair.table(self.words.level)

    def notes(self) -> list[ReportBlock]:
        """Return the agreement of the judge with humans."""
        return [Line(self.words.quality(self.agreement))]
