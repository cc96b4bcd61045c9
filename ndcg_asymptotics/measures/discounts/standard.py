"""The standard discounts: constant, log, clipped log, power, zipf, geometric and linear."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.measures.asymptotics import (
    Asymptotics,
    ConstantDecay,
    HarmonicDecay,
    LinearDecay,
    LogDecay,
    SummableDecay,
    power_decay,
)
from ndcg_asymptotics.measures.discounts.discount import Discount
from ndcg_asymptotics.specs.ranges import within
from ndcg_asymptotics.specs.scanner import fraction_text, number_text
from ndcg_asymptotics.specs.sliders import slider

_TABLE = 4096  # ranks that are summed one by one; beyond, Euler and Maclaurin's formula is exact to 1e-20
_LARGEST_GEOMETRIC = 1e6  # the largest base of b^-r; the squares of D(1), …, D(25) are still normal doubles
_LARGEST_BASE = 1000.0  # of a clipped logarithm: its kink is within the table, so D is smooth beyond
_STEEPEST = 100.0  # the largest b of r^-b; rank 2 then has 2^-100 of the weight of rank 1, less than rounding


class SmoothDiscount(Discount):
    """A discount with derivatives, so that F(k) is known to relative error 1e-13 up to k = 9e18.

    F is a table up to rank K = 4096. From there it is Euler and Maclaurin's formula,
    ``F(k) = F(K) + int_K^k D + [D]/2 + [D']/12 - [D''']/720``, where square brackets stand for the
    difference between k and K. The next term is below 1e-20 of F.
    """

    regular: ClassVar[bool] = True

    @abstractmethod
    def integral(self, a: float, b: Floats) -> Floats:
        """Return the integral of D from a to b >= a >= 1, without cancellation."""

    @abstractmethod
    def derivatives(self, rank: Floats) -> tuple[Floats, Floats]:
        """Return D'(r) and D'''(r)."""

    def sum_to(self, k: Floats, n: float) -> Floats:
        table = _prefix_sums(self)
        far = np.maximum(k, _TABLE)
        tail = self.integral(float(_TABLE), far) + self._ends(far) - self._ends(np.array(_TABLE, float))
        near = table[np.minimum(k, _TABLE).astype(np.int64)]
        return np.where(k <= _TABLE, near, table[_TABLE] + tail)

    def _ends(self, rank: Floats) -> Floats:
        first, third = self.derivatives(rank)
        return self.at(rank, math.nan) / 2 + first / 12 - third / 720  # without n, on which D does not depend


@shared
def _prefix_sums(discount: Discount) -> Floats:
    values = discount.at(np.arange(1.0, _TABLE + 1), math.nan)
    sums = np.cumsum(values.astype(np.longdouble)).astype(np.float64)
    return np.concatenate(([0.0], sums))


@dataclass(frozen=True)
class Log(SmoothDiscount, keyword="log"):
    """D(r) = 1/log(1+r), the discount of DCG (Järvelin & Kekäläinen 2002); in NDCG the base cancels."""

    asymptotics: ClassVar[Asymptotics] = LogDecay()
    tex: ClassVar[str] = r"1/\log(1+r)"
    color: ClassVar[str] = "#0072B2"
    marker: ClassVar[str] = "o"
    # it is often drawn beside itself with a cutoff
    cut_colors: ClassVar[Mapping[str, str]] = {
        "fraction": "#56B4E9",
        "vanishing": "#E69F00",
        "fixed": "#882255",
    }

    def at(self, rank: Floats, n: Floats | float) -> Floats:
        return 1.0 / np.log1p(rank)

    def integral(self, a: float, b: Floats) -> Floats:
        from scipy.special import expi  # imported here, as the import takes longer than evaluating a run

        # li(1+b) - li(1+a), li(x) = Ei(log x)
        return np.asarray(expi(np.log1p(b)) - expi(math.log1p(a)))

    def derivatives(self, rank: Floats) -> tuple[Floats, Floats]:
        x, v = 1.0 + rank, 1.0 / np.log1p(rank)
        # d/dx v = -v^2/x, applied three times
        return -(v**2) / x, -(2 * v**2 + 6 * v**3 + 6 * v**4) / x**3


@dataclass(frozen=True)
class ClippedLog(SmoothDiscount, keyword="clipped_log"):
    """D(r) = 1/max(1, log_b r), which does not discount ranks up to b (Järvelin & Kekäläinen 2002; b > 1)."""

    b: float = field(metadata=within(1, _LARGEST_BASE, "right") | slider(1.5, 20.0, 0.5, usual=2.0))
    asymptotics: ClassVar[Asymptotics] = LogDecay()
    regular: ClassVar[bool] = False  # of the kink at b
    label: ClassVar[str] = "1/max(1, log_b r)"
    color: ClassVar[str] = "#44AA99"
    marker: ClassVar[str] = "<"

    @property
    def constant(self) -> float:
        return math.log(self.b)

    @property
    def tex(self) -> str:
        return rf"1/\max(1, \log_{{{number_text(self.b)}}} r)"

    def at(self, rank: Floats, n: Floats | float) -> Floats:
        return math.log(self.b) / np.log(np.maximum(rank, self.b))

    def integral(self, a: float, b: Floats) -> Floats:
        from scipy.special import expi  # imported here, as in Log.integral

        return np.asarray(math.log(self.b) * (expi(np.log(b)) - expi(math.log(a))))

    def derivatives(self, rank: Floats) -> tuple[Floats, Floats]:
        # beyond b, where D(r) = log(b) / log(1 + (r - 1))
        first, third = Log().derivatives(rank - 1.0)
        return math.log(self.b) * first, math.log(self.b) * third


class _InversePower(SmoothDiscount):
    """D(r) = r^-b for any b > 0."""

    def at(self, rank: Floats, n: Floats | float) -> Floats:
        return rank**-self.asymptotics.exponent

    def integral(self, a: float, b: Floats) -> Floats:
        # a^(1-b) (x^(1-b) - 1)/(1-b) with x = b/a: exact through b = 1
        c, ratio = 1.0 - self.asymptotics.exponent, np.log(b / a)
        return np.asarray(a**c * (np.expm1(c * ratio) / c if c else ratio))

    def derivatives(self, rank: Floats) -> tuple[Floats, Floats]:
        b = self.asymptotics.exponent
        return -b * rank ** (-b - 1), -b * (b + 1) * (b + 2) * rank ** (-b - 3)


@dataclass(frozen=True)
class Power(_InversePower, keyword="power"):
    """D(r) = r^-b, b > 0 (Wang et al. 2013 for 0 < b < 1; summable beyond 1)."""

    b: float = field(metadata=within(0, _STEEPEST, "right") | slider(0.05, 3.0, 0.05, usual=0.5))
    label: ClassVar[str] = "r^-b"
    color: ClassVar[str] = "#D55E00"
    marker: ClassVar[str] = "s"

    @property
    def asymptotics(self) -> Asymptotics:
        return power_decay(self.b)

    @property
    def total(self) -> float:
        from scipy.special import zeta  # imported here, as in Log.integral

        return float(zeta(self.b)) if self.b > 1 else math.inf

    @property
    def tex(self) -> str:
        return f"r^{{-{fraction_text(self.b)}}}"

    @property
    def shade(self) -> float:
        return (1.2 if self.b > 0.5 else 2.0) * (self.b - 0.5)  # lightest, -1, for b = 0


@dataclass(frozen=True)
class Zipf(_InversePower, keyword="zipf"):
    """D(r) = 1/r (Wang et al. 2013, Theorem 5); with one relevant item the reciprocal rank (MRR)."""

    asymptotics: ClassVar[Asymptotics] = HarmonicDecay()
    tex: ClassVar[str] = "1/r"
    label: ClassVar[str] = "1/r"
    color: ClassVar[str] = "#009E73"
    marker: ClassVar[str] = "^"


@dataclass(frozen=True)
class Geometric(Discount, keyword="geometric"):
    """D(r) = base^-r, 1 < base <= 1e6; summable (Wang et al. 2013, Theorem 6, has base 2)."""

    base: float = field(metadata=within(1, _LARGEST_GEOMETRIC, "right") | slider(1.05, 4.0, 0.05, usual=2.0))
    asymptotics: ClassVar[Asymptotics] = SummableDecay(math.inf)
    label: ClassVar[str] = "base^-r"
    color: ClassVar[str] = "#CC79A7"
    marker: ClassVar[str] = "D"

    @property
    def tex(self) -> str:
        return f"{number_text(self.base)}^{{-r}}"

    @property
    def shade(self) -> float:
        return 0.3 * math.log2(self.base / 2)

    def at(self, rank: Floats, n: Floats | float) -> Floats:
        return np.exp(-rank * math.log(self.base))

    def sum_to(self, k: Floats, n: float) -> Floats:
        return -np.expm1(-k * math.log(self.base)) / (self.base - 1.0)

    @property
    def total(self) -> float:
        return 1 / (self.base - 1.0)

    def exact_exponentials(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        return (math.log(self.base),), (1.0,)


@dataclass(frozen=True)
class RankBiased(Discount, keyword="rbp"):
    """D(r) = (1-p) p^(r-1), 0 < p < 1: DCG with it is RBP(p), rank-biased precision (Moffat & Zobel 2008).

    A user looks at rank 1, and after each rank at the next one with the probability p. The discounts add up
    to 1.
    """

    p: float = field(metadata=within(0, 1, "neither") | slider(0.05, 0.98, 0.01, usual=0.8))
    asymptotics: ClassVar[Asymptotics] = SummableDecay(math.inf)
    label: ClassVar[str] = "p^r"
    color: ClassVar[str] = "#332288"
    marker: ClassVar[str] = "P"

    @property
    def tex(self) -> str:
        return rf"(1-p)\,p^{{r-1}}, p = {number_text(self.p)}"

    def at(self, rank: Floats, n: Floats | float) -> Floats:
        return (1.0 - self.p) * np.exp((rank - 1.0) * math.log(self.p))

    def sum_to(self, k: Floats, n: float) -> Floats:
        return -np.expm1(k * math.log(self.p))

    @property
    def total(self) -> float:
        return 1.0

    def exact_exponentials(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        return (-math.log(self.p),), ((1.0 - self.p) / self.p,)


class _Affine(Discount):
    """D_n(r) = a(n) + b(n) r."""

    affine: ClassVar[bool] = True

    def basis(self) -> tuple[Callable[[ArrayLike], Floats], ...]:
        return (_ones, _ranks)


@dataclass(frozen=True)
class Constant(_Affine, keyword="constant"):
    """D(r) = 1, with a cutoff only: hits in the first k over min(k, R); with one relevant item the hit rate.

    R is the number of relevant items. ``nDCG(constant)@k`` is recall at k where R <= k, and precision at k
    where R >= k. Without a cutoff every order of a list has NDCG 1, or 0 if no item is relevant.
    """

    asymptotics: ClassVar[Asymptotics] = ConstantDecay()
    needs_cutoff: ClassVar[bool] = True
    regular: ClassVar[bool] = True
    tex: ClassVar[str] = "1"
    color: ClassVar[str] = "#777777"
    marker: ClassVar[str] = "h"

    def at(self, rank: Floats, n: Floats | float) -> Floats:
        return np.ones_like(rank)

    def sum_to(self, k: Floats, n: float) -> Floats:
        return k

    def coefficients(self, n: int) -> tuple[float, ...]:
        return (1.0, 0.0)


@dataclass(frozen=True)
class Linear(_Affine, keyword="linear"):
    """D_n(r) = n - r (Jin & Geng, Linear NDCG and pair-wise loss); with one relevant item the AUC.

    It depends on the list length.
    """

    asymptotics: ClassVar[Asymptotics] = LinearDecay()
    depends_on_n: ClassVar[bool] = True
    tex: ClassVar[str] = "n - r"
    color: ClassVar[str] = "#000000"
    marker: ClassVar[str] = "v"

    def at(self, rank: Floats, n: Floats | float) -> Floats:
        return n - rank

    def sum_to(self, k: Floats, n: float) -> Floats:
        return k * (n - (k + 1.0) / 2.0)

    def coefficients(self, n: int) -> tuple[float, ...]:
        return (float(n), -1.0)


# not lambdas: measures whose bases have the same function share its sums (engines.items)
def _ones(rank: ArrayLike) -> Floats:
    return np.ones_like(np.asarray(rank, dtype=np.float64))


def _ranks(rank: ArrayLike) -> Floats:
    return np.asarray(rank, dtype=np.float64)
