"""What a plan finds: a row for each measure, families of measures, and which of them is best."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from ndcg_asymptotics.analysis.orders.one_list import WrongOrder
from ndcg_asymptotics.analysis.planning.requirements import Requirements
from ndcg_asymptotics.analysis.replication import in_interval
from ndcg_asymptotics.core.tables import Column, Data, Estimate, fixed, general
from ndcg_asymptotics.core.text import with_error
from ndcg_asymptotics.measures import Measure

_EFFECT_DIGITS = 0.005  # half a unit of the second decimal
_LEAST_SHOWN = 1e-3  # of a rate in percent


def percent(rate: float) -> str:
    """Return a probability in percent; one that is not 0 or 1 is not rounded to it.

    >>> [percent(rate) for rate in (0.0, 1e-5, 0.6582, 0.99999, 1.0)]
    ['0.0%', '<0.1%', '65.8%', '99.9%', '100%']
    """
    if 0 < rate < _LEAST_SHOWN:
        return f"<{_LEAST_SHOWN:.1%}"
    return "100%" if rate == 1 else f"{min(100 * rate, 99.9):.1f}%"


def _difference(value: float) -> str:
    return value.text(4) if isinstance(value, Estimate) else f"{value:+.4f}"


def _effect(value: float) -> str:
    """Return the effect to two decimals, or to fewer with its error where that is larger."""
    if not isinstance(value, Estimate) or value.error < _EFFECT_DIGITS:
        return f"{value:+.2f}"
    text = with_error(abs(value), value.error, 3)
    return text if text.startswith("below") else f"{'-' if value < 0 else '+'}{text}"


@dataclass(frozen=True)
class PlanRow:
    """The needs of one measure to tell two rankers apart: documents, queries, judgements.

    Attributes
    ----------
    measure : str
    n : int or None
        The length of the lists; None where they are those of runs, or unknown.
    ahead : str or None
        The ranker that is ahead on long lists; where that is not known, on average over the queries of runs.
    difference, sd, effect : float or None
        Mean and standard deviation of the difference on one list, and their ratio. A difference within the
        error bounds of the two means is 0.
    difference_error, sd_error : float or None
        Bounds of the errors of the two, which means and standard deviations of curves have.
    limits : (float or None, float or None)
        The limits of the NDCG of the two rankers.
    long_run : float or None
        The limit of the probability that a list shows the right order, as lists grow.
    error_exponent : float or None
        The e of ``-log P(wrong order at n) = n^(e + o(1))``; 0 where that probability does not fall, or no
        faster than a power of n.
    why : str
        The reason for the error exponent.
    wrong : WrongOrder or None
        The probability that one list does not show the right order. Of runs it is the share of queries on
        which the other ranker is ahead, without the ``ties``.
    ties : float or None
        Of runs: the share of queries on which the two are equal.
    required_n, required_n_low, required_n_high : int or None
        The smallest length from which on one list shows the right order with the required probability, with a
        95% interval where it is simulated.
    required_n_method : str
        How it is found (`planning.required_length`).
    required_lists, required_lists_low, required_lists_high : int or None
        The number of queries that a paired t test needs, with an interval where the difference or the
        standard deviation is an estimate; the ends are equal where both are exact. Of runs it is the number
        if the true difference is as large as the observed one.
    queries_assured : int or None
        Of runs: the number of queries at a lower bound of the effect (`analysis.replication`); None where
        the bound is not positive.
    enough : bool or None
        Whether the stated number of queries is at least ``required_lists``; None for runs, of which that is
        an estimate.
    detectable, detectable_low, detectable_high : float or None
        The smallest difference that the stated number of queries detects, with an interval.
    anova_lists, width_lists : int or None
        The number of queries for an analysis of variance of several systems whose best and worst differ by
        ``difference``, and for the stated mean width of the interval of a difference.
    reason : str
        Why a number is missing, or how far it can be trusted.
    """

    measure: Annotated[str, Column("measure", whole=True)]
    n: int | None = None
    ahead: str | None = None
    difference: float | None = None
    sd: Annotated[float | None, Column("standard deviation", fixed(4), optional=True)] = None
    difference_error: float | None = None
    sd_error: float | None = None
    effect: float | None = None
    limits: tuple[float | None, float | None] = (None, None)
    long_run: Annotated[float | None, Column("long run", percent, optional=True)] = None
    error_exponent: Annotated[float | None, Column("error exponent", general(".3g"), 5, optional=True)] = None
    why: str = ""
    ties: float | None = None
    required_n: Annotated[int | None, Column("required documents", general(","), optional=True)] = None
    required_n_low: int | None = None
    required_n_high: int | None = None
    required_n_method: str = ""
    required_lists: int | None = None
    required_lists_low: int | None = None
    required_lists_high: int | None = None
    queries_assured: Annotated[int | None, Column("assured queries", general(","), optional=True)] = None
    enough: Annotated[
        bool | None, Column("enough", lambda enough: "yes" if enough else "no", optional=True)
    ] = None
    wrong: Annotated[
        WrongOrder | None, Column("P(wrong order)", str, 1, optional=True), Data(inline=True)
    ] = None
    detectable: float | None = None
    detectable_low: float | None = None
    detectable_high: float | None = None
    anova_lists: Annotated[int | None, Column("queries for systems", general(","), optional=True)] = None
    width_lists: Annotated[int | None, Column("queries for a width", general(","), optional=True)] = None
    reason: str = ""

    @property
    def length_interval(
        self,
    ) -> Annotated[str | None, Column("95% interval", str, 4, optional=True, before="required_lists")]:
        """The ends of the interval of the required length."""
        if self.required_n_low is None:
            return None
        return f"{self.required_n_low:,} to {self.required_n_high:,}"

    @property
    def queries(
        self,
    ) -> Annotated[str | None, Column("required queries", str, optional=True, before="queries_assured")]:
        """The required queries with their interval, such as "7", "84 [33, 513]" or "1,151 [105, ∞)"."""
        if self.required_lists is None:
            return None
        return in_interval(self.required_lists, self.required_lists_low, self.required_lists_high)

    @property
    def estimated_difference(
        self,
    ) -> Annotated[float | None, Column("difference", _difference, 2, optional=True, before="wrong")]:
        """The difference, with its error where it has one; 0 where it is within its error."""
        return Estimate.of(self.difference or None, self.difference_error) or self.difference

    @property
    def estimated_effect(
        self,
    ) -> Annotated[float | None, Column("effect size", _effect, optional=True, before="wrong")]:
        """The effect, with a bound of its error where it is computed from curves."""
        if not self.sd or not self.effect or self.sd_error is None or self.difference_error is None:
            return self.effect
        least = self.sd - self.sd_error
        error = self.difference_error + abs(self.effect) * self.sd_error
        return Estimate(self.effect, error / least if least > 0 else math.inf)

    @property
    def tied(
        self,
    ) -> Annotated[float | None, Column("ties", "{:.1%}".format, 1, optional=True, before="detectable")]:
        """The share of ties, None where there are none."""
        return self.ties or None

    @property
    def method(self) -> Annotated[str | None, Column("method", None, 6, optional=True, before="detectable")]:
        """How the required length is found."""
        return self.required_n_method or None

    @property
    def detectable_interval(
        self,
    ) -> Annotated[str | None, Column("detectable difference", str, optional=True, before="anova_lists")]:
        """The smallest difference that is detected, with its interval."""
        if self.detectable is None:
            return None
        if self.detectable_low == self.detectable_high:
            return f"{self.detectable:.4f}"
        return f"{self.detectable:.4f} [{self.detectable_low:.4f}, {self.detectable_high:.4f}]"


@dataclass(frozen=True)
class FamilyMember:
    """One member of a family of measures: NDCG cut off at k, or with the discount r^-b.

    Attributes
    ----------
    measure : str
    at : float
        k or b.
    effect : float
    lists : int or None
        Required queries of a paired t test.
    documents : int or None
        The judgements that these take in all, if every list is judged down to rank k.
    wrong : WrongOrder
        As of `PlanRow`, for the order of the two means. Where neither enumeration nor a hundred drawn lists
        tell, it is that of the normal law, without an interval.
    """

    measure: str
    at: float
    effect: float
    lists: int | None
    documents: int | None
    wrong: Annotated[WrongOrder, Data(inline=True)]

    @classmethod
    def of(
        cls,
        measure: Measure,
        at: float,
        effect: float,
        lists: int | None,
        wrong: WrongOrder,
        *,
        judged: bool = False,
    ) -> FamilyMember:
        """Return the choice of a measure; ``judged`` says that lists are judged down to rank ``at``."""
        documents = lists * int(at) if lists and judged else None
        return cls(str(measure), at, effect, lists, documents, wrong)


def strongest(choices: Sequence[FamilyMember]) -> FamilyMember | None:
    """Return the choice with the largest effect, if any has one."""
    return max((c for c in choices if c.lists), key=lambda c: abs(c.effect), default=None)


@dataclass(frozen=True, repr=False)  # Plan prints it
class Findings:
    """What a plan finds.

    Attributes
    ----------
    a, b : str
        The rankers, empty where a standard deviation was stated.
    source : {"curves", "runs", "sd"}
    design : Requirements
    rows : tuple of PlanRow
        By the number of queries that measures need, the smallest first.
    exponents, cutoffs : tuple of FamilyMember
        The discounts r^-b of whole lists by b, and the cutoffs of the log discount by k.
    remarks : tuple of str
    pilot : int or None
        The number of queries of the runs.
    """

    a: str
    b: str
    source: str
    design: Annotated[Requirements, Data(inline=True)]
    rows: tuple[PlanRow, ...]
    exponents: tuple[FamilyMember, ...] = ()
    cutoffs: tuple[FamilyMember, ...] = ()
    remarks: tuple[str, ...] = ()
    pilot: int | None = None

    @property
    def better(self) -> str | None:
        """The ranker with the larger mean by the measure with the largest effect."""
        return self.mean_ahead(self.rows[0]) if self.rows else None

    def mean_ahead(self, of: PlanRow | FamilyMember) -> str | None:
        """Return the ranker with the larger mean by a measure; None if the means are equal or not known."""
        return None if not of.effect else self.a if of.effect > 0 else self.b

    def best(self, choices: Sequence[FamilyMember]) -> FamilyMember | None:
        """Return the choice that needs the fewest queries to show that the better ranker is ahead."""
        return strongest([c for c in choices if self.mean_ahead(c) == self.better])

    @property
    def fewest_judgements(self) -> FamilyMember | None:
        """The cutoff that needs the fewest judgements in all for that, the shorter one of equal ones."""
        judged = [c for c in self.cutoffs if c.documents and self.mean_ahead(c) == self.better]
        return min(judged, key=lambda c: (c.documents or math.inf, c.at), default=None)
