"""Cutoffs k(n): the number of ranks of a list of n items that a measure uses.

``k(n)`` is rounded up, at least 1 and at most n. Its growth decides the theorems that apply (`growth`).
"""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.measures.growth import CutoffGrowth
from ndcg_asymptotics.measures.notation import cutoff_spec
from ndcg_asymptotics.specs.ranges import within
from ndcg_asymptotics.specs.scanner import NUMBER, Scanner, fraction_text, number_text, parse_text
from ndcg_asymptotics.specs.sliders import Adjustable, slider


class Cutoff(Adjustable, family="cutoff"):
    """A rule for the number of ranks that count: `exact` is its formula, `growth` its leading term."""

    @property
    @abstractmethod
    def growth(self) -> CutoffGrowth:
        """The leading term of k(n) as n grows, or `UNKNOWN_GROWTH`."""

    @property
    def whole(self) -> bool:
        """Whether k(n) = n for every n."""
        return False

    @property
    def depends_on_n(self) -> bool:
        """Whether k is a function of the list length beyond being at most n."""
        return not (self.whole or self.growth.bounded)

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

    def __str__(self) -> str:
        return self._form().format(*self.arguments())

    @classmethod
    def _form(cls) -> str:
        """Return the keyword with a place for each parameter: ``{}log(n)``."""
        form = cls.keyword
        for parameter in cls._fields():
            form = form.replace(parameter.name, "{}", 1)
        return form

    @classmethod
    @cache
    def pattern(cls) -> re.Pattern[str]:
        """Return what its texts match."""
        parts = (re.escape(part) for part in cls._form().split("{}"))
        return re.compile(rf"\s*{NUMBER}\s*".join(parts) + r"\s*$")

    def __call__(self, n: int) -> int:
        """Return k(n), an integer from 1 to n.

        >>> Cutoff.parse("0.2n")(1_000_001), Cutoff.parse("10")(3), Cutoff.parse("n^0.5")(10**18)
        (200001, 3, 1000000000)
        """
        return min(max(self.exact(int(n)), 1), int(n))

    @classmethod
    def of(cls, cutoff: Self | str | int) -> Self:
        """Return the cutoff itself, the one of a text, or that of a fixed rank."""
        number = isinstance(cutoff, int | np.integer) and not isinstance(cutoff, bool)
        return super().of(str(cutoff) if number else cutoff)  # type: ignore[arg-type]

    @classmethod
    def parse(cls, text: str, folder: Path | None = None, *, allow_custom: bool = True) -> Self:
        """Read `10`, `0.2n`, `n/5`, `n^0.5`, `n/log(n)`, `5log(n)`; the empty text is the whole list."""
        cutoff = parse_text(cutoff_spec(text), scan, folder, allow_custom) if text.strip() else WholeList()
        assert isinstance(cutoff, cls)
        return cutoff


def _ceil(x: float) -> int:
    """Round up, except where x exceeds an integer by less than the rounding error of a power or logarithm."""
    nearest = round(x)
    return nearest if abs(x - nearest) <= 1e-12 * abs(x) else math.ceil(x)


@dataclass(frozen=True)
class WholeList(Cutoff, keyword=""):
    """No cutoff, k(n) = n; its text is empty."""

    whole: ClassVar[bool] = True
    label: ClassVar[str] = "whole list"
    growth: ClassVar[CutoffGrowth] = CutoffGrowth(1.0, 1.0)

    def exact(self, n: int) -> int:
        return n


@dataclass(frozen=True)
class FixedRank(Cutoff, keyword="k"):
    """`k`: the first k ranks, for every n."""

    k: int = field(metadata=slider(1, 500_000, 0, usual=10))
    label: ClassVar[str] = "k = a number"

    def __post_init__(self) -> None:
        whole = math.isfinite(self.k) and self.k == int(self.k) and 1 <= self.k < 2**63
        require(whole, f"cutoff k must be a whole number from 1 to 9.2e18, got {number_text(self.k)}")
        object.__setattr__(self, "k", int(self.k))

    @property
    def growth(self) -> CutoffGrowth:
        return CutoffGrowth(self.k)

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

    c: float = field(metadata=within(0, 1, "right") | slider(0.01, 0.99, 0.01, usual=0.2))
    label: ClassVar[str] = "k = c n"

    @cached_property
    def _ratio(self) -> tuple[int, int]:
        # of the decimal that the user wrote, not of its binary neighbour: 0.2n at n = 10**18 is 2 * 10**17
        return Fraction(number_text(self.c)).as_integer_ratio()

    @property
    def whole(self) -> bool:
        return self.c == 1

    @property
    def growth(self) -> CutoffGrowth:
        return CutoffGrowth(self.c, 1.0)

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


@dataclass(frozen=True)
class ListPower(Cutoff, keyword="n^a"):
    """`n^a`: the first n^a ranks, 0 < a < 1."""

    a: float = field(metadata=within(0, 1, "neither") | slider(0.05, 0.95, 0.05, usual=0.5))
    label: ClassVar[str] = "k = n^a"

    @property
    def growth(self) -> CutoffGrowth:
        return CutoffGrowth(1.0, self.a)

    @property
    def tex(self) -> str:
        return f"n^{{{fraction_text(self.a)}}}"

    @property
    def shade(self) -> float:
        return 0.8 * (self.a - 0.5)

    def exact(self, n: int) -> int:
        return _ceil(float(n) ** self.a)


@dataclass(frozen=True)
class ListLog(Cutoff, keyword="clog(n)"):
    """`clog(n)`: the first c log(n) ranks, c > 0."""

    c: float = field(metadata=within(0, 1e9, "right"))

    @property
    def growth(self) -> CutoffGrowth:
        return CutoffGrowth(self.c, 0.0, 1.0)

    @property
    def tex(self) -> str:
        return ("" if self.c == 1 else number_text(self.c)) + r"\log n"

    def exact(self, n: int) -> int:
        return _ceil(self.c * math.log(n))


@dataclass(frozen=True)
class ListOverLog(Cutoff, keyword="n/log(n)"):
    """`n/log(n)`: the first n/log(n) ranks, the whole list up to n = 2."""

    label: ClassVar[str] = "k = n/log n"
    growth: ClassVar[CutoffGrowth] = CutoffGrowth(1.0, 1.0, -1.0)

    @property
    def tex(self) -> str:
        return r"n/\log n"

    def exact(self, n: int) -> int:
        return _ceil(n / math.log(n)) if n > 1 else 1


def scan(scanner: Scanner) -> Cutoff:
    """Read the text of a cutoff, which ends the text of a measure."""
    start = scanner.position
    for keyword, member in Cutoff.members.items():
        assert issubclass(member, Cutoff)
        text = scanner.match(member.pattern()) if keyword else None
        if text is None:
            continue
        try:
            return member(*map(float, re.findall(NUMBER, text)))
        except InputError as error:
            scanner.fail(str(error), start)
    return scanner.fail(
        f"expected a cutoff: 10, 0.2n, n/5, n^0.5, sqrt(n), n/log(n) or 5log(n), found {scanner.rest()}"
    )
