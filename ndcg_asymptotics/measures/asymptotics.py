"""Asymptotics of discounts as the rank grows, which decide the theorems that apply to them.

A discount consists of a formula (`discounts`) and of its asymptotics, for which there are seven classes:

=============== ===================== ==============================================
class           D(r)                  what decides DCG_n as n grows
=============== ===================== ==============================================
`ConstantDecay` 1                     the items above the cutoff, all alike
`LogDecay`      1/log r               a share of the list, with profile 1
`PowerDecay`    r^-b, 0 < b < 1       a share of the list, with profile t^-b
`LinearDecay`   n - r                 a share of the list, with profile 1 - t
`HarmonicDecay` 1/r                   ranks r = o(n), a vanishing share at the top
`SummableDecay` sum of D is finite    the first ranks
`UnknownDecay`  any                   unknown
=============== ===================== ==============================================

A constant factor of D at all ranks changes nothing, since NDCG is a ratio. With i.i.d. labels one that is
approached as r grows changes no limit either. With a fixed number of relevant items it does, since the ideal
list has its items at the first ranks (`Discount.constant`).
"""

from __future__ import annotations

import math
from abc import ABC
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ndcg_asymptotics.core.arrays import Floats


class Asymptotics(ABC):
    """The behaviour of D(r) for large r.

    Attributes
    ----------
    known
        Whether anything is known.
    top_decides
        Whether a vanishing share of the list, at its top, decides DCG_n.
    summable
        Whether the sum of D is finite.
    exponent
        The b for which D(r) falls like r^-b up to slower factors: 0 for 1/log r, infinite for 2^-r.
    """

    known: ClassVar[bool] = True
    top_decides: ClassVar[bool] = False
    summable: ClassVar[bool] = False
    exponent: float

    @property
    def square_summable(self) -> bool:
        """Whether sum D^2 is finite, so that single ranks keep a share of the variance of DCG_n."""
        return self.exponent > 0.5

    def profile(self, t: Floats) -> Floats:
        """Return phi(t), 0 < t < 1, the shape of D_n(nt) for large n."""
        return np.asarray(t**-self.exponent)

    def profile_integral(self, t: Floats) -> Floats:
        """Return the integral of phi from 0 to t, for exponents below 1."""
        a = 1 - self.exponent
        return np.asarray(t**a / a)

    def series_variables(self, n: Floats) -> list[Floats | None]:
        """Return 1/x(n) for each x such that E[NDCG_n] may be a ratio of power series in x.

        None stands for a sum of powers of n with unknown exponents.
        """
        return [n ** abs(1 - self.exponent)]


@dataclass(frozen=True)
class ConstantDecay(Asymptotics):
    """D(r) = 1, which makes a measure only with a cutoff."""

    exponent = 0.0

    def series_variables(self, n: Floats) -> list[Floats | None]:
        return [None]


@dataclass(frozen=True)
class LogDecay(Asymptotics):
    """D(r) ~ 1/log r: Theorems 1, 8 and 12 of Wang et al. (2013)."""

    exponent = 0.0

    def series_variables(self, n: Floats) -> list[Floats | None]:
        return [np.log(n)]


@dataclass(frozen=True)
class PowerDecay(Asymptotics):
    """D(r) ~ r^-b, 0 < b < 1: Theorems 3, 9, 10 and 13 of Wang et al. (2013)."""

    exponent: float


@dataclass(frozen=True)
class LinearDecay(Asymptotics):
    """D_n(r) = n - r."""

    exponent = 0.0

    def profile(self, t: Floats) -> Floats:
        return 1.0 - t

    def profile_integral(self, t: Floats) -> Floats:
        return t - t**2 / 2

    def series_variables(self, n: Floats) -> list[Floats | None]:
        return [None]


@dataclass(frozen=True)
class HarmonicDecay(Asymptotics):
    """D(r) ~ 1/r: Theorem 5 of Wang et al. (2013)."""

    exponent = 1.0
    top_decides: ClassVar[bool] = True

    def series_variables(self, n: Floats) -> list[Floats | None]:
        return [np.log(n)]


@dataclass(frozen=True)
class SummableDecay(Asymptotics):
    """The sum of D is finite: Theorem 6 of Wang et al. (2013); r^-b with b > 1, or b infinite for b^-r."""

    exponent: float
    top_decides: ClassVar[bool] = True
    summable: ClassVar[bool] = True

    def series_variables(self, n: Floats) -> list[Floats | None]:
        return [None] if math.isinf(self.exponent) else super().series_variables(n)


@dataclass(frozen=True)
class UnknownDecay(Asymptotics):
    """A discount of which nothing is known but its values."""

    exponent = 0.0
    known: ClassVar[bool] = False

    def series_variables(self, n: Floats) -> list[Floats | None]:
        return [np.log(n), None]


def power_decay(b: float) -> PowerDecay | HarmonicDecay | SummableDecay:
    """Return the asymptotics of r^-b, b > 0.

    >>> power_decay(0.5), power_decay(1.0), power_decay(2.0)
    (PowerDecay(exponent=0.5), HarmonicDecay(), SummableDecay(exponent=2.0))
    """
    return PowerDecay(b) if b < 1 else HarmonicDecay() if b == 1 else SummableDecay(b)
