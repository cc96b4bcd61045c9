"""Weighted pairs: RankSVM, RankNet, RankBoost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.learning.losses.pairwise.pairwise import Pairs, Pairwise
from ndcg_asymptotics.learning.preferences import check_weights, pair_weights
from ndcg_asymptotics.learning.utilities import Utility


@dataclass(frozen=True)
class Weighted(Pairwise, keyword="pairwise"):
    """φ = Σ a_ij φ(s_i - s_j), φ "logistic", "squared_hinge" (RankSVM), "hinge" or "exponential".

    a_ij = 1 where y_i > y_j ("order"), or the difference of the gains ("gain"). An edge loss of Duchi,
    Mackey and Jordan (2010), who show that none with a convex φ is consistent, low noise or not.

    >>> Weighted.parse('pairwise("logistic")').phi
    'logistic'
    """

    phi: str
    weights: str = "order"
    claim: ClassVar[str] = "inconsistent for PD (Duchi et al.)"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_weights(self.weights)

    def pairs(self, labels: Floats, utility: Utility) -> Pairs:
        weight = pair_weights(labels, utility.gain, self.weights)  # type: ignore[arg-type]
        return Pairs(weight, np.zeros_like(weight))
