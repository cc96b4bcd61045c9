"""The cosine between scores and the labels' standard form, up to the latter's length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.learning.losses.listwise.cosine import Cosine
from ndcg_asymptotics.learning.utilities import Utility


@dataclass(frozen=True)
class CosineConsistent(Cosine, keyword="cosine_consistent"):
    """φ = 1 - <s/|s|, G/||G||_D>: sorts by E[G/||G||_D], right for NDCG (Ravikumar et al. 2011).

    G/||G||_D keeps its length: divided by it, this would be `cosine` again. At s = 0, where it has no
    derivative, φ is 1 and -G/||G||_D stands for the gradient.
    """

    claim: ClassVar[str] = "consistent (Ravikumar et al., section 4)"

    def target(self, labels: Floats, utility: Utility) -> Floats:
        return self.standardised(labels, utility)
