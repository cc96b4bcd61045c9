"""Tests of the limits that theorems state, by exact means extrapolated to infinite n.

The extrapolation (`theory.limits.extrapolation`) uses no theorem, and nothing is random: a limit disagrees if
its distance from the extrapolated one exceeds the bound of the error of the extrapolation. Twice this bound
is the smallest error that is certain to be detected. Where that is more than 1% of the limit, the limit
counts as not tested. See docs/theory.md, section 2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypedDict, Unpack

from ndcg_asymptotics.core.arrays import ENDLESS
from ndcg_asymptotics.core.errors import NotAvailableError
from ndcg_asymptotics.core.rows import Column, computed_value, decimals, general
from ndcg_asymptotics.core.tables import Table
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.theory.deviation import ndcg_std
from ndcg_asymptotics.theory.deviation.asymptotic import limiting_std, std_at
from ndcg_asymptotics.theory.limits import limit
from ndcg_asymptotics.theory.limits.extrapolation import Extrapolation, extrapolated_limit
from ndcg_asymptotics.theory.limits.leading_terms import Gap, leading_gap

LimitVerdict = Literal["agrees", "disagrees", "assumptions not met", "does not converge", "not tested"]

_LIMIT_TOLERANCE = 0.01  # the largest relative detectable error with which a limit counts as tested
_LEAST_SCALE = 0.01  # the detectable error of a limit below it is relative to this
_GAP_TOLERANCE = 0.05  # the largest relative error with which the coefficient of a leading gap is confirmed


@dataclass(frozen=True)
class LimitTest:
    """A theorem's limit and the one extrapolated from exact means, for one scorer and measure.

    Attributes
    ----------
    extrapolated, tolerance : float, optional
        The extrapolated limit, and the bound of its error.
    detectable : float, optional
        The smallest relative error of the limit that is certain to be detected.
    leading_gap : str, optional
        The leading term of E[NDCG_n] - limit from the curve, where exact means confirm it.
    gaps : list of (int, float)
        E[NDCG_n] - limit at each list length.
    """

    scorer: Annotated[str, Column("scorer")]
    measure: Annotated[str, Column("measure")]
    limit: Annotated[float | None, Column("limit", decimals(5))]
    theorem: Annotated[str, Column("theorem")]
    assumptions: list[str]
    verdict: Annotated[LimitVerdict, Column("verdict")]
    explanation: str
    extrapolated: Annotated[float | None, Column("extrapolated limit", decimals(5))] = None
    tolerance: float | None = None
    detectable: Annotated[float | None, Column("detectable error", general(".0e"), 1)] = None
    leading_gap: Annotated[str | None, Column("leading gap", None, 3)] = None
    gaps: list[tuple[int, float]] = field(default_factory=list)

    @computed_value(Column("gap at 1e6", general("+.1e"), 2))
    def early_gap(self) -> float | None:
        """E[NDCG_n] - limit at n = 1e6."""
        return dict(self.gaps).get(10**6)

    @computed_value(Column("gap at 1e18", general("+.1e"), 2))
    def last_gap(self) -> float | None:
        """E[NDCG_n] - limit at n = 1e18."""
        return dict(self.gaps).get(ENDLESS)

    @property
    def tested(self) -> bool:
        """Whether the theorem's statement was compared with exact values."""
        return self.verdict in ("agrees", "disagrees", "does not converge")


class _Extrapolated(TypedDict, total=False):
    """The fields of a `LimitTest` that an extrapolated limit gives."""

    extrapolated: float
    tolerance: float
    detectable: float
    leading_gap: str | None
    gaps: list[tuple[int, float]]


_SHOWN = ("scorer", "measure", "limit", "theorem", "extrapolated", "detectable", "early_gap", "last_gap")


def limits_table(limits: list[LimitTest]) -> Table:
    """Return the table of limits."""
    title = "Limits of theorems, and limits extrapolated from exact means at n = 1e6 to 1e18"
    return Table.of(title, LimitTest, limits, *_SHOWN, "leading_gap", "verdict")


def check_limit(scorer: Scorer, measure: Measure, name: str, factor: float) -> LimitTest:
    """Compare the limit that a theorem states, times ``factor``, with the one extrapolated from exact means.

    ``name`` is that of the scorer in the row. A factor other than 1 shows whether a wrong limit is noticed.
    """
    asymptote = limit(scorer, measure)
    theorem, value, scaled = asymptote.theorem, asymptote.value, asymptote.scaled
    if scaled is not None:  # NDCG_n -> 0: the limit of its product with the scale is compared
        value = scaled.value
        theorem = theorem if value is None else f"{theorem}, times {scaled.scale}"
    claimed = None if value is None else value * factor

    def row(verdict: LimitVerdict, explanation: str, **details: Unpack[_Extrapolated]) -> LimitTest:
        return LimitTest(
            scorer=name,
            measure=str(measure),
            limit=claimed,
            theorem=theorem,
            assumptions=[str(a) for a in asymptote.assumptions],
            verdict=verdict,
            explanation=explanation,
            **details,
        )

    if asymptote.converges is None or (scaled is not None and value is None):
        return row("not tested", asymptote.reason)
    if claimed is None:  # NDCG_n does not converge
        return row(*_judge_limiting_std(scorer, measure, asymptote.reason, factor))
    if asymptote.unmet:
        return row("assumptions not met", "; ".join(a.text for a in asymptote.unmet))
    try:
        extrapolation = extrapolated_limit(scorer, measure)
    except NotAvailableError as error:
        return row("not tested", str(error))
    if not all(map(math.isfinite, (claimed, extrapolation.limit, *extrapolation.expectation))):
        return row("not tested", "an exact mean or the limit is not a number")
    tolerance = extrapolation.error
    detectable = 2 * tolerance / max(abs(claimed), _LEAST_SCALE)
    means = zip(extrapolation.sizes, extrapolation.expectation, strict=True)
    details: _Extrapolated = {
        "extrapolated": extrapolation.limit,
        "tolerance": tolerance,
        "detectable": detectable,
        "gaps": [(n, float(mean) - claimed) for n, mean in means],
    }
    if extrapolation.reason:
        return row("not tested", extrapolation.reason, **details)
    unknown = "; ".join(a.text for a in asymptote.assumptions if a.met is None)
    condition = f", provided that: {unknown}" if unknown else ""
    summary = f"exact means extrapolate to {extrapolation.limit:.6g} ± {tolerance:.1e}{condition}"
    if abs(extrapolation.limit - claimed) > tolerance:
        return row("disagrees", summary, **details)
    if detectable > _LIMIT_TOLERANCE:
        return row("not tested", f"{summary}, which only detects errors above {detectable:.1%}", **details)
    gap = leading_gap(scorer, measure)
    if gap is not None:
        agrees, text = _judge_gap(gap, extrapolation, claimed)
        if agrees is False:
            return row("disagrees", f"the leading gap is {gap}, but {text}{condition}", **details)
        details["leading_gap"] = str(gap) if agrees else None
    return row("agrees", summary, **details)


def _judge_gap(gap: Gap, extrapolation: Extrapolation, limit: float) -> tuple[bool | None, str]:
    """Return whether exact means confirm a leading gap (None: cannot be told), and what they give instead."""
    coefficient, error = extrapolation.coefficient(limit, gap.exponent)
    if abs(coefficient - gap.coefficient) > error:
        return False, f"exact means give a coefficient of {coefficient:.6g} ± {error:.1e}"
    return (True if error <= _GAP_TOLERANCE * abs(gap.coefficient) else None), ""


def _judge_limiting_std(
    scorer: Scorer, measure: Measure, reason: str, factor: float
) -> tuple[LimitVerdict, str]:
    """Compare the standard deviation that NDCG keeps where it does not converge with the exact one."""
    text = f"{reason}; the limiting standard deviation is {factor * limiting_std(scorer, measure):.4f}"
    try:
        exact = ndcg_std(scorer, measure, [ENDLESS])
    except NotAvailableError as error:
        return "not tested", f"{text}, but there is no exact value to compare it with: {error}"
    # at the same n: for r^-b with b near 1, even n = 1e18 is far from the limit
    claimed = factor * std_at(scorer, measure, ENDLESS)
    reference, bound = float(exact.value[0]), float(exact.error[0])
    text += (
        f"; at n = {ENDLESS:.0e} the same formula gives {claimed:.4f}, and the exact value is {reference:.4f}"
    )
    if not all(map(math.isfinite, (claimed, reference, bound))) or bound > _LIMIT_TOLERANCE * reference:
        return "not tested", text
    # std_at is the leading term alone
    agrees = abs(claimed - reference) <= _LIMIT_TOLERANCE * claimed + bound
    return "does not converge" if agrees else "disagrees", text
