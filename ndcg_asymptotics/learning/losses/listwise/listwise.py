"""Losses that see the labels of a list through one target per item."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ndcg_asymptotics.core.arrays import Bools, Floats
from ndcg_asymptotics.learning.batch import Batch, Block
from ndcg_asymptotics.learning.losses.loss import Loss, Minimiser, Surrogate
from ndcg_asymptotics.learning.utilities import Utility


class Listwise(Loss):
    """φ(s, T(y)) with a target T_i(y) for each item, affine in T up to a constant.

    So the expected loss depends on the scores through E[T] alone, and its minimiser is a function of
    E[T], the ``link``, that keeps the order: the loss sorts by E[T].

    Attributes
    ----------
    skips_empty
        Whether a list whose target is 0 for every item contributes nothing.
    """

    skips_empty: ClassVar[bool] = True

    @abstractmethod
    def target(self, labels: Floats, utility: Utility) -> Floats:
        """T(y) for label vectors (..., m)."""

    @abstractmethod
    def at(self, s: Floats, t: Floats) -> tuple[Floats, Floats]:
        """φ and its gradient in s, for scores and targets (k, m): arrays (k,) and (k, m)."""

    @abstractmethod
    def link(self, mean: Floats) -> Floats:
        """The scores (m,) that minimise the expected loss, from E[T] over the contributing lists."""

    def on(self, batch: Batch, utility: Utility) -> Surrogate:
        return _Bound(self, batch, utility)

    def minimiser(self, labels: Floats, probabilities: Floats, utility: Utility) -> Minimiser:
        targets = self.target(labels, utility)
        share = probabilities * self.contributes(targets)
        items = labels.shape[-1]
        mean = share @ targets / share.sum() if share.sum() > 0 else np.zeros(items)
        gaps = mean[:, None] - mean[None, :]
        # a sum of K products, each with the error of its target, which is itself a sum of m terms
        residual = 4 * (len(labels) + items) * np.finfo(float).eps * float(np.abs(targets).max(initial=0.0))
        return Minimiser(self.link(mean), np.abs(gaps), gaps > 0, residual)

    @property
    def strong_convexity(self) -> tuple[float, float] | None:
        """(p, C), if there are, with ``Φ(s) - min Φ >= C ||E[T] - t(s)||_p²``, s the link of t(s)."""
        return None

    def contributes(self, targets: Floats) -> Bools:
        """Which lists, from targets (k, m), have a loss."""
        return np.asarray(np.any(targets != 0, axis=-1) | (not self.skips_empty))


@dataclass(eq=False)
class _Bound:
    """The targets of a batch, block by block."""

    loss: Listwise
    batch: Batch
    utility: Utility

    def __post_init__(self) -> None:
        self.contributing = np.zeros(self.batch.sizes.size, np.bool_)
        self._blocks: list[tuple[Block, Floats]] = []
        for block in self.batch.blocks:
            targets = self.loss.target(self.batch.labels[block.items], self.utility)
            kept = self.loss.contributes(targets)
            self.contributing[block.lists] = kept
            if kept.any():
                self._blocks.append((Block(block.lists[kept], block.items[kept]), targets[kept]))

    def __call__(self, scores: Floats) -> tuple[Floats, Floats]:
        values, gradient = np.zeros(self.batch.sizes.size), np.zeros(scores.size)
        for (lists, items), targets in self._blocks:
            values[lists], gradient[items] = self.loss.at(scores[items], targets)
        return values, gradient
