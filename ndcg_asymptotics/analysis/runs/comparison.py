"""The outcome of a comparison of runs, in a paragraph and in tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING, Annotated

from ndcg_asymptotics.analysis.runs.compared import (
    ComparedPairs,
    Cut,
    DiscriminativePower,
    LongListMeans,
    MeasureComparison,
    PairComparison,
    Ranking,
    frame_of_pairs,
    leaders_text,
)
from ndcg_asymptotics.analysis.runs.comparison_text import Words
from ndcg_asymptotics.analysis.runs.correction import Correction
from ndcg_asymptotics.analysis.runs.paired import Alternative
from ndcg_asymptotics.analysis.runs.ranks import LEGEND, RankedRun, letter, rank_runs
from ndcg_asymptotics.core.tables import HIDDEN, Data, Line, ReportBlock, Table, details
from ndcg_asymptotics.core.text import in_tex

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class Comparison(ComparedPairs):
    """The outcome of `compare`."""

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
        return Words(self.queries, self.alpha, self.power, self.alternative)

    @property
    def discriminative_power(self) -> Annotated[list[DiscriminativePower], Data()]:
        """The discriminative power of each measure, the largest first."""
        found = []
        for i, first in enumerate(self.pairs[0].by_measure):
            judged = [pair.by_measure[i] for pair in self.pairs]
            needed = [math.inf if j.difference.queries is None else j.difference.queries for j in judged]
            middle = median(needed)
            found.append(
                DiscriminativePower(
                    first.measure,
                    len(judged),
                    sum(j.difference.p < self.alpha for j in judged),
                    sum(j.p < self.alpha for j in judged),
                    middle if math.isfinite(middle) else None,
                )
            )
        return sorted(found, key=lambda row: (-row.significant, -row.corrected, row.queries or math.inf))

    def in_words(self) -> Comparison:
        """Return the comparison with a paragraph for each pair."""
        said = (replace(pair, text=self.words.paragraph(pair)) for pair in self.pairs)
        return replace(self, pairs=tuple(said))

    def with_lists(
        self,
        cuts: Mapping[tuple[str, str], Mapping[str, tuple[Cut, ...]]],
        longer_lists: Mapping[tuple[str, str], Mapping[str, LongListMeans | None]],
    ) -> Comparison:
        """Return the comparison with what only ranked lists show, for each pair and some measures."""
        pairs = tuple(
            replace(
                pair,
                by_measure=tuple(
                    replace(
                        judged,
                        cuts=cuts[pair.pair].get(judged.measure, ()),
                        longer_lists=longer_lists[pair.pair].get(judged.measure),
                    )
                    for judged in pair.by_measure
                ),
            )
            for pair in self.pairs
        )
        return replace(self, pairs=pairs).in_words()

    def ranked(self, measure: int) -> tuple[RankedRun, ...]:
        """Return the runs in order of their means by a measure, with their possible ranks and groups."""
        means: dict[str, float] = {}
        signs = {}
        for pair in self.pairs:
            judged = pair.by_measure[measure]
            means |= {pair.a: judged.mean_a, pair.b: judged.mean_b}
            signs[pair.a, pair.b] = judged.difference.significant(judged.ahead, judged.p, self.alpha)
        return rank_runs(means, signs, lower_is_better=self.pairs[0].by_measure[measure].lower_is_better)

    def leaders(self) -> str:
        """Return how the first two of several runs compare by the most discriminative measure."""
        power = self.discriminative_power[0]
        measure = [judged.measure for judged in self.pairs[0].by_measure].index(power.measure)

        def headline(pair: PairComparison) -> str:
            return self.words.headline(pair.by(measure))

        return leaders_text(self.ranked(measure), self.pairs, headline, power.measure, power.corrected)

    @property
    def rankings(self) -> Annotated[list[Ranking], Data()]:
        """The runs in order of their means, by each measure."""
        return [Ranking(judged.measure, self.ranked(i)) for i, judged in enumerate(self.pairs[0].by_measure)]

    def to_dataframe(self) -> pd.DataFrame:
        """Return a row per pair and measure."""
        every = [(pair, judged) for pair in self.pairs for judged in pair.by_measure]
        return frame_of_pairs(MeasureComparison, every)

    def to_latex(self) -> str:
        """Return a table of means in LaTeX, for the package booktabs, with a row for each run.

        The best mean of a measure is bold, and superscripts name the runs that a run significantly beats.
        """
        names = {run: letter(i) for i, run in enumerate(self.runs)}
        measures = [judged.measure for judged in self.pairs[0].by_measure]
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
            clearest = self.discriminative_power[0].measure
            rankings = sorted(self.rankings, key=lambda ranking: ranking.measure != clearest)
            tables = [Table.of(f"Runs by {of.measure}", RankedRun, of.runs) for of in rankings]
            yield tables[0]
            legend = Line(LEGEND + ("" if full else " --full shows every pair."))
            yield from details([self._power_table(), *tables[1:], legend])
        for pair in self.pairs if full or not several else ():
            yield Line(pair.text + "\n")
            yield pair.table(self.words.level, self.queries)
            if any(judged.cuts for judged in pair.by_measure):
                yield replace(pair.cut_table(), detail=True)
        yield from details(self.said(warnings=False))
        yield Line(self.words.method(self.pairs, self.correction, pairs=full or not several), detail=True)

    def _power_table(self) -> Table:
        title = f"Discriminative power: significant differences among {len(self.pairs)} pairs of runs"
        return Table.of(title, DiscriminativePower, self.discriminative_power)
