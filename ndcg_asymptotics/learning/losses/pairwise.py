"""Losses that are sums over pairs of items."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.learning.labels import Batch
from ndcg_asymptotics.learning.losses.loss import Loss, Minimiser, Surrogate
from ndcg_asymptotics.learning.losses.pair_sums import PairSum, Terms, minimiser_of, phi_named
from ndcg_asymptotics.learning.preferences import check_weights, pair_weights
from ndcg_asymptotics.learning.utilities import Discounted, Utility
from ndcg_asymptotics.measures import Measure

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


@dataclass(frozen=True)
class Weighted(Pairwise, keyword="pairwise"):
    """φ = Σ a_ij φ(s_i - s_j), φ "logistic", "squared_hinge" (RankSVM), "hinge" or "exponential".

    a_ij = 1 where y_i > y_j ("order"), or the difference of the gains ("gain"). An edge loss of Duchi,
    Mackey and Jordan (2010), who show that none with a convex φ is consistent, low noise or not.

    >>> Weighted.parse('pairwise("logistic")').phi
    'logistic'
    """

    phi: str
    weights: str = "order"
    claim: ClassVar[str] = "inconsistent for PD (Duchi et al.)"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_weights(self.weights)

    def pairs(self, labels: Floats, utility: Utility) -> Pairs:
        weight = pair_weights(labels, utility.gain, self.weights)  # type: ignore[arg-type]
        return Pairs(weight, np.zeros_like(weight))


@dataclass(frozen=True)
class Margin(Pairwise, keyword="margin"):
    """φ = Σ φ(s_i - s_j - a_ij) over the pairs with a_ij > 0 (Duchi et al. 2010, margin-based surrogates).

    a_ij = 1 where y_i > y_j ("order"), or the difference of the gains ("gain", the default).
    """

    phi: str
    weights: str = "gain"
    claim: ClassVar[str] = "inconsistent for PD (Duchi et al.)"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_weights(self.weights)

    def pairs(self, labels: Floats, utility: Utility) -> Pairs:
        offset = pair_weights(labels, utility.gain, self.weights)  # type: ignore[arg-type]
        return Pairs((offset > 0).astype(np.float64), offset)


@dataclass(frozen=True)
class OrderPreserving(Pairwise, keyword="order_preserving"):
    """φ = Σ_i α_i Σ_{j≠i} φ(s_i - s_j), α the labels' standard form (Buffoni et al. 2011).

    Every item is compared with every other, whatever their labels: with the pairs α_j < α_i only it would
    be `pairwise`, which is not order-preserving. φ is convex, non-increasing and differentiable with
    φ'(0) < 0. The paper also asks for φ'(t) = 0 at some t > 0, as "squared_hinge" (the default) has: then a
    minimiser exists even where an item's mean α is 0. "logistic" and "exponential" have s = log E[α] and half
    of it.
    """

    phi: str = "squared_hinge"
    claim: ClassVar[str] = "consistent (Buffoni et al.)"

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.phi != "hinge", f"{self.keyword} needs a differentiable phi, got {self.phi!r}")

    def pairs(self, labels: Floats, utility: Utility) -> Pairs:
        alpha = self.standardised(labels, utility)
        items = alpha.shape[-1]
        weight = alpha[..., :, None] * (1 - np.eye(items))
        return Pairs(weight, np.zeros_like(weight))


@dataclass(frozen=True)
class LinearNDCG(Pairwise, keyword="linear_ndcg"):
    """φ = Σ_{G_i > G_j} (G_i - G_j)/||G||_linear · φ(s_i - s_j) (after Jin and Geng's Linear NDCG).

    With φ(t) = 1(t <= 0) this is 1 - NDCG for the discount n - r, exactly (see `swapped_gains`), whatever
    the measure; φ = "hinge", "squared_hinge" and "exponential" are bounds of it.
    """

    phi: str = "logistic"
    claim: ClassVar[str] = "not said (Jin and Geng)"

    def pairs(self, labels: Floats, utility: Utility) -> Pairs:
        ideal = Discounted(utility.gain, Measure("linear")).ideal(labels)[..., None, None]
        difference = pair_weights(labels, utility.gain, "gain")
        weight = np.divide(difference, ideal, out=np.zeros_like(difference), where=ideal > 0)
        return Pairs(weight, np.zeros_like(weight))


def swapped_gains(gains: ArrayLike) -> float:
    """Σ (b - a) over the pairs of items in which one of gain a is above one of gain b > a.

    For the discount D(r) = n - r this is IDCG - DCG of gains in rank order, exactly: moving an item up by one
    rank is worth its gain, so each pair in the wrong order costs the difference of its gains. With m relevant
    and k other items, binary, IDCG = mk + m(m-1)/2.

    >>> swapped_gains([0, 1, 3])
    6.0
    """
    y = np.asarray(gains, np.float64)
    return float(np.triu(np.maximum(y[None, :] - y[:, None], 0.0)).sum())
