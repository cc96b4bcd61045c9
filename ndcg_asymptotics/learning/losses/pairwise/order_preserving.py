"""The order-preserving pairwise loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.learning.losses.pairwise.pairwise import Pairs, Pairwise
from ndcg_asymptotics.learning.utilities import Utility


@dataclass(frozen=True)
class OrderPreserving(Pairwise, keyword="order_preserving"):
    """φ = Σ_i α_i Σ_{j≠i} φ(s_i - s_j), α the labels' standard form (Buffoni et al. 2011).

    Every item is compared with every other, whatever their labels: with the pairs α_j < α_i only it would
    be `pairwise`, which is not order-preserving. φ is convex, non-increasing and differentiable with
    φ'(0) < 0. The paper also asks for φ'(t) = 0 at some t > 0, as "squared_hinge" (the default) has: then a
    minimiser exists even where an item's mean α is 0. "logistic" and "exponential" have s = log E[α] and half
    of it.
    """

    phi: str = "squared_hinge"
    claim: ClassVar[str] = "consistent (Buffoni et al.)"

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.phi != "hinge", f"{self.keyword} needs a differentiable phi, got {self.phi!r}")

    def pairs(self, labels: Floats, utility: Utility) -> Pairs:
        alpha = self.standardised(labels, utility)
        items = alpha.shape[-1]
        weight = alpha[..., :, None] * (1 - np.eye(items))
        return Pairs(weight, np.zeros_like(weight))
