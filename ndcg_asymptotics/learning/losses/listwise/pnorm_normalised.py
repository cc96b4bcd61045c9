"""The p-norm surrogate that does not depend on the length of the scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.learning.losses.listwise.listwise import Listwise
from ndcg_asymptotics.learning.losses.listwise.pnorm import PNorm, check_p
from ndcg_asymptotics.learning.losses.stable import unit
from ndcg_asymptotics.learning.utilities import Utility


@dataclass(frozen=True)
class PNormNormalised(Listwise, keyword="pnorm_normalised"):
    """φ = -<s/||s||_q, G/||G||_D>, q = p/(p-1), 1 < p <= 2 (Ravikumar et al. 2011, section 4).

    The paper's experiment takes q = log(m) + 2. At s = 0 φ is 0 and -G/||G||_D stands for the gradient.
    """

    p: float
    claim: ClassVar[str] = "consistent (Ravikumar et al., section 4)"
    scale_invariant: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_p(self.p, self.keyword)

    def target(self, labels: Floats, utility: Utility) -> Floats:
        return self.standardised(labels, utility)

    def at(self, s: Floats, t: Floats) -> tuple[Floats, Floats]:
        q = self.p / (self.p - 1)
        direction, length = unit(s, q)
        product = (direction * t).sum(axis=-1, keepdims=True)
        steepest = np.sign(direction) * np.abs(direction) ** (q - 1)  # the gradient of ||s||_q
        return -product[..., 0], (product * steepest - t) / np.where(length > 0, length, 1.0)

    def link(self, mean: Floats) -> Floats:
        return PNorm(self.p).link(mean)
