"""What a comparison of runs found: one paragraph first, then tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from ndcg_asymptotics.analysis.runs.paired import Difference, Interval, alpha_of
from ndcg_asymptotics.core.tables import Column, Line, Report, ReportBlock, Table, fixed, general

if TYPE_CHECKING:
    import pandas as pd

_ENOUGH = 0.9  # of the lists in the whole's order: a cut that is said to do


@dataclass(frozen=True)
class Cut:
    """The rate at which lists cut to n documents order two runs as the whole lists do, with its interval."""

    n: int
    rate: float
    low: float
    high: float


@dataclass(frozen=True)
class LongListMeans:
    """What the mean NDCG of two runs tends to in ever longer i.i.d. lists, by their fitted curves.

    Where both tend to the same, ``a`` and ``b`` are the exact means at n = ``at``; None stands for the limit.
    """

    a: float
    b: float
    theorem: str
    at: int | None = None


@dataclass(frozen=True)
class MeasureComparison:
    """Two runs by one measure; differences are a - b. ``p`` is corrected for all tests of the comparison.

    ``cuts`` has the lengths for which some query tells the runs apart; it is empty if the runs are identical.
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
        """The shortest cut from which on nine of ten lists are in the order of the whole; None if none is."""
        below = [cut.n for cut in self.cuts if cut.rate < _ENOUGH]
        after = [cut.n for cut in self.cuts if not below or cut.n > max(below)]
        return min(after, default=None)


@dataclass(frozen=True)
class PairComparison:
    """Two runs by every measure."""

    a: str
    b: str
    by_measure: tuple[MeasureComparison, ...]

    def paragraph(self, alpha: float, queries: int, power: float) -> str:
        """The answer in words."""
        best = min(self.by_measure, key=lambda j: (j.p, -abs(j.difference.effect)))
        d, same = best.difference, [j.measure for j in self.by_measure if j.difference.identical]
        if len(same) == len(self.by_measure):
            return f"{self.a} and {self.b} are identical by every measure, for each of the {queries} queries."
        equal = f"By {', '.join(same)} they are identical for every query." if same else ""
        if best.p >= alpha or d.interval is None:
            said = [
                f"{queries} queries do not tell {self.a} and {self.b} apart by any measure (smallest "
                f"corrected p: {best.p:.2g}, {best.measure}).",
                equal,
            ]
        else:
            ahead, behind = (self.a, self.b) if d.mean > 0 else (self.b, self.a)
            low, high = sorted(abs(x) for x in (d.interval.low, d.interval.high))
            said = [
                f"{ahead} is ahead of {behind}, most surely by {best.measure}: {abs(d.mean):.4f}, "
                f"{1 - alpha:.0%} interval {low:.4f} to {high:.4f}, corrected p {best.p:.2g}.",
                self._others(best, alpha),
                equal,
            ]
        said += [self._needed(power), _said_of_cuts(best), self._prospects(alpha)]
        return " ".join(part for part in said if part)

    def _others(self, best: MeasureComparison, alpha: float) -> str:
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
            word = "surely says the contrary" if against else "surely agrees" if agree else "is not sure"
            return f"{others[0].measure} {word}."
        said = f"{agree or 'None'} of the other {len(others)} measures surely agree"
        said += f", {', '.join(against)} surely says the contrary" if against else ""
        if leaning:
            said += (
                f", {', '.join(leaning)} says the contrary with an interval off 0, but not after correction"
            )
        return said + "."

    def _needed(self, power: float) -> str:
        apart = [j for j in self.by_measure if not j.difference.identical]
        fewest = min(apart, key=lambda j: j.difference.queries or math.inf)
        most = max(apart, key=lambda j: j.difference.queries or math.inf)
        if fewest.difference.queries is None:
            return f"For {power:.0%} power a million queries would not be enough."
        said = f"{power:.0%} power takes {fewest.difference.queries} queries by {fewest.measure}"
        if most is fewest:
            return said + "."
        many = most.difference.queries
        return said + f", {many or 'more than a million'} by {most.measure}."

    def _prospects(self, alpha: float) -> str:
        sure = [(j, j.longer_lists) for j in self.by_measure if j.longer_lists and j.p < alpha]
        if not sure:
            return ""
        turned = [j.measure for j, ahead in sure if j.difference.mean * (ahead.a - ahead.b) < 0]
        if turned:
            return f"In ever longer lists theory expects the order to turn by {', '.join(turned)}."
        return "In ever longer lists theory expects the same order."


def _said_of_cuts(judged: MeasureComparison) -> str:
    if not judged.cuts:
        return ""
    if judged.enough is None:
        last = judged.cuts[-1]
        return f"Lists cut to {last.n} documents are in the order of the whole in {last.rate:.0%}."
    return f"Lists of {judged.enough} documents are in the order of the whole in nine of ten."


@dataclass(frozen=True)
class Power:
    """The discriminative power of a measure: how many pairs it tells apart, before and after correction."""

    measure: str
    pairs: int
    significant: int
    corrected: int
    queries: float | None


@dataclass(frozen=True, repr=False)
class Comparison(Report):
    """The outcome of `compare`."""

    runs: tuple[str, ...]
    queries: int
    level: float
    power: float
    pairs: tuple[PairComparison, ...]
    remarks: tuple[str, ...] = ()

    @property
    def alpha(self) -> float:
        """The level of the tests."""
        return alpha_of(self.level)

    def discriminative_power(self) -> list[Power]:
        """How many pairs each measure tells apart, the most first."""
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

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
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
            "remarks": list(self.remarks),
        }  # fmt: skip

    def to_dataframe(self) -> pd.DataFrame:
        """A row per pair and measure."""
        import pandas as pd

        return pd.DataFrame(
            {
                "a": pair.a, "b": pair.b, "measure": j.measure, "mean_a": j.mean_a, "mean_b": j.mean_b,
                "difference": j.difference.mean,
                "low": j.difference.interval.low if j.difference.interval else math.nan,
                "high": j.difference.interval.high if j.difference.interval else math.nan,
                "p": j.difference.p, "p_corrected": j.p,
                "effect": j.difference.effect, "queries": j.difference.queries,
            }
            for pair in self.pairs
            for j in pair.by_measure
        )  # fmt: skip

    def blocks(self) -> Iterator[ReportBlock]:
        """A paragraph and tables for each pair; of several pairs the power of the measures first."""
        if len(self.pairs) > 1:
            yield self._power_table()
        for pair in self.pairs:
            yield Line(pair.paragraph(self.alpha, self.queries, self.power) + "\n")
            yield self._table(pair)
            if any(j.cuts for j in pair.by_measure):
                yield _cut_table(pair)
        for remark in self.remarks:
            yield Line(f"{remark}.")
        tests = sum(len(pair.by_measure) for pair in self.pairs)
        yield Line(
            f"Over {self.queries} queries. p is the larger of those of a permutation of the runs within "
            f"queries and of Student's t; the {100 * self.level:.6g}% interval leaves out 0 where "
            f"p < {self.alpha:.2g}. p (Holm) is corrected for {tests} tests. "
            f"Queries: for {self.power:.0%} power of a paired t-test."
        )

    def _table(self, pair: PairComparison) -> Table:
        columns = (
            Column("measure"), Column(pair.a, fixed(4), 1), Column(pair.b, fixed(4), 1),
            Column("difference", general("+.4f")), Column(f"{100 * self.level:.6g}% interval", _interval, 1),
            Column("p", general(".2g"), 3), Column("p (Holm)", general(".2g")),
            Column("Δ/σ", general("+.2f"), 2), Column("queries", general("d"), 2),
            Column("longer lists", str, 4),
        )  # fmt: skip
        rows = tuple(
            (j.measure, j.mean_a, j.mean_b, j.difference.mean, j.difference.interval or "identical",
             j.difference.p, j.p, j.difference.effect, j.difference.queries, _long(j.longer_lists))
            for j in pair.by_measure
        )  # fmt: skip
        return Table(f"{pair.a} against {pair.b}", columns, rows)

    def _power_table(self) -> Table:
        columns = (
            Column("measure"), Column("pairs told apart", str), Column("after correction", str),
            Column("queries (median pair)", general(".0f")),
        )  # fmt: skip
        rows = tuple(
            (row.measure, f"{row.significant} of {row.pairs}", f"{row.corrected} of {row.pairs}", row.queries)
            for row in self.discriminative_power()
        )
        return Table(f"Discriminative power over {len(self.pairs)} pairs of runs", columns, rows)


def _cut_table(pair: PairComparison) -> Table:
    sizes = sorted({cut.n for judged in pair.by_measure for cut in judged.cuts})
    columns = (Column("measure"), *(Column(f"n={n}", fixed(3)) for n in sizes))
    rates = [{cut.n: cut.rate for cut in judged.cuts} for judged in pair.by_measure]
    rows = tuple(
        (judged.measure, *map(rate.get, sizes)) for judged, rate in zip(pair.by_measure, rates, strict=True)
    )
    return Table(
        "Rate at which lists cut to n documents are in the order of the whole (a tie is not)", columns, rows
    )


def _interval(value: Interval | str) -> str:
    return value if isinstance(value, str) else f"[{value.low:+.4f}, {value.high:+.4f}]"


def _long(prospect: LongListMeans | None) -> str:
    if prospect is None:
        return "-"
    return f"{prospect.a:.4f}, {prospect.b:.4f}" + (f" at n = {prospect.at:g}" if prospect.at else "")


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
        "cuts": [asdict(cut) for cut in judgement.cuts],
        "longer_lists": None if judgement.longer_lists is None else asdict(judgement.longer_lists),
    }
