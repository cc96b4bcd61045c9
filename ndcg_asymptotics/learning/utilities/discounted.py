"""DCG and NDCG, with any discount and cutoff."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.learning.utilities.utility import Utility
from ndcg_asymptotics.measures import Measure


@dataclass(frozen=True)
class Discounted(Utility):
    """DCG = ``sum_r G(y_(r)) D(r)``, r <= k; NDCG: divided by ``||G||_D``, that of the ideal order.

    Both are linear in the labels' standard form: G for DCG, G/||G||_D for NDCG (Ravikumar, Tewari and
    Yang 2011, Lemma 4; with a cutoff, Buffoni et al. 2011). A list with ||G||_D = 0 is worth 0.

    Parameters
    ----------
    measure : Measure
        Its discount and cutoff.
    normalised : bool
    """

    measure: Measure
    normalised: bool = True

    def __str__(self) -> str:
        return str(self.measure) if self.normalised else str(self.measure).removeprefix("n")

    @property
    def is_linear(self) -> bool:
        return True

    def weights(self, items: int) -> Floats:
        """D(1), …, D(m), and 0 beyond the cutoff."""
        ranks = np.arange(1.0, items + 1)
        return np.where(ranks <= self.measure.cutoff(items), self.measure.discount(ranks, float(items)), 0.0)

    def ideal(self, labels: Floats) -> Floats:
        """||G||_D of label vectors (..., m): the DCG of their best order."""
        best = -np.sort(-self.gains(labels), axis=-1)
        return np.asarray(best @ self.weights(labels.shape[-1]))

    def standardised(self, labels: Floats) -> Floats:
        gains = self.gains(labels)
        if not self.normalised:
            return gains
        ideal = self.ideal(labels)[..., None]
        return np.divide(gains, ideal, out=np.zeros_like(gains), where=ideal > 0)

    def expected(self, orders: Integers, labels: Floats, probabilities: Floats) -> Floats:
        mean = probabilities @ self.standardised(labels)
        return np.asarray(mean[orders] @ self.weights(labels.shape[-1]))
