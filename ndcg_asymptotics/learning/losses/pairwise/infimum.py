"""The infimum of ``Σ w φ(s_i - s_j - c)`` over the scores of a few items, and its order.

Draw an arrow from i to j for every pair. Where items i and j lie on a cycle their distance stays
bounded; where arrows lead from i to j but not back, s_i - s_j → ∞ costs nothing. So the infimum is the sum
of the minima over the strongly connected parts, and between two parts only the arrows decide the order.

The price of the other order of a and b is what it costs to tie them, ``inf {Φ: s_a = s_b} - inf Φ``: Φ is
convex, so where it is positive *every* minimiser, unique or not, has a and b in the same order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linprog, minimize
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ndcg_asymptotics.arrays import Bools, Floats, Integers
from ndcg_asymptotics.errors import InputError
from ndcg_asymptotics.learning.losses.loss import Minimiser
from ndcg_asymptotics.learning.losses.pairwise.phi import Phi
from ndcg_asymptotics.learning.losses.pairwise.terms import Terms

_POLISH = 20  # Newton steps at most
_ACCEPTED = 1e-6  # the largest decrement, relative to the value
_SIMPLEX_TOLERANCE = 1e-9  # relative, of a linear program's value: HiGHS's own is 1e-7 on single constraints


@dataclass(frozen=True)
class _Infimum:
    value: float
    error: float
    scores: Floats  # relative to each other within a part only
    part: Integers


def minimiser_of(phi: Phi, terms: Terms, items: int) -> Minimiser:
    """What is known of the minimisers of the sum, by the prices of all pairs."""
    whole = _infimum(phi, terms, items)
    reach = _reachable(terms, items)
    price = np.zeros((items, items))
    error = whole.error
    for a in range(items):
        for b in range(a + 1, items):
            names = np.arange(items)
            names[b] = a
            tied = _infimum(phi, terms.renamed(names), items)
            own = (terms.first == a) & (terms.second == b) | (terms.first == b) & (terms.second == a)
            fixed = float((terms.weight[own] * phi.value(-terms.offset[own])).sum())
            price[a, b] = price[b, a] = tied.value + fixed - whole.value
            error = max(error, whole.error + tied.error)
    same = whole.part[:, None] == whole.part[None, :]
    above = np.where(same, whole.scores[:, None] > whole.scores[None, :], reach & ~reach.T)
    attained = whole.part.max(initial=0) == 0
    return Minimiser(whole.scores if attained else None, price, above, error)


def _reachable(terms: Terms, items: int) -> Bools:
    """Whether arrows lead from i to j."""
    reach = np.eye(items, dtype=np.bool_)
    reach[terms.first, terms.second] = True
    for k in range(items):
        reach |= reach[:, k, None] & reach[None, k, :]
    return reach


def _infimum(phi: Phi, terms: Terms, items: int) -> _Infimum:
    ones = np.ones(terms.first.size)
    graph = coo_array((ones, (terms.first, terms.second)), shape=(items, items))
    count, part = connected_components(graph, directed=True, connection="strong")
    scores, value, error = np.zeros(items), 0.0, 0.0
    for number in range(count):
        members = np.flatnonzero(part == number)
        if members.size == 1:
            continue
        names = np.full(items, -1)
        names[members] = np.arange(members.size)
        inside = terms.within((part[terms.first] == number) & (part[terms.second] == number)).renamed(names)
        solve = _smooth if phi.differentiable else _simplex
        found, least, off = solve(phi, inside, members.size)
        scores[members], value, error = found, value + least, error + off
    return _Infimum(value, error, scores, part.astype(np.int64))


def _smooth(phi: Phi, terms: Terms, items: int) -> tuple[Floats, float, float]:
    """A trust region far from the minimum, Newton's method near it: scores, value, and its error.

    The error is the Newton decrement g'H^-1 g, which bounds Φ(s) - min Φ where φ is (generalised)
    self-concordant or piecewise quadratic and the decrement is small, as it is checked to be; and rounding.
    """

    def scores(x: Floats) -> Floats:
        return np.concatenate([[0.0], x])  # the first item stays where it is: only differences count

    def objective(x: Floats) -> tuple[float, Floats]:
        margins = terms.margins(scores(x))
        return float(terms.weight @ phi.value(margins)), terms.slopes(phi, margins, items)[1:]

    def hessian(x: Floats) -> Floats:
        return _hessian(phi, terms, terms.margins(scores(x)), items)[1:, 1:]

    scale = float(terms.weight.max())
    terms = terms._replace(weight=terms.weight / scale)
    start = np.zeros(items - 1)
    x = minimize(objective, start, jac=True, hess=hessian, method="trust-exact", options={"gtol": 1e-8}).x
    (value, gradient), decrement = objective(x), np.inf
    for _ in range(_POLISH):
        step = -np.linalg.lstsq(hessian(x), gradient, rcond=None)[0]
        decrement = -float(gradient @ step)
        after, slope = objective(x + step)
        if not after < value:
            break
        x, value, gradient = x + step, after, slope
    rounding = 16 * float(np.finfo(float).eps) * terms.first.size * value
    if not decrement <= _ACCEPTED * value:
        raise InputError(f"the expected loss could not be minimised (Newton decrement {decrement:.1e})")
    s = scores(x)
    return s - s.mean(), scale * value, scale * (max(decrement, 0.0) + rounding)


def _hessian(phi: Phi, terms: Terms, margins: Floats, items: int) -> Floats:
    curved = terms.weight * phi.curvature(margins)
    hessian = np.zeros((items, items))
    for row, column, sign in (
        (terms.first, terms.first, 1), (terms.second, terms.second, 1),
        (terms.first, terms.second, -1), (terms.second, terms.first, -1),
    ):  # fmt: skip
        np.add.at(hessian, (row, column), sign * curved)
    return hessian


def _simplex(phi: Phi, terms: Terms, items: int) -> tuple[Floats, float, float]:
    """The hinge: minimise Σ w x with x >= 1 - (s_i - s_j - c), x >= 0."""
    count = terms.first.size
    rows = np.arange(count)
    bounds = np.zeros((count, items + count))
    bounds[rows, terms.first] = -1.0
    bounds[rows, terms.second] = 1.0
    bounds[rows, items + rows] = -1.0
    cost = np.concatenate([np.zeros(items), terms.weight])
    free = [(0.0, 0.0)] + [(None, None)] * (items - 1) + [(0.0, None)] * count
    found: Any = linprog(cost, A_ub=bounds, b_ub=-(1 + terms.offset), bounds=free, method="highs")
    if found.status != 0:
        raise InputError(f"the expected loss could not be minimised ({found.message})")
    s = np.asarray(found.x[:items])
    value = float(terms.weight @ phi.value(terms.margins(s)))
    return s - s.mean(), value, abs(value - float(found.fun)) + _SIMPLEX_TOLERANCE * (1 + value)
