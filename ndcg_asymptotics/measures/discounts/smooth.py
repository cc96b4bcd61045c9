"""Discounts with derivatives: F(k) to relative error 1e-13 up to k = 9e18, at the cost of a small table."""

from __future__ import annotations

import math
from abc import abstractmethod
from functools import lru_cache
from typing import ClassVar

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.measures.discounts.discount import Discount

_TABLE = 4096  # ranks summed one by one before Euler-Maclaurin takes over


class SmoothDiscount(Discount):
    """F by a table up to rank 4096, then Euler-Maclaurin from there.

    With D^(j) the derivatives, K the end of the table,
    ``F(k) = F(K) + int_K^k D + [D]/2 + [D']/12 - [D''']/720``, square brackets for the
    difference between k and K. The next term is below 1e-20 of F.
    """

    regular: ClassVar[bool] = True

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
