"""The cosine between scores and the labels' standard form, up to the latter's length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ndcg_asymptotics.arrays import Floats
from ndcg_asymptotics.learning.losses.listwise.listwise import Listwise
from ndcg_asymptotics.learning.losses.stable import unit
from ndcg_asymptotics.learning.utilities import Utility


@dataclass(frozen=True)
class CosineConsistent(Listwise, keyword="cosine_consistent"):
    """φ = 1 - <s/|s|, G/||G||_D>: sorts by E[G/||G||_D], right for NDCG (Ravikumar et al. 2011).

    G/||G||_D keeps its length: divided by it, this would be `cosine` again. At s = 0, where it has no
    derivative, φ is 1 and -G/||G||_D stands for the gradient.
    """

    claim: ClassVar[str] = "consistent (Ravikumar et al., section 4)"
    scale_invariant: ClassVar[bool] = True

    def target(self, labels: Floats, utility: Utility) -> Floats:
        return self.standardised(labels, utility)

    def at(self, s: Floats, t: Floats) -> tuple[Floats, Floats]:
        direction, length = unit(s)
        product = (direction * t).sum(axis=-1, keepdims=True)
        return 1 - product[..., 0], (product * direction - t) / np.where(length > 0, length, 1.0)

    def link(self, mean: Floats) -> Floats:
        return mean
