"""Requirements of an experiment: power, level, and the number of queries at hand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypedDict

from ndcg_asymptotics.analysis.power import detectable_effect, lists_for, require_power
from ndcg_asymptotics.analysis.runs.paired import alpha_of
from ndcg_asymptotics.core.arrays import brief, is_number, require_fraction
from ndcg_asymptotics.core.errors import require

RATE, POWER, LEVEL = 0.95, 0.8, 0.95
"""Defaults: the probability of the right order on one list, the power of tests, the level of intervals."""
_SMALLEST, _LARGEST = 1e-9, 1e9  # standard deviations and differences
_MOST = 10**18  # queries


def require_size(value: float | None, argument: str) -> None:
    """Refuse a standard deviation or a difference whose square may not be a number."""
    proper = value is None or (is_number(value) and _SMALLEST <= value <= _LARGEST)
    require(proper, f"must be {_SMALLEST:g} to {_LARGEST:g}, got {brief(value)}", argument)


class RequirementOptions(TypedDict, total=False):
    """The fields of `Requirements` as options of a function."""

    rate: float
    power: float
    level: float
    queries: int | None


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

    Raises
    ------
    InputError
        If a number is out of range.
    """

    rate: float = RATE
    power: float = POWER
    level: float = LEVEL
    queries: int | None = None

    def __post_init__(self) -> None:
        require_fraction(self.level, "level")
        require_power(self.power, self.alpha)
        right = is_number(self.rate) and 0.5 < self.rate < 1
        require(right, f"must lie between 0.5 and 1, got {brief(self.rate)}", "rate")
        whole = self.queries is None or (isinstance(self.queries, int) and 2 <= self.queries <= _MOST)
        require(whole, f"must be a whole number from 2 to {_MOST:g}, got {brief(self.queries)}", "queries")

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
