"""Is the theorem's limit where the exact mean goes? A verdict per scorer and measure."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal

import xarray as xr

from ndcg_asymptotics.errors import InputError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.scorers import Relevance
from ndcg_asymptotics.tables import Column, Table, fixed, general
from ndcg_asymptotics.theory.approach import approach
from ndcg_asymptotics.theory.fluctuations.lasting import lasting, normaliser_reached
from ndcg_asymptotics.theory.limits import Limit

LimitVerdict = Literal["agrees", "disagrees", "assumptions not met", "does not converge", "not tested"]

_ERRORS = 5.0  # standard errors that a spread may be off
_SLACK = 0.05  # of the spread that stays, by which that of a finite n may differ


@dataclass(frozen=True)
class LimitRow:
    """A theorem's limit against where the exact mean goes, for one scorer and measure."""

    scorer: str
    measure: str
    limit: float | None
    theorem: str
    assumptions: list[str]
    verdict: LimitVerdict
    explanation: str
    extrapolated: float | None = None
    tolerance: float | None = None
    expected_gap: str | None = None
    fitted_gap: str | None = None
    gaps: list[tuple[int, float]] = field(default_factory=list)


def limits_table(limits: list[LimitRow]) -> Table:
    columns = (
        Column("scorer"), Column("measure"), Column("limit", fixed(5)), Column("theorem"),
        Column("exact mean goes to", fixed(5)), Column("±", general(".0e")),
        Column("gap at 1e6", general("+.1e"), 2), Column("gap at 1e18", general("+.1e"), 2),
        Column("gap falls like", None, 1), Column("verdict"),
    )  # fmt: skip
    rows = []
    for row in limits:
        gaps = dict(row.gaps)
        rows.append((row.scorer, row.measure, row.limit, row.theorem, row.extrapolated, row.tolerance,
                     gaps.get(10**6), gaps.get(10**18), row.fitted_gap, row.verdict))  # fmt: skip
    return Table("Limits, against the exact mean extrapolated from n = 1e4 … 1e18", columns, tuple(rows))


def judge_limit(
    name: str, scorer: Relevance, measure: Measure, found: Limit, cell: xr.Dataset, factor: float
) -> LimitRow:
    texts = [str(a) for a in found.assumptions]

    def row(verdict: LimitVerdict, explanation: str, **details: Any) -> LimitRow:
        value = None if found.value is None else found.value * factor
        return LimitRow(name, str(measure), value, found.theorem, texts, verdict, explanation, **details)

    if found.converges is None:
        return row("not tested", found.reason)
    if found.value is None:
        return row(*_judge_spread(scorer, measure, found, cell, factor))
    if found.unmet:
        return row("assumptions not met", "; ".join(str(a) for a in found.unmet))
    try:
        path = approach(scorer, measure)
    except InputError as error:
        return row("not tested", str(error))
    claimed = found.value * factor
    off = abs(path.extrapolated - claimed)
    agrees = off <= path.error
    sign = "within" if agrees else "beyond"
    return row(
        "agrees" if agrees else "disagrees",
        f"the exact mean goes to {path.extrapolated:.6f}, {sign} ±{path.error:.1e} of the limit",
        extrapolated=path.extrapolated,
        tolerance=path.error,
        expected_gap=path.scale,
        fitted_gap=path.fitted(claimed),
        gaps=[(n, float(e) - claimed) for n, e in zip(path.sizes, path.expectation, strict=True)],
    )


def _judge_spread(
    scorer: Relevance, measure: Measure, found: Limit, cell: xr.Dataset, factor: float
) -> tuple[LimitVerdict, str]:
    """Whether the spread at the largest n is the one that stays (within five standard errors).

    The standard error of a variance s^2 of R values is ``s^2 ((excess + 2) / R)^(1/2)``, about. Where five of
    them are more than s^2 itself, R values are too few for it to be judged.
    """
    values = cell["ndcg"].isel(n=-1).to_numpy()
    seen, law = float(values.std(ddof=1)), lasting(scorer, measure)
    stays, error = law.spread * factor, _ERRORS * math.sqrt((law.excess + 2.0) / len(values))
    text = f"{found.reason}; sd at n = {int(cell['n'][-1]):g}: {seen:.4f}, in the limit {stays:.4f}"
    reached = normaliser_reached(scorer, measure, int(cell["n"][-1]))
    if reached < 1.0 - _SLACK:
        return "not tested", f"{text}: the ideal DCG has {100 * reached:.0f}% of its limit there"
    if error > 1.0:
        needed = math.ceil(_ERRORS**2 * (law.excess + 2.0))
        return "not tested", f"{text}: {needed} replicates are needed to tell whether they agree"
    lower, upper = (stays * math.sqrt(1.0 + sign * error) for sign in (-1, 1))
    inside = lower - _SLACK * stays <= seen <= upper + _SLACK * stays
    return ("does not converge" if inside else "disagrees"), text
