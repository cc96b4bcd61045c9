"""Rows of comparisons over many collections: two runs in one collection, and in the mean of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, Self

from ndcg_asymptotics.analysis.replication import observed_number
from ndcg_asymptotics.analysis.runs.correction import MultipleTests
from ndcg_asymptotics.analysis.runs.paired import Difference, Interval, WithInterval
from ndcg_asymptotics.analysis.runs.pairs import Answer, ComparedPair
from ndcg_asymptotics.core.tables import HIDDEN, Column, Data, fixed, general

Way = Literal["fixed", "random"]
"""What the collections are: all that there are, or a sample of others like them."""
Tested = tuple[Difference, float]
"""A difference with its test, and the corrected p-value."""


@dataclass(frozen=True)
class InCollection(WithInterval):
    """Two runs in one collection by one measure; differences are a - b.

    Attributes
    ----------
    mean_a, mean_b, difference : float
    interval : Interval or None
        None if the runs are identical.
    p, p_corrected : float
        Without correction, and corrected for all pairs, measures and collections.
    effect : float
        The mean difference over its standard deviation.
    target : (float, float)
        The power and the level of the test for which queries are counted.
    """

    collection: Annotated[str, Column("collection")]
    queries: Annotated[int, Column("queries", general(","))]
    mean_a: Annotated[float, Column("a", fixed(4), fold=True, keep=True)]
    mean_b: Annotated[float, Column("b", fixed(4), fold=True, keep=True)]
    difference: Annotated[float, Column("difference", general("+.4f"), 1)]
    interval: Annotated[Interval | None, Data(frame=False)]
    p: Annotated[float, Column("p", general(".2g"), 5)]
    p_corrected: Annotated[float, Column("corrected p", general(".2g"))]
    effect: Annotated[float, Column("effect size", general("+.2f"), 4)]
    target: Annotated[tuple[float, float], HIDDEN]

    @classmethod
    def of(
        cls, name: str, queries: int, means: Sequence[float], found: Tested, unit: float, tests: MultipleTests
    ) -> Self:
        """Return the row of a difference that is stated in units."""
        d, p, (mean_a, mean_b) = found[0].times(unit), found[1], means
        target = tests.power, tests.alpha
        return cls(name, queries, mean_a, mean_b, d.mean, d.interval, d.p, p, d.effect, target)

    @property
    def needed(self) -> Annotated[int | None, Column("queries as observed", general(","), 2), Data()]:
        """The number of new queries with which a paired t test has the power; None if there is none.

        It is that for a true difference as large as the observed one.
        """
        return observed_number(self.effect, *self.target)

    @property
    def lacking(self) -> Annotated[int | None, Column("more queries", general(",")), Data()]:
        """How many queries are missing to the needed number; None if no number is enough."""
        return None if self.needed is None else max(0, self.needed - self.queries)


@dataclass(frozen=True)
class OverCollections(WithInterval):
    """Two runs in the mean over the collections by one measure; differences are a - b.

    Attributes
    ----------
    measure : str
    over : {"fixed", "random"}
        Whether the interval and the test are about the given collections, or about others like them.
    mean_a, mean_b, difference : float
        Means over the collections, each of which counts the same.
    interval : Interval or None
        None if the runs are identical.
    p, p_corrected : float
        Without correction, and corrected for all pairs and measures.
    collections : int or None
        Of "random": the number of collections with which a t test over new ones has the target power, if
        the true difference is as large as the observed one.
    lower_is_better : bool
    """

    measure: Annotated[str, Column("measure", whole=True)]
    over: Annotated[Way, Column("over")]
    mean_a: Annotated[float, Column("a", fixed(4), fold=True, keep=True)]
    mean_b: Annotated[float, Column("b", fixed(4), fold=True, keep=True)]
    difference: Annotated[float, Column("difference", general("+.4f"), 2)]
    interval: Annotated[Interval | None, Data(frame=False)]
    p: Annotated[float, Column("p", general(".2g"), 5)]
    p_corrected: Annotated[float, Column("corrected p", general(".2g"))]
    collections: Annotated[int | None, Column("collections as observed", general(","), optional=True)] = None
    lower_is_better: bool = False

    @classmethod
    def of(
        cls, measure: str, over: Way, means: Sequence[float], found: Tested, unit: float, lower: bool
    ) -> Self:
        """Return the row of a difference that is stated in units."""
        d, p, (mean_a, mean_b) = found[0].times(unit), found[1], means
        return cls(measure, over, mean_a, mean_b, d.mean, d.interval, d.p, p, d.queries, lower)

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
    overall: tuple[OverCollections, ...]
    by_collection: tuple[InCollection, ...]

    @property
    def answer(self) -> Answer:
        """What decides: the mean over the given collections, if they are taken as such."""
        return self.overall[0].answer

    @property
    def rows(self) -> tuple[OverCollections, ...]:
        """The rows of a table."""
        return self.overall

    def over(self, way: Way) -> OverCollections:
        """Return the comparison of the means, with the collections as given or as a sample."""
        return next(row for row in self.overall if row.over == way)


@dataclass(frozen=True)
class PairOverCollections(ComparedPair[MeasureOverCollections]):
    """Two runs compared over the collections by every measure."""

    text: Annotated[str, HIDDEN] = ""

    kind: ClassVar[type] = OverCollections


@dataclass(frozen=True)
class CollectionPower:
    """How many pairs of runs one collection tells apart by one measure.

    Attributes
    ----------
    significant, corrected : int
        Pairs with a significant difference, without correction and corrected for all pairs, measures and
        collections.
    needed : float or None
        The number of queries as observed of the median pair; None if it has none.
    """

    measure: str
    collection: Annotated[str, Column("collection")]
    queries: Annotated[int, Column("queries", general(","))]
    pairs: int
    significant: Annotated[int, Column("significant pairs", general("d"))]
    corrected: Annotated[int, Column("significant after correction", general("d"))]
    needed: Annotated[float | None, Column("queries as observed (median pair)", general(",.0f"))]

    @property
    def lacking(
        self,
    ) -> Annotated[float | None, Column("more queries (median pair)", general(",.0f")), Data()]:
        """How many queries the median pair lacks."""
        return None if self.needed is None else max(0.0, self.needed - self.queries)
