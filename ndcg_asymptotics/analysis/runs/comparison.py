"""The outcome of a comparison of runs, in a paragraph and in tables."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar

from ndcg_asymptotics.analysis.replication import median_number
from ndcg_asymptotics.analysis.runs.compared import (
    DiscriminativePower,
    PairComparison,
)
from ndcg_asymptotics.analysis.runs.comparison_text import Words
from ndcg_asymptotics.analysis.runs.correction import Correction
from ndcg_asymptotics.analysis.runs.paired import Alternative
from ndcg_asymptotics.analysis.runs.pairs import ComparedPairs
from ndcg_asymptotics.analysis.runs.ranks import letter
from ndcg_asymptotics.core.rows import HIDDEN, Data, computed_value
from ndcg_asymptotics.core.tables import Line, ReportBlock, Table
from ndcg_asymptotics.core.text import in_tex


@dataclass(frozen=True, repr=False)
class Comparison(ComparedPairs[PairComparison]):
    """The outcome of `compare`."""

    json_kind: ClassVar[str] = "compare"

    runs: tuple[str, ...]
    queries: int
    level: float
    power: float
    pairs: tuple[PairComparison, ...]
    remarks: tuple[str, ...] = ()
    correction: Correction = "maxt"
    by_query: Annotated[Table, HIDDEN] = Table("", (), ())
    alternative: Annotated[Alternative, Data(before="pairs")] = "two-sided"

    @property
    def words(self) -> Words:
        """What says the comparison in words."""
        return Words(self.alpha, self.power, self.queries, self.alternative)

    @property
    def tail(self) -> float:
        """The probability with which an interval may lie on one side of the true difference."""
        return self.alpha / 2 if self.alternative == "two-sided" else self.alpha

    @computed_value(Data(before="rankings"))
    def discriminative_power(self) -> list[DiscriminativePower]:
        """The discriminative power of each measure, the largest first."""
        found = []
        for i, first in enumerate(self.pairs[0].by_measure):
            judged = [pair.by_measure[i] for pair in self.pairs]
            found.append(
                DiscriminativePower(
                    first.measure,
                    len(judged),
                    sum(j.difference.p < self.alpha for j in judged),
                    sum(j.p < self.alpha for j in judged),
                    median_number([j.difference.queries for j in judged]),
                )
            )
        return sorted(found, key=lambda row: (-row.significant, -row.corrected, row.queries or math.inf))

    def most_telling(self) -> int:
        """Return the most discriminative measure."""
        return self.measures.index(self.discriminative_power[0].measure)

    def to_latex(self) -> str:
        """Return a table of means in LaTeX, for the package booktabs, with a row for each run.

        The best mean of a measure is bold, and superscripts name the runs that a run significantly beats.
        """
        names, measures = {run: letter(i) for i, run in enumerate(self.runs)}, self.measures
        cells: dict[str, list[str]] = {run: [] for run in self.runs}
        for measure in range(len(measures)):
            ranked = self.ranked(measure)
            for row in ranked:
                text = f"{row.mean:.4f}"
                best = rf"\textbf{{{text}}}" if row.mean == ranked[0].mean else text
                beaten = {other.run for other, mark in zip(ranked, row.against, strict=True) if mark == ">"}
                marks = " ".join(letter for run, letter in names.items() if run in beaten)
                cells[row.run].append(best + (rf"\textsuperscript{{{marks}}}" if marks else ""))
        lines = [
            f"% {self.queries} queries; superscripts: runs that this one beats, corrected p < {self.alpha:g}",
            rf"\begin{{tabular}}{{ll{'l' * len(measures)}}}",
            r"\toprule",
            " & ".join(["", "run", *map(in_tex, measures)]) + r" \\",
            r"\midrule",
            *(" & ".join([names[run], in_tex(run), *cells[run]]) + r" \\" for run in self.runs),
            r"\bottomrule",
            r"\end{tabular}",
        ]
        return "\n".join(lines) + "\n"

    def leaderboard(self) -> tuple[list[ReportBlock], list[ReportBlock]]:
        """Return the leaders by the most discriminative measure; the power and the ranks of others."""
        telling = self.discriminative_power[0].measure
        rankings = sorted(self.rankings, key=lambda ranking: ranking.measure != telling)
        first, *others = (ranking.table() for ranking in rankings)
        title = f"Discriminative power: significant differences among {len(self.pairs)} pairs of runs"
        power = Table.of(title, DiscriminativePower, self.discriminative_power)
        return [Line(self.leaders() + "\n"), first], [power, *others]

    def tables(self, pair: PairComparison) -> Iterator[Table]:
        """Yield a table of the measures."""
        yield pair.table(self.words.level, f", {self.queries:,} queries")
