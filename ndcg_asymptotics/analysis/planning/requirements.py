"""Requirements of an experiment: power, level, and the number of queries at hand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypedDict

from ndcg_asymptotics.analysis.power import (
    detectable_effect,
    lists_for,
    lists_for_anova,
    lists_for_width,
    require_power,
)
from ndcg_asymptotics.analysis.runs.paired import alpha_of
from ndcg_asymptotics.core.arrays import brief, is_number, require_fraction
from ndcg_asymptotics.core.errors import require

RATE, POWER, LEVEL = 0.95, 0.8, 0.95
"""Defaults: the probability of the right order on one list, the power of tests, the level of intervals."""
_SMALLEST, _LARGEST = 1e-9, 1e9  # standard deviations, differences and widths
_MOST = 10**18  # queries and systems


def require_size(value: float | None, argument: str) -> None:
    """Refuse a standard deviation, a difference or a width whose square may not be a number."""
    proper = value is None or (is_number(value) and _SMALLEST <= value <= _LARGEST)
    require(proper, f"must be {_SMALLEST:g} to {_LARGEST:g}, got {brief(value)}", argument)


class RequirementOptions(TypedDict, total=False):
    """The fields of `Requirements` as options of a function."""

    rate: float
    power: float
    level: float
    queries: int | None
    systems: int | None
    interval_width: float | None


@dataclass(frozen=True)
class Requirements:
    """The requirements of an experiment, which are checked when they are stated.

    Attributes
    ----------
    rate : float
        The probability with which a single list shall show the right order.
    power : float
        Of the tests, 1 - level < power < 1.
    level : float
        Confidence level of the intervals; tests have the level 1 minus this.
    queries : int, optional
        The number of queries that there are, at least 2.
    systems : int, optional
        The number of systems of an analysis of variance, at least 2.
    interval_width : float, optional
        The mean width of the confidence interval of a difference.

    Raises
    ------
    InputError
        If a number is out of range.
    """

    rate: float = RATE
    power: float = POWER
    level: float = LEVEL
    queries: int | None = None
    systems: int | None = None
    interval_width: float | None = None

    def __post_init__(self) -> None:
        require_fraction(self.level, "level")
        require_power(self.power, self.alpha)
        right = is_number(self.rate) and 0.5 < self.rate < 1
        require(right, f"must lie between 0.5 and 1, got {brief(self.rate)}", "rate")
        for count, argument in ((self.queries, "queries"), (self.systems, "systems")):
            whole = count is None or (isinstance(count, int) and 2 <= count <= _MOST)
            require(whole, f"must be a whole number from 2 to {_MOST:g}, got {brief(count)}", argument)
        require_size(self.interval_width, "interval_width")

    @property
    def alpha(self) -> float:
        """The level of the tests."""
        return alpha_of(self.level)

    @cached_property
    def detectable(self) -> float | None:
        """The smallest effect that the queries detect; None where their number is not stated."""
        return None if self.queries is None else detectable_effect(self.queries, self.power, self.alpha)

    def lists(self, difference: float | None, sd: float) -> int | None:
        """Return the number of lists or queries that a paired t test needs; None if there is none."""
        if not difference:
            return None
        return lists_for(difference / sd, self.power, self.alpha) if sd > 0 else 2

    def sizes(
        self,
        difference: float | None,
        sd: float,
        ends: tuple[int | None, int | None] | None = None,
        sds: tuple[float, float] | None = None,
    ) -> dict[str, Any]:
        """Return the fields of a `PlanRow` that follow from a difference and its standard deviation.

        Parameters
        ----------
        difference : float or None
            None where it is not known.
        sd : float
        ends : two numbers of queries, or None for more than 1e15, optional
            An interval of the required number, where the difference or ``sd`` is an estimate.
        sds : two floats, optional
            An interval of ``sd``, where it is an estimate.
        """
        lists = self.lists(difference, sd)
        low, high = ends or (lists, lists)
        lowest, highest = sds or (sd, sd)
        effect = self.detectable
        enough = None
        if self.queries is not None and difference is not None:
            enough = lists is not None and lists <= self.queries
        detected = [None] * 3 if effect is None else [effect * one for one in (sd, lowest, highest)]
        anova = width = None
        if self.systems is not None and difference and sd > 0:
            anova = lists_for_anova(difference / sd, self.systems, self.power, self.alpha)
        if self.interval_width is not None:
            width = lists_for_width(self.interval_width / sd, self.alpha) if sd > 0 else 2
        return {
            "difference": difference,
            "sd": sd,
            "effect": difference / sd if difference is not None and sd > 0 else None,
            "required_lists": lists,
            "required_lists_low": low,
            "required_lists_high": high,
            "enough": enough,
            "detectable": detected[0],
            "detectable_low": detected[1],
            "detectable_high": detected[2],
            "anova_lists": anova,
            "width_lists": width,
        }
