"""Sums ``Σ w φ(s_i - s_j - c)`` over pairs of items of many lists: values and gradient."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from scipy.sparse import csr_array
from scipy.special import expit

from ndcg_asymptotics.core.arrays import Bools, Floats, Integers
from ndcg_asymptotics.learning.losses.loss import exp_with_tangent


@dataclass(frozen=True)
class Phi:
    """φ(t), convex and non-increasing, with φ(t) → 0 for t → ∞ and φ'(0) < 0.

    Attributes
    ----------
    value, slope, curvature
        φ, φ' and φ''; where they do not exist, a subgradient and 0.
    differentiable : bool
    """

    value: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]
    curvature: Callable[[Floats], Floats]
    differentiable: bool = True


PHIS = {
    "exponential": Phi(
        lambda t: exp_with_tangent(-t)[0],
        lambda t: -exp_with_tangent(-t)[1],
        lambda t: exp_with_tangent(-t)[1],
    ),
    "hinge": Phi(
        lambda t: np.maximum(1 - t, 0.0), lambda t: -(t < 1.0).astype(np.float64), np.zeros_like, False
    ),
    "logistic": Phi(lambda t: np.logaddexp(0.0, -t), lambda t: -expit(-t), lambda t: expit(t) * expit(-t)),
    "squared_hinge": Phi(
        lambda t: np.maximum(1 - t, 0.0) ** 2,
        lambda t: -2 * np.maximum(1 - t, 0.0),
        lambda t: 2 * (t < 1.0).astype(np.float64),
    ),
}


class Terms(NamedTuple):
    """The pairs (i, j) with w > 0: items i and j, weight w and offset c, each (T,)."""

    first: Integers
    second: Integers
    weight: Floats
    offset: Floats

    def margins(self, scores: Floats) -> Floats:
        """Return s_i - s_j - c for every pair."""
        return scores[self.first] - scores[self.second] - self.offset

    def slopes(self, phi: Phi, margins: Floats, items: int) -> Floats:
        """Return the gradient of the sum with respect to the scores of the items."""
        pull = self.weight * phi.slope(margins)
        return _summed(self.first, pull, items) - _summed(self.second, pull, items)

    def select(self, kept: Bools) -> Terms:
        """Return the pairs for which ``kept`` is true."""
        return Terms(self.first[kept], self.second[kept], self.weight[kept], self.offset[kept])

    def renamed(self, names: Integers) -> Terms:
        """Return the pairs with item i called names[i]; pairs of an item with itself are left out."""
        first, second = names[self.first], names[self.second]
        return Terms(first, second, self.weight, self.offset).select(first != second)


def _summed(where: Integers, what: Floats, count: int) -> Floats:
    return np.bincount(where, what, count).astype(np.float64, copy=False)


class PairSum:
    """The sums of all lists of a batch, as a function of the scores: values, gradient and Hessian.

    Parameters
    ----------
    phi : Phi
    terms : Terms
        The pairs of all lists; items are those of the batch.
    lists : (T,)
        The list of each pair.
    items, count : int
        The numbers of items and of lists.
    """

    def __init__(self, phi: Phi, terms: Terms, lists: Integers, items: int, count: int) -> None:
        self._phi, self.terms, self._lists, self._count = phi, terms, lists, count
        self.contributing = np.bincount(lists, minlength=count) > 0
        self.curved = phi.differentiable
        # a row per pair with 1 at the first item and -1 at the second
        number = terms.first.size
        columns = np.column_stack([terms.first, terms.second]).reshape(-1)
        signs = np.tile([1.0, -1.0], number)
        self._pairs = csr_array((signs, columns, np.arange(0, 2 * number + 1, 2)), shape=(number, items))
        self._items = self._pairs.T.tocsr()

    def __call__(self, scores: Floats) -> tuple[Floats, Floats]:
        margins = self._pairs @ scores - self.terms.offset
        weight = self.terms.weight
        values = _summed(self._lists, weight * self._phi.value(margins), self._count)
        return values, np.asarray(self._items @ (weight * self._phi.slope(margins)))

    def hessian(self, scores: Floats) -> Callable[[Floats], Floats]:
        curved = self.terms.weight * self._phi.curvature(self._pairs @ scores - self.terms.offset)
        return lambda v: np.asarray(self._items @ (curved * (self._pairs @ v)))

    def reweighted(self, weight: Floats) -> Self:
        """Return the same sums with other weights (T,)."""
        other = copy(self)
        other.terms = self.terms._replace(weight=weight)
        return other
