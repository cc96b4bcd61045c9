"""Sums ``Σ w φ(s_i - s_j - c)`` over pairs of items: value, gradient and infimum.

The infimum is computed for a few items. Draw an arrow from i to j for every pair (i, j). Where i and j lie
on a cycle, the distance of their scores stays bounded; where arrows lead from i to j but not back, s_i - s_j
→ ∞ costs nothing. So the infimum is the sum of the minima over the strongly connected components, and
between two components only the arrows decide the order.

The swap cost of a and b is the cost of tying them, ``inf {Φ: s_a = s_b} - inf Φ``. Φ is convex, so where the
swap cost is positive every minimiser, unique or not, has a and b in the same order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linprog
from scipy.special import expit

from ndcg_asymptotics.core.arrays import Bools, Floats, Integers, brief
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.learning.losses.loss import Minimiser, exp_with_tangent


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
    "logistic": Phi(
        lambda t: np.logaddexp(0.0, -t), lambda t: -expit(-t), lambda t: expit(t) * expit(-t)
    ),
    "squared_hinge": Phi(
        lambda t: np.maximum(1 - t, 0.0) ** 2,
        lambda t: -2 * np.maximum(1 - t, 0.0),
        lambda t: 2 * (t < 1.0).astype(np.float64),
    ),
}  # fmt: skip


def phi_named(name: str) -> Phi:
    """Return the φ of a name.

    Raises
    ------
    InputError
        If the name is not known.
    """
    require(name in PHIS, f"phi must be one of {', '.join(PHIS)}, got {brief(name)}")
    return PHIS[name]


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


@dataclass(eq=False)
class PairSum:
    """The sums of all lists of a batch, as a function of the scores: values and gradient."""

    phi: Phi
    terms: Terms
    lists: Integers
    count: int

    def __post_init__(self) -> None:
        self.contributing = np.bincount(self.lists, minlength=self.count) > 0

    def __call__(self, scores: Floats) -> tuple[Floats, Floats]:
        margins = self.terms.margins(scores)
        values = _summed(self.lists, self.terms.weight * self.phi.value(margins), self.count)
        return values, self.terms.slopes(self.phi, margins, scores.size)


_MAX_NEWTON_STEPS = 1000  # a pair of weight w needs up to -log w steps to move apart
_MIN_DAMPING, _MAX_DAMPING = 1e-10, 1e6  # relative to the largest weight, which is scaled to 1
_RELATIVE_ROUNDING = 1e-15  # of the value of the sum: a few units in the last place
_HIGHS_TOLERANCES: Any = {  # the smallest that HiGHS allows
    "primal_feasibility_tolerance": 1e-10,
    "dual_feasibility_tolerance": 1e-10,
}
_HIGHS_ERROR = 1e-8  # relative error of the value: the tolerances times scores and weights of at most 8 items


@dataclass(frozen=True)
class _Infimum:
    value: float
    error: float
    scores: Floats  # comparable only within one component
    component: Integers


def minimiser_of(phi: Phi, terms: Terms, items: int) -> Minimiser:
    """Return the minimisers of the sum, with the swap costs of all pairs."""
    whole = _infimum(phi, terms, items)
    reach = _reachable(terms, items)
    swap_cost = np.zeros((items, items))
    error = whole.error
    for a in range(items):
        for b in range(a + 1, items):
            names = np.arange(items)
            names[b] = a
            tied = _infimum(phi, terms.renamed(names), items)
            own = (terms.first == a) & (terms.second == b) | (terms.first == b) & (terms.second == a)
            fixed = float((terms.weight[own] * phi.value(-terms.offset[own])).sum())
            swap_cost[a, b] = swap_cost[b, a] = tied.value + fixed - whole.value
            error = max(error, whole.error + tied.error)
    same = whole.component[:, None] == whole.component[None, :]
    above = np.where(same, whole.scores[:, None] > whole.scores[None, :], reach & ~reach.T)
    attained = whole.component.max(initial=0) == 0
    return Minimiser(whole.scores if attained else None, swap_cost, above, error)


def _reachable(terms: Terms, items: int) -> Bools:
    """Return whether arrows lead from i to j, (m, m)."""
    reach = np.eye(items, dtype=np.bool_)
    reach[terms.first, terms.second] = True
    for k in range(items):
        reach |= reach[:, k, None] & reach[None, k, :]
    return reach


def _infimum(phi: Phi, terms: Terms, items: int) -> _Infimum:
    reach = _reachable(terms, items)
    component = np.argmax(reach & reach.T, axis=1)  # named after its first item
    scores, value, error = np.zeros(items), 0.0, 0.0
    for number in np.unique(component).tolist():
        members = np.flatnonzero(component == number)
        if members.size == 1:
            continue
        names = np.full(items, -1)
        names[members] = np.arange(members.size)
        inside = terms.select(
            (component[terms.first] == number) & (component[terms.second] == number)
        ).renamed(names)
        solve = _minimise_smooth if phi.differentiable else _minimise_hinge
        found, least, off = solve(phi, inside, members.size)
        scores[members], value, error = found, value + least, error + off
    return _Infimum(value, error, scores, component)


def _minimise_smooth(phi: Phi, terms: Terms, items: int) -> tuple[Floats, float, float]:
    """Return the minimising scores, the minimum and a bound of its error, by Newton's method.

    Φ is convex: with g the gradient at s, and s_0 = s*_0 = 0 for a minimiser s*,

        Φ(s) - Φ(s*) <= <g, s - s*> <= Σ |g_i| (|s_i| + |s*_i|),

    and `_distance_bounds` bounds the scores of a minimiser.
    """
    scale = float(terms.weight.max())
    scaled = terms._replace(weight=terms.weight / scale)
    x, value, gradient = _newton(_Objective(phi, scaled, items))
    s = np.append(0.0, x)
    margins = scaled.margins(s)
    rounding = 16 * float(np.finfo(float).eps) * terms.first.size
    lost = rounding * float(np.max(scaled.weight * np.abs(phi.slope(margins)), initial=0.0))
    away = np.abs(x) + _distance_bounds(scaled, value, items)[1:]
    error = float((np.abs(gradient) + lost) @ away) + rounding * value
    return s - s.mean(), scale * value, scale * error


def _distance_bounds(terms: Terms, value: float, items: int) -> Floats:
    """Return bounds of |s_i - s_0| over all scores whose sum is at most ``value``.

    All items must lie on cycles with the first. No term is larger than the sum, and φ(t) >= -t, so s_j - s_i
    <= value/w - c for every term. Taken as lengths of arrows, their shortest paths bound all differences.
    """
    upper = np.where(np.eye(items, dtype=np.bool_), 0.0, np.inf)
    with np.errstate(over="ignore"):  # a tiny weight bounds nothing
        lengths = value / terms.weight - terms.offset
    np.minimum.at(upper, (terms.first, terms.second), lengths)
    for k in range(items):
        upper = np.minimum(upper, upper[:, k, None] + upper[None, k, :])
    return np.asarray(np.maximum(np.abs(upper[0]), np.abs(upper[:, 0])))


@dataclass(frozen=True)
class _Objective:
    """The sum as a function of all scores but the first, which is fixed at 0: only differences count."""

    phi: Phi
    terms: Terms
    items: int

    def scores(self, x: Floats) -> Floats:
        return np.concatenate([[0.0], x])

    def __call__(self, x: Floats) -> tuple[float, Floats]:
        margins = self.terms.margins(self.scores(x))
        value = float(self.terms.weight @ self.phi.value(margins))
        return value, self.terms.slopes(self.phi, margins, self.items)[1:]

    def hessian(self, x: Floats) -> Floats:
        curved = self.terms.weight * self.phi.curvature(self.terms.margins(self.scores(x)))
        pairs = np.zeros((self.items, self.items))
        np.add.at(pairs, (self.terms.first, self.terms.second), curved)
        pairs += pairs.T
        return (np.diag(pairs.sum(axis=0)) - pairs)[1:, 1:]


def _newton(objective: _Objective) -> tuple[Floats, float, Floats]:
    """Return the last point of a damped Newton method, with the value and the gradient there.

    The Hessian is damped by a multiple of the identity until a step lowers the sum: where φ is nearly linear,
    the Hessian is nearly singular and does not determine the length of a step.
    """
    identity = np.eye(objective.items - 1)
    x = np.zeros(objective.items - 1)
    value, gradient = objective(x)
    damping = 0.0
    for _ in range(_MAX_NEWTON_STEPS):
        if _norm(gradient) <= _RELATIVE_ROUNDING:
            break
        hessian = objective.hessian(x)
        step = -np.linalg.lstsq(hessian + damping * identity, gradient, rcond=None)[0]
        after, slope = objective(x + step)
        # near the end the decrease of the value is lost in rounding, but not that of the gradient
        lower = after < value or (
            after <= value * (1 + _RELATIVE_ROUNDING) and _norm(slope) < _norm(gradient)
        )
        if lower:
            x, value, gradient = x + step, after, slope
            damping = damping / 10 if damping > _MIN_DAMPING else 0.0
        elif damping > _MAX_DAMPING:
            break
        else:
            damping = max(10 * damping, _MIN_DAMPING)
    return x, value, gradient


def _norm(gradient: Floats) -> float:
    return float(np.abs(gradient).sum())


def _minimise_hinge(phi: Phi, terms: Terms, items: int) -> tuple[Floats, float, float]:
    """Minimise the hinge loss by a linear program: Σ w x with x >= 1 - (s_i - s_j - c), x >= 0."""
    count = terms.first.size
    rows = np.arange(count)
    bounds = np.zeros((count, items + count))
    bounds[rows, terms.first] = -1.0
    bounds[rows, terms.second] = 1.0
    bounds[rows, items + rows] = -1.0
    cost = np.concatenate([np.zeros(items), terms.weight])
    free = [(0.0, 0.0)] + [(None, None)] * (items - 1) + [(0.0, None)] * count
    found: Any = linprog(
        cost, A_ub=bounds, b_ub=-(1 + terms.offset), bounds=free, method="highs", options=_HIGHS_TOLERANCES
    )
    if found.status != 0:
        return np.zeros(items), 0.0, np.inf
    s = np.asarray(found.x[:items])
    value = float(terms.weight @ phi.value(terms.margins(s)))
    return s - s.mean(), value, abs(value - float(found.fun)) + _HIGHS_ERROR * (1 + value)
