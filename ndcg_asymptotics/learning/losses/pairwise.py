"""Pairwise losses: sums over pairs of items."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.learning.labels import Batch
from ndcg_asymptotics.learning.losses.infima import minimiser_of
from ndcg_asymptotics.learning.losses.loss import Loss, Minimiser, Surrogate, is_whole
from ndcg_asymptotics.learning.losses.pair_sums import (
    DIFFERENTIABLE,
    PHIS,
    HingePairs,
    PairSum,
    SmoothPairs,
    Terms,
    WholeHinge,
)
from ndcg_asymptotics.learning.preferences import WEIGHTS, pair_weights
from ndcg_asymptotics.learning.utilities import Discounted, Utility
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.specs.ranges import one_of

_PAIRS_AT_ONCE = 2**22  # bounds memory: 32 MB for each array of pairs


@dataclass(frozen=True, eq=False)
class Pairs:
    """The weights w = above/below >= 0 of all pairs of some lists, and their offsets c.

    Attributes
    ----------
    above : (k, m, m)
        Whole numbers if the gains are.
    below : (k,), or a number
        A list for which it is 0 has no weights.
    offset : (k, m, m), or a number
    """

    above: Floats
    below: Floats | float = 1.0
    offset: Floats | float = 0.0

    @property
    def weight(self) -> Floats:
        """The weights, (k, m, m)."""
        below = np.broadcast_to(self.below, len(self.above))[:, None, None]
        return np.asarray(np.divide(self.above, below, out=np.zeros_like(self.above), where=below > 0))


class Pairwise(Loss):
    """φ = Σ_ij w_ij(y) φ(s_i - s_j - c_ij(y)), φ convex and non-increasing.

    A list without a pair of positive weight contributes nothing.
    """

    phi: str
    shift_invariant: ClassVar[bool] = True

    @abstractmethod
    def pairs(self, labels: Floats, utility: Utility) -> Pairs:
        """Return the weights and offsets of label vectors (k, m)."""

    def on(self, batch: Batch, utility: Utility) -> Surrogate:
        parts: list[tuple[Integers, Integers, Floats, Floats, Integers]] = []
        for block in batch.blocks:
            step = max(1, _PAIRS_AT_ONCE // block.items.shape[1] ** 2)
            for start in range(0, len(block.lists), step):
                lists, items = block.lists[start : start + step], block.items[start : start + step]
                pairs = self.pairs(batch.labels[items], utility)
                weight, offset = pairs.weight, np.broadcast_to(pairs.offset, pairs.above.shape)
                row, i, j = np.nonzero(weight)
                parts.append((items[row, i], items[row, j], weight[row, i, j], offset[row, i, j], lists[row]))
        first, second, weight, offset, lists = map(np.concatenate, zip(*parts, strict=True))
        terms = Terms(first, second, weight, offset)
        return PairSum(PHIS[self.phi], terms, lists, batch.labels.size, batch.sizes.size)

    def minimiser(self, labels: Floats, probabilities: Floats, utility: Utility) -> Minimiser:
        by_vector = self.pairs(labels, utility)
        weight, offset = by_vector.weight, np.broadcast_to(by_vector.offset, by_vector.above.shape)
        positive = (weight > 0) & (probabilities > 0)[:, None, None]
        vector, i, j = np.nonzero(positive)
        # one term for each pair and offset
        keys, term = np.unique(np.column_stack([i, j, offset[positive]]), axis=0, return_inverse=True)
        term = term.reshape(-1)
        summed = np.bincount(term, (weight * probabilities[:, None, None])[positive], len(keys))
        terms = Terms(
            keys[:, 0].astype(np.int64), keys[:, 1].astype(np.int64), summed.astype(np.float64), keys[:, 2]
        )
        phi, items = PHIS[self.phi], labels.shape[-1]
        if phi.differentiable:
            return minimiser_of(SmoothPairs(phi, terms, items))
        pairs = HingePairs(phi, terms, items)
        minimiser = minimiser_of(pairs)
        above, below = by_vector.above, np.broadcast_to(by_vector.below, len(labels))
        if not (is_whole(above) and is_whole(below) and is_whole(offset)):
            return minimiser
        exact = [Fraction(0)] * len(keys)
        parts = zip(
            above[positive].tolist(), below[vector].tolist(), probabilities[vector].tolist(), strict=True
        )
        for k, (numerator, denominator, p) in zip(term.tolist(), parts, strict=True):
            exact[k] += Fraction(int(numerator), int(denominator)) * Fraction(p)
        return replace(minimiser, admits=WholeHinge(pairs, exact).admits)


@dataclass(frozen=True)
class Weighted(Pairwise, keyword="pairwise"):
    """φ = Σ a_ij φ(s_i - s_j), φ "logistic", "squared_hinge" (RankSVM), "hinge" or "exponential".

    a_ij = 1 where y_i > y_j ("order"), or the difference of the gains ("gain"). With the total "mean" the sum
    is divided by Σ a_ij, so that every list has the same weight. This is an edge loss in the sense of Duchi,
    Mackey and Jordan (2010), who show that none with a convex φ is consistent, even under low noise; the
    preorder loss of Buffoni et al. (2011).

    >>> Weighted.parse('pairwise("logistic")').phi
    'logistic'
    """

    phi: str = field(metadata=one_of(*PHIS))
    weights: str = field(default="order", metadata=one_of(*WEIGHTS))
    total: str = field(default="sum", metadata=one_of("sum", "mean"))
    claim: ClassVar[str] = "inconsistent for PD (Duchi et al.)"

    def pairs(self, labels: Floats, utility: Utility) -> Pairs:
        weight = pair_weights(labels, utility.gain, self.weights)  # type: ignore[arg-type]
        return Pairs(weight, weight.sum(axis=(1, 2)) if self.total == "mean" else 1.0)


@dataclass(frozen=True)
class Margin(Pairwise, keyword="margin"):
    """φ = Σ φ(s_i - s_j - a_ij) over the pairs with a_ij > 0 (Duchi et al. 2010, margin-based surrogates).

    a_ij = 1 where y_i > y_j ("order"), or the difference of the gains ("gain", the default).
    """

    phi: str = field(metadata=one_of(*PHIS))
    weights: str = field(default="gain", metadata=one_of(*WEIGHTS))
    claim: ClassVar[str] = "inconsistent for PD (Duchi et al.)"

    def pairs(self, labels: Floats, utility: Utility) -> Pairs:
        offset = pair_weights(labels, utility.gain, self.weights)  # type: ignore[arg-type]
        return Pairs((offset > 0).astype(np.float64), offset=offset)


@dataclass(frozen=True)
class OrderPreserving(Pairwise, keyword="order_preserving"):
    """φ = Σ_i α_i Σ_{j≠i} φ(s_i - s_j), α the labels' standard form (Buffoni et al. 2011).

    Every item is compared with every other item, whatever their labels. Restricted to the pairs with α_j <
    α_i this would be `pairwise`, which is not order-preserving. φ is convex, non-increasing and
    differentiable with φ'(0) < 0. The paper also requires φ'(t) = 0 for some t > 0, which "squared_hinge"
    (the default) satisfies: then a minimiser exists even if the mean α of an item is 0. The minimiser is s =
    log E[α] for "logistic" and half of that for "exponential".
    """

    phi: str = field(default="squared_hinge", metadata=one_of(*DIFFERENTIABLE))
    claim: ClassVar[str] = "consistent (Buffoni et al.)"

    def pairs(self, labels: Floats, utility: Utility) -> Pairs:
        alpha = utility.standardised(labels)
        items = alpha.shape[-1]
        return Pairs(alpha[..., :, None] * (1 - np.eye(items)))


@dataclass(frozen=True)
class LinearNDCG(Pairwise, keyword="linear_ndcg"):
    """φ = Σ_{G_i > G_j} (G_i - G_j)/||G||_linear · φ(s_i - s_j) (after Jin and Geng's Linear NDCG).

    With φ(t) = 1(t <= 0) this is exactly 1 - NDCG for the discount n - r, whatever
    the measure; φ = "hinge", "squared_hinge" and "exponential" are upper bounds of it.
    """

    phi: str = field(default="logistic", metadata=one_of(*PHIS))
    claim: ClassVar[str] = "not stated (Jin and Geng)"

    def pairs(self, labels: Floats, utility: Utility) -> Pairs:
        ideal = Discounted(utility.gain, Measure("linear")).ideal(labels)
        return Pairs(pair_weights(labels, utility.gain, "gain"), ideal)
