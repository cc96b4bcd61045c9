"""The cosine between scores and gains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.learning.losses.listwise.listwise import Listwise
from ndcg_asymptotics.learning.losses.stable import unit
from ndcg_asymptotics.learning.utilities import Utility


@dataclass(frozen=True)
class Cosine(Listwise, keyword="cosine"):
    """φ = 1 - <s/|s|, G/|G|>: sorts by E[G/|G|] (Qin et al. 2008; inconsistent, Ravikumar et al. 2011).

    At s = 0, where it has no derivative, φ is 1 and -G/|G| stands for the gradient.
    """

    claim: ClassVar[str] = "inconsistent (Ravikumar et al., Proposition 7)"
    scale_invariant: ClassVar[bool] = True

    def target(self, labels: Floats, utility: Utility) -> Floats:
        return unit(utility.gains(labels))[0]

    def at(self, s: Floats, t: Floats) -> tuple[Floats, Floats]:
        direction, length = unit(s)
        cosine = (direction * t).sum(axis=-1, keepdims=True)
        return 1 - cosine[..., 0], (cosine * direction - t) / np.where(length > 0, length, 1.0)

    def link(self, mean: Floats) -> Floats:
        return mean
