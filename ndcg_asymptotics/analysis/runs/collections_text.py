"""The outcome of a comparison over many collections, in sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

from ndcg_asymptotics.analysis.replication import IF_OBSERVED, median_number
from ndcg_asymptotics.analysis.runs.collections_rows import (
    CollectionPower,
    InCollection,
    MeasureOverCollections,
    OverCollections,
    PairOverCollections,
    Way,
)
from ndcg_asymptotics.analysis.runs.correction import Correction
from ndcg_asymptotics.analysis.runs.pairs import (
    ComparedPairs,
    PairWords,
    Ranking,
    frame_of_pairs,
)
from ndcg_asymptotics.analysis.runs.ranks import RankedRun
from ndcg_asymptotics.core.tables import HIDDEN, Data, Line, ReportBlock, Table

if TYPE_CHECKING:
    import pandas as pd

_ABOUT: dict[Way, str] = {"fixed": "these collections", "random": "collections like these"}


@dataclass(frozen=True)
class CollectionsWords(PairWords[PairOverCollections]):
    """What a comparison over collections with so many queries says."""

    queries: tuple[int, ...]
    over: tuple[Way, ...]

    @property
    def shown_by(self) -> str:
        """The numbers of queries and of collections."""
        return f"{sum(self.queries):,} queries of {len(self.queries)} collections"

    def headline(self, pair: PairOverCollections) -> str:
        """Return which run is better by the measure that shows the clearest difference."""
        return " ".join(self._sentence(pair, row) for row in pair.clearest.overall)

    def paragraph(self, pair: PairOverCollections) -> str:
        """Return the answer for two runs, by the measure that shows the clearest difference."""
        return f"{self.headline(pair)} {self._counts(pair, pair.clearest)}"

    def _sentence(self, pair: PairOverCollections, row: OverCollections) -> str:
        where = f"On average over {_ABOUT[row.over]}"
        if row.interval is None:
            return f"{where}, {pair.a} and {pair.b} have the same {row.measure}."
        if row.p_corrected >= self.alpha:
            return (
                f"{where}, {row.measure} shows no significant difference between {pair.a} and {pair.b} "
                f"({self.level} interval {row.low:+.4f} to {row.high:+.4f}, corrected p-value "
                f"{row.p_corrected:.2g})."
            )
        return f"{where}, {self.better(pair, row.answer)}."

    def _counts(self, pair: PairOverCollections, judged: MeasureOverCollections) -> str:
        """Return in how many collections one run is better, and how many tell the runs apart alone."""
        ahead = judged.answer.direction * (judged.answer.ahead or 1)
        name, other = pair.pair if judged.answer.ahead >= 0 else pair.pair[::-1]
        better = sum(ahead * row.difference > 0 for row in judged.by_collection)
        sure = [row for row in judged.by_collection if row.p_corrected < self.alpha]
        said = f"{name} has the better mean {judged.measure} in {better} of {len(self.queries)} collections"
        if not sure:
            return f"{said}; no collection alone tells the runs apart."
        worse = sum(ahead * row.difference < 0 for row in sure)
        best = other if worse else name
        if len(sure) == 1:
            return f"{said}; {sure[0].collection} alone tells them apart, with {best} better."
        count = "all" if worse in (0, len(sure)) else f"{worse}"
        return f"{said}; {len(sure)} each tell them apart alone, with {best} better in {count} of these."

    def method(self, found: ComparedPairs[PairOverCollections], *, pairs: bool) -> str:
        """Return what the numbers are."""
        said = [f"{self.shown_by}, which count the same in the mean."]
        if "fixed" in self.over:
            said.append(
                "fixed: about other queries of these collections; the larger p-value of a permutation test, "
                "which exchanges the runs within queries, and of a t test of the stratified mean."
            )
        if "random" in self.over:
            said.append(
                "random: about other collections of which these are a sample; the larger p-value of a "
                "permutation test, which exchanges the runs in whole collections, and of Student's t test "
                f"over the {len(self.queries)} means."
            )
        alpha = f"{self.alpha:.2g}"
        if pairs:
            said.append(
                f"The {self.level} interval excludes 0 exactly if the p-value before correction is below "
                f"{alpha}."
            )
        said.append(
            f"{found.corrected}, in collections also for their number. Queries as observed: with so many new "
            f"queries of the collection a paired t test at level {alpha} without correction has "
            f"{self.power:.0%} power {IF_OBSERVED}; more queries: how many of these the collection lacks."
        )
        return " ".join(said)


@dataclass(frozen=True)
class RankingOverCollections(Ranking):
    """The runs in order of their means over the collections by a measure."""

    over: Annotated[Way, Data(before="runs")]


@dataclass(frozen=True, repr=False)
class CollectionsComparison(ComparedPairs[PairOverCollections]):
    """The outcome of `compare` for several collections."""

    runs: tuple[str, ...]
    collections: tuple[str, ...]
    queries: tuple[int, ...]
    over: tuple[Way, ...]
    level: float
    power: float
    correction: Correction
    pairs: tuple[PairOverCollections, ...]
    remarks: tuple[str, ...] = ()
    by_query: Annotated[Table, HIDDEN] = Table("", (), ())

    @property
    def words(self) -> CollectionsWords:
        """What says the comparison in words."""
        return CollectionsWords(self.alpha, self.power, self.queries, self.over)

    @property
    def rankings(self) -> Annotated[list[RankingOverCollections], Data()]:
        """The runs in order of their means, by each measure and way to treat the collections."""
        return [
            RankingOverCollections(measure, self.ranked(m, way), way)
            for m, measure in enumerate(self.measures)
            for way in self.over
        ]

    def ranked(self, measure: int, over: Way | None = None) -> tuple[RankedRun, ...]:
        """Return the runs in order of their means by a measure, with their possible ranks and groups."""
        way = over or self.over[0]
        return self.ranked_by([pair.by_measure[measure].over(way).answer for pair in self.pairs])

    @property
    def collection_power(self) -> Annotated[list[CollectionPower], Data()]:
        """How many pairs each collection tells apart by each measure, and how many queries it lacks."""
        found = []
        for m, measure in enumerate(self.measures):
            for c, name in enumerate(self.collections):
                rows = [pair.by_measure[m].by_collection[c] for pair in self.pairs]
                # the more of an effect, the fewer queries: only the middle ones are computed
                ordered = sorted(rows, key=lambda row: abs(row.effect))
                middle_rows = ordered[(len(rows) - 1) // 2 : len(rows) // 2 + 1]
                found.append(
                    CollectionPower(
                        measure,
                        name,
                        self.queries[c],
                        len(rows),
                        sum(row.p < self.alpha for row in rows),
                        sum(row.p_corrected < self.alpha for row in rows),
                        median_number([row.needed for row in middle_rows]),
                    )
                )
        return found

    def by_collection(self) -> pd.DataFrame:
        """Return a row per pair, measure and collection."""
        every = [
            (pair, judged.measure, row)
            for pair in self.pairs
            for judged in pair.by_measure
            for row in judged.by_collection
        ]
        found = frame_of_pairs(InCollection, [(pair, row) for pair, _, row in every])
        found.insert(2, "measure", [measure for _, measure, _ in every])
        return found

    def leaderboard(self) -> tuple[list[ReportBlock], list[ReportBlock]]:
        """Return the leaders and the runs in order; how many pairs each collection tells apart."""
        telling = self.measures[self.most_telling()]
        ranked = [
            ranking.table(f", in the mean over {_ABOUT[ranking.over]} ({ranking.over})")
            for ranking in sorted(self.rankings, key=lambda ranking: ranking.measure != telling)
        ]
        title = f"Pairs of {len(self.pairs)} that each collection tells apart by "
        power = [
            Table.of(
                title + measure,
                CollectionPower,
                [row for row in self.collection_power if row.measure == measure],
            )
            for measure in self.measures
        ]
        return [Line(self.leaders() + "\n"), ranked[0]], [*ranked[1:], *power]

    def tables(self, pair: PairOverCollections) -> Iterator[Table]:
        """Yield a table of the means, and one of each measure in the collections."""
        yield pair.table(self.words.level, f", mean over {len(self.collections)} collections")
        headings = pair.headings(self.words.level)
        for judged in pair.by_measure:
            title = f"{pair.a} against {pair.b} by {judged.measure}, in each collection"
            table = Table.of(title, InCollection, judged.by_collection, **headings)
            yield replace(table, detail=judged is not pair.clearest)
