"""Is the theorem's limit where the exact mean goes? A verdict per scorer and measure.

No chance is involved: the error of where the exact mean goes is a bound (`theory.approach`), so a true
limit is never called false, and a false one is caught as soon as it is off by twice the error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.tables import Column, Table, fixed, general
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.approach import approach
from ndcg_asymptotics.theory.cache import TheoryCache
from ndcg_asymptotics.theory.fluctuations.lasting import lasting_spread, spread_at
from ndcg_asymptotics.theory.gap import leading_gap
from ndcg_asymptotics.theory.limits import Limit

LimitVerdict = Literal["agrees", "disagrees", "assumptions not met", "does not converge", "not tested"]

_POWER = 0.01  # a limit off by more must be caught, or the verdict is none
_SMALLEST = 0.01  # what limits nearer to 0 are taken for there
_LONGEST = 10**18  # where a spread that stays is looked at


@dataclass(frozen=True)
class LimitRow:
    """A theorem's limit against where the exact mean goes, for one scorer and measure.

    Attributes
    ----------
    extrapolated, tolerance : float, optional
        Where the exact mean goes, and the bound of its error.
    detectable : float, optional
        By how much, relative, the limit need be wrong to be called so.
    leading_gap : str, optional
        The gap's leading term with its coefficient, from the curve.
    fitted_gap : str, optional
        What the exact mean's gap to the limit follows, as a power of the expected scale.
    """

    scorer: str
    measure: str
    limit: float | None
    theorem: str
    assumptions: list[str]
    verdict: LimitVerdict
    explanation: str
    extrapolated: float | None = None
    tolerance: float | None = None
    detectable: float | None = None
    expected_gap: str | None = None
    leading_gap: str | None = None
    fitted_gap: str | None = None
    gaps: list[tuple[int, float]] = field(default_factory=list)


def limits_table(limits: list[LimitRow]) -> Table:
    columns = (
        Column("scorer"), Column("measure"), Column("limit", fixed(5)), Column("theorem"),
        Column("mean goes to", fixed(5)), Column("caught if off", general(".0e"), 1),
        Column("gap at 1e6", general("+.1e"), 2), Column("gap at 1e18", general("+.1e"), 2),
        Column("gap", None, 3), Column("gap falls like", None, 2), Column("verdict"),
    )  # fmt: skip
    rows = []
    for row in limits:
        gaps = dict(row.gaps)
        rows.append((row.scorer, row.measure, row.limit, row.theorem, row.extrapolated, row.detectable,
                     gaps.get(10**6), gaps.get(10**18), row.leading_gap, row.fitted_gap,
                     row.verdict))  # fmt: skip
    return Table("Limits, against where the exact mean at n = 1e18 goes", columns, tuple(rows))


def judge_limit(
    name: str, scorer: Relevance, measure: Measure, found: Limit, cache: TheoryCache, factor: float
) -> LimitRow:  # fmt: skip
    texts = [str(a) for a in found.assumptions]

    def row(verdict: LimitVerdict, explanation: str, **details: Any) -> LimitRow:
        value = None if found.value is None else found.value * factor
        return LimitRow(name, str(measure), value, found.theorem, texts, verdict, explanation, **details)

    if found.converges is None:
        return row("not tested", found.reason)
    if found.value is None:
        return row(*_judge_lasting(scorer, measure, found, cache, factor))
    if found.unmet:
        return row("assumptions not met", "; ".join(str(a) for a in found.unmet))
    try:
        path = approach(scorer, measure, cache.mean)
    except InputError as error:
        return row("not tested", str(error))
    claimed = found.value * factor
    off, scale = abs(path.extrapolated - claimed), max(abs(claimed), _SMALLEST)
    detectable = 2 * path.error / scale
    gap = leading_gap(scorer, measure)
    details = {
        "extrapolated": path.extrapolated,
        "tolerance": path.error,
        "detectable": detectable,
        "expected_gap": path.scale,
        "leading_gap": None if gap is None else str(gap),
        "fitted_gap": path.fitted(claimed),
        "gaps": [(n, float(e) - claimed) for n, e in zip(path.sizes, path.expectation, strict=True)],
    }
    goes = f"the exact mean goes to {path.extrapolated:.6g}"
    unknown = "; ".join(str(a) for a in found.assumptions if a.met is None)
    supposed = f", if this holds: {unknown}" if unknown else ""
    if off > path.error:
        return row("disagrees", f"{goes}, ±{path.error:.1e}: the limit is beyond{supposed}", **details)
    if detectable > _POWER:
        bound = "its error cannot be bounded"
        if math.isfinite(path.error):
            bound = f"a limit off by {detectable:.1%} would not be told from it"
        return row("not tested", f"{goes}, but {bound}", **details)
    return row("agrees", f"{goes}, within ±{path.error:.1e} of the limit{supposed}", **details)


def _judge_lasting(
    scorer: Relevance, measure: Measure, found: Limit, cache: TheoryCache, factor: float
) -> tuple[LimitVerdict, str]:
    """Whether the spread that stays is where the exact standard deviation goes."""
    stays = factor * cache.size(
        "lasting sd", scorer, measure, _LONGEST, lambda: lasting_spread(scorer, measure)
    )
    text = f"{found.reason}; sd in the limit {stays:.4f}"
    try:
        exact = cache.spread(scorer, measure, [_LONGEST])
    except InputError as error:
        return "not tested", f"{text}, but none to hold it against: {error}"
    about = cache.size("sd about n", scorer, measure, _LONGEST, lambda: spread_at(scorer, measure, _LONGEST))
    here, there = about * factor, float(exact.value[0])
    off = _POWER * here + float(exact.error[0])
    said = f"{text}, at n = {_LONGEST:.0e} {here:.4f}, where the exact one is {there:.4f}"
    return ("does not converge" if abs(here - there) <= off else "disagrees"), said
