"""Inverse powers of the rank: r^-b, and Zipf's 1/r."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.measures.asymptotics import Asymptotics, HarmonicDecay, power_decay
from ndcg_asymptotics.measures.discounts.smooth import SmoothDiscount
from ndcg_asymptotics.specs.scanner import fraction_text, number_text


class _InversePower(SmoothDiscount):
    """r^-b for any b > 0."""

    def at(self, rank: Floats, n: float) -> Floats:
        return rank**-self.asymptotics.exponent

    def integral(self, a: float, b: Floats) -> Floats:
        # a^(1-b) (x^(1-b) - 1)/(1-b) with x = b/a: exact through b = 1
        c, ratio = 1.0 - self.asymptotics.exponent, np.log(b / a)
        return np.asarray(a**c * (np.expm1(c * ratio) / c if c else ratio))

    def derivatives(self, rank: Floats) -> tuple[Floats, Floats]:
        b = self.asymptotics.exponent
        return -b * rank ** (-b - 1), -b * (b + 1) * (b + 2) * rank ** (-b - 3)


_STEEPEST = 100.0  # beyond, rank 1 is all there is, to rounding: 2^-100


@dataclass(frozen=True)
class Power(_InversePower, keyword="power"):
    """D(r) = r^-b, b > 0 (Wang et al. 2013 for 0 < b < 1; summable beyond 1)."""

    b: float

    def __post_init__(self) -> None:
        require(0 < self.b <= _STEEPEST, f"power(b) needs {_STEEPEST:g} >= b > 0, got {number_text(self.b)}")

    @property
    def asymptotics(self) -> Asymptotics:
        return power_decay(self.b)

    @property
    def total(self) -> float:
        from scipy.special import zeta  # here, as in log: to load it takes longer than to evaluate a run

        return float(zeta(self.b)) if self.b > 1 else math.inf

    @property
    def tex(self) -> str:
        return f"r^{{-{fraction_text(self.b)}}}"


@dataclass(frozen=True)
class Zipf(_InversePower, keyword="zipf"):
    """D(r) = 1/r (Wang et al. 2013, Theorem 5)."""

    asymptotics: ClassVar[Asymptotics] = HarmonicDecay()
    tex: ClassVar[str] = "1/r"
