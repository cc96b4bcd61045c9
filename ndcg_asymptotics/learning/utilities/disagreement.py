"""Pairwise disagreement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.learning.preferences import (
    Weights,
    check_weights,
    net_preference,
    pair_weights,
)
from ndcg_asymptotics.learning.utilities.utility import Utility, ranks_of


@dataclass(frozen=True)
class PairwiseDisagreement(Utility):
    """PD: less the weight of the pairs in the wrong order, ``-sum_ij a_ij 1(i below j)`` (Duchi et al. 2010).

    Its standardisation is ``m C + sum_k (a_ik - a_ki)``, C the list's largest weight (Buffoni et al.
    2011); sorting by its mean is optimal where the mean weights are low-noise.

    Parameters
    ----------
    weights : {"order", "gain"}
        a_ij = 1 where y_i > y_j, or the difference of the gains.
    """

    weights: Weights = "order"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_weights(self.weights)

    def __str__(self) -> str:
        return "PD" if self.weights == "order" else f"PD({self.weights})"

    def pairs(self, labels: Floats) -> Floats:
        """The weights a_ij, (..., m, m)."""
        return pair_weights(labels, self.gain, self.weights)

    def standardised(self, labels: Floats) -> Floats:
        pairs = self.pairs(labels)
        largest = pairs.max(axis=(-2, -1))[..., None]
        return np.asarray(labels.shape[-1] * largest + net_preference(pairs))

    def expected(self, orders: Integers, labels: Floats, probabilities: Floats) -> Floats:
        mean = np.tensordot(probabilities, self.pairs(labels), 1)
        ranks = ranks_of(orders)
        total = np.zeros(len(orders))
        for i, j in np.argwhere(mean > 0).tolist():
            total -= mean[i, j] * (ranks[:, i] > ranks[:, j])
        return total
