"""ListMLE: the likelihood of an order under the model of Plackett and Luce."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import comb
from typing import ClassVar, NamedTuple, Self

import numpy as np
from scipy.special import logsumexp

from ndcg_asymptotics.core.arrays import Bools, Floats, Integers
from ndcg_asymptotics.learning.labels import Batch, SameLength
from ndcg_asymptotics.learning.losses.infima import SmoothSum, minimiser_of
from ndcg_asymptotics.learning.losses.loss import Loss, Minimiser, Surrogate
from ndcg_asymptotics.learning.utilities import Utility, require_every_label
from ndcg_asymptotics.specs.ranges import whole

_TIES_SEED = 1192  # of the random orders of documents with equal labels; any number will do


@dataclass(frozen=True)
class ListMLE(Loss, keyword="listmle"):
    """φ = Σ_r log Σ_{q >= r} exp(s_(q) - s_(r)), in the order of the labels (Xia et al. 2008).

    It is minus the logarithm of the probability of that order where the next item is always drawn from
    those that are left with probabilities proportional to exp(s). Items with equal labels are in random
    order, as in libraries, and φ is the mean: over all orders in `minimiser`, over ``shuffles`` random ones,
    always the same, in `on`, with which rankers are trained. A list whose labels are all equal has no order
    and contributes nothing.

    Parameters
    ----------
    shuffles : float
        A whole number, at least 1.
    """

    shuffles: float = field(default=8, metadata=whole(1))
    claim: ClassVar[str] = "consistent for the 0/1 error of orders (Xia et al.)"
    shift_invariant: ClassVar[bool] = True

    def on(self, batch: Batch, utility: Utility) -> Surrogate:
        return _BatchLikelihood(batch, int(self.shuffles))

    def minimiser(self, labels: Floats, probabilities: Floats, utility: Utility) -> Minimiser:
        weights: dict[_Draw, float] = defaultdict(float)
        for y, p in zip(require_every_label(labels), probabilities.tolist(), strict=True):
            if (y != y[0]).any():
                for draw, chance in _draws(y):
                    weights[draw] += p * chance
        weights = {draw: weight for draw, weight in weights.items() if weight > 0}
        counts = np.zeros((len(weights), labels.shape[-1]))
        for row, draw in enumerate(weights):
            counts[row, list(draw.left)] = 1.0
        choice = np.array([draw.item for draw in weights], np.int64)
        return minimiser_of(_Draws(np.array(list(weights.values())), choice, counts))


class _Draw(NamedTuple):
    """The draw of an item when some items, among them this one, are left."""

    item: int
    left: tuple[int, ...]


def _draws(y: Floats) -> list[tuple[_Draw, float]]:
    """Return each draw of an item from the items left, with its chance over the orders of equal labels."""
    draws = []
    for label in np.unique(y).tolist():
        lower = np.flatnonzero(y < label).tolist()
        equal = np.flatnonzero(y == label).tolist()
        for size in range(1, len(equal) + 1):
            # when `size` of the equal items are left, these are any of them, and any of these is drawn
            chance = 1 / (comb(len(equal), size) * size)
            for part in combinations(equal, size):
                left = tuple(sorted([*part, *lower]))
                if len(left) > 1:  # the last item is certain, and its term 0
                    draws += [(_Draw(item, left), chance) for item in part]
    return draws


@dataclass(frozen=True, eq=False)
class _Draws(SmoothSum):
    """Σ w log Σ_k n_k exp(s_k - s_i) over draws of an item i when n_k items with the score s_k are left."""

    weight: Floats
    choice: Integers
    counts: Floats

    @property
    def items(self) -> int:  # type: ignore[override]
        return int(self.counts.shape[1])

    def arrows(self) -> Bools:
        arrows = np.zeros((self.items, self.items), np.bool_)
        for item in range(self.items):
            arrows[item] = (self.counts[self.choice == item] > 0).any(axis=0)
        np.fill_diagonal(arrows, False)
        return arrows

    def inside(self, members: Integers) -> tuple[Self, float]:
        names = self.names_among(members)
        mask = names[self.choice] >= 0
        return self._without_constants(
            self.weight[mask], names[self.choice[mask]], self.counts[np.ix_(mask, members)]
        )

    def tied(self, a: int, b: int) -> tuple[Self, float]:
        counts = self.counts.copy()
        counts[:, a] += counts[:, b]
        counts[:, b] = 0
        return self._without_constants(self.weight, np.where(self.choice == b, a, self.choice), counts)

    def _without_constants(self, weight: Floats, choice: Integers, counts: Floats) -> tuple[Self, float]:
        """Return the sum, and of draws from items with one score only the value ``w log n``."""
        equal = counts[np.arange(len(choice)), choice]
        single = equal == counts.sum(axis=1)
        varying = replace(self, weight=weight[~single], choice=choice[~single], counts=counts[~single])
        return varying, float(weight[single] @ np.log(equal[single]))

    def at(self, s: Floats) -> tuple[float, Floats, Floats]:
        total, share = self._shares(s)
        value = float(self.weight @ (total - s[self.choice]))
        gradient = self.weight @ share - np.bincount(self.choice, self.weight, self.items)
        return value, gradient, np.ones(self.weight.size)

    def hessian(self, s: Floats) -> Floats:
        _, share = self._shares(s)
        weighted = self.weight[:, None] * share
        return np.diag(weighted.sum(axis=0)) - share.T @ weighted

    def distances(self, value: float) -> Floats:
        # no term is larger than the sum, and none is less than w (s_k - s_i)
        with np.errstate(over="ignore"):  # a tiny weight bounds nothing
            lengths = value / self.weight
        row, k = np.nonzero(self.counts)
        return self.shortest(self.choice[row], k, lengths[row])

    def scaled(self, factor: float) -> Self:
        return replace(self, weight=self.weight * factor)

    def _shares(self, s: Floats) -> tuple[Floats, Floats]:
        """Return log Σ_k n_k exp(s_k), and the chance of every item to be drawn."""
        with np.errstate(divide="ignore"):
            powers = np.log(self.counts) + s
        total = logsumexp(powers, axis=1)
        return total, np.exp(powers - total[:, None])


class _BatchLikelihood:
    """ListMLE of a batch, the mean over random orders of equal labels."""

    curved = True

    def __init__(self, batch: Batch, shuffles: int) -> None:
        self._batch, self._shuffles = batch, shuffles
        self.contributing = np.zeros(batch.sizes.size, np.bool_)
        self._orders: list[SameLength] = []  # the items of each list, in the order of the labels
        rng = np.random.default_rng(_TIES_SEED)
        for block in batch.blocks:
            labels = require_every_label(batch.labels[block.items])
            mask = (labels != labels[:, :1]).any(axis=1)
            self.contributing[block.lists] = mask
            for _ in range(shuffles if mask.any() else 0):
                order = np.lexsort((rng.random((int(mask.sum()), labels.shape[1])), -labels[mask]))
                items = np.take_along_axis(block.items[mask], order, axis=1)
                self._orders.append(SameLength(block.lists[mask], items))

    def __call__(self, scores: Floats) -> tuple[Floats, Floats]:
        values, gradient = np.zeros(self._batch.sizes.size), np.zeros(scores.size)
        for lists, items in self._orders:
            s = scores[items]
            left = _log_left(s)
            values[lists] += (left - s).sum(axis=1)
            log_sums = np.logaddexp.accumulate(-left, axis=1)
            # ∂φ/∂s_(q) = Σ_{r <= q} exp(s_(q)) / Σ_{p >= r} exp(s_(p)) - 1
            gradient[items] += np.exp(s + log_sums) - 1
        return values / self._shuffles, gradient / self._shuffles

    def hessian(self, scores: Floats) -> Callable[[Floats], Floats]:
        parts = []
        for _, items in self._orders:
            s = scores[items]
            largest = s.max(axis=1, keepdims=True)
            powers = np.exp(s - largest)
            # sums that underflow are those of powers that do, so any positive number serves in their place
            left = np.maximum(np.exp(_log_left(s) - largest), np.finfo(float).tiny)
            parts.append((items, powers, 1 / left, powers * np.cumsum(1 / left, axis=1)))

        def product(v: Floats) -> Floats:
            products = np.zeros(scores.size)
            for items, powers, inverse, chances in parts:
                x = v[items]
                mean = np.cumsum((powers * x)[:, ::-1], axis=1)[:, ::-1] * inverse  # of x over the items left
                products[items] += chances * x - powers * np.cumsum(inverse * mean, axis=1)
            return products / self._shuffles

        return product


def _log_left(s: Floats) -> Floats:
    """Return log Σ_{q >= r} exp(s_q) along the last axis."""
    return np.asarray(np.logaddexp.accumulate(s[:, ::-1], axis=1)[:, ::-1])
