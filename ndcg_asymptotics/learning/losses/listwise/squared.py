"""Least squares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.learning.losses.listwise.listwise import Listwise
from ndcg_asymptotics.learning.utilities import Utility


@dataclass(frozen=True)
class Squared(Listwise, keyword="squared"):
    """φ = |s - G|²: sorts by E[G] (Cossock and Zhang 2006; inconsistent for NDCG, Ravikumar et al. 2011)."""

    claim: ClassVar[str] = "inconsistent (Ravikumar et al., Proposition 7)"
    skips_empty: ClassVar[bool] = False

    def target(self, labels: Floats, utility: Utility) -> Floats:
        return utility.gains(labels)

    def at(self, s: Floats, t: Floats) -> tuple[Floats, Floats]:
        difference = s - t
        return (difference**2).sum(axis=-1), 2 * difference

    def link(self, mean: Floats) -> Floats:
        return mean

    @property
    def strong_convexity(self) -> tuple[float, float]:
        return 2.0, 1.0
