"""Expected reciprocal rank."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.learning.utilities.utility import Utility


@dataclass(frozen=True)
class ExpectedReciprocalRank(Utility):
    """ERR = ``sum_r (1/r) R_(r) prod_{q<r} (1 - R_(q))``, R = G / (1 + the largest G).

    With gains 2^y - 1 this is Chapelle et al. (2009), R = (2^y - 1) / 2^(largest y); the largest is taken
    over all label vectors of the problem. It has no standardisation (Buffoni et al. 2011).
    """

    def __str__(self) -> str:
        return "ERR"

    def standardised(self, labels: Floats) -> None:
        return None

    def expected(self, orders: Integers, labels: Floats, probabilities: Floats) -> Floats:
        gains = self.gains(labels)
        ranks = np.arange(1.0, labels.shape[-1] + 1)
        total = np.zeros(len(orders))
        for satisfied, probability in zip(gains / (1 + gains.max()), probabilities, strict=True):
            stops = satisfied[orders]
            passed = np.cumprod(1 - stops, axis=-1)
            before = np.concatenate([np.ones((len(orders), 1)), passed[:, :-1]], axis=1)
            total += probability * (stops * before / ranks).sum(axis=-1)
        return total
