"""Cutoffs k(n): the number of ranks of a list of n items that a measure uses.

``k(n)`` is rounded up, at least 1 and at most n. The regimes are those of Wang et al. (2013): the whole
list, a fixed k, k = o(n) with k -> infinity (Theorems 7, 11), and k = cn (Theorems 8, 9, 12, 13).
"""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Literal, Self

import numpy as np

from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.specs.ranges import within
from ndcg_asymptotics.specs.scanner import Scanner, SpecError, fraction_text, number_text, parse_text
from ndcg_asymptotics.specs.spec import Spec

Regime = Literal["none", "fixed", "sublinear", "fraction"]


class Cutoff(Spec, family="cutoff"):
    """A rule for the number of ranks that count.

    Attributes
    ----------
    regime
        ``none``, ``fixed``, ``sublinear`` (k = o(n)) or ``fraction`` (k = cn).
    share
        The limit of k(n)/n: c for cn, 1 for the whole list, else 0.
    """

    regime: ClassVar[Regime]

    @property
    def share(self) -> float:
        return 0.0

    @property
    def depends_on_n(self) -> bool:
        """Whether k is a function of the list length beyond being at most n."""
        return self.regime in ("sublinear", "fraction")

    @property
    def shade(self) -> float:
        """How much its parameter darkens the colour of a measure or, below 0, lightens it."""
        return 0.0

    @property
    def tex(self) -> str:
        """k(n) in TeX, without dollar signs; empty for the whole list."""
        return ""

    @abstractmethod
    def exact(self, n: int) -> int:
        """Return k(n) before it is limited to 1 … n."""

    @classmethod
    def signature(cls) -> str:
        return cls.keyword  # written as the formula itself

    def __call__(self, n: int) -> int:
        """Return k(n), an integer from 1 to n.

        >>> Cutoff.parse("0.2n")(1_000_001), Cutoff.parse("10")(3), Cutoff.parse("n^0.5")(10**18)
        (200001, 3, 1000000000)
        """
        return min(max(self.exact(int(n)), 1), int(n))

    @classmethod
    def of(cls, given: Self | str | int) -> Self:
        """Return the cutoff itself, the one of a text, or that of a fixed rank."""
        number = isinstance(given, int | np.integer) and not isinstance(given, bool)
        return super().of(str(given) if number else given)  # type: ignore[arg-type]

    @classmethod
    def parse(cls, text: str, folder: Path | None = None, *, allow_custom: bool = True) -> Self:
        """Read `10`, `0.2n`, `n^0.5`, `5log(n)`; the empty text is the whole list."""
        cutoff = parse_text(text, scan, folder, allow_custom) if text.strip() else WholeList()
        assert isinstance(cutoff, cls)
        return cutoff


def _ceil(x: float) -> int:
    """Round up, except where x exceeds an integer by less than the rounding error of a power or logarithm."""
    nearest = round(x)
    return nearest if abs(x - nearest) <= 1e-12 * abs(x) else math.ceil(x)


@dataclass(frozen=True)
class WholeList(Cutoff, keyword=""):
    """No cutoff, k(n) = n; its text is empty."""

    regime: ClassVar[Regime] = "none"
    share: ClassVar[float] = 1.0

    def exact(self, n: int) -> int:
        return n


@dataclass(frozen=True)
class FixedRank(Cutoff, keyword="k"):
    """`k`: the first k ranks, for every n."""

    k: int
    regime: ClassVar[Regime] = "fixed"

    def __post_init__(self) -> None:
        whole = math.isfinite(self.k) and self.k == int(self.k) and 1 <= self.k < 2**63
        require(whole, f"cutoff k must be a whole number from 1 to 9.2e18, got {number_text(self.k)}")
        object.__setattr__(self, "k", int(self.k))

    @property
    def tex(self) -> str:
        return str(self.k)

    @property
    def shade(self) -> float:
        return 0.25 * math.log10(self.k / 10)

    def exact(self, n: int) -> int:
        return self.k

    def __str__(self) -> str:
        return str(self.k)


@dataclass(frozen=True)
class ListFraction(Cutoff, keyword="cn"):
    """`cn`: the top fraction c of the list, 0 < c <= 1."""

    c: float = field(metadata=within(0, 1, "right"))
    regime: ClassVar[Regime] = "fraction"

    @cached_property
    def _ratio(self) -> tuple[int, int]:
        # of the decimal that the user wrote, not of its binary neighbour: 0.2n at n = 10**18 is 2 * 10**17
        return Fraction(number_text(self.c)).as_integer_ratio()

    @property
    def share(self) -> float:
        return self.c

    @property
    def tex(self) -> str:
        numerator, denominator = self._ratio
        if numerator > 1 and denominator > 12:
            return f"{number_text(self.c)}n"
        return (
            ("" if numerator == 1 else str(numerator)) + "n" + (f"/{denominator}" if denominator > 1 else "")
        )

    @property
    def shade(self) -> float:
        return 0.6 * math.log10(self.c / 0.2)

    def exact(self, n: int) -> int:
        numerator, denominator = self._ratio
        return -(-numerator * n // denominator)

    def __str__(self) -> str:
        return f"{number_text(self.c)}n"


@dataclass(frozen=True)
class ListPower(Cutoff, keyword="n^a"):
    """`n^a`: the first n^a ranks, 0 < a < 1."""

    a: float = field(metadata=within(0, 1, "neither"))
    regime: ClassVar[Regime] = "sublinear"

    @property
    def tex(self) -> str:
        return f"n^{{{fraction_text(self.a)}}}"

    @property
    def shade(self) -> float:
        return 0.8 * (self.a - 0.5)

    def exact(self, n: int) -> int:
        return _ceil(float(n) ** self.a)

    def __str__(self) -> str:
        return f"n^{number_text(self.a)}"


@dataclass(frozen=True)
class ListLog(Cutoff, keyword="clog(n)"):
    """`clog(n)`: the first c log(n) ranks, c > 0."""

    c: float = field(metadata=within(0, 1e9, "right"))
    regime: ClassVar[Regime] = "sublinear"

    @property
    def tex(self) -> str:
        return ("" if self.c == 1 else number_text(self.c)) + r"\log n"

    def exact(self, n: int) -> int:
        return _ceil(self.c * math.log(n))

    def __str__(self) -> str:
        return f"{number_text(self.c)}log(n)"


_N = re.compile(r"n\b")


def scan(scanner: Scanner) -> Cutoff:
    """Read the text of a cutoff; `c*n` and `c*log(n)` may be written with or without the star."""
    start = scanner.position
    expected = "a cutoff: 10, 0.2n, n^0.5 or 5log(n)"
    try:
        if scanner.accept("n^"):
            return ListPower(scanner.number("the exponent a of n^a"))
        if scanner.match(_N):
            return ListFraction(1.0)
        if scanner.accept("log(n)"):
            return ListLog(1.0)
        value = scanner.number(expected)
        star = scanner.accept("*")
        if scanner.accept("log(n)"):
            return ListLog(value)
        if scanner.match(_N):
            return ListFraction(value)
        if star:
            scanner.fail(f"expected 'n' or 'log(n)', found {scanner.found()}")
        return FixedRank(value)  # type: ignore[arg-type]  # checked to be whole there
    except SpecError:
        raise
    except InputError as error:
        scanner.fail(str(error), start)
