"""What is required of an experiment, and the rows of a plan: what a measure needs for it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, TypedDict

from ndcg_asymptotics.core.arrays import brief, is_number, require_fraction
from ndcg_asymptotics.core.defaults import LEVEL
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.rows import Column, Data, Estimate, computed_value, fixed, general
from ndcg_asymptotics.core.text import with_error
from ndcg_asymptotics.orders.long_run import LongRun
from ndcg_asymptotics.orders.probability import WrongOrder
from ndcg_asymptotics.plans.required_length import Length
from ndcg_asymptotics.stats.paired import alpha_of
from ndcg_asymptotics.stats.power import detectable_effect, queries_for, require_power
from ndcg_asymptotics.stats.replication import in_interval

RATE, POWER = 0.95, 0.8
"""Defaults: the probability of the right order on one list, and the power of tests."""
_SMALLEST, _LARGEST = 1e-9, 1e9  # standard deviations and differences
_MOST = 10**18  # queries
_EFFECT_DIGITS = 0.005  # half a unit of the second decimal
_LEAST_SHOWN = 1e-3  # of a rate in percent


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

    def queries_needed(self, difference: float | None, sd: float) -> int | None:
        """Return the number of lists or queries that a paired t test needs; None if there is none."""
        if not difference:
            return None
        return queries_for(difference / sd, self.power, self.alpha) if sd > 0 else 2


def percent(rate: float) -> str:
    """Return a probability in percent; one that is not 0 or 1 is not rounded to it.

    >>> [percent(rate) for rate in (0.0, 1e-5, 0.6582, 0.99999, 1.0)]
    ['0.0%', '<0.1%', '65.8%', '99.9%', '100%']
    """
    if 0 < rate < _LEAST_SHOWN:
        return f"<{_LEAST_SHOWN:.1%}"
    return "100%" if rate == 1 else f"{min(100 * rate, 99.9):.1f}%"


def _shown_mean(value: float) -> str:
    return value.text(4) if isinstance(value, Estimate) else f"{value:+.4f}"


def _shown_effect(value: float) -> str:
    """Return the effect to two decimals, or to fewer with its error where that is larger."""
    if not isinstance(value, Estimate) or value.error < _EFFECT_DIGITS:
        return f"{value:+.2f}"
    text = with_error(abs(value), value.error, 3)
    return text if text.startswith("below") else f"{'-' if value < 0 else '+'}{text}"


@dataclass(frozen=True)
class Order:
    """The order that a single list shows, as lists grow.

    Attributes
    ----------
    ahead : str or None
        The ranker that is ahead on long lists; where that is not known, on average over the queries of runs.
    long_run : float or None
        The limit of the probability that a list shows the right order; None where it is not known.
    why : str
        Why it is not 1, or not known, or is approached slowly.
    required_n, required_n_low, required_n_high : int or None
        The smallest length from which on one list shows the right order with the required probability, with a
        95% interval.
    required_n_last : int or None
        The largest such length, where longer lists do not show it often enough.
    required_n_method : str or None
        How the probability is known at ``required_n`` (`orders.wrong_order`).
    """

    ahead: str | None = None
    long_run: Annotated[float | None, Column("long run", percent, optional=True)] = None
    why: str = ""
    required_n: Annotated[int | None, Column("required documents", general(","), optional=True)] = None
    required_n_low: int | None = None
    required_n_high: int | None = None
    required_n_last: Annotated[int | None, Column("to", general(","), optional=True)] = None
    required_n_method: Annotated[str | None, Column("method", None, 6, optional=True)] = None

    @classmethod
    def of(cls, run: LongRun, length: Length, names: Sequence[str]) -> Order:
        """Return the order of a long run and a required length; ``names`` are those of the rankers."""
        low, high = length.between or (None, None)
        why = "" if run.end.exponent else run.end.reason
        return cls(
            ahead=names[run.ahead],
            long_run=run.rate,
            why=why,
            required_n=length.n,
            required_n_low=low,
            required_n_high=high,
            required_n_last=length.last,
            required_n_method=length.method,
        )

    @computed_value(Column("95% interval", str, 4, optional=True, before="required_n_method"))
    def length_interval(self) -> str | None:
        """The ends of the interval of the required length."""
        if self.required_n_low is None:
            return None
        return f"{self.required_n_low:,} to {self.required_n_high:,}"


@dataclass(frozen=True)
class ListDifference:
    """The difference of the two rankers on one list.

    Attributes
    ----------
    mean, error : float or None
        The mean, 0 where it is within the error bounds of the two means; and a bound of its error, of curves.
    sd, sd_error : float or None
        The standard deviation, and a bound of its error, of curves.
    """

    mean: Annotated[float | None, Data("difference")] = None
    error: Annotated[float | None, Data("difference_error")] = None
    sd: Annotated[float | None, Column("standard deviation", fixed(4), 5, optional=True)] = None
    sd_error: float | None = None

    @computed_value(Data())
    def effect(self) -> float | None:
        """The mean over the standard deviation."""
        return self.mean / self.sd if self.mean is not None and self.sd else None

    @computed_value(Column("difference", _shown_mean, 2, optional=True))
    def shown(self) -> float | None:
        """The mean with its error where it has one; 0 where it is within its error."""
        return Estimate.of(self.mean or None, self.error) or self.mean

    @computed_value(Column("effect size", _shown_effect, optional=True))
    def shown_effect(self) -> float | None:
        """The effect, with a bound of its error where it is computed from curves."""
        if not self.sd or not self.effect or self.sd_error is None or self.error is None:
            return self.effect
        least = self.sd - self.sd_error
        error = self.error + abs(self.effect) * self.sd_error
        return Estimate(self.effect, error / least if least > 0 else math.inf)


@dataclass(frozen=True)
class RequiredQueries:
    """The numbers of queries that a paired t test needs.

    Attributes
    ----------
    required, low, high : int or None
        The number, with an interval where the difference or the standard deviation is an estimate; the ends
        are equal where both are exact. Of runs it is the number if the true difference is as large as the
        observed one.
    assured : int or None
        Of runs: the number at a lower bound of the effect (`stats.replication`); None where the bound is
        not positive.
    enough : bool or None
        Whether the stated number of queries is at least ``required``; None for runs, of which that is an
        estimate.
    """

    required: Annotated[int | None, Data("required_lists")] = None
    low: Annotated[int | None, Data("required_lists_low")] = None
    high: Annotated[int | None, Data("required_lists_high")] = None
    assured: Annotated[
        int | None, Column("assured queries", general(","), optional=True), Data("queries_assured")
    ] = None
    enough: Annotated[
        bool | None, Column("enough", lambda enough: "yes" if enough else "no", optional=True)
    ] = None

    @classmethod
    def of(
        cls,
        requirements: Requirements,
        mean: float | None,
        sd: float,
        sds: tuple[float, float] | None = None,
    ) -> RequiredQueries:
        """Return the numbers for a difference; ``sds`` is an interval of ``sd``, if that is an estimate."""
        number, low, high = (
            requirements.queries_needed(mean, deviation) for deviation in (sd, *(sds or (sd, sd)))
        )
        if requirements.queries is None or mean is None:
            return cls(number, low, high)
        return cls(number, low, high, enough=number is not None and number <= requirements.queries)

    @computed_value(Column("required queries", str, optional=True, before="assured"))
    def shown(self) -> str | None:
        """The required queries with their interval, such as "7", "84 [33, 513]" or "1,151 [105, ∞)"."""
        return None if self.required is None else in_interval(self.required, self.low, self.high)


@dataclass(frozen=True)
class DetectableDifference:
    """The smallest difference that the stated queries detect.

    Attributes
    ----------
    detectable, detectable_low, detectable_high : float or None
        The smallest difference that the stated number of queries detects, with an interval.
    """

    detectable: float | None = None
    detectable_low: float | None = None
    detectable_high: float | None = None

    @classmethod
    def of(
        cls, requirements: Requirements, sd: float, sds: tuple[float, float] | None = None
    ) -> DetectableDifference:
        """Return the difference; ``sds`` is an interval of ``sd``, where that is an estimate."""
        effect, (lowest, highest) = requirements.detectable, sds or (sd, sd)
        return cls() if effect is None else cls(effect * sd, effect * lowest, effect * highest)

    @computed_value(Column("detectable difference", str, 3, optional=True))
    def interval(self) -> str | None:
        """The smallest difference that is detected, with its interval."""
        if self.detectable is None:
            return None
        if self.detectable_low == self.detectable_high:
            return f"{self.detectable:.4f}"
        return f"{self.detectable:.4f} [{self.detectable_low:.4f}, {self.detectable_high:.4f}]"


@dataclass(frozen=True)
class PlanRow:
    """The needs of one measure to tell two rankers apart: documents and queries.

    Attributes
    ----------
    measure : str
    n : int or None
        The length of the lists; None where they are those of runs, or unknown.
    order : Order
    queries : RequiredQueries
    difference : ListDifference
    wrong : WrongOrder or None
        The probability that one list does not show the right order. Of runs it is the share of queries on
        which the other ranker is ahead, without the ``ties``.
    ties : float or None
        Of runs: the share of queries on which the two are equal.
    detection : DetectableDifference
    reason : str
        Why a number is missing, or how far it can be trusted.
    """

    measure: Annotated[str, Column("measure")]
    n: int | None = None
    order: Annotated[Order, Data(inline=True)] = Order()
    queries: Annotated[RequiredQueries, Data(inline=True)] = RequiredQueries()
    difference: Annotated[ListDifference, Data(inline=True)] = ListDifference()
    wrong: Annotated[
        WrongOrder | None, Column("P(wrong order)", str, 1, optional=True), Data(inline=True)
    ] = None
    ties: float | None = None
    detection: Annotated[DetectableDifference, Data(inline=True)] = DetectableDifference()
    reason: str = ""

    @computed_value(Column("ties", "{:.1%}".format, 1, optional=True, before="detectable"))
    def tied(self) -> float | None:
        """The share of ties, None where there are none."""
        return self.ties or None


def by_queries(rows: Iterable[PlanRow]) -> tuple[PlanRow, ...]:
    """Return rows in the order of the queries that their measures need, the smallest number first."""
    return tuple(sorted(rows, key=lambda row: -abs(row.difference.effect or 0.0)))
