"""Discounts: D(r), the weight of rank r = 1, 2, …, and F(k) = D(1) + … + D(k).

A discount is one frozen class whose body is its formula. `Discount.__call__` and
`Discount.cumulative` are vectorised over ranks up to 9e18; F has relative error <= 1e-13 and
costs O(1) per k beyond a small table.

A discount may depend on the list length, ``D_n(r) = sum_i a_i(n) B_i(r)``: `Discount.basis`
names the B_i, which know nothing of n, and `Discount.coefficients` the a_i(n). For every other
discount the basis is the discount itself.
"""

from __future__ import annotations

import importlib
import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expi

from ndcg_asymptotics.errors import InputError
from ndcg_asymptotics.specs import Spec, number_text, require

Floats = NDArray[np.float64]
Growth = Literal["log", "power", "zipf", "summable", "linear", "unknown"]

_TABLE = 4096  # ranks summed one by one before Euler-Maclaurin takes over


class Discount(Spec, family="discount"):
    """The weight of a rank.

    Class attributes
    ----------------
    growth
        How D decays, which decides the theorem that applies: ``log`` (1/log r), ``power``
        (r^-b, 0 < b < 1), ``zipf`` (1/r), ``summable`` (sum D < infinity), ``linear``
        (phi(r/n)), ``unknown``.
    depends_on_n
        Whether D is D_n: then ``n`` must be given wherever it is a parameter.
    completely_monotone
        Whether D(r) is a mixture of exponentials z^r, 0 <= z <= 1.
    """

    depends_on_n: ClassVar[bool] = False
    completely_monotone: ClassVar[bool] = True

    @property
    @abstractmethod
    def growth(self) -> Growth: ...

    @abstractmethod
    def at(self, rank: Floats, n: float) -> Floats:
        """D(r) for an array of ranks (real numbers >= 1 are allowed)."""

    @abstractmethod
    def sum_to(self, k: Floats, n: float) -> Floats:
        """F(k) for an array of whole numbers k >= 1."""

    def __call__(self, rank: ArrayLike, n: float = math.nan) -> Floats:
        """D(r).

        >>> Discount.parse("zipf")([1, 2, 4])
        array([1.  , 0.5 , 0.25])
        """
        return self.at(self._checked(rank, n), n)

    def cumulative(self, k: ArrayLike, n: float = math.nan) -> Floats:
        """F(k) = sum of D(r) for r <= k; F(0) = 0.

        >>> Discount.parse("power(0.5)").cumulative([0, 1, 10**18])
        array([0.e+00, 1.e+00, 2.e+09])
        """
        k = self._checked(k, n)
        return np.where(k < 1, 0.0, self.sum_to(np.maximum(k, 1.0), n))

    def _checked(self, rank: ArrayLike, n: float) -> Floats:
        require(not (self.depends_on_n and math.isnan(n)), f"{self} needs the list length n")
        return np.asarray(rank, dtype=np.float64)

    def basis(self) -> tuple[Callable[[ArrayLike], Floats], ...]:
        """The functions B_i of D_n(r) = sum_i a_i(n) B_i(r)."""
        return (self,)

    def coefficients(self, n: int) -> tuple[float, ...]:
        """The coefficients a_i(n) of D_n(r) = sum_i a_i(n) B_i(r)."""
        return (1.0,)


class _SmoothDiscount(Discount):
    """F by a table up to rank 4096, then Euler-Maclaurin from there.

    With D^(j) the derivatives, K the end of the table,
    ``F(k) = F(K) + int_K^k D + [D]/2 + [D']/12 - [D''']/720``, square brackets for the
    difference between k and K. The next term is below 1e-20 of F.
    """

    @abstractmethod
    def integral(self, a: float, b: Floats) -> Floats:
        """The integral of D from a to b >= a >= 1, without cancellation."""

    @abstractmethod
    def derivatives(self, rank: Floats) -> tuple[Floats, Floats]:
        """D'(r) and D'''(r)."""

    def sum_to(self, k: Floats, n: float) -> Floats:
        table = _prefix_sums(self)
        far = np.maximum(k, _TABLE)
        tail = self.integral(float(_TABLE), far) + self._ends(far) - self._ends(np.array(_TABLE, float))
        near = table[np.minimum(k, _TABLE).astype(np.int64)]
        return np.where(k <= _TABLE, near, table[_TABLE] + tail)

    def _ends(self, rank: Floats) -> Floats:
        first, third = self.derivatives(rank)
        return self.at(rank, math.nan) / 2 + first / 12 - third / 720


@lru_cache(maxsize=64)
def _prefix_sums(discount: Discount) -> Floats:
    values = discount.at(np.arange(1.0, _TABLE + 1), math.nan)
    sums = np.cumsum(values.astype(np.longdouble)).astype(np.float64)
    return np.concatenate(([0.0], sums))


@dataclass(frozen=True)
class Log(_SmoothDiscount, keyword="log"):
    """D(r) = 1/log(1+r), the discount of DCG (Järvelin & Kekäläinen 2002); the base cancels."""

    growth: ClassVar[Growth] = "log"

    def at(self, rank: Floats, n: float) -> Floats:
        return 1.0 / np.log1p(rank)

    def integral(self, a: float, b: Floats) -> Floats:
        # li(1+b) - li(1+a), li(x) = Ei(log x)
        return np.asarray(expi(np.log1p(b)) - expi(math.log1p(a)))

    def derivatives(self, rank: Floats) -> tuple[Floats, Floats]:
        x, v = 1.0 + rank, 1.0 / np.log1p(rank)
        # d/dx v = -v^2/x, applied three times
        return -(v**2) / x, -(2 * v**2 + 6 * v**3 + 6 * v**4) / x**3


class _InversePower(_SmoothDiscount):
    """r^-b for any b > 0."""

    @property
    @abstractmethod
    def exponent(self) -> float: ...

    def at(self, rank: Floats, n: float) -> Floats:
        return rank**-self.exponent

    def integral(self, a: float, b: Floats) -> Floats:
        # a^(1-b) (x^(1-b) - 1)/(1-b) with x = b/a: exact through b = 1
        c, ratio = 1.0 - self.exponent, np.log(b / a)
        return np.asarray(a**c * (np.expm1(c * ratio) / c if c else ratio))

    def derivatives(self, rank: Floats) -> tuple[Floats, Floats]:
        b = self.exponent
        return -b * rank ** (-b - 1), -b * (b + 1) * (b + 2) * rank ** (-b - 3)


@dataclass(frozen=True)
class Power(_InversePower, keyword="power"):
    """D(r) = r^-b, b > 0 (Wang et al. 2013 for 0 < b < 1; summable beyond 1)."""

    b: float

    def __post_init__(self) -> None:
        require(0 < self.b < math.inf, f"power(b) needs b > 0, got {number_text(self.b)}")

    @property
    def exponent(self) -> float:
        return self.b

    @property
    def growth(self) -> Growth:
        return "power" if self.b < 1 else "zipf" if self.b == 1 else "summable"


@dataclass(frozen=True)
class Zipf(_InversePower, keyword="zipf"):
    """D(r) = 1/r (Wang et al. 2013, Theorem 5)."""

    growth: ClassVar[Growth] = "zipf"
    exponent: ClassVar[float] = 1.0


@dataclass(frozen=True)
class Geometric(Discount, keyword="geometric"):
    """D(r) = base^-r, base > 1; summable (Wang et al. 2013, Theorem 6, has base 2)."""

    base: float
    growth: ClassVar[Growth] = "summable"

    def __post_init__(self) -> None:
        require(1 < self.base < math.inf, f"geometric(base) needs base > 1, got {number_text(self.base)}")

    def at(self, rank: Floats, n: float) -> Floats:
        return np.exp(-rank * math.log(self.base))

    def sum_to(self, k: Floats, n: float) -> Floats:
        return -np.expm1(-k * math.log(self.base)) / (self.base - 1.0)


def _ones(rank: ArrayLike) -> Floats:
    return np.ones_like(np.asarray(rank, dtype=np.float64))


def _ranks(rank: ArrayLike) -> Floats:
    return np.asarray(rank, dtype=np.float64)


@dataclass(frozen=True)
class Linear(Discount, keyword="linear"):
    """D_n(r) = n - r (Jin & Geng, Linear NDCG and pair-wise loss)."""

    growth: ClassVar[Growth] = "linear"
    depends_on_n: ClassVar[bool] = True
    completely_monotone: ClassVar[bool] = False

    def at(self, rank: Floats, n: float) -> Floats:
        return n - rank

    def sum_to(self, k: Floats, n: float) -> Floats:
        return k * (n - (k + 1.0) / 2.0)

    def basis(self) -> tuple[Callable[[ArrayLike], Floats], ...]:
        return (_ones, _ranks)

    def coefficients(self, n: int) -> tuple[float, ...]:
        return (float(n), -1.0)


@dataclass(frozen=True)
class Custom(Discount, keyword="custom"):
    """D(r) of your own: custom("module:function", largest), non-increasing, positive, vectorised.

    ``function`` takes an array of ranks. F(k) is a table up to rank ``largest`` (default 1e7,
    8 bytes a rank) and an `InputError` beyond it.
    """

    target: str
    largest: float = 1e7
    growth: ClassVar[Growth] = "unknown"
    completely_monotone: ClassVar[bool] = False

    def __post_init__(self) -> None:
        require(
            1 <= self.largest <= 1e9, f"custom: largest must be 1 to 1e9, got {number_text(self.largest)}"
        )
        values = self._ask(np.array([1.0, 2.0, 3.0]))
        proper = values.shape == (3,) and bool(np.all(np.diff(values) <= 0) and values[-1] >= 0 < values[0])
        require(proper, f"custom: {self.target!r} must be non-increasing and positive, got {values}")

    def at(self, rank: Floats, n: float) -> Floats:
        return self._ask(rank)

    def _ask(self, rank: Floats) -> Floats:
        function = _custom_function(self.target)
        try:
            return np.asarray(function(rank), dtype=np.float64)
        except Exception as error:  # whatever the user's own code may raise
            said = _one_line(f"{type(error).__name__}: {error}")
            raise InputError(f"custom: {self.target!r} failed at {rank.size} ranks ({said})") from error

    def sum_to(self, k: Floats, n: float) -> Floats:
        require(
            bool(np.all(k <= self.largest)),
            f"{self} knows its sums up to rank {number_text(self.largest)}, got {np.max(k):g}",
        )
        return _custom_sums(self)[k.astype(np.int64)]


def _one_line(text: str) -> str:
    return " ".join(text.split())


@lru_cache(maxsize=64)
def _custom_function(target: str) -> Callable[[Floats], Any]:
    module, _, name = target.partition(":")
    try:
        function = getattr(importlib.import_module(module), name)
    except Exception as error:  # the module is the user's own code, too
        said = _one_line(str(error))
        raise InputError(f'custom needs "module:function", got {target!r} ({said})') from error
    require(callable(function), f'custom needs "module:function", got {target!r} (not callable)')
    return function  # type: ignore[no-any-return]


@lru_cache(maxsize=4)
def _custom_sums(discount: Custom) -> Floats:
    values = discount.at(np.arange(1.0, discount.largest + 1), math.nan)
    sums = np.cumsum(values.astype(np.longdouble)).astype(np.float64)
    return np.concatenate(([0.0], sums))
