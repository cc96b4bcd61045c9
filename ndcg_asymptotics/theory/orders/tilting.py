"""The cheapest way to a wrong order: a tilted law, found as a fixed point (docs/theorems.md).

Let scorer A lead, and let h_y(t) be the influence of an item of label y at depth t on the mean of a
DCG, which is its own term and the push that it gives to every item below it,

    h_y(t) = y W(H(t)) + n int_t^1 E[Y | u] W'(H(u)) dH(u),

H the distribution function of all items' depths and W(H) the mean discount there (`weights`).
Among the laws of one item (label, depth of A, depth of B) under which the two mean DCGs are equal,
the one nearest to the true law in relative entropy has the density

    p_y g_y^A(t) exp(-theta h_y^A(t)) g_y^B(u) exp(theta h_y^B(u)) / Z

with h at that law itself. ``n KL(tilted || true)`` is its cost, which is ``-log P(wrong order at n)`` to
first order. The tilt is constant on cells of depth, so that the likelihood ratio of a draw is a
function of its counts per cell.

Within a scorer the odds between the labels at one depth do not contain the push. So, given the ranks H
and the label weights, E[Y | t] and the push follow without iteration, from the bottom up. Only H
and the label weights are iterated.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from scipy.special import log_ndtr

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.core.errors import NotAvailableError, require_available
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Population, Relevance
from ndcg_asymptotics.theory.mean import expected_ndcg
from ndcg_asymptotics.theory.orders.cells import (
    FEWEST_ABOVE,
    SHARPEST,
    MeanDiscount,
    finer_around,
    grade_masses,
    mesh,
    rank_std,
)
from ndcg_asymptotics.theory.rules.acceleration import Acceleration

CELLS = 600
"""The number of cells of depth."""

_TOLERANCE = 1e-9  # of the state, which consists of logarithms
_ENOUGH = 1e-4  # accepted where rounding prevents more: theta h is a difference of terms as large as theta
_ROUNDS = 200  # of the iteration
_LEFT = 2e-3  # of the difference of the mean DCGs: the cost is off by twice that share where a tilt is small
_LEVEL = 1e-9  # differences of mean DCGs, as a share of the largest DCG, that errors of the means may make
_LEVEL_ON_CELLS = 100 * _LEVEL  # and that a finer mesh may make
_FURTHEST = 1000.0  # theta times the mean discount; with more, labels are practically impossible
_HIGHEST = 600.0  # exponents are cut here during the iteration, as exp overflows at 709
_LOWEST = -800.0  # logarithms of probabilities are cut here, as exp underflows at -745


@dataclass(frozen=True, eq=False)
class Side:
    """One scorer's part of a tilt. Arrays are over grades (gains in decreasing order, then 0) and cells.

    Attributes
    ----------
    true, tilted : (J + 1, C)
        P(cell | grade) under the true and the tilted law.
    log_ratio : (J + 1, C)
        log(true / tilted), to full relative accuracy also near 0.
    influence : (J + 1, C)
        h at the tilted law.
    """

    true: Floats
    tilted: Floats
    log_ratio: Floats
    influence: Floats


@dataclass(frozen=True, eq=False)
class Tilt:
    """The law nearest to the true one under which the two mean DCGs at n are equal, and its cost.

    Attributes
    ----------
    leader : int
        1 if the first scorer has the larger mean DCG, -1 if the second.
    theta, cost, std : float
        theta >= 0; n KL in nats; the standard deviation, under the tilted law, of theta (DCG_A - DCG_B)
        to first order.
    edges : (C + 1,)
        The edges of the cells of depth.
    law, tilted_law, log_ratio : (J + 1,)
        The true and the tilted label law, and log(true / tilted).
    sides : two of Side
        The first and the second scorer.
    residual : float
        The relative change of the law in the last iteration.
    blur : float
        What a sharp cutoff takes off the cost, in nats.
    """

    leader: int
    theta: float
    cost: float
    std: float
    edges: Floats
    law: Floats
    tilted_law: Floats
    log_ratio: Floats
    sides: tuple[Side, Side]
    residual: float
    blur: float = 0.0


@shared
def tilt(
    a: Relevance,
    b: Relevance,
    measure: Measure,
    n: int,
    cells: int = CELLS,
    leader: int | None = None,
    sharpest: float = SHARPEST,
) -> Tilt:
    """Return the tilt of a pair of scorers that are independent given the label.

    Parameters
    ----------
    a, b : Relevance
        Curves with the same label law.
    measure : Measure
    n : int
    cells : int
        The number of cells of depth.
    leader : {1, -1}, optional
        The scorer whose defeat is the wrong order, by default the one with the larger mean DCG. If it has the
        smaller one at this n, its defeat is not rare, and the tilted law is the true one.
    sharpest : float
        The smallest width over which the weight falls at a cutoff, relative to the cutoff.

    Raises
    ------
    NotAvailableError
        If the curves are equal or the mean DCGs are level, so that neither order is wrong, or the
        iteration does not converge.
    InputError
        If the label laws of the two curves differ.

    >>> a, b = Relevance.parse("linear(0.1, 0.5)"), Relevance.parse("linear(0.2, 0.4)")
    >>> pair_tilt = tilt(a, b, Measure("log"), 10**4)
    >>> pair_tilt.leader, round(pair_tilt.cost, 1), pair_tilt.residual < 1e-8
    (1, 12.2, True)
    """
    _require_pair(a, b)
    edges = _cells(a, b, measure, n, cells, leader, sharpest=sharpest)
    return _FixedPoint(a, b, measure, n, edges, leader, sharpest=sharpest).solve()


@shared
def level_tilt(
    a: Relevance,
    b: Relevance,
    measure: Measure,
    n: int,
    leader: int | None = None,
) -> Tilt:
    """Return the tilt under which the mean DCGs of lists are equal, and not only those of cells.

    Cells of depth leave out a part of the difference of the mean DCGs, which matters where the leading terms
    of both scorers agree, and in long lists. Where it is more than 0.2% of the exact difference, it is added
    to the constraint. Elsewhere this is `tilt`, which is enough for weighted draws everywhere: they are
    unbiased whatever the tilt is.

    On cells the weight falls at a cutoff over 0.4% of it at least, which in long lists is more than ranks
    vary. The cost is nearly linear in that width; that of a cutoff as sharp as ranks are follows from the
    costs with this width and with twice as much.

    Parameters
    ----------
    a, b, measure, n, leader
        As in `tilt`.

    Raises
    ------
    NotAvailableError
        As `tilt`, and if no law is found under which the mean DCGs of lists are equal.
    InputError
        If the label laws of the two curves differ.

    >>> a, b = Relevance.parse("polynomial(0.5, -0.8, 0.9)"), Relevance.parse("constant(0.4)")
    >>> on_cells, n = tilt(a, b, Measure("log"), 10**16), 10**16  # int (m_a - m_b)(t) log t dt = 0
    >>> on_lists = level_tilt(a, b, Measure("log"), n)
    >>> [round(float(solution.cost * np.log(n) ** 2 / n), 4) for solution in (on_cells, on_lists)]
    [0.0052, 0.0049]
    """
    _require_pair(a, b)
    try:
        gap = _difference_of_means(a, b, measure, n)
    except NotAvailableError:  # a user's discount may have no exact means
        gap = None
    blurred = _level_tilt(a, b, measure, n, leader, gap, SHARPEST)
    k = measure.cutoff(n)
    width, twice, true = (rank_std(k, n, sharpest) for sharpest in (SHARPEST, 2 * SHARPEST, 0.0))
    if not FEWEST_ABOVE <= k < n or width == true:
        return blurred
    wider = _level_tilt(a, b, measure, n, blurred.leader, gap, 2 * SHARPEST)
    blur = (wider.cost - blurred.cost) * (width - true) / (twice - width)
    return replace(blurred, cost=max(blurred.cost - blur, 0.0), blur=blur)


def _level_tilt(
    a: Relevance,
    b: Relevance,
    measure: Measure,
    n: int,
    leader: int | None,
    gap: float | None,
    sharpest: float,
) -> Tilt:
    """Return the tilt of `level_tilt` on cells with one width of a cutoff; a gap of None is not known."""
    if gap is None:
        return tilt(a, b, measure, n, CELLS, leader, sharpest)
    level = abs(gap) <= _LEVEL * _size(a, measure, n)
    require_available(not level or leader is not None, _same_mean(a, b, measure, n))
    gap, leader = 0.0 if level else gap, int(np.sign(gap)) if leader is None else leader
    try:
        edges = tilt(a, b, measure, n, CELLS, leader, sharpest).edges
    except NotAvailableError:
        edges = _cells(a, b, measure, n, CELLS, leader, gap, sharpest)
    point = _FixedPoint(a, b, measure, n, edges, leader, gap, sharpest)
    if abs(point.missed) <= _LEFT * abs(gap):
        return tilt(a, b, measure, n, CELLS, leader, sharpest)
    return point.solve()


def _difference_of_means(a: Relevance, b: Relevance, measure: Measure, n: int) -> float:
    """Return E[DCG_n] of the first scorer less that of the second."""
    dcg = Measure(measure.discount, measure.cutoff, normalised=False)
    first, second = (float(expected_ndcg(relevance, dcg, [n]).value[0]) for relevance in (a, b))
    return first - second


def _require_pair(a: Relevance, b: Relevance) -> None:
    require_available(a != b, f"the two scorers have the same relevance curve, {a}: neither order is wrong")
    Population.of({"a": a, "b": b})  # which refuses other labels


def _same_mean(a: Relevance, b: Relevance, measure: Measure, n: int) -> str:
    return f"{a} and {b} have the same mean DCG with {measure} at n = {n:g}: neither order is wrong"


def _size(relevance: Relevance, measure: Measure, n: int) -> float:
    """Return the largest possible DCG."""
    return float(measure.discount.cumulative(float(measure.cutoff(n)), float(n))) * float(relevance.gains[0])


def _cells(
    a: Relevance,
    b: Relevance,
    measure: Measure,
    n: int,
    cells: int,
    leader: int | None,
    gap: float | None = None,
    sharpest: float = SHARPEST,
) -> Floats:
    """Return the edges of the cells, which are finer around a cutoff under the true and the tilted laws."""
    edges, k = mesh(n, cells, a, b), measure.cutoff(n)
    if FEWEST_ABOVE <= k < n:
        # the influence falls off within a standard deviation of the rank around the cutoff
        coarse_edges = mesh(n, min(cells, 400), a, b)
        coarse = _FixedPoint(a, b, measure, n, coarse_edges, leader, gap, sharpest).solve()
        std = rank_std(k, n, sharpest)
        edges = finer_around(edges, k / n, std)
        for side in coarse.sides:
            H = np.concatenate(([0.0], np.cumsum(coarse.tilted_law @ side.tilted)))
            edges = finer_around(edges, float(np.interp(k / n, H, coarse.edges)), std)
    return edges


@dataclass
class _Exponents:
    """The tilts of both scorers at some theta.

    +-theta h (2, J + 1, C), the logarithms of the normalisers Z_y (2, J + 1), and h (2, J + 1, C).
    """

    exponent: Floats
    log_z: Floats
    influence: Floats


@dataclass
class _Weights:
    """The terms of both scorers' exponents that do not depend on theta.

    ``y W(H)`` (2, J + 1, C), the change of W over each cell (2, C), and the logarithms of the labels' odds at
    theta = 0 (2, J + 1, C).
    """

    gain: Floats
    drop: Floats
    log_odds: Floats


class _FixedPoint:
    """The iteration for one pair, measure, list length and mesh.

    Its state consists of log H of both scorers at all edges but the first, and of log Z_y of both. Given the
    difference ``gap`` of the mean DCGs of lists, the constraint is about these: ``missed`` is what cells
    leave out of the difference at the true law.
    """

    def __init__(
        self,
        a: Relevance,
        b: Relevance,
        measure: Measure,
        n: int,
        edges: Floats,
        leader: int | None,
        gap: float | None = None,
        sharpest: float = SHARPEST,
    ) -> None:
        self.n, self.edges, self.mean_discount = n, edges, MeanDiscount(measure, n, sharpest)
        self.gains = np.array([*a.gains, 0.0])
        joint = np.stack([grade_masses(relevance, self.edges) for relevance in (a, b)])
        masses = joint.sum(axis=2, keepdims=True)
        self.law = masses[0, :, 0]
        self.true = np.divide(joint, masses, out=np.zeros_like(joint), where=masses > 0)
        self.log_true = np.log(self.law[:, None] * self.true + 1e-320)
        k = measure.cutoff(n)
        size = _size(a, measure, n)
        self.mean_weight = size / k
        self.missed = 0.0
        if gap is None:
            fine = finer_around(mesh(n, 8 * len(edges), a, b), k / n, rank_std(k, n, sharpest))
            gap = self._gap(np.stack([grade_masses(relevance, fine) for relevance in (a, b)]))
            level = abs(gap) <= _LEVEL_ON_CELLS * size
            require_available(not level or leader is not None, _same_mean(a, b, measure, n))
        else:
            level = gap == 0
            self.missed = gap - self._gap(joint)
        self.leader = int(np.sign(gap)) if leader is None else leader
        self.gap = 0.0 if level else gap * self.leader
        self.what = f"{a} against {b}, {measure}, n = {n:g}"

    def _gap(self, joint: Floats) -> float:
        """Return the difference of E[DCG_n], given the joint laws of (grade, cell), (2, J + 1, C)."""
        ends = np.cumsum(joint.sum(axis=1), axis=1)
        weight = self.mean_discount(np.hstack([np.zeros((2, 1)), ends]) / ends[:, -1:])
        # n int E[Y | H] W(H) dH, with the trapezoidal mean of W in each cell
        doubled = weight[:, :-1] + weight[:, 1:]
        means = [self.n * float(self.gains @ joint[s] @ doubled[s] / 2) for s in (0, 1)]
        return means[0] - means[1]

    def solve(self) -> Tilt:
        """Iterate H and the label weights, with theta such that the mean DCGs are level at each step."""
        if self.gap <= 0:
            return self._finish(0.0, self._exponents(0.0, self._weighted(self._start())), 0.0)
        theta, state, change = 0.0, self._start(), np.inf
        best, since, steps = np.inf, 0, Acceleration()
        for _ in range(_ROUNDS):
            # theta is the multiplier of the constraint that the two mean DCGs are equal
            weights = self._weighted(state)
            theta = self._level(theta, weights)
            exponents = self._exponents(theta, weights)
            new = self._state(exponents)
            change = max(float(np.max(np.abs(x - y))) for x, y in zip(new, state, strict=True))
            best, since = (change, 0) if change < best / 2 else (best, since + 1)
            if change < _TOLERANCE or (change < _ENOUGH and since > 5):
                return self._finish(theta, exponents, change)
            state = self._next(steps, state, new)
        raise NotAvailableError(
            f"{self.what}: the tilt does not converge, after {_ROUNDS} rounds it moves by {change:.1e}"
        )

    def _start(self) -> list[Floats]:
        return [
            *self._log_ends(self.law[:, None] * self.true),
            np.zeros_like(self.law),
            np.zeros_like(self.law),
        ]

    def _log_ends(self, joint: Floats) -> Floats:
        """Return log H of each scorer at all edges but the first, (2, C)."""
        ends = np.cumsum(joint.sum(axis=1), axis=1)
        with np.errstate(divide="ignore"):
            return np.asarray(np.maximum(np.log(ends / ends[:, -1:]), _LOWEST))

    def _next(self, steps: Acceleration, state: list[Floats], new: list[Floats]) -> list[Floats]:
        cuts = np.cumsum([len(part) for part in state])[:-1]
        parts = np.split(steps.step(np.concatenate(state), np.concatenate(new)), cuts)
        for ends in parts[:2]:  # the acceleration may have made H decrease or exceed 1
            np.minimum(np.maximum.accumulate(ends), 0.0, out=ends)
        return list(parts)

    def _weighted(self, state: list[Floats]) -> _Weights:
        """Return what the exponents have in common at every theta."""
        weight = self.mean_discount(np.hstack([np.zeros((2, 1)), np.exp(np.stack(state[:2]))]))
        # gain = y W(H) and drop = dW over a cell. W is the mean of both ends of a cell, so that
        # gain and push add up exactly if all labels are 1.
        gain = self.gains[:, None] * (weight[:, None, :-1] + weight[:, None, 1:]) / 2
        # each scorer's odds contain the other one's label weights
        log_odds = self.log_true + np.stack(state[:1:-1])[:, :, None]
        return _Weights(gain, np.diff(weight, axis=1), log_odds)

    def _exponents(self, theta: float, weights: _Weights) -> _Exponents:
        tilt = theta * np.array([-self.leader, self.leader])[:, None, None]
        # The push of a depth is the same for all labels, so it cancels in their odds.
        odds = weights.log_odds + tilt * weights.gain
        odds = np.exp(odds - odds.max(axis=1, keepdims=True))
        label = np.stack([self.gains @ of_scorer for of_scorer in odds]) / odds.sum(axis=1)
        # int_t^1 E_Q[Y | u] dW(H(u)) from the middle of each cell, summed from the bottom up
        pushed = label * weights.drop
        push = np.cumsum(pushed[:, ::-1], axis=1)[:, ::-1] - pushed / 2
        influence = weights.gain + push[:, None]
        exponent = np.where(self.true > 0, tilt * influence, 0.0)
        return _Exponents(exponent, _log_mean_exp(self.true, exponent), influence)

    def _joints(self, exponents: _Exponents) -> Floats:
        """Return the tilted joint law of (grade, cell) of each scorer, (2, J + 1, C)."""
        # Given the label the two depths are independent, so a label has the weight p_y Z_y^A Z_y^B.
        total = exponents.log_z[0] + exponents.log_z[1]
        law = self.law * np.exp(total - total.max())
        law /= law.sum()
        tilted = np.exp(np.minimum(exponents.exponent - exponents.log_z[:, :, None], _HIGHEST))
        return np.asarray(law[:, None] * self.true * tilted)

    def _state(self, exponents: _Exponents) -> list[Floats]:
        # a common factor of the label weights changes nothing, so log Z of the gain 0 is set to 0
        return [*self._log_ends(self._joints(exponents)), *(exponents.log_z - exponents.log_z[:, -1:])]

    def _level(self, guess: float, weights: _Weights) -> float:
        """Return the theta at which the mean DCGs are equal."""

        @cache  # as brentq begins with both ends of the bracket
        def gap(theta: float) -> float:
            difference = self._gap(self._joints(self._exponents(theta, weights)))
            return self.leader * (difference + self.missed)

        # bracket the root: close to the last theta if that works, else by doubling
        low, high = 0.0, guess if guess > 0 else 1e-3 / max(self.gap, 1e-300)
        if guess > 0 and gap(guess * 0.98) > 0:
            low, high = guess * 0.98, guess * 1.02
        while high * self.mean_weight < _FURTHEST:
            if gap(high) <= 0:
                break
            low, high = high, high * 2
        else:
            raise NotAvailableError(
                f"{self.what}: no law was found that makes the wrong order likely: it is impossible, or a tie"
            )
        if gap(low) <= 0:  # the sign of a difference that only a finer mesh shows
            raise NotAvailableError(f"{self.what}: the mean DCGs are too close for cells of depth")
        from scipy.optimize import brentq  # here: it takes long to load

        # the root may be many powers of two below the upper end, where bisection takes as many steps
        return float(brentq(gap, low, high, rtol=_TOLERANCE / 1000, xtol=1e-300, maxiter=2000))

    def _finish(self, theta: float, exponents: _Exponents, change: float) -> Tilt:
        total = exponents.log_z[0] + exponents.log_z[1]
        shift = float(_log_mean_exp(self.law, total))
        log_label = shift - total
        tilted_law = self.law * np.exp(-log_label)
        tilted_law /= tilted_law.sum()
        # KL(Q || P) is that of the label law plus the mean, over tilted labels, of that of both depths given
        # the label. The variance of h^A - h^B is the mean of that given the label plus that of the means.
        sides, var = [], 0.0
        nats = float(np.sum(self.law * _divergence(-log_label)))
        means = np.zeros_like(self.law)
        log_ratios = exponents.log_z[:, :, None] - exponents.exponent
        signs = (self.leader, -self.leader)
        for true, log_ratio, influence, sign in zip(
            self.true, log_ratios, exponents.influence, signs, strict=True
        ):
            tilted = true * np.exp(-log_ratio)
            tilted /= np.maximum(tilted.sum(axis=1, keepdims=True), 1e-300)
            nats += float(tilted_law @ np.sum(true * _divergence(-log_ratio), axis=1))
            mean = np.sum(tilted * influence, axis=1)
            means += sign * mean
            var += float(tilted_law @ np.sum(tilted * (influence - mean[:, None]) ** 2, axis=1))
            sides.append(Side(true, tilted, log_ratio, influence))
        var += float(tilted_law @ (means - tilted_law @ means) ** 2)
        return Tilt(
            leader=self.leader,
            theta=theta,
            cost=self.n * nats,
            std=theta * float(np.sqrt(self.n * var)),
            edges=self.edges,
            law=self.law,
            tilted_law=tilted_law,
            log_ratio=log_label,
            sides=(sides[0], sides[1]),
            residual=change,
        )


def _log_mean_exp(law: Floats, exponent: Floats) -> Floats:
    """Return the log of the mean of exp(exponent) along the last axis, to full relative accuracy near 0."""
    near = np.sum(law * np.expm1(np.minimum(exponent, _HIGHEST)), axis=-1)
    logs = np.log1p(np.maximum(near, -0.5))
    far = np.abs(near) >= 0.5
    if far.any():
        # scaled by the largest exponent where there is any mass, so that not every term underflows
        most = np.where(law > 0, exponent, -np.inf).max(axis=-1, keepdims=True)
        most = np.where(np.isfinite(most), most, 0.0)
        with np.errstate(divide="ignore"):
            means = np.sum(law * np.exp(np.where(law > 0, exponent - most, 0.0)), axis=-1)
            logs = np.where(far, np.log(means) + most[..., 0], logs)
    return np.asarray(logs)


def _divergence(u: Floats) -> Floats:
    """Return ``u exp(u) - exp(u) + 1``, whose mean under the true law is the relative entropy of exp(u)."""
    series = u * u * (0.5 + u * (1 / 3 + u * (0.125 + u / 30)))
    return np.where(np.abs(u) < 1e-2, series, u * np.exp(u) - np.expm1(u))


def log_wrong_probability(cost: float, std: float) -> float:
    """Return log P(wrong order) for a tilt: ``-cost + s^2/2 + log P(N(0,1) > s)``, s the standard deviation.

    Under the tilted law theta (DCG_A - DCG_B) is about normal with mean 0 and standard deviation s,
    and P is ``exp(-cost)`` times the mean of exp(-x) over x > 0 (Esscher's approximation).

    >>> round(log_wrong_probability(8.0, 4.0), 3)  # P(N(0,1) > 4), for which it is exact
    -10.36
    """
    return -cost + std**2 / 2 + float(log_ndtr(-std))
