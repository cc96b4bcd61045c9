"""The p-norm surrogates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.learning.losses.listwise.listwise import Listwise
from ndcg_asymptotics.learning.losses.stable import unit
from ndcg_asymptotics.learning.utilities import Utility
from ndcg_asymptotics.specs.scanner import number_text


def check_p(p: float, keyword: str) -> None:
    """Refuse a p that is not in (1, 2]."""
    require(1 < p <= 2, f"{keyword}(p) needs 1 < p <= 2, got {number_text(p)}")


@dataclass(frozen=True)
class PNorm(Listwise, keyword="pnorm"):
    """φ = ||s||_q² - 2 <s, G/||G||_D>, q = p/(p-1), 1 < p <= 2 (Ravikumar et al. 2011, section 4).

    The Bregman surrogate of ψ = ||·||_p² at 2s, less ||G/||G||_D||_p².
    """

    p: float
    claim: ClassVar[str] = "consistent (Ravikumar et al., Theorem 8)"

    def __post_init__(self) -> None:
        check_p(self.p, self.keyword)

    def target(self, labels: Floats, utility: Utility) -> Floats:
        return self.standardised(labels, utility)

    def at(self, s: Floats, t: Floats) -> tuple[Floats, Floats]:
        q = self.p / (self.p - 1)
        direction, length = unit(s, q)
        steepest = np.sign(direction) * np.abs(direction) ** (q - 1)  # the gradient of ||s||_q
        value = length[..., 0] ** 2 - 2 * (s * t).sum(axis=-1)
        return value, 2 * (length * steepest - t)

    def link(self, mean: Floats) -> Floats:
        # the gradient of ||·||_p² / 2
        direction, length = unit(mean, self.p)
        return length * np.sign(direction) * np.abs(direction) ** (self.p - 1)

    @property
    def strong_convexity(self) -> tuple[float, float]:
        return self.p, self.p - 1
