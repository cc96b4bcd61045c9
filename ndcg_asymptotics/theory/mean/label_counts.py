"""Means over the label counts of a list, as a Markov chain along its grades.

With C_h the number of items of grade h or better among N, gains y_1 > … > y_J > y_(J+1) = 0 and
F(k) = D(1) + … + D(k), the ideal DCG is a sum along the chain C_1 <= C_2 <= … <= C_J::

    IDCG = sum_h (y_h - y_(h+1)) F(min(C_h, k)),

and C_(h-1) given C_h is binomial. So exp(-lambda IDCG) and ``prod_i q_i^c_i`` are products along the chain,
and with ``1/x = sum_b v_b exp(-lambda_b x)`` on the range that IDCG has,

    E[ prod_i q_i^c_i / IDCG ] = sum_b v_b E[ prod_h f_bh(C_h) ]

is one small matrix product for each grade, and the cost is linear in the number of grades. The sum is
equation (6) of docs/theory.md, the step of the chain below is equation (7) of docs/theory.md.

*The matrices.* Given C_h the number of items of grade h is binomial too, so that

    E[ q^(C_h - C_(h-1)) f(C_(h-1)) | C_h = x ] = sum_c P(Bin(x, p_h / P_h) = c) q^c f(x - c).

Where few items are expected a count is a number of a lattice. Where many are expected, functions of a count
are represented by their values at the nodes of the Gauss rule of its binomial law, and f(x - c) is
interpolated by the orthonormal polynomials of that law (Krawtchouk polynomials).

*The cutoff.* F(min(C, k)) is not smooth where a count passes k. On a lattice that does not matter. Elsewhere
let I_c be IDCG with C_h replaced by k for h >= c, and left uncut for the other h: only I_j and I_(j+1) matter
where C_j >= k, and 1/IDCG telescopes into a smooth function and parts with one threshold each::

    1/IDCG = 1/I_(m+1) + sum_(j <= m) 1(C_j >= k) (1/I_j - 1/I_(j+1)).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.special import betaincc

from ndcg_asymptotics.core.arrays import HELD, Complex, Floats
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.measures.exponentials import reciprocal_as_exponentials
from ndcg_asymptotics.theory.mean.rank_terms import TOLERANCE, circle, log_remainder
from ndcg_asymptotics.theory.rules.binomial import gauss_nodes, krawtchouk, log_binomial
from ndcg_asymptotics.theory.rules.counts import NEGLIGIBLE, CountLaw, reach
from ndcg_asymptotics.theory.rules.ideal import Sums

# Largest lattices of counts, over which means of any function are exact. Where counts nearly determine the
# ranks, lattices of 98 leave errors of 9e-6, and 218 take a fifth more time. One grade alone needs no matrix.
_LATTICE, _LONE_LATTICE = 218, 418
_NODES, _NODES_OF_ONE = 30, 45  # of the Gauss rule of a count, tested with `rank_terms._AROUND_CUTOFF`
_STEP = 0.35  # step of a grid of counts in standard deviations; sums over it leave exp(-2 (pi / 0.35)^2)
SMALLEST = 1e-40  #: a factor q below it makes its product 0 even to the first power
_RATIOS = 16  # ranges of 1/x per factor of two: few different ones, so that their fits are found again


@dataclass(frozen=True, eq=False)  # equal where identical, so that `shared` can take it as an argument
class Count:
    """A binomial count, as nodes at which functions of it are known.

    Attributes
    ----------
    size, probability
        The parameters of the binomial law.
    shift : (K,)
        Nodes less the mean ``size * probability``.
    weights : (K,)
    lattice : bool
        Whether the nodes are whole numbers and the weights their probabilities.
    """

    size: int
    probability: float
    shift: Floats
    weights: Floats
    lattice: bool

    @classmethod
    def of(cls, size: int, probability: float, nodes: int, largest_lattice: int) -> Count:
        """Return the lattice where it is small enough, else the Gauss rule with ``nodes`` nodes."""
        if probability >= 1:
            return cls(size, 1.0, np.zeros(1), np.ones(1), True)
        law = CountLaw(size, probability)
        if law.number <= largest_lattice and law.likely[1] < 2**52:
            x, weights = law.every()
            return cls(size, probability, x - law.mean, weights, True)
        shift = gauss_nodes(float(size), probability, nodes)
        # polynomials multiply the smallest weights, which have no digits in eigenvectors
        weights = 1 / (krawtchouk(shift, size, probability, nodes - 1) ** 2).sum(axis=0)
        return cls(size, probability, shift, weights, False)

    @property
    def nodes(self) -> Floats:
        """The values of the count, (K,)."""
        x = self.size * self.probability + self.shift
        return np.rint(x) if self.lattice else x

    def interpolated(self, shift: Floats) -> Floats:
        """Return the matrix that takes values at the nodes to those at other points (M,): (M, K)."""
        # f = sum_m E[f phi_m] phi_m, the means by the Gauss rule of the nodes
        at_points, at_nodes = (
            krawtchouk(x, self.size, self.probability, self.shift.size - 1) for x in (shift, self.shift)
        )
        return np.asarray(at_points.T @ (at_nodes * self.weights))


_count = shared(Count.of)  # measures of one scorer have the same counts


@shared
def _polynomials(count: Count, degree: int) -> Floats:
    """Return the orthonormal polynomials of a count at its nodes, (degree + 1, K)."""
    size, p, points = count.size, count.probability, np.arange(count.shift.size)
    if p <= 0.5:
        return krawtchouk(count.shift, size, p, degree, from_zero=np.array_equal(count.nodes, points))
    # by symmetry those of the items that are not counted, of which there are few
    mirrored = krawtchouk(
        -count.shift[::-1], size, 1 - p, degree, from_zero=np.array_equal(size - count.nodes[::-1], points)
    )
    return np.asarray(mirrored[:, ::-1] * (-1.0) ** np.arange(degree + 1)[:, None])


@dataclass(frozen=True)
class Thinning:
    """The step from a count C_(h-1) to points x of the next one, ``sum_c P(c | x) q^c f(x - c)``.

    Attributes
    ----------
    counts : (Q,)
        Values of c, less ``offset``.
    centre : float
        The mean of c.
    offset : (M,) or None
        Where C_(h-1) is rare its numbers take a smaller grid than those of c: x less the largest of them.
    matrices : (Q, M, K) or None
        The contribution of each c and each node of f to the sum at each point.
    index, probabilities : (M, K) or None
        Used in place of matrices where f is known on a lattice: the position of x - y in ``counts``, and
        its probability.
    """

    counts: Floats
    centre: float
    offset: Floats | None
    matrices: Floats | None
    index: np.ndarray[tuple[int, ...], np.dtype[np.int64]] | None = None
    probabilities: Floats | None = None

    @classmethod
    def of(cls, inner: Count, probability: float, shift: Floats) -> Thinning:
        """Return the step to points at a ``shift`` from the mean of the count with this probability."""
        mean, retention = inner.size * probability, inner.probability / probability
        x = mean + shift
        # C_(h-1) given C_h = x is Bin(x, retention), so c = x - C_(h-1) is Bin(x, 1 - retention)
        if inner.lattice:
            y = inner.nodes
            c = x[:, None] - y
            c = np.where(np.abs(c - np.rint(c)) < 1e-9, np.rint(c), c)
            likely = np.exp(log_binomial(np.broadcast_to(y, c.shape), np.maximum(x[:, None], y), retention))
            likely = np.where(c >= 0, likely, 0.0)
            counts, index = np.unique(np.maximum(c, 0.0), return_inverse=True)
            return cls(counts, mean * (1 - retention), None, None, index.reshape(c.shape), likely)
        removal = 1 - retention
        deviation = math.sqrt(mean * removal * retention)
        far, within = reach(deviation), reach(math.sqrt(mean * (1 - probability)))
        # nodes further out have no weight, and there the count would leave the nodes of the inner one
        near = np.clip(shift, -within, within)
        x = mean + near
        step = max(1.0, math.floor(_STEP * deviation))
        rare = retention < 0.1
        part, middle = (retention, inner.size * inner.probability) if rare else (removal, mean * removal)
        first = max(0.0, math.floor(middle + part * near.min() - far))
        grid = np.arange(first, middle + part * near.max() + far + step, step)[:, None]
        # numbers beyond x have probability 0
        likely = np.exp(log_binomial(np.minimum(grid, x), np.broadcast_to(x, (grid.size, x.size)), part))
        likely = np.where(grid <= x, likely, 0.0)  # (Q, M)
        likely[likely < NEGLIGIBLE * likely.max(axis=0)] = 0.0
        whole = likely.sum(axis=0)
        likely = np.where(whole > 0, likely / np.where(whole > 0, whole, 1.0), 0.0)
        if rare:
            matrices = likely[:, :, None] * inner.interpolated(grid[:, 0] - middle)[:, None]
            return cls((grid[-1] - grid)[:, 0], mean * removal, x - grid[-1], matrices)
        left = near - (grid - middle)
        positive = likely > 0
        matrices = np.zeros((*likely.shape, inner.shift.size))
        matrices[positive] = inner.interpolated(left[positive]) * likely[positive][:, None]
        return cls(grid[:, 0], middle, None, matrices)

    def tilted(self, log_q: Complex, centred: bool) -> Complex:
        """Return the matrices for several q, (R, M, K); if ``centred`` without the factor q^centre."""
        centre = self.centre if centred else 0.0
        counts = self.counts - centre if self.offset is None else self.counts
        powers = np.exp(np.multiply.outer(log_q, counts))
        if self.matrices is None:
            return np.asarray(powers[:, self.index] * self.probabilities)
        flat = self.matrices.reshape(len(self.counts), -1)
        matrices = powers.real @ flat + 1j * (powers.imag @ flat)
        matrices = matrices.reshape(len(powers), *self.matrices.shape[1:])
        if self.offset is not None:
            matrices *= np.exp(np.multiply.outer(log_q, self.offset - centre))[:, :, None]
        return np.asarray(matrices)


@dataclass(frozen=True)
class IdealLevels:
    """The ideal DCG along a chain of counts: ``constant + sum_h steps_h F_h(C_h)``.

    Attributes
    ----------
    factors : list of (2, B, K_h)
        ``exp(-lambda_b steps_h F_h(C_h))`` at the nodes of each count, without one more item of grade h or
        better and with it; 1/IDCG itself (B = 1) where there is one count only.
    weights : (B,)
        ``v_b exp(-lambda_b constant)``.
    """

    factors: list[Floats]
    weights: Floats

    @classmethod
    def of(cls, constant: float, levels: Sequence[Floats]) -> IdealLevels:
        """Return it from the terms ``steps_h F_h`` (2, K_h) of each count."""
        if len(levels) == 1:
            ideal = constant + levels[0][:, None]
            return cls([np.where(ideal > 0, 1 / np.where(ideal > 0, ideal, 1.0), 0.0)], np.ones(1))
        # an item of the last grade counts in the last term only, and no other item counts in fewer
        low = constant + sum(float(level[0].min()) for level in levels[:-1]) + float(levels[-1][1].min())
        if constant > 0:
            low = constant + sum(float(level[0].min()) for level in levels)
        high = constant + sum(float(level.max()) for level in levels)
        ratio = 2.0 ** (math.ceil(_RATIOS * math.log2(high / low) + 1e-6) / _RATIOS)
        # 1/IDCG = sum_b v_b exp(-lambda_b IDCG) on [low, high], from 1/x on [1, ratio] with x = IDCG / low
        rates, weights, _ = reciprocal_as_exponentials(ratio, TOLERANCE)
        rates, weights = rates / low, weights / low
        factors = [np.exp(-rates[:, None] * level[:, None]) for level in levels]
        return cls(factors, weights * np.exp(-rates * constant))


@dataclass(frozen=True)
class _Part:
    """A signed part of 1/IDCG, as a chain of counts whose last one has its own nodes and weights."""

    sign: float
    first: Count
    steps: list[Thinning]  # to each of the others
    ideal: IdealLevels
    last: Count

    def mean(self, log_q: Complex, log_typical: Complex | None) -> Complex:
        """Return means of ``prod_i q_i^c_i / IDCG``, the last q that of all other items: (R, grades + 1).

        ``log_typical`` is the logarithm of the product for mean counts; without it no q may be larger than 1.
        Column g is for 1/IDCG with one more item of grade g; the last one for 1/IDCG as it is.
        """
        centred = log_typical is not None
        first, last = ((x.shift if centred else x.nodes) for x in (self.first, self.last))
        below = -last if centred else self.last.size - last
        start = np.zeros(len(log_q)) if log_typical is None else log_typical
        exponents = start[:, None] + np.multiply.outer(log_q[:, 0], first)
        if not self.steps:
            powers = np.exp(exponents + np.multiply.outer(log_q[:, -1], below)) * self.last.weights
            return np.asarray(self.sign * powers @ self.ideal.factors[0][::-1, 0].T)
        values: Any = np.exp(exponents)[:, None, None] * self.ideal.factors[0][::-1]  # with the item, without
        # ``values`` are means over C_1, …, C_(h-1) given C_h of the product of the factors up to h. The
        # second axis is the grade of the one more item; its last entry is without it.
        for h, step in enumerate(self.steps, 1):
            rows, branches, terms, nodes = values.shape
            matrices = np.swapaxes(step.tilted(log_q[:, h], centred), 1, 2)
            values = values.reshape(rows, branches * terms, nodes) @ matrices
            values = values.reshape(rows, branches, terms, -1)
            without, with_one = self.ideal.factors[h]
            newest, bare = values[:, -1:] * with_one, values[:, -1:] * without
            values = np.concatenate([values[:, :-1] * with_one, newest, bare], axis=1)
        powers = np.exp(np.multiply.outer(log_q[:, -1], below)) * self.last.weights
        return np.asarray(self.sign * np.einsum("rgbk,rk,b->rg", values, powers, self.ideal.weights))


class LabelMeans:
    """Means of ``prod_i q_i^c_i / IDCG(c + e_g)`` over the label counts c of some items.

    Parameters
    ----------
    gains : (J,)
        Decreasing and positive.
    law : (J + 1,)
        The probabilities of the grades, the last one without gain.
    sums : function
        F(k), smooth in real k >= 0.
    k : int
        The cutoff; one item more than ``trials`` where there is none.
    trials : int
        The number of items.
    """

    def __init__(self, gains: Floats, law: Floats, sums: Sums, k: int, trials: int) -> None:
        self.trials = trials
        shares = np.minimum(np.cumsum(law[:-1]), 1.0)
        # P(count < k); IDCG depends only on the counts of the grades that may not fill the ranks
        below = betaincc(k, trials - k + 1, shares) if k <= trials else np.ones(len(gains))
        distinct = int(np.count_nonzero(below > NEGLIGIBLE))
        full = float(sums(np.array([float(k)]))[0])
        gained = np.append(gains, 0.0)
        self._distinct = distinct
        self._law, self._full = law, gained[0] * full
        self._parts: list[_Part] = []
        if distinct == 0:
            return
        nodes = _NODES_OF_ONE if len(gains) == 1 else _NODES
        levels = [_count(trials, float(p), nodes, self.lattice) for p in shares[:distinct]]
        steps = gained[:distinct] - gained[1 : distinct + 1]

        def terms(h: int, x: Floats, cut: bool) -> Floats:
            numbers = np.stack([x, x + 1.0])
            return np.asarray(steps[h] * sums(np.minimum(numbers, float(k)) if cut else numbers))

        sums_at = [terms(h, level.nodes, level.lattice) for h, level in enumerate(levels)]
        inner = [Thinning.of(a, b.probability, b.shift) for a, b in pairwise(levels)]
        ideal = IdealLevels.of(gained[distinct] * full, sums_at)
        self._parts.append(_Part(1.0, levels[0], inner, ideal, levels[-1]))
        # 1(C_j >= k) (1/I_j - 1/I_(j+1)): I_j has the terms from j on cut at k, I_(j+1) those from j + 1 on
        for j, level in enumerate(levels):
            if level.lattice or k > trials:
                continue
            # polynomials of the count are functions there, too, so a few nodes are not enough
            beyond, weights = CountLaw(trials, level.probability, least=k).gauss(nodes // 2)
            if not beyond.size:
                continue
            shift = beyond - trials * level.probability
            chain = [*inner[: j - 1], Thinning.of(levels[j - 1], level.probability, shift)] if j else []
            last = Count(trials, level.probability, shift, weights, True)
            first = levels[0] if j else last
            cut = [*sums_at[:j], np.zeros((2, beyond.size))]
            uncut = [*sums_at[:j], terms(j, beyond, False)]
            for sign, constant, level_sums in ((1.0, gained[j], cut), (-1.0, gained[j + 1], uncut)):
                ideal = IdealLevels.of(constant * full, level_sums)
                self._parts.append(_Part(sign, first, chain, ideal, last))

    @property
    def lattice(self) -> int:
        """The largest lattice of counts; a mean over a lattice can be of any function."""
        return _LONE_LATTICE if self._distinct < 2 else _LATTICE

    @property
    def kinked(self) -> bool:
        """Whether the counts have few nodes although one may pass the cutoff."""
        return len(self._parts) > 1

    @property
    def vary(self) -> bool:
        """Whether IDCG depends on the counts."""
        return self._distinct > 0

    def moments(self, degree: int) -> Floats:
        """Return ``E[psi_m(c) / IDCG(c + e_1)]`` for m up to a degree, where there is one grade.

        psi_m are the orthonormal polynomials of its count c.
        """
        if self._distinct == 0:
            return np.where(np.arange(degree + 1) == 0, 1 / self._full, 0.0)
        terms = [
            part.sign * _polynomials(part.last, degree) @ (part.last.weights * part.ideal.factors[0][1, 0])
            for part in self._parts
        ]
        return np.asarray(sum(terms))

    def coefficients(self, deviation: Floats, t: Floats, degree: int) -> Floats:
        """Return ``E[phi_m(A) / IDCG]`` for m up to a degree at depths t (T,), averaged over grades.

        phi_m are the orthonormal polynomials of the law of A; see `rank_terms`.
        """
        points = degree + 1
        radius, scale = circle(points, self.trials)
        half = points // 2 + 1  # the other points have the conjugate values
        w = radius * np.exp(2j * math.pi * np.arange(half) / points)
        slope = w / np.sqrt(t * (1 - t))[:, None]
        # sum_m sqrt(binom(N, m)) w^m E[phi_m(A) / IDCG] at points w of a circle, inverted by FFT
        means = self(slope.ravel(), np.repeat(deviation, half, axis=1), centred=True).mean(axis=1)
        return np.asarray(np.fft.irfft(means.reshape(t.size, half).conj(), points, axis=1) * scale)

    def __call__(self, slope: Complex, above: Floats, *, centred: bool) -> Complex:
        """Return means (R, J) for ``q_i = 1 + slope above_i``; ``slope`` (R,), ``above`` (J + 1, R).

        Either ``above`` has mean 0 over the grades (``centred``), or no q is above 1. Column g has 1/IDCG
        with one more item of grade g.
        """
        grades = len(self._law) - 1
        moved = (slope * above).T  # (R, J + 1)
        if self._distinct == 0:  # IDCG = y_1 F(k), and E prod q_i^c_i = (sum_i p_i q_i)^N
            mean = np.zeros(len(slope)) if centred else moved @ self._law
            powers = np.exp(self.trials * (mean + log_remainder(mean)))
            return np.repeat(powers[:, None] / self._full, grades, axis=1)
        totals = np.zeros((len(slope), self._distinct + 1), complex)
        for part in self._parts:
            depth = len(part.steps) + 1
            masses = np.append(self._law[:depth], self._law[depth:].sum())
            beyond = moved[:, depth:] @ self._law[depth:] / masses[-1] if masses[-1] > 0 else moved[:, -1]
            groups = np.column_stack([moved[:, :depth], beyond])
            groups[np.abs(1 + groups) < SMALLEST] = SMALLEST - 1
            remainder = log_remainder(groups)
            log_q = groups + remainder
            # prod q_i^E(c_i), in which the terms linear in the slope cancel
            typical = self.trials * (remainder @ masses) if centred else None
            longest = max(part.first.shift.size, part.last.shift.size)
            rows = max(1, HELD // (longest * max((depth + 1) * len(part.ideal.weights), longest)))
            for i in range(0, len(slope), rows):
                chunk = slice(i, i + rows)
                means = part.mean(log_q[chunk], None if typical is None else typical[chunk])
                totals[chunk, :depth] += means[:, :depth]
                totals[chunk, depth:] += means[:, -1:]
        return np.asarray(totals[:, np.minimum(np.arange(grades), self._distinct)])
