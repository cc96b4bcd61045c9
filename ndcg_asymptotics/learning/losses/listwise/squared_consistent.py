"""Least squares on the labels' standard form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.learning.losses.listwise.squared import Squared
from ndcg_asymptotics.learning.utilities import Utility


@dataclass(frozen=True)
class SquaredConsistent(Squared, keyword="squared_consistent"):
    """φ = |s - G/||G||_D|²: sorts by E[G/||G||_D], which is right for NDCG (Ravikumar et al. 2011)."""

    claim: ClassVar[str] = "consistent (Ravikumar et al., Theorem 8)"
    skips_empty: ClassVar[bool] = True

    def target(self, labels: Floats, utility: Utility) -> Floats:
        return self.standardised(labels, utility)
