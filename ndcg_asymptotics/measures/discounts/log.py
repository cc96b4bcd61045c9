"""The logarithmic discount."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.measures.asymptotics import Asymptotics, LogDecay
from ndcg_asymptotics.measures.discounts.smooth import SmoothDiscount


@dataclass(frozen=True)
class Log(SmoothDiscount, keyword="log"):
    """D(r) = 1/log(1+r), the discount of DCG (Järvelin & Kekäläinen 2002); the base cancels."""

    asymptotics: ClassVar[Asymptotics] = LogDecay()
    tex: ClassVar[str] = r"1/\log(1+r)"

    def at(self, rank: Floats, n: float) -> Floats:
        return 1.0 / np.log1p(rank)

    def integral(self, a: float, b: Floats) -> Floats:
        from scipy.special import expi  # here: to load it takes longer than to evaluate a run

        # li(1+b) - li(1+a), li(x) = Ei(log x)
        return np.asarray(expi(np.log1p(b)) - expi(math.log1p(a)))

    def derivatives(self, rank: Floats) -> tuple[Floats, Floats]:
        x, v = 1.0 + rank, 1.0 / np.log1p(rank)
        # d/dx v = -v^2/x, applied three times
        return -(v**2) / x, -(2 * v**2 + 6 * v**3 + 6 * v**4) / x**3
