"""Is the theorem's limit the one the exact means tend to? A verdict per scorer and measure.

The limit of a theorem is compared with one extrapolated from exact means (`theory.extrapolation`), which
knows nothing of the theorem. Nothing is random: a limit disagrees if it is further away than the stated
error of the extrapolation, and the smallest detectable error, twice that, is reported. Where it
exceeds 1% of the limit, the limit is not tested.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal

from ndcg_asymptotics.core.errors import NotAvailableError
from ndcg_asymptotics.core.tables import Column, Table, fixed, general
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.theory.cache import TheoryCache
from ndcg_asymptotics.theory.extrapolation import Extrapolation, extrapolated_limit
from ndcg_asymptotics.theory.fluctuations.asymptotic import limiting_std, std_at
from ndcg_asymptotics.theory.gap import Gap, leading_gap
from ndcg_asymptotics.theory.limits import Limit

LimitOutcome = Literal["agrees", "disagrees", "assumptions not met", "does not converge", "not tested"]

_POWER = 0.01  # a limit must be tested to this relative error, or the verdict is "not tested"
_SMALLEST = 0.01  # limits below count as this large in relative errors
_GAP_POWER = 0.05  # the same for the coefficient of the leading gap
_LONGEST = 10**18  # the list length at which a lasting standard deviation is compared


@dataclass(frozen=True)
class LimitTest:
    """A theorem's limit and the one extrapolated from exact means, for one scorer and measure.

    Attributes
    ----------
    extrapolated, tolerance : float, optional
        The extrapolated limit and the bound of its error.
    detectable : float, optional
        The smallest relative error of the limit that is certain to be detected.
    leading_gap : str, optional
        The leading term of E[NDCG_n] - limit from the curve, where exact means confirm it.
    gaps : list of (int, float)
        E[NDCG_n] - limit at each list length.
    """

    scorer: str
    measure: str
    limit: float | None
    theorem: str
    assumptions: list[str]
    verdict: LimitOutcome
    explanation: str
    extrapolated: float | None = None
    tolerance: float | None = None
    detectable: float | None = None
    leading_gap: str | None = None
    gaps: list[tuple[int, float]] = field(default_factory=list)

    @property
    def tested(self) -> bool:
        """Whether the theorem's statement was compared with exact values."""
        return self.verdict in ("agrees", "disagrees", "does not converge")


def limits_table(limits: list[LimitTest]) -> Table:
    columns = (
        Column("scorer"), Column("measure"), Column("limit", fixed(5)), Column("theorem"),
        Column("extrapolated", fixed(5)), Column("detectable error", general(".0e"), 1),
        Column("gap at 1e6", general("+.1e"), 2), Column("gap at 1e18", general("+.1e"), 2),
        Column("leading gap", None, 3), Column("verdict"),
    )  # fmt: skip
    rows = []
    for row in limits:
        gaps = dict(row.gaps)
        rows.append((row.scorer, row.measure, row.limit, row.theorem, row.extrapolated, row.detectable,
                     gaps.get(10**6), gaps.get(10**18), row.leading_gap, row.verdict))  # fmt: skip
    return Table("Limits, and where exact means up to n = 1e18 extrapolate to", columns, tuple(rows))


def judge_limit(
    name: str, scorer: Scorer, measure: Measure, found: Limit, cache: TheoryCache, factor: float
) -> LimitTest:
    """Compare a limit, times ``factor``, with the one extrapolated from exact means."""
    texts = [str(a) for a in found.assumptions]

    def row(verdict: LimitOutcome, explanation: str, **details: Any) -> LimitTest:
        value = None if found.value is None else found.value * factor
        return LimitTest(name, str(measure), value, found.theorem, texts, verdict, explanation, **details)

    if found.converges is None:
        return row("not tested", found.reason)
    if found.value is None:
        return row(*_judge_limiting_std(scorer, measure, found, cache, factor))
    if found.unmet:
        return row("assumptions not met", "; ".join(str(a) for a in found.unmet))
    try:
        path = extrapolated_limit(scorer, measure, cache.mean)
    except NotAvailableError as error:
        return row("not tested", str(error))
    claimed = found.value * factor
    if not all(map(math.isfinite, (claimed, path.limit, *path.expectation))):
        return row("not tested", "an exact mean or the limit is not a number")
    detectable = 2 * path.error / max(abs(claimed), _SMALLEST)
    details: dict[str, Any] = {
        "extrapolated": path.limit,
        "tolerance": path.error,
        "detectable": detectable,
        "gaps": [(n, float(e) - claimed) for n, e in zip(path.sizes, path.expectation, strict=True)],
    }
    if path.reason:
        return row("not tested", path.reason, **details)
    unknown = "; ".join(str(a) for a in found.assumptions if a.met is None)
    supposed = f", if this holds: {unknown}" if unknown else ""
    shown = f"exact means extrapolate to {path.limit:.6g} ± {path.error:.1e}{supposed}"
    if abs(path.limit - claimed) > path.error:
        return row("disagrees", shown, **details)
    if detectable > _POWER:
        return row("not tested", f"{shown}, which detects an error of {detectable:.1%} only", **details)
    gap = leading_gap(scorer, measure)
    if gap is not None:
        agrees, text = _judge_gap(gap, path, claimed)
        if agrees is False:
            return row("disagrees", f"the leading gap is {gap}, {text}{supposed}", **details)
        details["leading_gap"] = str(gap) if agrees else None
    return row("agrees", shown, **details)


def _judge_gap(gap: Gap, path: Extrapolation, limit: float) -> tuple[bool | None, str]:
    """Return whether exact means confirm a leading gap, None where they cannot tell, and what they give."""
    found, error = path.coefficient(limit, gap.exponent)
    if abs(found - gap.coefficient) > error:
        return False, f"exact means give a coefficient of {found:.6g} ± {error:.1e}"
    return (True if error <= _GAP_POWER * abs(gap.coefficient) else None), ""


def _judge_limiting_std(
    scorer: Scorer, measure: Measure, found: Limit, cache: TheoryCache, factor: float
) -> tuple[LimitOutcome, str]:
    """Compare the standard deviation that stays where NDCG does not converge with the exact one."""
    stays = factor * cache.size(
        "limiting sd", scorer, measure, _LONGEST, lambda: limiting_std(scorer, measure)
    )
    text = f"{found.reason}; sd in the limit {stays:.4f}"
    try:
        exact = cache.std(scorer, measure, [_LONGEST])
    except NotAvailableError as error:
        return "not tested", f"{text}, but there is no exact one to compare with: {error}"
    about = cache.size("sd about n", scorer, measure, _LONGEST, lambda: std_at(scorer, measure, _LONGEST))
    here, there, bound = about * factor, float(exact.value[0]), float(exact.error[0])
    said = f"{text}, at n = {_LONGEST:.0e} {here:.4f}, where the exact one is {there:.4f}"
    if not all(map(math.isfinite, (here, there, bound))) or bound > _POWER * there:
        return "not tested", said
    return ("does not converge" if abs(here - there) <= _POWER * here + bound else "disagrees"), said
