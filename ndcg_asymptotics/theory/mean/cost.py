"""What exact means cost, roughly, so that what would take hours is refused before it begins."""

from __future__ import annotations

from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance

_BINARY = 0.02  # seconds of a mean at one n on one core, on a machine of 2024
_GRADE = 0.3  # for each grade, if they are three or more
_CROSSED = 0.0075  # for each three of them, where a cutoff may go through any
_BREAKS = 100.0  # panels of a curve that double it
_HOURS = 1.0


def seconds(relevance: Relevance, measure: Measure, sizes: int) -> float:
    """How long the exact mean at so many list lengths takes, within a factor of about three.

    >>> from ndcg_asymptotics.measures import Measure
    >>> curve = Relevance.parse("linear(0.1, 0.7)")
    >>> seconds(curve, Measure.parse("nDCG@10"), 50)
    1.0
    """
    grades = len(relevance.gains)
    each = _BINARY if grades <= 2 else _GRADE * grades
    if grades > 2 and measure.cutoff.regime != "none":
        each = max(each, _CROSSED * grades**3)
    return sizes * each * (1.0 + len(relevance.breakpoints) / _BREAKS)


def require_affordable(relevance: Relevance, measure: Measure, sizes: int) -> None:
    """Refuse what would take more than an hour.

    Raises
    ------
    InputError
        Saying how long it would take.
    """
    hours = seconds(relevance, measure, sizes) / 3600
    require(
        hours <= _HOURS,
        f"exact mean: {measure} with {len(relevance.gains)} grades at {sizes} list lengths would take about "
        f"{hours:.2g} hours, at most {_HOURS:g} is allowed: fewer list lengths, or fewer grades",
    )
