"""The measures that tell two rankers apart at the least cost, and the cheapest depth of judgement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ndcg_asymptotics.analysis.power import lists_for
from ndcg_asymptotics.analysis.required import Requirement, difference_at, required
from ndcg_asymptotics.core.errors import NotAvailableError, require
from ndcg_asymptotics.core.tables import Column, Line, Report, ReportBlock, Table, fixed, general
from ndcg_asymptotics.measures import Discount, Measure
from ndcg_asymptotics.populations import Population, Scorer
from ndcg_asymptotics.theory.fluctuations.effort import QUICK
from ndcg_asymptotics.theory.limits import limit
from ndcg_asymptotics.theory.rare import error_exponent

MEASURES = (
    "nDCG", "nDCG(linear)", "nDCG(power(0.3))", "nDCG(power(0.5))", "nDCG(power(0.7))", "nDCG(zipf)",
    "nDCG(geometric(2))", "nDCG@10",
)  # fmt: skip
"""The measures that are compared by default."""

_NEVER = "the order never settles"  # stated once, where both reasons of a row say it
_DEPTHS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000)


@dataclass(frozen=True)
class MeasureVerdict:
    """The judgements that one measure needs, and how fast its wrong orders die out.

    Attributes
    ----------
    limits : (float or None, float or None)
        The limits of the two rankers' NDCG.
    signal : float or None
        The effect size: the mean difference on one list over its standard deviation.
    needs : Requirement
    error_exponent : float or None
        The e of ``-log P(wrong order at n) = n^(e + o(1))``; None where no theorem gives it.
    why : str
        The reason for the error exponent. Where it is 0, whether the order never settles, or the wrong one
        dies out no faster than a power of n.
    """

    measure: str
    limits: tuple[float | None, float | None]
    signal: float | None
    needs: Requirement
    error_exponent: float | None
    why: str


@dataclass(frozen=True, repr=False)
class Verdict(Report):
    """The outcome of `verdict`: measures by the number of lists they need, fewest first."""

    a: str
    b: str
    n: int
    rows: tuple[MeasureVerdict, ...]

    def as_dicts(self) -> list[dict[str, Any]]:
        """Return the rows as plain data, for JSON."""
        return [asdict(row) for row in self.rows]

    def blocks(self) -> Iterator[ReportBlock]:
        """Return a table, and the reasons for what it shows."""
        columns = (
            Column("measure"), Column("limit a", fixed(4), 2), Column("limit b", fixed(4), 2),
            Column(f"effect size at {self.n:g}", fixed(4)), Column("required n", general(",")),
            Column("method", None, 3), Column("required lists", general(",")),
            Column("error exponent", general(".3g"), 1),
        )  # fmt: skip
        cells = (
            (r.measure, *r.limits, r.signal, r.needs.required_n, r.needs.method, r.needs.required_lists,
             r.error_exponent)
            for r in self.rows
        )  # fmt: skip
        yield Table(f"{self.a} against {self.b}", columns, tuple(cells))
        yield Line(
            "Effect size: the mean difference on one list over its standard deviation. Error exponent e: the "
            "probability of the wrong order at n is exp(-n^(e + o(1)))."
        )
        for row in self.rows:
            reasons = [row.why] if not row.error_exponent else []
            if row.needs.reason:
                reasons.append(
                    row.needs.reason.removeprefix(f"{_NEVER}: " if row.why.endswith(_NEVER) else "")
                )
            if reasons:
                yield Line(f"{row.measure}: {'; '.join(reasons)}.")


def verdict(
    a: Scorer | str, b: Scorer | str, measures: Sequence[Measure | str] = MEASURES, **options: Any
) -> Verdict:
    """Rank measures by the number of lists they need to tell two rankers apart.

    Parameters
    ----------
    a, b : Scorer or text
    measures : measures or texts
    **options
        As in `required`.

    >>> found = verdict("linear(0.1, 0.7)", "constant(0.4)", ["nDCG(geometric(2))", "nDCG(linear)"], n=100)
    >>> [row.measure for row in found.rows]
    ['nDCG(linear)', 'nDCG(geometric(2))']
    """
    scorers = Population.of({"a": a, "b": b}).scorers
    found = required(a, b, measures, **options)
    rows = [
        MeasureVerdict(
            row.measure,
            tuple(limit(scorer, row.measure).value for scorer in scorers.values()),  # type: ignore[arg-type]
            row.difference / row.sd if row.difference is not None and row.sd else None,
            row,
            end.exponent,
            end.reason,
        )
        for row, end in (
            (row, error_exponent(scorers["a"], scorers["b"], Measure.of(row.measure))) for row in found.rows
        )
    ]
    rows.sort(key=lambda r: -abs(r.signal or 0.0))
    return Verdict(found.a, found.b, found.rows[0].n, tuple(rows))


@dataclass(frozen=True)
class JudgingPlan:
    """The cheapest way to judge: ``lists`` lists down to rank ``k``, ``documents`` judgements in total."""

    k: int
    lists: int
    documents: int


def cheapest_pool(
    a: Scorer | str,
    b: Scorer | str,
    discount: Discount | str = "log",
    *,
    n: int = 1000,
    power: float = 0.8,
    alpha: float = 0.05,
) -> JudgingPlan:
    """Find the judged depth and the number of lists that tell two rankers apart with the fewest judgements.

    NDCG is cut off at the judged depth k, which is 1, 2, 3, 5, 7, 10, … or the whole list.

    Raises
    ------
    InputError
        If no depth has an exact variance, or none shows a difference.

    >>> cheapest_pool("linear(0.1, 0.7)", "constant(0.4)", n=100)
    JudgingPlan(k=1, lists=43, documents=43)
    """
    first, second = Population.of({"a": a, "b": b}).scorers.values()
    pools = []
    for k in (*(k for k in _DEPTHS if k < n), n):
        try:
            mean, sd = difference_at(first, second, Measure(discount, k), n, QUICK)
        except NotAvailableError:
            continue
        lists = lists_for(mean / sd, power, alpha) if sd > 0 else 2 if mean else None
        if lists is not None:
            pools.append(JudgingPlan(k, lists, lists * k))
    require(bool(pools), f"no judged depth of lists of {n} items shows a difference that is known exactly")
    return min(pools, key=lambda pool: (pool.documents, pool.k))
