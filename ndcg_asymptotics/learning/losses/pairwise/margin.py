"""Pairs that ask for a margin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.learning.losses.pairwise.pairwise import Pairs, Pairwise
from ndcg_asymptotics.learning.preferences import check_weights, pair_weights
from ndcg_asymptotics.learning.utilities import Utility


@dataclass(frozen=True)
class Margin(Pairwise, keyword="margin"):
    """φ = Σ φ(s_i - s_j - a_ij) over the pairs with a_ij > 0 (Duchi et al. 2010, margin-based surrogates).

    a_ij = 1 where y_i > y_j ("order"), or the difference of the gains ("gain", the default).
    """

    phi: str
    weights: str = "gain"
    claim: ClassVar[str] = "inconsistent for PD (Duchi et al.)"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_weights(self.weights)

    def pairs(self, labels: Floats, utility: Utility) -> Pairs:
        offset = pair_weights(labels, utility.gain, self.weights)  # type: ignore[arg-type]
        return Pairs((offset > 0).astype(np.float64), offset)
