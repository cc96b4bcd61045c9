"""The linear discount, which depends on the list length."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.measures.asymptotics import Asymptotics, LinearDecay
from ndcg_asymptotics.measures.discounts.discount import Discount


def _ones(rank: ArrayLike) -> Floats:
    return np.ones_like(np.asarray(rank, dtype=np.float64))


def _ranks(rank: ArrayLike) -> Floats:
    return np.asarray(rank, dtype=np.float64)


@dataclass(frozen=True)
class Linear(Discount, keyword="linear"):
    """D_n(r) = n - r (Jin & Geng, Linear NDCG and pair-wise loss)."""

    asymptotics: ClassVar[Asymptotics] = LinearDecay()
    depends_on_n: ClassVar[bool] = True
    affine: ClassVar[bool] = True
    tex: ClassVar[str] = "n - r"

    def at(self, rank: Floats, n: float) -> Floats:
        return n - rank

    def sum_to(self, k: Floats, n: float) -> Floats:
        return k * (n - (k + 1.0) / 2.0)

    def basis(self) -> tuple[Callable[[ArrayLike], Floats], ...]:
        return (_ones, _ranks)

    def coefficients(self, n: int) -> tuple[float, ...]:
        return (float(n), -1.0)
