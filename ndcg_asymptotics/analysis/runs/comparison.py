"""The outcome of a comparison of runs, in a paragraph and in tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from statistics import median
from typing import TYPE_CHECKING, Annotated, Any

from ndcg_asymptotics.analysis.replication import ASSURANCE, BOUND_LEGEND, IF_BOUND, IF_OBSERVED
from ndcg_asymptotics.analysis.runs.correction import DESCRIPTIONS, Correction
from ndcg_asymptotics.analysis.runs.paired import Difference, Interval, alpha_of
from ndcg_asymptotics.analysis.runs.ranks import RankedRun, letter, rank_runs
from ndcg_asymptotics.core.tables import Column, Line, Report, ReportBlock, Table, fixed, general
from ndcg_asymptotics.core.text import in_tex

if TYPE_CHECKING:
    import pandas as pd

_ENOUGH = 0.9  # the rate of agreement with the whole lists at which samples are sufficient


@dataclass(frozen=True)
class Cut:
    """The rate at which n random documents order two runs as the whole lists do, with an interval."""

    n: int
    rate: float
    low: float
    high: float


@dataclass(frozen=True)
class LongListMeans:
    """The mean NDCG of two runs in ever longer i.i.d. lists, predicted from their fitted curves.

    ``a`` and ``b`` are the limits (``at`` is None) or, where these are equal, the exact means at n = ``at``.
    """

    a: float
    b: float
    theorem: str
    at: int | None = None


@dataclass(frozen=True)
class MeasureComparison:
    """Two runs compared by one measure; differences are a - b, ``p`` is corrected for all tests.

    ``cuts`` has the lengths at which some query distinguishes the runs; it is empty if they are identical.
    """

    measure: str
    mean_a: float
    mean_b: float
    difference: Difference
    p: float
    cuts: tuple[Cut, ...] = ()
    longer_lists: LongListMeans | None = None

    @property
    def enough(self) -> int | None:
        """The size from which on nine of ten samples agree with the whole lists, if any."""
        below = [cut.n for cut in self.cuts if cut.rate < _ENOUGH]
        after = [cut.n for cut in self.cuts if not below or cut.n > max(below)]
        return min(after, default=None)


@dataclass(frozen=True)
class PairComparison:
    """Two runs compared by every measure."""

    a: str
    b: str
    by_measure: tuple[MeasureComparison, ...]

    @property
    def clearest(self) -> MeasureComparison:
        """The measure that shows the clearest difference."""
        return min(self.by_measure, key=lambda j: (j.p, -abs(j.difference.effect)))

    def headline(self, alpha: float, queries: int, power: float) -> str:
        """Return which run is better, by how much, how certainly, and how many new queries would show it."""
        best = self.clearest
        d = best.difference
        if d.interval is None:
            return (
                f"{self.a} and {self.b} are identical by every measure, for each of the {queries:,} queries."
            )
        new = _new_queries_text(d, power, alpha)
        if best.p >= alpha:
            none = (
                f"By {best.measure}, {queries:,} queries show no significant difference between {self.a} and "
                f"{self.b} (corrected p-value {best.p:.2g})"
                if len(self.by_measure) == 1
                else f"By none of the measures do {queries:,} queries show a significant difference between "
                f"{self.a} and {self.b} (smallest corrected p-value: {best.p:.2g}, by {best.measure})"
            )
            return f"{none}. {new}"
        ahead, behind = (self.a, self.b) if d.mean > 0 else (self.b, self.a)
        low, high = sorted(abs(x) for x in (d.interval.low, d.interval.high))
        return (
            f"{ahead} is better than {behind} by {abs(d.mean):.4f} {best.measure} ({_level(alpha)} interval "
            f"{low:.4f} to {high:.4f}, corrected p-value {best.p:.2g}). {new}"
        )

    def paragraph(self, alpha: float, queries: int, power: float) -> str:
        """Return the answer in words."""
        best, same = self.clearest, [j.measure for j in self.by_measure if j.difference.identical]
        said = [self.headline(alpha, queries, power)]
        if len(same) == len(self.by_measure):
            return said[0]
        if best.p < alpha:
            if len(self.by_measure) > 1:
                said.append(f"{best.measure} shows the clearest difference.")
            said.append(self._others_text(best, alpha))
        if same:
            said.append(f"By {', '.join(same)} they are identical for every query.")
        said += [self._queries_text(power), _cuts_text(best)]
        return " ".join(part for part in said if part)

    def _others_text(self, best: MeasureComparison, alpha: float) -> str:
        others = [j for j in self.by_measure if j is not best and not j.difference.identical]
        sure = [j for j in others if j.p < alpha]
        against = [j.measure for j in sure if j.difference.mean * best.difference.mean < 0]
        leaning = [
            j.measure for j in others if j not in sure and j.difference.sign * best.difference.mean < 0
        ]
        agree = len(sure) - len(against)
        if not others:
            return ""
        if len(others) == 1 and not leaning:
            word = (
                "shows the opposite" if against else "agrees" if agree else "shows no significant difference"
            )
            return f"{others[0].measure} {word}."
        verb = "agrees" if agree == 1 else "agree"
        said = f"{agree or 'None'} of the other {len(others)} measures {verb} significantly"
        said += f"; the opposite is significant by {', '.join(against)}" if against else ""
        if leaning:
            said += f"; the opposite is significant before correction only by {', '.join(leaning)}"
        return said + "."

    def _queries_text(self, power: float) -> str:
        apart = [j for j in self.by_measure if not j.difference.identical]
        if len(apart) == 1:
            return ""
        fewest = min(apart, key=lambda j: j.difference.queries or math.inf)
        most = max(apart, key=lambda j: j.difference.queries or math.inf)
        if fewest.difference.queries is None:
            return ""
        highest = f"{most.difference.queries:,}" if most.difference.queries else "more than 1e15"
        return (
            f"At the observed differences {power:.0%} power takes {fewest.difference.queries:,} queries by "
            f"{fewest.measure} and {highest} by {most.measure}."
        )


def _level(alpha: float) -> str:
    return f"{100 * (1 - alpha):.6g}%"


def _new_queries_text(d: Difference, power: float, alpha: float) -> str:
    """Return how many new queries an uncorrected test needs, by the observed difference and by its bound."""
    if d.queries is None:
        return "The observed difference is 0, which no number of new queries would show."
    between = f"{_level(alpha)} interval {d.queries_low:,} " + (
        f"to {d.queries_high:,}" if d.queries_high else "or more"
    )
    bound = (
        f"{IF_BOUND}, with {d.queries_assured:,}"
        if d.queries_assured
        else f"its lower {ASSURANCE:.0%} bound is not positive"
    )
    return (
        f"{IF_OBSERVED.capitalize()}, a paired t test on new queries has {power:.0%} power with "
        f"{d.queries:,} of them ({between}); {bound}."
    )


def _cuts_text(judged: MeasureComparison) -> str:
    if not judged.cuts:
        return ""
    n = judged.enough or judged.cuts[-1].n
    (cut,) = (cut for cut in judged.cuts if cut.n == n)
    return (
        f"Random samples of {n:,} documents agree with the whole lists in {cut.rate:.0%} of the cases "
        f"(interval {cut.low:.0%} to {cut.high:.0%})."
    )


@dataclass(frozen=True)
class Power:
    """The discriminative power of a measure: for how many pairs the difference is significant."""

    measure: Annotated[str, Column("measure", whole=True)]
    pairs: int
    significant: Annotated[int, Column("significant pairs", general("d"))]
    corrected: Annotated[int, Column("significant after correction", general("d"))]
    queries: Annotated[float | None, Column("queries as observed (median pair)", general(",.0f"))]


@dataclass(frozen=True, repr=False)
class Comparison(Report):
    """The outcome of `compare`."""

    runs: tuple[str, ...]
    queries: int
    level: float
    power: float
    pairs: tuple[PairComparison, ...]
    remarks: tuple[str, ...] = ()
    correction: Correction = "maxt"
    per_query: Table = Table("", (), ())

    @property
    def alpha(self) -> float:
        """The level of the tests."""
        return alpha_of(self.level)

    def discriminative_power(self) -> list[Power]:
        """Return the discriminative power of each measure, the largest first."""
        found = []
        for i, first in enumerate(self.pairs[0].by_measure):
            judged = [pair.by_measure[i] for pair in self.pairs]
            needed = [math.inf if j.difference.queries is None else j.difference.queries for j in judged]
            middle = median(needed)
            found.append(
                Power(
                    first.measure,
                    len(judged),
                    sum(j.difference.p < self.alpha for j in judged),
                    sum(j.p < self.alpha for j in judged),
                    middle if math.isfinite(middle) else None,
                )
            )
        return sorted(found, key=lambda row: (-row.significant, -row.corrected, row.queries or math.inf))

    def ranked(self, measure: int) -> tuple[RankedRun, ...]:
        """Return the runs in order of their means by a measure, with their possible ranks and groups."""
        means: dict[str, float] = {}
        signs: dict[tuple[str, str], int | None] = {}
        for pair in self.pairs:
            judged = pair.by_measure[measure]
            means |= {pair.a: judged.mean_a, pair.b: judged.mean_b}
            better = 1 if judged.difference.mean > 0 else -1
            sign = None if judged.difference.identical else better if judged.p < self.alpha else 0
            signs[pair.a, pair.b], signs[pair.b, pair.a] = sign, -sign if sign else sign
        return rank_runs(means, lambda a, b: signs[a, b])

    def leaders(self) -> str:
        """Return how the first two of several runs compare by the most discriminative measure."""
        power = self.discriminative_power()[0]
        measure = [judged.measure for judged in self.pairs[0].by_measure].index(power.measure)
        first, second = (ranked.run for ranked in self.ranked(measure)[:2])
        pair = next(pair for pair in self.pairs if {pair.a, pair.b} == {first, second})
        alone = PairComparison(pair.a, pair.b, (pair.by_measure[measure],))
        return (
            f"{alone.headline(self.alpha, self.queries, self.power)} {first} and {second} are the first and "
            f"the second of {len(self.runs)} runs by {power.measure}, which tells {power.corrected} of "
            f"{power.pairs} pairs apart after correction."
        )

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data, for JSON."""
        rankings = [
            {"measure": judged.measure, "runs": [asdict(row) for row in self.ranked(i)]}
            for i, judged in enumerate(self.pairs[0].by_measure)
        ]
        pairs = [
            {
                "pair": [pair.a, pair.b],
                "text": pair.paragraph(self.alpha, self.queries, self.power),
                "measures": [_plain(judgement) for judgement in pair.by_measure],
            }
            for pair in self.pairs
        ]
        return {
            "runs": list(self.runs), "queries": self.queries, "level": self.level, "power": self.power,
            "pairs": pairs, "discriminative_power": [asdict(row) for row in self.discriminative_power()],
            "remarks": list(self.remarks), "correction": self.correction, "rankings": rankings,
        }  # fmt: skip

    def to_dataframe(self) -> pd.DataFrame:
        """Return a row per pair and measure."""
        import pandas as pd

        return pd.DataFrame(
            {
                "a": pair.a, "b": pair.b, "measure": j.measure, "mean_a": j.mean_a, "mean_b": j.mean_b,
                "difference": j.difference.mean,
                "low": j.difference.interval.low if j.difference.interval else math.nan,
                "high": j.difference.interval.high if j.difference.interval else math.nan,
                "p": j.difference.p, "p_corrected": j.p,
                "effect": j.difference.effect, "queries": j.difference.queries,
                "queries_low": j.difference.queries_low, "queries_high": j.difference.queries_high,
                "queries_assured": j.difference.queries_assured,
            }
            for pair in self.pairs
            for j in pair.by_measure
        )  # fmt: skip

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
        for remark in self.remarks:
            if remark.startswith("Warning"):
                yield Line(f"{remark}.")
        if several:
            yield Line(self.leaders() + "\n")
            yield self._power_table()
            for i, judged in enumerate(self.pairs[0].by_measure):
                yield Table.of(f"Runs by {judged.measure}", RankedRun, self.ranked(i))
            yield Line(
                "Ranks: those that no significant difference excludes. Two runs have a group in common "
                'exactly if they cannot be told apart. Against the runs in this order: ">" significantly '
                'better, "<" worse, "·" not told apart, "=" identical.'
                + ("" if full else " --full shows every pair.")
            )
        for pair in self.pairs if full or not several else ():
            yield Line(pair.paragraph(self.alpha, self.queries, self.power) + "\n")
            yield self._table(pair)
            if any(j.cuts for j in pair.by_measure):
                yield _cut_table(pair)
        for remark in self.remarks:
            if not remark.startswith("Warning"):
                yield Line(f"{remark}.")
        yield Line(self._method(pairs=full or not several))

    def _method(self, pairs: bool) -> str:
        """Return what the numbers are; those of the tables of a pair only if these are printed."""
        tests = sum(len(pair.by_measure) for pair in self.pairs)
        level, alpha = _level(self.alpha), f"{self.alpha:.2g}"
        interval = f"; the {level} interval excludes 0 exactly if p < {alpha}" if pairs else ""
        effect = "Effect size: the mean difference over its standard deviation. " if pairs else ""
        said = (
            f"{self.queries:,} queries. p is the larger p-value of a permutation test, which exchanges the "
            f"runs within queries, and of Student's t test{interval}. Corrected p-values are "
            f"{DESCRIPTIONS[self.correction]}, for {tests} test{'s' * (tests > 1)}. {effect}Queries as "
            f"observed: for a paired t test at level {alpha} on new queries, without correction, with "
            f"{self.power:.0%} power, {IF_OBSERVED}"
            + (f", with their {level} interval. {BOUND_LEGEND}" if pairs else ".")
        )
        if pairs and any(judged.cuts for pair in self.pairs for judged in pair.by_measure):
            said += " Samples: a tie does not count as the order of the whole lists."
        if pairs and any(judged.longer_lists for pair in self.pairs for judged in pair.by_measure):
            said += (
                " Longer lists: the means that curves fitted to these queries tend to. They have no interval "
                "here, and other queries may order the runs the other way."
            )
        return said

    def _table(self, pair: PairComparison) -> Table:
        predicted = any(j.longer_lists for j in pair.by_measure)
        columns = (
            Column("measure", whole=True),
            *(Column(run, fixed(4), 3, together=True) for run in (pair.a, pair.b)),
            Column("difference", general("+.4f"), 2), Column(f"{_level(self.alpha)} interval", _interval),
            Column("p", general(".2g"), 5), Column("corrected p", general(".2g"), 1),
            Column("effect size", general("+.2f"), 4), Column("queries as observed", _queries),
            Column("assured queries", general(",")),
            *((Column("longer lists", str, 6),) if predicted else ()),
        )  # fmt: skip
        rows = tuple(
            (j.measure, j.mean_a, j.mean_b, j.difference.mean, j.difference.interval or "identical",
             j.difference.p, j.p, j.difference.effect, None if j.difference.identical else j.difference,
             j.difference.queries_assured,
             *((_means_text(j.longer_lists),) if predicted else ()))
            for j in pair.by_measure
        )  # fmt: skip
        return Table(f"{pair.a} against {pair.b} (difference: first minus second)", columns, rows)

    def _power_table(self) -> Table:
        title = f"Discriminative power: significant differences among {len(self.pairs)} pairs of runs"
        return Table.of(title, Power, self.discriminative_power())


def _cut_table(pair: PairComparison) -> Table:
    sizes = sorted({cut.n for judged in pair.by_measure for cut in judged.cuts})
    columns = (Column("measure", whole=True), *(Column(f"n={n:,}", fixed(3)) for n in sizes))
    rates = [{cut.n: cut.rate for cut in judged.cuts} for judged in pair.by_measure]
    rows = tuple(
        (judged.measure, *map(rate.get, sizes)) for judged, rate in zip(pair.by_measure, rates, strict=True)
    )
    return Table("Samples of n documents that order the runs as whole lists do", columns, rows)


def _interval(value: Interval | str) -> str:
    return value if isinstance(value, str) else f"[{value.low:+.4f}, {value.high:+.4f}]"


def _queries(d: Difference) -> str:
    """Return the number of queries with its interval, such as "84 [33, 513]" or "1,151 [105, ∞)"."""
    found, low = ("∞" if n is None else f"{n:,}" for n in (d.queries, d.queries_low))
    return f"{found} [{low}, " + ("∞)" if d.queries_high is None else f"{d.queries_high:,}]")


def _means_text(found: LongListMeans | None) -> str:
    if found is None:
        return "-"
    return f"{found.a:.4f}, {found.b:.4f}" + (f" at n = {found.at:g}" if found.at else "")


def _plain(judgement: MeasureComparison) -> Mapping[str, Any]:
    d = judgement.difference
    return {
        "measure": judgement.measure,
        "mean_a": judgement.mean_a,
        "mean_b": judgement.mean_b,
        "difference": d.mean,
        "sd": d.sd,
        "identical": d.identical,
        "interval": [d.interval.low, d.interval.high] if d.interval else None,
        "p": d.p,
        "p_corrected": judgement.p,
        "effect": d.effect,
        "queries": d.queries,
        "queries_low": d.queries_low,
        "queries_high": d.queries_high,
        "queries_assured": d.queries_assured,
        "cuts": [asdict(cut) for cut in judgement.cuts],
        "longer_lists": None if judgement.longer_lists is None else asdict(judgement.longer_lists),
    }
