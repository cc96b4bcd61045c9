"""The outcome of a comparison by labels of humans, of a judge, and of both: its words and tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from ndcg_asymptotics.comparisons.agreement import JudgeAgreement
from ndcg_asymptotics.comparisons.pairs import (
    Answer,
    ComparedPair,
    ComparedPairs,
    PairWords,
    ShownDifference,
    Tally,
)
from ndcg_asymptotics.core.looks import COLORS, Look
from ndcg_asymptotics.core.rows import HIDDEN, Column, Data, computed_value, general
from ndcg_asymptotics.core.tables import Line, ReportBlock, Table
from ndcg_asymptotics.plots.hooks import OutcomeFigures
from ndcg_asymptotics.stats.correction import Correction
from ndcg_asymptotics.stats.paired import Difference, Interval, WithInterval, mostly_ties
from ndcg_asymptotics.stats.replication import IF_OBSERVED

Nesting = Literal["nested", "equal"]
"""Whether the judge has judged more queries than humans, theirs among them, or the same."""

_FEW = 10  # differing queries below which no interval of these keeps its coverage

CONDITION = "the queries that humans judged were drawn at random from those that the judge judged"

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


def few_differing(combined: OfBoth) -> bool:
    """Return whether too few queries of humans differ for an interval to cover as it says.

    What decides is the number of differences that are not 0; docs/judges.md has the coverage.
    """
    return combined.differing < _FEW or mostly_ties(combined.differing, combined.human_queries)


def could_turn(judged: JudgedMeasure) -> bool:
    """Return whether the intervals hold a bias of the judge that is as large as the difference by both."""
    bias, combined = judged.judge.bias_interval, judged.combined.interval
    if bias is None or combined is None:
        return False
    return combined.sign == 0 or max(map(abs, bias)) >= min(map(abs, combined))


@dataclass(frozen=True)
class JudgedWords(PairWords[JudgedPair]):
    """What a comparison with a judge says."""

    human_queries: int
    machine_queries: int

    @property
    def shown_by(self) -> str:
        """The queries by both kinds of labels."""
        return f"{self.human_queries:,} queries judged by humans and {self.machine_queries:,} by the judge"

    def paragraph(self, pair: JudgedPair) -> str:
        """Return which run is better by both, what that is worth, and the bias of the judge."""
        best = pair.first
        if best.combined.interval is None:
            return (
                f"{pair.a} and {pair.b} do not differ by {best.measure} on the {self.human_queries:,} "
                "queries judged by humans, so these cannot show what the judge's labels are worth."
            )
        sentences = [
            self.headline(pair),
            self._worth(best),
            self._more(best),
            self._bias(pair, best),
            self._few(best),
        ]
        return " ".join(part for part in sentences if part)

    def headline(self, pair: JudgedPair) -> str:
        """Return which run is better by both, or that nothing shows it."""
        answer = pair.first.answer
        if answer.p < self.alpha:
            return f"{self.better(pair, answer)}, by {self.shown_by}."
        return f"{self.undecided(pair, answer)}."

    def _worth(self, best: JudgedMeasure) -> str:
        combined = best.combined
        if combined.weight == 0:
            return "The judge's labels do not help: their weight is 0, and those of humans decide alone."
        return (
            f"Together they are worth {combined.effective_human_queries:,.0f} queries judged by humans; the "
            f"judge's labels have the weight {combined.weight:.2f}."
        )

    def _more(self, best: JudgedMeasure) -> str:
        combined = best.combined
        if combined.p_corrected < self.alpha or combined.difference == 0:
            return ""
        test = f"{IF_OBSERVED.capitalize()}, a test at level {self.alpha:g} has {self.power:.0%} power"
        if combined.human_queries_needed is None:
            return f"{test} only with more queries than the {self.machine_queries:,} of the judge."
        extra_queries = max(combined.human_queries_needed - self.human_queries, 0)
        return (
            f"{test} with {extra_queries:,} more of the judge's queries judged by humans."
            if extra_queries
            else f"{test} with those judged already."
        )

    def _bias(self, pair: JudgedPair, best: JudgedMeasure) -> str:
        if all(judged.machine.interval is None for judged in pair.by_measure):
            return f"By the judge's labels {pair.a} and {pair.b} are the same in every query."
        biased = [judged for judged in pair.by_measure if judged.judge.favours]
        subject = best if best in biased or not biased else biased[0]
        quality, measure = subject.judge, subject.measure
        if quality.bias_interval is None:
            return "On every query that humans judged, the judge's labels give the same difference as theirs."
        low, high = quality.bias_interval
        between = f"{self.level} interval of the bias {low:+.4f} to {high:+.4f}"
        if not biased and could_turn(subject):
            return (
                f"{self.human_queries:,} queries judged by humans are not enough to tell whether the judge "
                f"favours a run by {measure} ({between})."
            )
        if not biased:
            return f"By {measure} the judge favours neither run by as much as they differ ({between})."
        low, high = sorted((abs(low), abs(high)))
        alike = [of.measure for of in biased if of is not subject and of.judge.favours == quality.favours]
        also = f", and by {', '.join(alike)}" if alike else ""
        return (
            f"Warning: the judge's labels move the difference by {abs(quality.bias):.4f} {measure} in favour "
            f"of {pair.a if quality.bias > 0 else pair.b} ({self.level} interval {low:.4f} to {high:.4f})"
            f"{also}; do not rely on them alone."
        )

    def _few(self, best: JudgedMeasure) -> str:
        differing = best.combined.differing
        if not few_differing(best.combined):
            return ""
        reason = (
            f"humans judged only {self.human_queries:,} queries"
            if differing == self.human_queries
            else f"the runs differ in only {differing} of the {self.human_queries:,} queries judged by humans"
        )
        return (
            f"Warning: {reason}; with so few, {self.level} intervals cover less often than they say, also "
            "those of humans alone."
        )

    def biased(self, pairs: Sequence[JudgedPair]) -> str:
        """Return in how many comparisons the judge favours one of the runs."""
        judged = [of_measure for pair in pairs for of_measure in pair.by_measure]
        biased = sum(of_measure.judge.favours != 0 for of_measure in judged)
        unknown = sum(not of_measure.judge.favours and could_turn(of_measure) for of_measure in judged)
        return (
            f"The judge favours one of the two runs in {biased} of {len(judged)} comparisons (the "
            f"{self.level} interval of its bias, not corrected for their number, excludes 0). In {unknown} "
            "others humans judged too few queries to tell."
        )

    def quality(self, agreement: JudgeAgreement) -> str:
        """Return the error rates of the judge."""
        return (
            f"Of {agreement.documents:,} documents that both have judged the judge calls {agreement.fpr} of "
            "those relevant that are irrelevant by humans (false positive rate), and "
            f"{agreement.fnr} of the others irrelevant (false negative rate); {self.level} intervals over "
            "queries."
        )

    def method(self, comparison: ComparedPairs[JudgedPair], *, pairs: bool) -> str:
        """Return what the numbers are, and on which condition."""
        by = ", from a multivariate t law for both" if comparison.correction == "maxt" else ""
        return (
            f"Humans: their queries alone. Judge: its queries alone, with its errors and its bias. Both: the "
            f"judge's difference, corrected by humans; valid if {CONDITION}. Worth: the number of queries "
            f"judged by humans whose mean has the same variance. {comparison.corrected}{by}."
        )


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
