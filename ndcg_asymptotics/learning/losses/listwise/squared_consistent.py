"""Least squares on the labels' standard form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ndcg_asymptotics.arrays import Floats
from ndcg_asymptotics.learning.losses.listwise.listwise import Listwise
from ndcg_asymptotics.learning.utilities import Utility


@dataclass(frozen=True)
class SquaredConsistent(Listwise, keyword="squared_consistent"):
    """φ = |s - G/||G||_D|²: sorts by E[G/||G||_D], which is right for NDCG (Ravikumar et al. 2011)."""

    claim: ClassVar[str] = "consistent (Ravikumar et al., Theorem 8)"

    def target(self, labels: Floats, utility: Utility) -> Floats:
        return self.standardised(labels, utility)

    def at(self, s: Floats, t: Floats) -> tuple[Floats, Floats]:
        difference = s - t
        return (difference**2).sum(axis=-1), 2 * difference

    def link(self, mean: Floats) -> Floats:
        return mean

    @property
    def strong_convexity(self) -> tuple[float, float]:
        return 2.0, 1.0
