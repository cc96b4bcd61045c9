"""Geometric discounts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.measures.asymptotics import Asymptotics, SummableDecay
from ndcg_asymptotics.measures.discounts.discount import Discount
from ndcg_asymptotics.specs.scanner import number_text


@dataclass(frozen=True)
class Geometric(Discount, keyword="geometric"):
    """D(r) = base^-r, base > 1; summable (Wang et al. 2013, Theorem 6, has base 2)."""

    base: float
    asymptotics: ClassVar[Asymptotics] = SummableDecay(math.inf)

    def __post_init__(self) -> None:
        require(1 < self.base < math.inf, f"geometric(base) needs base > 1, got {number_text(self.base)}")

    @property
    def tex(self) -> str:
        return f"{number_text(self.base)}^{{-r}}"

    def at(self, rank: Floats, n: float) -> Floats:
        return np.exp(-rank * math.log(self.base))

    def sum_to(self, k: Floats, n: float) -> Floats:
        return -np.expm1(-k * math.log(self.base)) / (self.base - 1.0)

    @property
    def total(self) -> float:
        return 1 / (self.base - 1.0)

    def exact_exponentials(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        return (math.log(self.base),), (1.0,)
