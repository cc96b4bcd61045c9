"""Average precision."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.learning.utilities.utility import Utility, judged


@dataclass(frozen=True)
class AveragePrecision(Utility):
    """AP: the mean, over items with a positive label, of the precision at their rank.

    It has no standardisation (Buffoni et al. 2011). A list without a positive label is worth 0.
    """

    def __str__(self) -> str:
        return "AP"

    def standardised(self, labels: Floats) -> None:
        return None

    def expected(self, orders: Integers, labels: Floats, probabilities: Floats) -> Floats:
        ranks = np.arange(1.0, labels.shape[-1] + 1)
        total = np.zeros(len(orders))
        for relevant, probability in zip(judged(labels) > 0, probabilities, strict=True):
            found = relevant[orders]
            precision = np.cumsum(found, axis=-1) / ranks
            total += probability * (precision * found).sum(axis=-1) / max(relevant.sum(), 1)
        return total
