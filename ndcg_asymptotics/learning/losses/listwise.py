"""Listwise losses, which depend on the labels of a list through one target per item."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar, NoReturn

import numpy as np
from scipy.special import log_softmax, softmax, xlogy

from ndcg_asymptotics.core.arrays import Bools, Floats
from ndcg_asymptotics.learning.labels import Batch, SameLength
from ndcg_asymptotics.learning.losses.loss import Loss, Minimiser, Order, Surrogate, is_whole
from ndcg_asymptotics.learning.utilities import Discounted, Utility, require_every_label
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.specs.ranges import positive


class Listwise(Loss):
    """φ(s, T(y)) with a target T_i(y) for each item, affine in T up to a constant.

    Therefore the expected loss depends on the law of the labels through E[T] alone. Its minimiser is an
    order-preserving function of E[T], the ``link``: the loss sorts by E[T].

    Attributes
    ----------
    skips_empty
        Whether a list whose target is 0 for every item contributes nothing.
    whole_targets
        Whether the targets of whole gains are whole numbers, so that ties of E[T] can be proved.
    """

    skips_empty: ClassVar[bool] = True
    whole_targets: ClassVar[bool] = False

    def target(self, labels: Floats, utility: Utility) -> Floats:
        """Return T(y) for label vectors (..., m): the standardisation, unless a loss overrides it."""
        return utility.standardised(labels)

    @abstractmethod
    def at(self, s: Floats, t: Floats) -> tuple[Floats, Floats]:
        """Return φ (k,) and its gradient in s (k, m), for scores and targets (k, m)."""

    @abstractmethod
    def product(self, s: Floats, t: Floats, v: Floats) -> Floats:
        """Return the Hessian of φ in s times vectors v, (k, m), if the loss is `curved`."""

    @property
    def curved(self) -> bool:
        """Whether `product` is known and of use: where φ is convex and twice differentiable."""
        return True

    def link(self, mean: Floats) -> Floats:
        """Return the scores (m,) that minimise the expected loss, from E[T] over the contributing lists.

        That is E[T] itself, unless a loss overrides it.
        """
        return mean

    def on(self, batch: Batch, utility: Utility) -> Surrogate:
        return _BatchLoss(self, batch, utility)

    def minimiser(self, labels: Floats, probabilities: Floats, utility: Utility) -> Minimiser:
        targets = self.target(labels, utility)
        share = probabilities * self.contributes(targets)
        items = labels.shape[-1]
        mean = share @ targets / share.sum() if share.sum() > 0 else np.zeros(items)
        gaps = mean[:, None] - mean[None, :]
        # a sum of K products, each with the error of its target, which is itself a sum of m terms
        residual = 4 * (len(labels) + items) * np.finfo(float).eps * float(np.abs(targets).max(initial=0.0))
        above, cost = gaps > 0, np.abs(gaps)

        def admits(order: Order) -> bool:
            return all(
                (above[a, b] and cost[a, b] > residual) or _tied(share, targets[:, a] - targets[:, b])
                for a, b in pairwise(order)
            )

        if self.whole_targets and is_whole(targets):
            return Minimiser(self.link(mean), cost, above, residual, admits)
        return Minimiser(self.link(mean), cost, above, residual)

    def strong_convexity(self, items: int) -> tuple[float, float] | None:
        """(p, C) with ``Φ(s) - min Φ >= C ||E[T] - t(s)||_p²``, s the link of t(s); None if unknown."""
        return None

    def contributes(self, targets: Floats) -> Bools:
        """Return whether each list has a loss, from its targets (k, m)."""
        return np.asarray(np.any(targets != 0, axis=-1) | (not self.skips_empty))


def _tied(share: Floats, differences: Floats) -> bool:
    """Return whether the mean of whole differences is exactly 0."""
    return sum(Fraction(p) * int(d) for p, d in zip(share.tolist(), differences.tolist(), strict=True)) == 0


def inner(x: Floats, y: Floats) -> Floats:
    """Return the sums of products along the last axis, which stays."""
    return np.asarray((x * y).sum(axis=-1, keepdims=True))


def log_or_never(x: Floats) -> Floats:
    """Return log(x); an item whose mean target is 0 gets the score -inf.

    >>> log_or_never(np.array([0.0, 1.0]))
    array([-inf,   0.])
    """
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(x))


@dataclass(eq=False)
class _BatchLoss:
    """A listwise loss of a batch, with the targets computed once, block by block."""

    loss: Listwise
    batch: Batch
    utility: Utility

    def __post_init__(self) -> None:
        self.contributing = np.zeros(self.batch.sizes.size, np.bool_)
        self.curved = self.loss.curved
        self._blocks: list[tuple[SameLength, Floats]] = []
        for block in self.batch.blocks:
            targets = self.loss.target(self.batch.labels[block.items], self.utility)
            mask = self.loss.contributes(targets)
            self.contributing[block.lists] = mask
            if mask.any():
                self._blocks.append((SameLength(block.lists[mask], block.items[mask]), targets[mask]))

    def __call__(self, scores: Floats) -> tuple[Floats, Floats]:
        values, gradient = np.zeros(self.batch.sizes.size), np.zeros(scores.size)
        for (lists, items), targets in self._blocks:
            values[lists], gradient[items] = self.loss.at(scores[items], targets)
        return values, gradient

    def hessian(self, scores: Floats) -> Callable[[Floats], Floats]:
        def product(v: Floats) -> Floats:
            products = np.zeros(scores.size)
            for (_, items), targets in self._blocks:
                products[items] = self.loss.product(scores[items], targets, v[items])
            return products

        return product


@dataclass(frozen=True)
class SquaredConsistent(Listwise, keyword="squared_consistent"):
    """φ = |s - G/||G||_D|²: sorts by E[G/||G||_D], which is optimal for NDCG (Ravikumar et al. 2011)."""

    claim: ClassVar[str] = "consistent (Ravikumar et al., Theorem 8)"

    def at(self, s: Floats, t: Floats) -> tuple[Floats, Floats]:
        difference = s - t
        return (difference**2).sum(axis=-1), 2 * difference

    def product(self, s: Floats, t: Floats, v: Floats) -> Floats:
        return 2 * v

    @property
    def curvature(self) -> float:
        return 2.0

    def strong_convexity(self, items: int) -> tuple[float, float]:
        return 2.0, 1.0


@dataclass(frozen=True)
class Squared(SquaredConsistent, keyword="squared"):
    """φ = |s - G|²: sorts by E[G] (Cossock and Zhang 2006; inconsistent for NDCG, Ravikumar et al. 2011)."""

    claim: ClassVar[str] = "inconsistent (Ravikumar et al., Proposition 7)"
    skips_empty: ClassVar[bool] = False
    whole_targets: ClassVar[bool] = True

    def target(self, labels: Floats, utility: Utility) -> Floats:
        return utility.gains(labels)


@dataclass(frozen=True)
class ListNet(Listwise, keyword="listnet"):
    """φ = KL(softmax y || softmax s): sorts by E[softmax y], not optimal for NDCG (Cao et al. 2007).

    The softmax is of the labels, not of their gains.
    """

    claim: ClassVar[str] = "inconsistent (Ravikumar et al., Proposition 7)"
    shift_invariant: ClassVar[bool] = True

    def target(self, labels: Floats, utility: Utility) -> Floats:
        return np.asarray(softmax(require_every_label(labels), axis=-1))

    def at(self, s: Floats, t: Floats) -> tuple[Floats, Floats]:
        logs = log_softmax(s, axis=-1)
        return (xlogy(t, t) - t * logs).sum(axis=-1), np.exp(logs) - t

    def product(self, s: Floats, t: Floats, v: Floats) -> Floats:
        p = softmax(s, axis=-1)
        return np.asarray(p * (v - inner(p, v)))

    def link(self, mean: Floats) -> Floats:
        return log_or_never(mean)


_LOG = Measure("log")


@dataclass(frozen=True)
class ApproxNDCG(Listwise, keyword="approx_ndcg"):
    """φ = 1 - Σ_i T_i / log(1 + ρ_i), ρ_i = 1 + Σ_{j≠i} sigmoid((s_j - s_i)/τ) (Qin, Liu and Li 2010).

    ρ_i is a smooth version of the rank, and T is G/||G||_D for the log discount without a cutoff, whatever
    the measure. φ is not convex: training finds a local minimum, from scores that are all equal. As ρ
    depends on the scores alone, φ is affine in T. Any ρ is a mean of permutations, and 1/log(1 + ρ) is
    convex, so that the infimum of the expected loss is 1 - the highest expected NDCG. It is approached as
    scores in an optimal order move apart, and not attained.

    Parameters
    ----------
    temperature : float
        τ > 0.
    """

    temperature: float = field(default=0.1, metadata=positive())
    claim: ClassVar[str] = "not stated (Qin et al.)"
    shift_invariant: ClassVar[bool] = True

    def target(self, labels: Floats, utility: Utility) -> Floats:
        return Discounted(utility.gain, _LOG).standardised(labels)

    def at(self, s: Floats, t: Floats) -> tuple[Floats, Floats]:
        lists, items = np.nonzero(t)  # only these ranks count
        rows, gain = np.arange(lists.size), t[lists, items]
        x = (s[lists] - s[lists, items][:, None]) / self.temperature
        small = np.exp(-np.abs(x))
        smaller = small / (1 + small)  # the sigmoid of -|x|
        below = np.where(x < 0, smaller, 1 / (1 + small))
        below[rows, items] = smaller[rows, items] = 0.0
        log = np.log(2 + below.sum(axis=1))  # log(1 + ρ)
        value = 1 - np.bincount(lists, gain / log, len(s)).astype(np.float64)
        # T / ((1 + ρ) log²(1 + ρ)) is the slope of -T / log(1 + ρ), and σ' = σ(x) σ(-x)
        slope = smaller / (1 + small) * (gain * np.exp(-log) / (log**2 * self.temperature))[:, None]
        slope[rows, items] = -slope.sum(axis=1)
        gradient = np.zeros_like(s)
        relevant_lists, starts = np.unique(lists, return_index=True)
        gradient[relevant_lists] = np.add.reduceat(slope, starts, axis=0) if lists.size else 0.0
        return value, gradient

    def product(self, s: Floats, t: Floats, v: Floats) -> NoReturn:
        raise NotImplementedError(f"{self.keyword} is not convex and trained by gradients alone")

    @property
    def curved(self) -> bool:
        return False

    def minimiser(self, labels: Floats, probabilities: Floats, utility: Utility) -> Minimiser:
        return replace(super().minimiser(labels, probabilities, utility), scores=None)
