"""Losses that are sums over pairs of items."""

from __future__ import annotations

from abc import abstractmethod
from typing import NamedTuple

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.learning.batch import Batch
from ndcg_asymptotics.learning.losses.loss import Loss, Minimiser, Surrogate
from ndcg_asymptotics.learning.losses.pairwise.infimum import minimiser_of
from ndcg_asymptotics.learning.losses.pairwise.phi import phi_named
from ndcg_asymptotics.learning.losses.pairwise.terms import PairSum, Terms
from ndcg_asymptotics.learning.utilities import Utility

_AT_ONCE = 2**22  # pairs made at a time


class Pairs(NamedTuple):
    """Weights w >= 0 and offsets c of all pairs, each (k, m, m)."""

    weight: Floats
    offset: Floats


class Pairwise(Loss):
    """φ = Σ_ij w_ij(y) φ(s_i - s_j - c_ij(y)), φ convex and non-increasing.

    A list without a pair of positive weight contributes nothing.
    """

    phi: str

    def __post_init__(self) -> None:
        phi_named(self.phi)

    @abstractmethod
    def pairs(self, labels: Floats, utility: Utility) -> Pairs:
        """The weights and offsets of label vectors (k, m)."""

    def on(self, batch: Batch, utility: Utility) -> Surrogate:
        parts: list[tuple[Integers, Integers, Floats, Floats, Integers]] = []
        for block in batch.blocks:
            step = max(1, _AT_ONCE // block.items.shape[1] ** 2)
            for start in range(0, len(block.lists), step):
                lists, items = block.lists[start : start + step], block.items[start : start + step]
                weight, offset = self.pairs(batch.labels[items], utility)
                which, i, j = np.nonzero(weight)
                parts.append(
                    (items[which, i], items[which, j], weight[which, i, j], offset[which, i, j], lists[which])
                )
        first, second, weight, offset, lists = map(np.concatenate, zip(*parts, strict=True))
        terms = Terms(first, second, weight, offset)
        return PairSum(phi_named(self.phi), terms, lists, batch.sizes.size)

    def minimiser(self, labels: Floats, probabilities: Floats, utility: Utility) -> Minimiser:
        weight, offset = self.pairs(labels, utility)
        weight = weight * probabilities[:, None, None]
        which = weight > 0
        _, i, j = np.nonzero(which)
        # one term for each pair and offset
        keys, same = np.unique(np.column_stack([i, j, offset[which]]), axis=0, return_inverse=True)
        summed = np.bincount(same.reshape(-1), weight[which], len(keys)).astype(np.float64)
        terms = Terms(keys[:, 0].astype(np.int64), keys[:, 1].astype(np.int64), summed, keys[:, 2])
        return minimiser_of(phi_named(self.phi), terms, labels.shape[-1])
