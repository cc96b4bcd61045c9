"""What a comparison of runs found: one paragraph first, then tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from ndcg_asymptotics.analysis.runs.paired import Difference, Interval
from ndcg_asymptotics.core.tables import Column, Line, Part, Shown, Table, fixed, general

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
class Prospect:
    """What the mean NDCG of two runs tends to in ever longer i.i.d. lists, by their fitted curves.

    Where both tend to the same, ``a`` and ``b`` are the exact means at n = ``at``; None stands for the limit.
    """

    a: float
    b: float
    theorem: str
    at: int | None = None


@dataclass(frozen=True)
class Judgement:
    """Two runs by one measure; differences are a - b. ``p`` is corrected for all tests of the comparison."""

    measure: str
    mean_a: float
    mean_b: float
    difference: Difference
    p: float
    cuts: tuple[Cut, ...] = ()
    prospect: Prospect | None = None

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
    judgements: tuple[Judgement, ...]

    def paragraph(self, alpha: float, queries: int, power: float) -> str:
        """The answer in words."""
        best = min(self.judgements, key=lambda j: (j.p, -abs(j.difference.effect)))
        d = best.difference
        if best.p >= alpha:
            said = [
                f"{queries} queries do not tell {self.a} and {self.b} apart by any measure (smallest "
                f"corrected p: {best.p:.2g}, {best.measure})."
            ]
        else:
            ahead, behind = (self.a, self.b) if d.mean > 0 else (self.b, self.a)
            low, high = sorted(abs(x) for x in (d.bootstrap.low, d.bootstrap.high))
            said = [
                f"{ahead} is ahead of {behind}, most surely by {best.measure}: {abs(d.mean):.4f}, "
                f"{1 - alpha:.0%} interval {low:.4f} to {high:.4f}, corrected p {best.p:.2g}.",
                self._others(best, alpha),
            ]
        return " ".join([*said, self._needed(power), _said_of_cuts(best), self._prospects(alpha)]).strip()

    def _others(self, best: Judgement, alpha: float) -> str:
        others = [j for j in self.judgements if j is not best]
        sure = [j for j in others if j.p < alpha]
        against = [j.measure for j in sure if j.difference.mean * best.difference.mean < 0]
        leaning = [
            j.measure
            for j in others
            if j not in sure and j.difference.bootstrap.sign * best.difference.mean < 0
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
        fewest = min(self.judgements, key=lambda j: j.difference.queries or math.inf)
        most = max(self.judgements, key=lambda j: j.difference.queries or math.inf)
        if fewest.difference.queries is None:
            return f"For {power:.0%} power a million queries would not be enough."
        said = f"{power:.0%} power takes {fewest.difference.queries} queries by {fewest.measure}"
        if most is fewest:
            return said + "."
        many = most.difference.queries
        return said + f", {many or 'more than a million'} by {most.measure}."

    def _prospects(self, alpha: float) -> str:
        sure = [(j, j.prospect) for j in self.judgements if j.prospect and j.p < alpha]
        if not sure:
            return ""
        turned = [j.measure for j, ahead in sure if j.difference.mean * (ahead.a - ahead.b) < 0]
        if turned:
            return f"In ever longer lists theory expects the order to turn by {', '.join(turned)}."
        return "In ever longer lists theory expects the same order."


def _said_of_cuts(judged: Judgement) -> str:
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
class Comparison(Shown):
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
        return 1 - self.level

    def discriminative_power(self) -> list[Power]:
        """How many pairs each measure tells apart, the most first."""
        found = []
        for i, first in enumerate(self.pairs[0].judgements):
            judged = [pair.judgements[i] for pair in self.pairs]
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
                "measures": [_plain(judgement) for judgement in pair.judgements],
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
                "difference": j.difference.mean, "low": j.difference.bootstrap.low,
                "high": j.difference.bootstrap.high, "p": j.difference.p, "p_corrected": j.p,
                "effect": j.difference.effect, "queries": j.difference.queries,
            }
            for pair in self.pairs
            for j in pair.judgements
        )  # fmt: skip

    def parts(self) -> Iterator[Part]:
        """A paragraph and tables for each pair; of several pairs the power of the measures first."""
        if len(self.pairs) > 1:
            yield self._power_table()
        for pair in self.pairs:
            yield Line(pair.paragraph(self.alpha, self.queries, self.power) + "\n")
            yield self._table(pair)
            if any(j.cuts for j in pair.judgements):
                yield _cut_table(pair)
        for remark in self.remarks:
            yield Line(f"{remark}.")
        tests = sum(len(pair.judgements) for pair in self.pairs)
        yield Line(
            f"Over {self.queries} queries; intervals {self.level:.0%}: BCa bootstrap, and permutation of the "
            f"runs within queries; p is corrected by Holm for {tests} tests; "
            f"queries: for {self.power:.0%} power of a paired t-test at {self.alpha:.2g}."
        )

    def _table(self, pair: PairComparison) -> Table:
        columns = (
            Column("measure"), Column(pair.a, fixed(4), 1), Column(pair.b, fixed(4), 1),
            Column("difference", general("+.4f")), Column("bootstrap", _interval, 1),
            Column("permutation", _interval, 3), Column("p", general(".2g")),
            Column("Δ/σ", general("+.2f"), 2), Column("queries", general("d"), 2),
            Column("longer lists", str, 4),
        )  # fmt: skip
        rows = tuple(
            (j.measure, j.mean_a, j.mean_b, j.difference.mean, j.difference.bootstrap,
             j.difference.permutation, j.p, j.difference.effect, j.difference.queries, _long(j.prospect))
            for j in pair.judgements
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
    sizes = [cut.n for cut in pair.judgements[0].cuts]
    columns = (Column("measure"), *(Column(f"n={n}", fixed(3)) for n in sizes))
    rows = tuple((j.measure, *(cut.rate for cut in j.cuts)) for j in pair.judgements)
    return Table(
        "Rate at which lists cut to n documents are in the order of the whole (a tie is not)", columns, rows
    )


def _interval(value: Interval) -> str:
    return f"[{value.low:+.4f}, {value.high:+.4f}]"


def _long(prospect: Prospect | None) -> str:
    if prospect is None:
        return "-"
    return f"{prospect.a:.4f}, {prospect.b:.4f}" + (f" at n = {prospect.at:g}" if prospect.at else "")


def _plain(judgement: Judgement) -> Mapping[str, Any]:
    d = judgement.difference
    return {
        "measure": judgement.measure,
        "mean_a": judgement.mean_a,
        "mean_b": judgement.mean_b,
        "difference": d.mean,
        "sd": d.sd,
        "bootstrap": [d.bootstrap.low, d.bootstrap.high],
        "permutation": [d.permutation.low, d.permutation.high],
        "p": d.p,
        "p_corrected": judgement.p,
        "effect": d.effect,
        "queries": d.queries,
        "cuts": [asdict(cut) for cut in judgement.cuts],
        "longer_lists": None if judgement.prospect is None else asdict(judgement.prospect),
    }
