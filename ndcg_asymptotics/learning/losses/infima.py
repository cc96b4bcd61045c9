"""The infimum of a convex sum of few scores, its minimisers, and the cost of tying two items.

Every term is not negative and pulls items apart: it falls to 0 as the scores of some items move away from
those of others. Draw an *arrow* from i to j where a term wants s_i above s_j. Where i and j lie on a cycle,
the distance of their scores stays bounded; where arrows lead from i to j but not back, s_i - s_j → ∞ costs
nothing. So the infimum is the sum of the minima over the strongly connected components, and between two
components only the arrows decide the order.

The swap cost of a and b is the cost of tying them, ``inf {Φ: s_a = s_b} - inf Φ``. Φ is convex, so where the
swap cost is positive every minimiser, unique or not, has a and b in the same order.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Self

import numpy as np

from ndcg_asymptotics.core.arrays import Bools, Floats, Integers
from ndcg_asymptotics.learning.losses.loss import Minimiser

_MAX_NEWTON_STEPS = 1000  # a term of weight w needs up to -log w steps to move items apart
_MIN_DAMPING, _MAX_DAMPING = 1e-10, 1e6  # relative to the largest weight, which is scaled to 1
_RELATIVE_ROUNDING = 1e-15  # of the value of the sum: a few units in the last place


class ScoreSum(ABC):
    """A convex sum of terms of the scores of m items that pull items apart.

    Attributes
    ----------
    items : int
        m.
    """

    items: int

    def names_among(self, members: Integers) -> Integers:
        """Return the numbers of all items within a component, -1 for those outside, (m,)."""
        names = np.full(self.items, -1)
        names[members] = np.arange(members.size)
        return names

    @abstractmethod
    def arrows(self) -> Bools:
        """Return whether a term wants i above j, (m, m)."""

    @abstractmethod
    def inside(self, members: Integers) -> tuple[Self, float]:
        """Return the sum over the items of a component, with all others infinitely far, and a constant."""

    @abstractmethod
    def tied(self, a: int, b: int) -> tuple[Self, float]:
        """Return the sum with the score of b replaced by that of a, and the constant that this adds."""

    @abstractmethod
    def minimum(self) -> tuple[Floats, float, float]:
        """Return minimising scores, the minimum and a bound of its error; all items lie on cycles."""


@dataclass(frozen=True)
class _Infimum:
    value: float
    error: float
    scores: Floats  # comparable only within one component
    component: Integers


def minimiser_of(total: ScoreSum) -> Minimiser:
    """Return the minimisers of a sum, with the swap costs of all pairs."""
    items = total.items
    whole = _infimum(total)
    reach = _reachable(total.arrows())
    swap_cost = np.zeros((items, items))
    error = whole.error
    for a in range(items):
        for b in range(a + 1, items):
            total_if_tied, constant = total.tied(a, b)
            tied = _infimum(total_if_tied)
            swap_cost[a, b] = swap_cost[b, a] = tied.value + constant - whole.value
            error = max(error, whole.error + tied.error)
    same_component = whole.component[:, None] == whole.component[None, :]
    above = np.where(same_component, whole.scores[:, None] > whole.scores[None, :], reach & ~reach.T)
    attained = whole.component.max(initial=0) == 0
    return Minimiser(whole.scores if attained else None, swap_cost, above, error)


def _reachable(arrows: Bools) -> Bools:
    """Return whether arrows lead from i to j, (m, m)."""
    reach = arrows | np.eye(len(arrows), dtype=np.bool_)
    for k in range(len(arrows)):
        reach |= reach[:, k, None] & reach[None, k, :]
    return reach


def _infimum(total: ScoreSum) -> _Infimum:
    reach = _reachable(total.arrows())
    component = np.argmax(reach & reach.T, axis=1)  # named after its first item
    scores, value, error = np.zeros(total.items), 0.0, 0.0
    for number in np.unique(component).tolist():
        members = np.flatnonzero(component == number)
        inner, constant = total.inside(members)
        value += constant
        if members.size > 1:
            scores[members], least, least_error = inner.minimum()
            value, error = value + least, error + least_error
    return _Infimum(value, error, scores, component)


class SmoothSum(ScoreSum):
    """A sum with two derivatives, which Newton's method minimises.

    Φ is convex: with g the gradient at s, and s_0 = s*_0 = 0 for a minimiser s*,

        Φ(s) - Φ(s*) <= <g, s - s*> <= Σ |g_i| (|s_i| + |s*_i|),

    and `distances` bounds the scores of a minimiser.

    Attributes
    ----------
    weight : (T,)
        The weights of the terms, positive.
    """

    weight: Floats

    @abstractmethod
    def at(self, s: Floats) -> tuple[float, Floats, Floats]:
        """Return Φ, its gradient (m,), and the slope of every term without its weight, (T,)."""

    @abstractmethod
    def hessian(self, s: Floats) -> Floats:
        """Return the Hessian (m, m)."""

    @abstractmethod
    def distances(self, value: float) -> Floats:
        """Return upper bounds of s_j - s_i for the arrows from i to j, where Φ(s) <= value; else infinity."""

    def shortest(self, first: Integers, second: Integers, lengths: Floats) -> Floats:
        """Return the least of the bounds of s_second - s_first for each pair of items; else infinity."""
        upper = np.full((self.items, self.items), np.inf)
        np.minimum.at(upper, (first, second), lengths)
        return upper

    @abstractmethod
    def scaled(self, factor: float) -> Self:
        """Return the sum with all weights multiplied by a factor."""

    def minimum(self) -> tuple[Floats, float, float]:
        scale = float(self.weight.max())
        unit = self.scaled(1 / scale)
        x, value, gradient = _newton(unit)
        s = np.append(0.0, x)
        rounding = 16 * float(np.finfo(float).eps) * self.weight.size
        lost = rounding * float(np.max(unit.weight * np.abs(unit.at(s)[2]), initial=0.0))
        away = np.abs(x) + _distance_bounds(unit.distances(value))[1:]
        error = float((np.abs(gradient) + lost) @ away) + rounding * value
        return s - s.mean(), scale * value, scale * error


def _distance_bounds(upper: Floats) -> Floats:
    """Return bounds of |s_i - s_0| from upper bounds of s_j - s_i: the lengths of shortest paths.

    All items must lie on cycles with the first.
    """
    upper = np.where(np.eye(len(upper), dtype=np.bool_), 0.0, upper)
    for k in range(len(upper)):
        upper = np.minimum(upper, upper[:, k, None] + upper[None, k, :])
    return np.asarray(np.maximum(np.abs(upper[0]), np.abs(upper[:, 0])))


def _newton(total: SmoothSum) -> tuple[Floats, float, Floats]:
    """Return the last point of a damped Newton method, with the value and the gradient there.

    The first score stays 0, as only differences count. The Hessian is damped by a multiple of the identity
    until a step lowers the sum: where terms are nearly linear, the Hessian is nearly singular and does not
    determine the length of a step.
    """

    def at(x: Floats) -> tuple[float, Floats]:
        value, gradient, _ = total.at(np.append(0.0, x))
        return value, gradient[1:]

    identity = np.eye(total.items - 1)
    x = np.zeros(total.items - 1)
    value, gradient = at(x)
    damping = 0.0
    for _ in range(_MAX_NEWTON_STEPS):
        if _norm(gradient) <= _RELATIVE_ROUNDING:
            break
        hessian = total.hessian(np.append(0.0, x))[1:, 1:]
        step = -np.linalg.lstsq(hessian + damping * identity, gradient, rcond=None)[0]
        after, slope = at(x + step)
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
