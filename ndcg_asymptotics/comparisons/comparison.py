"""The outcome of a comparison of runs: its words and tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from ndcg_asymptotics.comparisons.compared import (
    DiscriminativePower,
    MeasureComparison,
    PairComparison,
)
from ndcg_asymptotics.comparisons.pairs import ComparedPairs, PairWords
from ndcg_asymptotics.comparisons.ranks import letter
from ndcg_asymptotics.core.rows import HIDDEN, Column, Data, computed_value
from ndcg_asymptotics.core.tables import Line, ReportBlock, Table
from ndcg_asymptotics.core.text import in_tex, listed
from ndcg_asymptotics.plots.hooks import OutcomeFigures
from ndcg_asymptotics.stats.correction import Correction
from ndcg_asymptotics.stats.paired import mostly_ties
from ndcg_asymptotics.stats.power import detectable_effect
from ndcg_asymptotics.stats.replication import ASSURANCE, BOUND_LEGEND, IF_OBSERVED, median_number


@dataclass(frozen=True)
class Words(PairWords[PairComparison]):
    """What a comparison says."""

    queries: int

    @property
    def shown_by(self) -> str:
        """The number of queries."""
        return f"{self.queries:,} queries"

    def headline(self, pair: PairComparison) -> str:
        """Return which run is better, by how much, how certainly, and how many new queries would show it."""
        first = pair.first
        if first.difference.identical:
            return f"{pair.a} and {pair.b} have the same {first.measure} on each of {self.shown_by}."
        say = self.better if first.p < self.alpha else self.undecided
        return f"{say(pair, first.answer)}. {self._new_queries_text(first)}"

    def paragraph(self, pair: PairComparison) -> str:
        """Return the answer by the first measure, and whether others confirm it."""
        identical = [j.measure for j in pair.by_measure[1:] if j.difference.identical]
        sentences = [self.headline(pair), self._others_text(pair)]
        if identical:
            sentences.append(f"By {listed(identical)} they are equal on every query.")
        return " ".join(part for part in sentences if part)

    def _others_text(self, pair: PairComparison) -> str:
        """Return whether the other measures agree with the first; "" if there are none with a difference."""
        comparisons = [j for j in pair.by_measure[1:] if not j.difference.identical]
        if not comparisons:
            return ""
        sure = [j for j in comparisons if j.p < self.alpha]
        better = {side: [j.measure for j in sure if j.answer.ahead == side] for side in (1, -1)}
        depends = ": the answer depends on the measure"
        if pair.first.p >= self.alpha:
            if not sure:
                if len(comparisons) == 1:
                    return f"{comparisons[0].measure} shows none either."
                return f"{_none_of(len(comparisons))} shows a significant difference."
            parts = [
                f"by {listed(measures)} {pair.a if side > 0 else pair.b} is significantly better"
                for side, measures in better.items()
                if measures
            ]
            return f"But {', and '.join(parts)}{depends}."
        ahead = pair.first.answer.ahead
        against, behind = better[-ahead], pair.b if ahead > 0 else pair.a
        # by their intervals, which are not corrected, these are for the other run
        leaning = [j.measure for j in comparisons if j not in sure and j.answer.better == -ahead]
        if len(comparisons) == len(against) == 1:
            return f"By {against[0]} {behind} is significantly better{depends}."
        text = _confirming(len(better[ahead]), [j.measure for j in comparisons])
        if leaning:
            text += f", and by {listed(leaning)} {behind} is better, significantly only before correction"
        if against:
            text += f", and by {listed(against)} {behind} is significantly better{depends}"
        return text + "."

    def _new_queries_text(self, comparison: MeasureComparison) -> str:
        """Return how many new queries an uncorrected test needs, or what as many new ones can show."""
        d, tally = comparison.difference, comparison.tally
        if d.queries is None and mostly_ties(tally.differing, tally.queries):
            return (
                f"The runs differ in {tally.differing} of {tally.queries:,} queries, too few to say how many "
                "new ones a test needs."
            )
        power = f"a paired t test on {{}} new queries has {self.power:.0%} power"
        if comparison.p >= self.alpha or d.queries is None:
            least = detectable_effect(tally.queries, self.power, self.alpha) * d.sd
            return (
                "The observed difference may be chance and gives no number of new queries: "
                f"{power.format(f'{tally.queries:,}')} for a difference of {least:.4f}."
            )
        text = f"{IF_OBSERVED.capitalize()}, {power.format(f'{d.queries:,}')}"
        if d.queries_assured is None:
            return f"{text}."
        bound = f"its lower {ASSURANCE:.0%} confidence bound given significance"
        return f"{text}; if it is only as large as {bound}, with {d.queries_assured:,}."

    def method(self, comparison: ComparedPairs[PairComparison], *, pairs: bool) -> str:
        """Return what the numbers are; those of the tables of a pair only if these are printed."""
        alpha = f"{self.alpha:.2g}"
        interval = f"; the {self.level} interval excludes 0 exactly if p < {alpha}" if pairs else ""
        effect = " Effect size: the mean difference over its standard deviation." if pairs else ""
        return (
            f"{self.queries:,} queries. p is the larger p-value of a permutation "
            f"test, which exchanges the runs within queries, and of Student's t test{interval}.\n"
            f"{comparison.corrected}.{effect}\nQueries as observed: for a paired t test at level {alpha} on "
            f"new queries, without correction, with {self.power:.0%} power, {IF_OBSERVED}"
            + (f", with their {self.level} interval.\n{BOUND_LEGEND}" if pairs else ".")
        )


def _none_of(count: int) -> str:
    """Return the subject of a sentence about none of the other measures, of which there are several."""
    return "Neither other measure" if count == 2 else f"None of the other {count} measures"


def _confirming(agree: int, measures: Sequence[str]) -> str:
    """Return how many of the other measures show the same difference.

    >>> _confirming(0, ["AP", "RR"]), _confirming(2, ["AP", "RR"])
    ('Neither other measure confirms this', 'Both other measures confirm this')
    >>> _confirming(0, ["AP"]), _confirming(1, ["AP", "RR", "P@5"])
    ('AP does not confirm this', '1 of the other 3 measures confirms this')
    """
    count = len(measures)
    if count == 1:
        return f"{measures[0]} {'confirms' if agree else 'does not confirm'} this"
    if agree == count:
        return f"{'Both' if count == 2 else f'All {count}'} other measures confirm this"
    if not agree:
        return f"{_none_of(count)} confirms this"
    return f"{agree} of the other {count} measures {'confirms' if agree == 1 else 'confirm'} this"


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
    baseline: str | None = None

    @property
    def words(self) -> Words:
        """What says the comparison in words."""
        return Words(self.alpha, self.power, self.queries)

    @computed_value(Data())
    def discriminative_power(self) -> list[DiscriminativePower]:
        """The discriminative power of each measure, the largest first."""
        powers = []
        for i, first in enumerate(self.pairs[0].by_measure):
            comparisons = [pair.by_measure[i] for pair in self.pairs]
            powers.append(
                DiscriminativePower(
                    first.measure,
                    len(comparisons),
                    sum(j.difference.p < self.alpha for j in comparisons),
                    sum(j.p < self.alpha for j in comparisons),
                    median_number([j.difference.queries for j in comparisons]),
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
            signs = self.signs(measure)
            beaten = {(a, b) if sign > 0 else (b, a) for (a, b), sign in signs.items() if sign}
            means = self.means(measure)  # the best first
            for run, mean in means.items():
                text = f"{mean:.4f}"
                best = rf"\textbf{{{text}}}" if mean == next(iter(means.values())) else text
                marks = " ".join(names[loser] for loser in self.runs if (run, loser) in beaten)
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
