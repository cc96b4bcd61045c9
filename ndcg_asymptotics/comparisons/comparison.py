"""The outcome of a comparison of runs, in a paragraph and in tables."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar

from ndcg_asymptotics.comparisons.compared import (
    DiscriminativePower,
    MeasureComparison,
    PairComparison,
)
from ndcg_asymptotics.comparisons.comparison_text import Words
from ndcg_asymptotics.comparisons.pairs import ComparedPairs
from ndcg_asymptotics.comparisons.ranks import letter
from ndcg_asymptotics.core.rows import HIDDEN, Column, Data, computed_value
from ndcg_asymptotics.core.tables import Line, ReportBlock, Table
from ndcg_asymptotics.core.text import in_tex, listed
from ndcg_asymptotics.plots.hooks import OutcomeFigures
from ndcg_asymptotics.stats.correction import Correction
from ndcg_asymptotics.stats.paired import Alternative
from ndcg_asymptotics.stats.replication import median_number


@dataclass(frozen=True, repr=False)
class Comparison(ComparedPairs[PairComparison]):
    """The outcome of `compare`."""

    figures: ClassVar = OutcomeFigures(
        "ndcg_asymptotics.comparisons.figures.comparison_drawings", "a comparison"
    )

    json_kind: ClassVar[str] = "compare"

    runs: tuple[str, ...]
    queries: int
    level: float
    power: float
    pairs: tuple[PairComparison, ...]
    remarks: tuple[str, ...] = ()
    correction: Correction = "maxt"
    by_query: Annotated[Table, HIDDEN] = Table("", (), ())
    alternative: Alternative = "two-sided"
    baseline: str | None = None

    @property
    def words(self) -> Words:
        """What says the comparison in words."""
        return Words(self.alpha, self.power, self.queries, self.alternative)

    @property
    def tail(self) -> float:
        """The probability with which an interval may lie on one side of the true difference."""
        return self.alpha / 2 if self.alternative == "two-sided" else self.alpha

    @computed_value(Data())
    def discriminative_power(self) -> list[DiscriminativePower]:
        """The discriminative power of each measure, the largest first."""
        powers = []
        for i, first in enumerate(self.pairs[0].by_measure):
            judged = [pair.by_measure[i] for pair in self.pairs]
            powers.append(
                DiscriminativePower(
                    first.measure,
                    len(judged),
                    sum(j.difference.p < self.alpha for j in judged),
                    sum(j.p < self.alpha for j in judged),
                    median_number([j.difference.queries for j in judged]),
                )
            )
        return sorted(powers, key=lambda row: (-row.significant, -row.corrected, row.queries or math.inf))

    def to_latex(self) -> str:
        """Return a table of means in LaTeX, for the package booktabs, with a row for each run.

        The best mean of a measure is bold, and superscripts name the runs that a run significantly beats.
        """
        names, measures = {run: letter(i) for i, run in enumerate(self.runs)}, self.measures
        cells: dict[str, list[str]] = {run: [] for run in self.runs}
        for measure in range(len(measures)):
            beaten = {pair[::sign] for pair, sign in self.signs(measure).items() if sign}
            means = self.means(measure)
            for run, mean in means.items():
                text = f"{mean:.4f}"
                best = rf"\textbf{{{text}}}" if mean == next(iter(means.values())) else text
                marks = " ".join(letter for loser, letter in names.items() if (run, loser) in beaten)
                cells[run].append(best + (rf"\textsuperscript{{{marks}}}" if marks else ""))
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
        """Return the leaders by the first measure; the power of all measures and the ranks by others."""
        headline, tables = self.leaders, [ranking.table() for ranking in self.rankings]
        if self.baseline:
            headline, tables = (
                self._baseline_sentence,
                list(map(self._baseline_table, range(len(self.measures)))),
            )
        first, *secondary = tables
        title = f"Discriminative power: significant differences among {len(self.pairs)} pairs of runs"
        power = Table.of(title, DiscriminativePower, self.discriminative_power)
        return [Line(headline() + "\n"), first], [power, *secondary]

    def _baseline_sentence(self) -> str:
        """Return which runs are significantly better and worse than the baseline by the first measure."""
        signs, base = self.signs(0), self.baseline
        runs = {sign: [run for (run, _), verdict in signs.items() if verdict == sign] for sign in (1, -1)}
        parts = [
            f"{listed(of)} {'is' if len(of) == 1 else 'are'} {how}"
            for of, how in ((runs[1], f"better than {base}"), (runs[-1], f"worse than {base}"))
            if of
        ]
        if undecided := len(signs) - len(runs[1]) - len(runs[-1]):
            parts.append(f"{undecided} of {len(signs)} runs cannot be told apart from {base}")
        tests = len(signs) * len(self.measures)
        return f"By {self.measures[0]}, {'; '.join(parts)} (corrected for {tests} tests)."

    def _baseline_table(self, measure: int) -> Table:
        """Return a row for each run but the baseline, in order of their means by a measure."""
        of, means = {pair.a: pair.by_measure[measure] for pair in self.pairs}, self.means(measure)
        runs = [run for run in means if run in of]
        mean = f"{means[str(self.baseline)]:.4f}"
        title = f"Runs by {self.measures[measure]}, less {self.baseline} (mean {mean})"
        headings = {"mean_a": "mean", "interval_text": f"{self.words.level} interval"}
        table = Table.of(
            title, MeasureComparison, [of[run] for run in runs], measure=None, mean_b=None, **headings
        )
        rows = tuple((run, *row) for run, row in zip(runs, table.rows, strict=True))
        return Table(title, (Column("run"), *table.columns), rows)

    def tables(self, pair: PairComparison) -> Iterator[Table]:
        """Yield a table of the measures."""
        yield pair.table(self.words.level, f", {self.queries:,} queries")
