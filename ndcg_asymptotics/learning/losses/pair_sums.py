"""Sums ``Σ w φ(s_i - s_j - c)`` over pairs: values for many lists, and minimisers for few items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import lcm
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import expit

from ndcg_asymptotics.core.arrays import Bools, Floats, Integers
from ndcg_asymptotics.learning.losses.infima import ScoreSum, SmoothSum
from ndcg_asymptotics.learning.losses.loss import Order, exp_with_tangent


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
        # beyond t = -300 not the 0 of the tangent but exp(300), which only shortens Newton steps
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
DIFFERENTIABLE = tuple(name for name, phi in PHIS.items() if phi.differentiable)


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

    def select(self, mask: Bools) -> Terms:
        """Return the pairs for which ``mask`` is true."""
        return Terms(self.first[mask], self.second[mask], self.weight[mask], self.offset[mask])

    def renamed(self, names: Integers) -> Terms:
        """Return the pairs with item i called names[i]; pairs of an item with itself are left out."""
        first, second = names[self.first], names[self.second]
        return Terms(first, second, self.weight, self.offset).select(first != second)


def _summed(index: Integers, values: Floats, count: int) -> Floats:
    return np.bincount(index, values, count).astype(np.float64, copy=False)


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
        # the differences s_i - s_j are a matrix with a row per pair, 1 at the first item and -1 at the second
        number = terms.first.size
        columns = np.column_stack([terms.first, terms.second]).reshape(-1)
        signs = np.tile([1.0, -1.0], number)
        self._differences = csr_array(
            (signs, columns, np.arange(0, 2 * number + 1, 2)), shape=(number, items)
        )
        self._transposed = self._differences.T.tocsr()

    def __call__(self, scores: Floats) -> tuple[Floats, Floats]:
        margins = self._differences @ scores - self.terms.offset
        weight = self.terms.weight
        values = _summed(self._lists, weight * self._phi.value(margins), self._count)
        return values, np.asarray(self._transposed @ (weight * self._phi.slope(margins)))

    def hessian(self, scores: Floats) -> Callable[[Floats], Floats]:
        curved = self.terms.weight * self._phi.curvature(self._differences @ scores - self.terms.offset)
        return lambda v: np.asarray(self._transposed @ (curved * (self._differences @ v)))

    def reweighted(self, weight: Floats) -> Self:
        """Return the same sums with other weights (T,)."""
        sums = copy(self)
        sums.terms = self.terms._replace(weight=weight)
        return sums


@dataclass(frozen=True, eq=False)
class _Pairs(ScoreSum):
    """A sum over pairs, and what does not depend on whether φ is differentiable."""

    phi: Phi
    terms: Terms
    items: int

    def arrows(self) -> Bools:
        arrows = np.zeros((self.items, self.items), np.bool_)
        arrows[self.terms.first, self.terms.second] = True
        return arrows

    def inside(self, members: Integers) -> tuple[Self, float]:
        names = self.names_among(members)
        mask = (names[self.terms.first] >= 0) & (names[self.terms.second] >= 0)
        return replace(self, terms=self.terms.select(mask).renamed(names), items=members.size), 0.0

    def tied(self, a: int, b: int) -> tuple[Self, float]:
        names = np.arange(self.items)
        names[b] = a
        first, second, weight, offset = self.terms
        pair = (first == a) & (second == b) | (first == b) & (second == a)
        constant = float((weight[pair] * self.phi.value(-offset[pair])).sum())
        return replace(self, terms=self.terms.renamed(names)), constant


@dataclass(frozen=True, eq=False)
class SmoothPairs(_Pairs, SmoothSum):
    """A sum over pairs with a differentiable φ."""

    @property
    def weight(self) -> Floats:  # type: ignore[override]
        return self.terms.weight

    def at(self, s: Floats) -> tuple[float, Floats, Floats]:
        margins = self.terms.margins(s)
        value = float(self.terms.weight @ self.phi.value(margins))
        return value, self.terms.slopes(self.phi, margins, self.items), self.phi.slope(margins)

    def hessian(self, s: Floats) -> Floats:
        curved = self.terms.weight * self.phi.curvature(self.terms.margins(s))
        # the Laplacian of the graph whose edges are the pairs, with these weights
        adjacency = np.zeros((self.items, self.items))
        np.add.at(adjacency, (self.terms.first, self.terms.second), curved)
        adjacency += adjacency.T
        return np.diag(adjacency.sum(axis=0)) - adjacency

    def distances(self, value: float) -> Floats:
        # no term is larger than the sum, and φ(t) >= -t, so s_j - s_i <= value/w - c
        with np.errstate(over="ignore"):  # a tiny weight bounds nothing
            lengths = value / self.terms.weight - self.terms.offset
        return self.shortest(self.terms.first, self.terms.second, lengths)

    def scaled(self, factor: float) -> Self:
        return replace(self, terms=self.terms._replace(weight=self.terms.weight * factor))


_HIGHS_TOLERANCES: Any = {  # the smallest that HiGHS allows
    "primal_feasibility_tolerance": 1e-10,
    "dual_feasibility_tolerance": 1e-10,
}
_HIGHS_ERROR = 1e-8  # relative error of the value: the tolerances times scores and weights of at most 8 items


class HingePairs(_Pairs):
    """A sum over pairs with the hinge, ``Σ w max(0, 1 + c - (s_i - s_j))``: a linear program minimises it."""

    def minimum(self) -> tuple[Floats, float, float]:
        solved = self.solve()
        if solved is None:  # HiGHS gave up: an infinite error, with which no order is certain
            return np.zeros(self.items), 0.0, np.inf
        s, bound = solved
        value = float(self.terms.weight @ self.phi.value(self.terms.margins(s)))
        return s - s.mean(), value, abs(value - bound) + _HIGHS_ERROR * (1 + value)

    def solve(self, order: Sequence[int] = ()) -> tuple[Floats, float] | None:
        """Return minimising scores and the minimum, over scores that do not increase along a given order.

        The program is Σ w x with x >= 1 + c - (s_i - s_j), x >= 0; None if HiGHS does not solve it.
        """
        from scipy.optimize import linprog  # it takes long to load, and `list` does not need it

        terms, items, count = self.terms, self.items, self.terms.first.size
        rows = np.arange(count)
        # the variables are s and behind them x; linprog wants matrix @ variables <= upper
        matrix = np.zeros((count + max(len(order) - 1, 0), items + count))
        matrix[rows, terms.first] = -1.0
        matrix[rows, terms.second] = 1.0
        matrix[rows, items + rows] = -1.0
        for row, (high, low) in enumerate(pairwise(order), count):
            matrix[row, high], matrix[row, low] = -1.0, 1.0
        upper = np.concatenate([-(1 + terms.offset), np.zeros(len(matrix) - count)])
        cost = np.concatenate([np.zeros(items), terms.weight])
        # the first score is 0, as only differences count
        ranges = [(0.0, 0.0)] + [(None, None)] * (items - 1) + [(0.0, None)] * count
        program: Any = linprog(
            cost, A_ub=matrix, b_ub=upper, bounds=ranges, method="highs", options=_HIGHS_TOLERANCES
        )
        return (np.asarray(program.x[:items]), float(program.fun)) if program.status == 0 else None


class WholeHinge:
    """The minimisers of a hinge sum with whole offsets, without rounding errors.

    With whole offsets Φ is linear on every cone s + {d : d_σ(1) >= … >= d_σ(m)}, |d_i - d_j| <= 1, around
    whole scores s, and such a d is a multiple of (1, …, 1), which changes nothing, plus a combination with
    coefficients >= 0 of the vectors χ_X that are 1 on a set X of items and 0 elsewhere. So whole scores s
    minimise the convex function Φ if and only if Φ(s + χ_X) >= Φ(s) for all 2^m sets X, which whole numbers
    decide: the weights are multiples of one power of 2. The vertices of the linear program are whole, as
    its matrix is that of a network.

    Parameters
    ----------
    pairs : HingePairs
    weights : sequence of Fraction
        The weights of the terms, exactly.
    """

    def __init__(self, pairs: HingePairs, weights: Sequence[Fraction]) -> None:
        self._pairs = pairs
        unit = lcm(*(w.denominator for w in weights))
        self._weight = np.array([int(w * unit) for w in weights], object)

    def admits(self, order: Order) -> bool:
        """Return whether it is proved that whole scores that do not increase along the order minimise Φ."""
        solved = self._pairs.solve(order)
        if self._least is None or solved is None:
            return False
        s = np.rint(solved[0]).astype(np.int64)
        return bool((np.diff(s[list(order)]) <= 0).all()) and self._values(s[None])[0] == self._least

    def _values(self, scores: Integers) -> NDArray[np.object_]:
        """Return Φ at whole scores (k, m), in units of the common denominator of the weights."""
        first, second, _, offset = self._pairs.terms
        missing = 1 + offset.astype(np.int64) - (scores[:, first] - scores[:, second])
        return np.asarray(np.maximum(missing, 0).astype(object) @ self._weight)

    @cached_property
    def _least(self) -> int | None:
        """The minimum of Φ; None if that of the linear program is not proved to be one."""
        solved = self._pairs.solve()
        if solved is None:
            return None
        s = np.rint(solved[0]).astype(np.int64)
        items = self._pairs.items
        sets = (np.arange(2**items)[:, None] >> np.arange(items)) & 1  # χ_X of every X; the first is empty
        values = self._values(s + sets)
        return int(values[0]) if values[0] == min(values) else None
