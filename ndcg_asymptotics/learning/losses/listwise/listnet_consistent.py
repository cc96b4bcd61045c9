"""ListNet for NDCG."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import xlogy

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.learning.losses.listwise.listwise import Listwise
from ndcg_asymptotics.learning.losses.stable import exp
from ndcg_asymptotics.learning.utilities import Utility


@dataclass(frozen=True)
class ListNetConsistent(Listwise, keyword="listnet_consistent"):
    """φ = Σ t log(t/e^s) - t + e^s, t = G/||G||_D: sorts by E[G/||G||_D] (Ravikumar et al. 2011).

    Right for NDCG. The Kullback-Leibler divergence of measures that need not add up to 1: the Bregman
    surrogate of h(x) = x log x - x. Beyond s = 300 the exponential is continued by its tangent.
    """

    claim: ClassVar[str] = "consistent (Ravikumar et al., Theorem 8)"

    def target(self, labels: Floats, utility: Utility) -> Floats:
        return self.standardised(labels, utility)

    def at(self, s: Floats, t: Floats) -> tuple[Floats, Floats]:
        powers, slopes = exp(s)
        return (xlogy(t, t) - t * s - t + powers).sum(axis=-1), slopes - t

    def link(self, mean: Floats) -> Floats:
        with np.errstate(divide="ignore"):  # an item without hope has the score -inf
            return np.log(mean)
