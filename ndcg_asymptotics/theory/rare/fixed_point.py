"""The cheapest way to a wrong order: the law of large deviations, as a fixed point.

Let scorer A lead, and let h_y(t) be the influence of an item of label y at depth t on the mean of a
DCG: its own term and the push it gives to everything below it,

    h_y(t) = y W(H(t)) + n int_t^1 E[Y | u] W'(H(u)) dH(u),

H the distribution function of all items' depths and W(H) the mean discount there (`weights`).
Among the laws of one item (label, depth of A, depth of B) under which the two mean DCGs are level,
the one nearest to the true law has the density

    p_y g_y^A(t) exp(-theta h_y^A(t)) g_y^B(u) exp(theta h_y^B(u)) / Z

with h taken at that law itself. ``n KL(tilted || true)`` is the cost: ``-log P(wrong order at n)`` to
first order. The tilt is constant on cells of depth, so that the likelihood ratio of a draw is a
function of its counts per cell.

Within a scorer the odds between the labels at one depth do not contain the push. So, ranks H and
label weights given, E[Y | t] and the push follow without iteration, from the bottom up; only H
and the label weights are iterated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.core.errors import NotAvailableError, require, require_available
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.rare.acceleration import Acceleration
from ndcg_asymptotics.theory.rare.depths import finer_around, grade_masses, mesh
from ndcg_asymptotics.theory.rare.law import Side, Tilt
from ndcg_asymptotics.theory.rare.weights import SHARPEST, mean_discount

CELLS = 600
_TOLERANCE = 1e-9
_ENOUGH = (
    1e-4  # where rounding stands in the way of more: theta h is a difference of terms of the size of theta
)
_ROUNDS = 200
_FURTHEST = 1000.0  # theta times the mean discount: beyond, labels are as good as forbidden
_COARSE = 400  # cells in which the depth of a cutoff is found
_SMALL = 30  # the first ranks have cells of their own
_HIGHEST = 600.0  # exponents beyond are cut, on the way to the fixed point
_LEVEL = 1e-7  # mean DCGs that differ by less, relative to their size, are level


@shared
def tilt(
    a: Relevance, b: Relevance, measure: Measure, n: int, cells: int = CELLS, leader: int | None = None
) -> Tilt:
    """The tilt of a pair, independent given the label.

    Parameters
    ----------
    a, b : Relevance
        With the same label law.
    measure : Measure
    n : int
    cells : int
        Of depth.
    leader : {1, -1}, optional
        Who ought to win, if not the one with the larger mean DCG. If it has the smaller one at this n,
        its defeat is no rare event, and the tilt is none.

    Raises
    ------
    NotAvailableError
        If the curves are equal or the mean DCGs are level, so that neither order is wrong, or the
        iteration does not converge.
    InputError
        If the label laws of the two curves differ.

    >>> a, b = Relevance.parse("linear(0.1, 0.5)"), Relevance.parse("linear(0.2, 0.4)")
    >>> found = tilt(a, b, Measure("log"), 10**4)
    >>> found.leader, round(found.cost, 1), found.residual < 1e-8
    (1, 12.2, True)
    """
    require_available(a != b, f"the two scorers have the same relevance curve, {a}: neither order is wrong")
    require(
        a.gains == b.gains and np.allclose(a.masses, b.masses, rtol=0, atol=1e-9),
        f"the scorers of a pair share their labels, these differ: {a} and {b}",
    )
    edges = mesh(n, cells, a, b)
    k = measure.cutoff(n)
    if _SMALL <= k < n:
        # the influence falls off within a standard deviation of the rank around the cutoff
        coarse = _Pair(a, b, measure, n, mesh(n, min(cells, _COARSE), a, b), leader).solve()
        std = _rank_std(k, n)
        edges = finer_around(edges, k / n, std)
        for side in coarse.sides:
            H = np.concatenate(([0.0], np.cumsum(coarse.tilted_law @ side.tilted)))
            edges = finer_around(edges, float(np.interp(k / n, H, coarse.edges)), std)
    return _Pair(a, b, measure, n, edges, leader).solve()


def _rank_std(k: int, n: int) -> float:
    """The standard deviation of the share of a list above the depth k/n, or the least it may be."""
    return max(float(np.sqrt(k / n * (1 - k / n) / n)), SHARPEST * k / n)


@dataclass
class _Half:
    """A scorer's law at some theta: exponents l and the joint law of (grade, cell)."""

    exponent: Floats
    log_z: Floats
    influence: Floats


class _Pair:
    def __init__(
        self, a: Relevance, b: Relevance, measure: Measure, n: int, edges: Floats, leader: int | None
    ) -> None:
        self.measure, self.n, self.edges = measure, n, edges
        self.gains = np.array([*a.gains, 0.0])
        joint = [grade_masses(relevance, self.edges) for relevance in (a, b)]
        self.law = joint[0].sum(axis=1)
        self.true = [
            np.divide(
                m, m.sum(axis=1, keepdims=True), out=np.zeros_like(m), where=m.sum(axis=1, keepdims=True) > 0
            )
            for m in joint
        ]
        k = measure.cutoff(n)
        fine = finer_around(mesh(n, 8 * len(edges), a, b), k / n, _rank_std(k, n))
        self.gap = self._gap([grade_masses(relevance, fine) for relevance in (a, b)])
        size = float(measure.discount.cumulative(float(k), float(n))) * self.gains[0]
        self.mean_weight = size / k
        level = abs(self.gap) <= _LEVEL * size
        require_available(
            not level or leader is not None,
            f"{a} and {b} have the same mean DCG with {measure} at n = {n:g}: neither order is wrong",
        )
        self.leader = int(np.sign(self.gap)) if leader is None else leader
        self.gap *= 0 if level else self.leader
        self.what = f"{a} against {b}, {measure}, n = {n:g}"

    def _mean_dcg(self, joint: Floats) -> float:
        ends = np.concatenate(([0.0], np.cumsum(joint.sum(axis=0))))
        weight = mean_discount(self.measure, self.n, ends / ends[-1])
        return self.n * float(self.gains @ joint @ (weight[:-1] + weight[1:]) / 2)

    def _gap(self, joint: list[Floats]) -> float:
        return self._mean_dcg(joint[0]) - self._mean_dcg(joint[1])

    def solve(self) -> Tilt:
        """Iterate H and the label weights, with theta such that the mean DCGs are level at each step."""
        if self.gap <= 0:
            return self._finish(0.0, self._halves(0.0, self._start()), 0.0)
        theta, state, change = 0.0, self._start(), np.inf
        best, since, steps = np.inf, 0, Acceleration()
        for _ in range(_ROUNDS):
            theta = self._level(theta, state)
            halves = self._halves(theta, state)
            new = self._state(halves)
            change = max(float(np.max(np.abs(x - y))) for x, y in zip(new, state, strict=True))
            best, since = (change, 0) if change < best / 2 else (best, since + 1)
            if change < _TOLERANCE or (change < _ENOUGH and since > 5):
                return self._finish(theta, halves, change)
            state = self._next(steps, state, new)
        raise NotAvailableError(
            f"{self.what}: the tilt does not converge, after {_ROUNDS} rounds it moves by {change:.1e}"
        )

    # the state: log H of both scorers at the edges but the first, log of the label weights Z_y
    def _start(self) -> list[Floats]:
        return [
            *(self._log_ends(self.law[:, None] * t) for t in self.true),
            np.zeros_like(self.law),
            np.zeros_like(self.law),
        ]

    def _log_ends(self, joint: Floats) -> Floats:
        ends = np.cumsum(joint.sum(axis=0))
        with np.errstate(divide="ignore"):
            return np.asarray(np.maximum(np.log(ends / ends[-1]), -800.0))

    def _next(self, steps: Acceleration, state: list[Floats], new: list[Floats]) -> list[Floats]:
        cuts = np.cumsum([len(part) for part in state])[:-1]
        found = np.split(steps.step(np.concatenate(state), np.concatenate(new)), cuts)
        for ends in found[:2]:  # an extrapolated H must be one
            np.minimum(np.maximum.accumulate(ends), 0.0, out=ends)
        return list(found)

    def _halves(self, theta: float, state: list[Floats]) -> list[_Half]:
        found = []
        for s, sign in ((0, -self.leader), (1, self.leader)):
            ends = np.concatenate(([0.0], np.exp(state[s])))
            weight = mean_discount(self.measure, self.n, ends)
            # the mean of both ends: where all labels are 1, own and push then add up without remainder
            own, drop = self.gains[:, None] * (weight[:-1] + weight[1:]) / 2, np.diff(weight)
            odds = (
                np.log(self.law[:, None] * self.true[s] + 1e-320) + state[3 - s][:, None] + sign * theta * own
            )
            odds = np.exp(odds - odds.max(axis=0))
            label = self.gains @ odds / odds.sum(axis=0)
            pushed = label * drop
            push = np.cumsum(pushed[::-1])[::-1] - pushed / 2
            influence = own + push
            exponent = np.where(self.true[s] > 0, sign * theta * influence, 0.0)
            log_z = _log_mean_exp(self.true[s], exponent)
            found.append(_Half(exponent, log_z, influence))
        return found

    def _joints(self, halves: list[_Half]) -> list[Floats]:
        total = halves[0].log_z + halves[1].log_z
        law = self.law * np.exp(total - total.max())
        law /= law.sum()
        return [
            law[:, None] * t * np.exp(np.minimum(half.exponent - half.log_z[:, None], _HIGHEST))
            for t, half in zip(self.true, halves, strict=True)
        ]

    def _state(self, halves: list[_Half]) -> list[Floats]:
        # each scorer's odds hold the other one's weights of the labels; a common factor changes nothing
        weights = [half.log_z - half.log_z[-1] for half in halves]
        return [*(self._log_ends(joint) for joint in self._joints(halves)), *weights]

    def _level(self, guess: float, state: list[Floats]) -> float:
        def gap(theta: float) -> float:
            return self.leader * self._gap(self._joints(self._halves(theta, state)))

        low, high = 0.0, guess if guess > 0 else 1e-3 / max(self.gap, 1e-300)
        if guess > 0 and gap(guess * 0.98) > 0:
            low, high = guess * 0.98, guess * 1.02
        while high * self.mean_weight < _FURTHEST:
            if gap(high) <= 0:
                break
            low, high = high, high * 2
        else:
            raise NotAvailableError(
                f"{self.what}: no law of the labels makes the wrong order likely: but for ties it cannot be"
            )
        return float(brentq(gap, low, high, rtol=1e-12, xtol=1e-300))

    def _finish(self, theta: float, halves: list[_Half], change: float) -> Tilt:
        total = halves[0].log_z + halves[1].log_z
        shift = float(_log_mean_exp(self.law, total))
        log_label = shift - total
        tilted_law = self.law * np.exp(-log_label)
        tilted_law /= tilted_law.sum()
        sides, var = [], 0.0
        nats = float(np.sum(self.law * _divergence(-log_label)))
        means = np.zeros_like(self.law)
        for true, half, sign in zip(self.true, halves, (self.leader, -self.leader), strict=True):
            log_ratio = half.log_z[:, None] - half.exponent
            tilted = true * np.exp(-log_ratio)
            tilted /= np.maximum(tilted.sum(axis=1, keepdims=True), 1e-300)
            nats += float(tilted_law @ np.sum(true * _divergence(-log_ratio), axis=1))
            mean = np.sum(tilted * half.influence, axis=1)
            means += sign * mean
            var += float(tilted_law @ np.sum(tilted * (half.influence - mean[:, None]) ** 2, axis=1))
            sides.append(Side(true, tilted, log_ratio, half.influence))
        var += float(tilted_law @ (means - tilted_law @ means) ** 2)
        return Tilt(
            self.leader, theta, self.n * nats, theta * float(np.sqrt(self.n * var)), self.edges, self.law,
            tilted_law, log_label, (sides[0], sides[1]), change, self.gap,
        )  # fmt: skip


def _log_mean_exp(law: Floats, exponent: Floats) -> Floats:
    """log of the mean of exp(exponent) along the last axis, to full relative accuracy near 0."""
    near = np.sum(law * np.expm1(np.minimum(exponent, _HIGHEST)), axis=-1)
    # the largest where there is any mass: another one would let all that counts underflow
    most = np.where(law > 0, exponent, -np.inf).max(axis=-1, keepdims=True)
    most = np.where(np.isfinite(most), most, 0.0)
    with np.errstate(divide="ignore"):
        far = np.log(np.sum(law * np.exp(np.where(law > 0, exponent - most, 0.0)), axis=-1)) + most[..., 0]
    return np.asarray(np.where(np.abs(near) < 0.5, np.log1p(np.maximum(near, -0.5)), far))


def _divergence(u: Floats) -> Floats:
    """``u exp(u) - exp(u) + 1``, whose mean under the true law is the relative entropy of exp(u)."""
    series = u * u * (0.5 + u * (1 / 3 + u * (0.125 + u / 30)))
    return np.where(np.abs(u) < 1e-2, series, u * np.exp(u) - np.expm1(u))
