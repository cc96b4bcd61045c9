"""Rows of evaluations against sampled negatives: systems, their pairs, and estimates of the full metric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.core.tables import Column, fixed, general


@dataclass(frozen=True)
class SystemRow:
    """A row of one system by one measure."""

    system: Annotated[str, Column("system")]
    measure: Annotated[str, Column("measure", whole=True)]


@dataclass(frozen=True)
class CandidateRow(SystemRow):
    """What the candidates of one system say.

    Attributes
    ----------
    mean, mean_error : float
        The mean over users of the metric among the candidates, and its standard error.
    rank, rank_error, weighed, weighed_error : float or None
        Rank and bias-variance estimates of the full metric. The standard errors do not know of their bias.
    low, high : float or None
        Bounds of the full metric of these users, bias or not.
    """

    mean: Annotated[float, Column("among candidates", fixed(4))]
    mean_error: float
    rank: float | None
    rank_error: float | None
    weighed: float | None
    weighed_error: float | None
    low: float | None
    high: float | None

    @property
    def rank_text(self) -> Annotated[str | None, Column("rank estimate")]:
        """The rank estimate with its standard error."""
        return None if self.rank is None else f"{self.rank:.4f} ± {self.rank_error:.4f}"

    @property
    def weighed_text(self) -> Annotated[str | None, Column("bias-variance estimate")]:
        """The bias-variance estimate with its standard error."""
        return None if self.weighed is None else f"{self.weighed:.4f} ± {self.weighed_error:.4f}"

    @property
    def bounds(self) -> Annotated[str | None, Column("full metric")]:
        """The bounds of the full metric."""
        return None if self.low is None else f"{self.low:.3f} to {self.high:.3f}"


@dataclass(frozen=True)
class SampledRow(SystemRow):
    """One system: the exact mean and standard deviation of the mean over users, and the full metric."""

    negatives: Annotated[int, Column("negatives", general("d"))]
    mean: Annotated[float, Column("sampled mean", fixed(4))]
    sd: Annotated[float, Column("standard deviation", fixed(4), drop=1)]
    full: Annotated[float, Column("full", fixed(4))]


@dataclass(frozen=True)
class PairRow:
    """Two systems: where their expected order changes, and how many negatives are enough for the full order.

    Attributes
    ----------
    difference : float
        Of the full metric, a - b.
    crossings : tuple of int
        The m at which the expected order differs from that at m - 1.
    enough : int or None
        The smallest M such that for every m >= M the sampled order is the full one with the probability
        ``level``, over the sampled negatives. None if there is none up to the largest m.
    enough_for_other_users : int or None
        The same over the negatives and users drawn like the given ones.
    """

    a: str
    b: str
    measure: Annotated[str, Column("measure", whole=True)]
    difference: Annotated[float, Column("full difference", fixed(4), drop=1)]
    crossings: Annotated[
        tuple[int, ...], Column("order changes at", lambda m: ", ".join(map(str, m)) or "never")
    ]
    enough: Annotated[int | None, Column("enough from m", general(","))]
    enough_for_other_users: Annotated[int | None, Column("enough for other users from m", general(","))]

    @property
    def systems(self) -> Annotated[str, Column("systems", fold=True, before="measure")]:
        """The names of both, which take two lines where they are long."""
        return f"{self.a}, {self.b}"


@dataclass(frozen=True)
class CorrectedRow(SystemRow):
    """One system: an estimate of the full metric from sampled ranks, with its exact bias and deviation."""

    negatives: Annotated[int, Column("negatives", general("d"))]
    estimate: Annotated[str, Column("estimate", whole=True)]
    mean: Annotated[float, Column("mean", fixed(4))]
    bias: Annotated[float, Column("bias", general("+.4f"))]
    sd: Annotated[float, Column("standard deviation", fixed(4), drop=1)]


@dataclass(frozen=True)
class SampledCurves:
    """Means and standard deviations of the mean over users (measures, systems, M) at m = ``negatives``."""

    negatives: Integers
    measures: tuple[str, ...]
    systems: tuple[str, ...]
    mean: Floats
    sd: Floats


@dataclass(frozen=True)
class OrderAt:
    """The sampled order of two systems at one number of negatives.

    Attributes
    ----------
    pair : PairRow
    difference : float
        The expected difference a - b; 0 within its error.
    right : float
        The probability that the order is the full one; 0 where the full metrics are equal.
    """

    pair: PairRow
    difference: float
    right: float

    @property
    def names(self) -> tuple[str, str]:
        """The names of both, that of the one with the larger full metric first."""
        names = self.pair.a, self.pair.b
        return names if self.pair.difference > 0 else names[::-1]
