"""The outcome of a comparison over many collections: its rows, sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal, Self

from ndcg_asymptotics.comparisons.pairs import Answer, ComparedPair, ComparedPairs, PairWords
from ndcg_asymptotics.core.rows import HIDDEN, Column, Data, fixed, general
from ndcg_asymptotics.core.tables import Line, ReportBlock, Table
from ndcg_asymptotics.stats.correction import Correction
from ndcg_asymptotics.stats.paired import Difference, Interval, WithInterval
from ndcg_asymptotics.stats.replication import IF_OBSERVED

Way = Literal["fixed", "random"]
"""What the collections are: all that there are, or a sample of others like them."""
CorrectedTest = tuple[Difference, float]
"""A difference with its test, and the corrected p-value."""

_ABOUT: dict[Way, str] = {"fixed": "these collections", "random": "collections like these"}


@dataclass(frozen=True)
class CollectionsRow(WithInterval):
    """Two runs by one measure, in one collection or in the mean over all; differences are a - b.

    Attributes
    ----------
    measure : str
    over : str
        The name of the collection. Of the mean over all of them, in which each counts the same, "fixed" where
        the interval and the test are about these collections, "random" where they are about others like them.
    queries : int
        Those of the collection, or of all collections.
    mean_a, mean_b, difference : float
    interval : Interval or None
        None if the runs are identical.
    p, p_corrected : float
        Without correction, and corrected for all pairs and measures, in a collection also for the number of
        collections.
    collections : int or None
        Of "random": the number of collections with which a t test over new ones has the target power, if
        the true difference is as large as the observed one.
    lower_is_better : bool
    """

    measure: Annotated[str, Column("measure")]
    over: Annotated[str, Column("over")]
    queries: Annotated[int, Column("queries", general(","))]
    mean_a: Annotated[float, Column("a", fixed(4), fold=True)]
    mean_b: Annotated[float, Column("b", fixed(4), fold=True)]
    difference: Annotated[float, Column("difference", general("+.4f"), 2)]
    interval: Annotated[Interval | None, Data(frame=False)]
    p: Annotated[float, Column("p", general(".2g"), 5)]
    p_corrected: Annotated[float, Column("corrected p", general(".2g"))]
    collections: Annotated[int | None, Column("collections as observed", general(","), optional=True)]
    lower_is_better: bool

    @classmethod
    def of(
        cls,
        measure: str,
        over: str,
        queries: int,
        means: Sequence[float],
        test: CorrectedTest,
        unit: float,
        lower_is_better: bool,
    ) -> Self:
        """Return the row of a test, whose difference is in multiples of ``unit``."""
        in_units, p_corrected = test
        difference = in_units.times(unit)
        return cls(
            measure=measure,
            over=over,
            queries=queries,
            mean_a=means[0],
            mean_b=means[1],
            difference=difference.mean,
            interval=difference.interval,
            p=difference.p,
            p_corrected=p_corrected,
            collections=difference.queries,  # a "random" test has collections in place of queries
            lower_is_better=lower_is_better,
        )

    @property
    def answer(self) -> Answer:
        """What decides about the two runs."""
        means = self.mean_a, self.mean_b
        return Answer(
            self.measure, self.difference, self.interval, self.p_corrected, means, self.lower_is_better
        )


@dataclass(frozen=True)
class MeasureOverCollections:
    """Two runs by one measure, in the mean over the collections and in each of them."""

    measure: str
    overall: tuple[CollectionsRow, ...]
    by_collection: tuple[CollectionsRow, ...]

    @property
    def answer(self) -> Answer:
        """What decides: the mean over the given collections, if they are taken as such."""
        return self.overall[0].answer

    @property
    def rows(self) -> tuple[CollectionsRow, ...]:
        """The rows of a DataFrame."""
        return self.overall + self.by_collection


@dataclass(frozen=True)
class PairOverCollections(ComparedPair[MeasureOverCollections]):
    """Two runs compared over the collections by every measure."""

    kind: ClassVar[type] = CollectionsRow


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
        """Return which run is better by the first measure."""
        ways = zip(self.over, pair.first.overall, strict=True)
        return " ".join(self._sentence(pair, way, row) for way, row in ways)

    def paragraph(self, pair: PairOverCollections) -> str:
        """Return which run is better by the first measure, and in how many collections."""
        compared = pair.first
        ahead = compared.answer.ahead or 1  # of equal runs, the first one
        leader = pair.a if ahead > 0 else pair.b
        better = [row for row in compared.by_collection if row.answer.ahead == ahead]
        significant = sum(row.p_corrected < self.alpha for row in better)
        return (
            f"{self.headline(pair)} {leader} has the better mean {compared.measure} in {len(better)} of "
            f"{len(self.queries)} collections, in {significant or 'none'} of them significantly."
        )

    def _sentence(self, pair: PairOverCollections, way: Way, row: CollectionsRow) -> str:
        average = f"On average over {_ABOUT[way]}"
        if row.interval is None:
            return f"{average}, {pair.a} and {pair.b} have the same {row.measure}."
        if row.p_corrected >= self.alpha:
            return (
                f"{average}, {row.measure} shows no significant difference between {pair.a} and {pair.b} "
                f"({self.level} interval {row.low:+.4f} to {row.high:+.4f}, corrected p-value "
                f"{row.p_corrected:.2g})."
            )
        return f"{average}, {self.better(pair, row.answer)}."

    def method(self, comparison: ComparedPairs[PairOverCollections], *, pairs: bool) -> str:
        """Return what the numbers are."""
        observed = (
            "Collections as observed: with so many new collections a t test without correction has "
            f"{self.power:.0%} power {IF_OBSERVED}. "
        )
        mean = f"{self.shown_by}, which count the same in the mean. "
        corrected = f"{comparison.corrected}, in collections also for their number."
        return mean + (observed if pairs and "random" in self.over else "") + corrected


@dataclass(frozen=True, repr=False)
class CollectionsComparison(ComparedPairs[PairOverCollections]):
    """The outcome of `compare` for several collections."""

    json_kind: ClassVar[str] = "compare collections"

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

    def leaderboard(self) -> tuple[list[ReportBlock], list[ReportBlock]]:
        """Return the leaders and the runs in order by the first measure; in order by the others."""
        first, *secondary = (r.table(f", in the mean over {_ABOUT[self.over[0]]}") for r in self.rankings)
        return [Line(self.leaders() + "\n"), first], [*secondary]

    def tables(self, pair: PairOverCollections) -> Iterator[Table]:
        """Yield a table of the means, and one of each measure in the collections."""
        runs, headings = f"{pair.a} against {pair.b}", pair.headings(self.words.level)
        title = f"{runs}, mean over {len(self.collections)} collections (difference: first minus second)"
        means = [row for compared in pair.by_measure for row in compared.overall]
        yield Table.of(title, CollectionsRow, means, **headings, queries=None)
        in_collections = {**headings, "measure": None, "over": "collection"}  # None: without this column
        for compared in pair.by_measure:
            title = f"{runs} by {compared.measure}, in each collection"
            table = Table.of(title, CollectionsRow, compared.by_collection, **in_collections)
            yield replace(table, detail=compared is not pair.first)
