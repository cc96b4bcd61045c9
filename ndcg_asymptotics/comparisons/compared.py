"""Rows of a comparison of runs: two runs by one measure, by several, and the power of a measure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple

from ndcg_asymptotics.comparisons.pairs import Answer, ComparedPair, ShownDifference, Tally
from ndcg_asymptotics.core.rows import HIDDEN, Column, Data, computed_value, fixed, general
from ndcg_asymptotics.measures.looks import measure_looks
from ndcg_asymptotics.stats.paired import Difference

_FAR_APART = 30  # ratio of standard deviations from which one axis does not serve two measures


@dataclass(frozen=True)
class MeasureComparison:
    """Two runs compared by one measure; differences are a - b, ``p`` is corrected for all tests.

    ``wins`` and ``losses`` count the
    queries for which the first run is better and worse; ``span`` is the largest possible difference in one.
    """

    measure: Annotated[str, Column("measure")]
    mean_a: Annotated[float, Column("a", fixed(4), fold=True)]
    mean_b: Annotated[float, Column("b", fixed(4), fold=True)]
    difference: Annotated[Difference, Data(inline=True)]
    p: Annotated[float, Column("corrected p", general(".2g"), before="effect"), Data("p_corrected")]
    lower_is_better: bool = False
    wins: int = 0
    ties: int = 0
    losses: int = 0
    span: Annotated[float, HIDDEN] = 1.0

    @computed_value(Column("wins / ties / losses", str, 3))
    def wins_text(self) -> str:
        """For how many queries the first run is better, equal and worse."""
        return f"{self.wins:,}/{self.ties:,}/{self.losses:,}"

    @property
    def answer(self) -> Answer:
        """What decides about the two runs."""
        d, means = self.difference, (self.mean_a, self.mean_b)
        return Answer(self.measure, d.mean, d.interval, self.p, means, self.lower_is_better, self.tally)

    @property
    def tally(self) -> Tally:
        """For how many queries the first run is better and worse."""
        return Tally(self.wins + self.ties + self.losses, self.wins, self.losses, self.span)

    @property
    def rows(self) -> tuple[MeasureComparison]:
        """The row of a table."""
        return (self,)


class Drawn(NamedTuple):
    """What figures draw of a pair: the label of the axis, and a row for each measure."""

    label: str
    rows: list[ShownDifference]


@dataclass(frozen=True)
class PairComparison(ComparedPair[MeasureComparison]):
    """Two runs compared by every measure."""

    kind: ClassVar[type] = MeasureComparison

    @property
    def drawn(self) -> Drawn:
        """The differences as figures draw them, with the better run on the side of its name.

        They are divided by their standard deviations where one axis does not serve all measures: where lower
        values of one are better, or the units are far apart.
        """
        differences = [comparison.difference for comparison in self.by_measure]
        sds = [d.sd for d in differences if d.sd > 0]
        scaled = any(comparison.lower_is_better for comparison in self.by_measure) or (
            bool(sds) and max(sds) > _FAR_APART * min(sds)
        )
        values = []
        for comparison, d in zip(self.by_measure, differences, strict=True):
            direction = comparison.answer.direction
            factor = direction / d.sd if scaled and d.sd > 0 else float(direction)
            ends = sorted(factor * end for end in d.interval) if d.interval else (None, None)
            values.append((factor * d.mean, *ends))
        # an interval without an end reaches the edge
        edge = 1.1 * max(
            (abs(x) for row in values for x in row if x is not None and math.isfinite(x)), default=0
        )
        looks = measure_looks(comparison.measure for comparison in self.by_measure)
        rows = []
        for comparison, (mean, *ends) in zip(self.by_measure, values, strict=True):
            low, high = (end and max(-edge, min(end, edge)) for end in ends)
            rows.append(
                ShownDifference(comparison.measure, looks[comparison.measure], mean, low, high, comparison.p)
            )
        return Drawn("difference over its standard deviation" if scaled else "difference of the means", rows)


@dataclass(frozen=True)
class DiscriminativePower:
    """The discriminative power of a measure: for how many pairs the difference is significant."""

    measure: Annotated[str, Column("measure")]
    pairs: int
    significant: Annotated[int, Column("significant pairs", general("d"))]
    corrected: Annotated[int, Column("significant after correction", general("d"))]
    queries: Annotated[float | None, Column("queries as observed (median pair)", general(",.0f"))]
