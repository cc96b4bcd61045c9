"""The outcome of a comparison over many collections, in sentences and tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import mean
from typing import TYPE_CHECKING, Annotated

from ndcg_asymptotics.analysis.replication import IF_OBSERVED
from ndcg_asymptotics.analysis.runs.collections_rows import (
    CollectionPower,
    InCollection,
    MeasureOverCollections,
    OverCollections,
    PairOverCollections,
    Way,
)
from ndcg_asymptotics.analysis.runs.compared import ComparedPairs, frame_of_pairs
from ndcg_asymptotics.analysis.runs.correction import DESCRIPTIONS, Correction
from ndcg_asymptotics.analysis.runs.ranks import LEGEND, RankedRun, rank_runs
from ndcg_asymptotics.core.tables import HIDDEN, Data, Line, ReportBlock, Table, details

if TYPE_CHECKING:
    import pandas as pd

_ABOUT: dict[Way, str] = {"fixed": "these collections", "random": "collections like these"}


@dataclass(frozen=True)
class RankingOverCollections:
    """The runs in order of their means over the collections by a measure."""

    measure: str
    over: Way
    runs: Sequence[RankedRun]


@dataclass(frozen=True, repr=False)
class CollectionsComparison(ComparedPairs):
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
    def measures(self) -> list[str]:
        """The names of the measures."""
        return [judged.measure for judged in self.pairs[0].by_measure]

    @property
    def rankings(self) -> Annotated[list[RankingOverCollections], Data()]:
        """The runs in order of their means, by each measure and way to treat the collections."""
        return [
            RankingOverCollections(measure, way, self.ranked(m, way))
            for m, measure in enumerate(self.measures)
            for way in self.over
        ]

    def ranked(self, measure: int, over: Way) -> tuple[RankedRun, ...]:
        """Return the runs in order of their means by a measure, with their possible ranks and groups."""
        means: dict[str, float] = {}
        signs = {}
        for pair in self.pairs:
            row = pair.by_measure[measure].over(over)
            means |= {pair.a: row.mean_a, pair.b: row.mean_b}
            signs[pair.a, pair.b] = row.significant(row.ahead, row.p_corrected, self.alpha)
        return rank_runs(means, signs, lower_is_better=row.lower_is_better)

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
                middle = mean(math.inf if row.needed is None else row.needed for row in middle_rows)
                found.append(
                    CollectionPower(
                        measure,
                        name,
                        self.queries[c],
                        len(rows),
                        sum(row.p < self.alpha for row in rows),
                        sum(row.p_corrected < self.alpha for row in rows),
                        middle if math.isfinite(middle) else None,
                    )
                )
        return found

    def to_dataframe(self) -> pd.DataFrame:
        """Return a row per pair, measure, and way to treat the collections."""
        every = [(pair, row) for pair in self.pairs for judged in pair.by_measure for row in judged.overall]
        return frame_of_pairs(OverCollections, every)

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

    def blocks(self, full: bool = False) -> Iterator[ReportBlock]:
        """Return sentences and tables for two runs; for more, their ranks by each measure.

        Parameters
        ----------
        full : bool
            Whether to add those of every pair of more than two runs.
        """
        several = len(self.runs) > 2
        yield from self.said(warnings=True)
        if several:
            first, *others = self._leaderboards()
            yield first
            yield from details(others)
            yield Line(LEGEND + ("" if full else " --full shows every pair.") + "\n", detail=True)
        for pair in self.pairs if full or not several else ():
            yield Line(self.paragraph(pair) + "\n")
            yield from self._tables(pair)
        yield from details(self.said(warnings=False))
        yield Line(self._method(pairs=full or not several), detail=True)

    def _leaderboards(self) -> Iterator[Table]:
        """Yield the runs in order of their means, and how many pairs each collection tells apart."""
        for ranking in self.rankings:
            title = f"Runs by {ranking.measure}, in the mean over {_ABOUT[ranking.over]}"
            yield Table.of(f"{title} ({ranking.over})", RankedRun, ranking.runs)
        for measure in self.measures:
            power = [row for row in self.collection_power if row.measure == measure]
            title = f"Pairs of {len(self.pairs)} that each collection tells apart by {measure}"
            yield Table.of(title, CollectionPower, power)

    def paragraph(self, pair: PairOverCollections) -> str:
        """Return the answer for two runs, by the measure that shows the clearest difference."""
        best = min(pair.by_measure, key=lambda judged: judged.overall[0].p_corrected)
        return " ".join([*(self._sentence(pair, row) for row in best.overall), self._counts(pair, best)])

    def _sentence(self, pair: PairOverCollections, row: OverCollections) -> str:
        where = f"In the mean over {_ABOUT[row.over]}"
        if row.interval is None:
            return f"{where}, {pair.a} and {pair.b} are identical by {row.measure}."
        if row.p_corrected >= self.alpha:
            return (
                f"{where}, {row.measure} shows no significant difference between {pair.a} and {pair.b} "
                f"({self._level} interval {row.low:+.4f} to {row.high:+.4f}, corrected p-value "
                f"{row.p_corrected:.2g})."
            )
        ahead, behind = (pair.a, pair.b) if row.ahead > 0 else (pair.b, pair.a)
        low, high = sorted(abs(end) for end in row.interval)
        return (
            f"{where}, {ahead} is better than {behind} by {abs(row.difference):.4f} {row.measure} "
            f"({self._level} interval {low:.4f} to {high:.4f}, corrected p-value {row.p_corrected:.2g})."
        )

    def _counts(self, pair: PairOverCollections, judged: MeasureOverCollections) -> str:
        """Return in how many collections the first run is better, and how many tell the runs apart."""
        direction = -1 if judged.overall[0].lower_is_better else 1
        better = sum(direction * row.difference > 0 for row in judged.by_collection)
        sure = [row for row in judged.by_collection if row.p_corrected < self.alpha]
        count = len(self.collections)
        said = f"{pair.a} has the better mean in {better} of {count} collections; "
        if not sure:
            return said + "none tells the runs apart by itself."
        worse = sum(direction * row.difference < 0 for row in sure)
        tells = "tells" if len(sure) == 1 else "tell"
        verdict = (
            f"{pair.b} is better in {worse} of these" if worse else f"{pair.a} is better in all of these"
        )
        return f"{said}{len(sure)} {tells} the runs apart by {judged.measure}, {verdict}."

    def _tables(self, pair: PairOverCollections) -> Iterator[Table]:
        headings = {"mean_a": pair.a, "mean_b": pair.b, "interval_text": f"{self._level} interval"}
        count = len(self.collections)
        title = f"{pair.a} against {pair.b}, mean over {count} collections (difference: first minus second)"
        rows = [row for judged in pair.by_measure for row in judged.overall]
        yield Table.of(title, OverCollections, rows, **headings)
        for judged in pair.by_measure:
            title = f"{pair.a} against {pair.b} by {judged.measure}, in each collection"
            yield replace(Table.of(title, InCollection, judged.by_collection, **headings), detail=True)

    @property
    def _level(self) -> str:
        return f"{100 * (1 - self.alpha):.6g}%"

    def _method(self, pairs: bool) -> str:
        """Return what the numbers are."""
        tests = len(self.pairs) * len(self.measures)
        count = len(self.collections)
        said = [f"{sum(self.queries):,} queries of {count} collections, which count the same in the mean."]
        if "fixed" in self.over:
            said.append(
                "fixed: about other queries of these collections; the larger p-value of a permutation test, "
                "which exchanges the runs within queries, and of a t test of the stratified mean."
            )
        if "random" in self.over:
            said.append(
                "random: about other collections of which these are a sample; the larger p-value of a "
                "permutation test, which exchanges the runs in whole collections, and of Student's t test "
                f"over the {count} means."
            )
        alpha = f"{self.alpha:.2g}"
        if pairs:
            said.append(
                f"The {self._level} interval excludes 0 exactly if the p-value before correction is below "
                f"{alpha}."
            )
        said.append(
            f"Corrected p-values are {DESCRIPTIONS[self.correction]}, for {tests} test{'s' * (tests > 1)}, "
            "in collections also for their number. Queries as observed: with so many new queries of the "
            f"collection a paired t test at level {alpha} without correction has {self.power:.0%} power "
            f"{IF_OBSERVED}; more queries: how many of these the collection lacks."
        )
        return " ".join(said)
