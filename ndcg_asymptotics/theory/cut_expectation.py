"""The exact mean of NDCG at finite n with a cutoff.

Let tau be the depth of the item at rank k + 1, Beta(k + 1, n - k). Given tau, the items above it
are k independent ones, uniform on [0, tau], and those below are n - k - 1 independent ones on
[tau, 1]. So DCG at k is the DCG of a *full* list of k items with the curves on [0, tau], and with
``a`` their label counts and ``b`` those of the rest (the item at tau included)::

    E[NDCG_n] = E_tau E_a[ E[DCG_k | a, tau] · E_b[ 1 / IDCG(a + b) ] ].

There is no truncated sum left, and every part is smooth but one: with C_j the number of items of
grade j or better and y_1 > … > y_J > y_(J+1) = 0 the gains::

    IDCG = sum_j (y_j - y_(j+1)) F(min(C_j, k))

has a kink where a C_j passes k. Let I_c be IDCG with the terms j >= c cut and the others left
uncut. Since C_j grows with j, only I_j and I_(j+1) matter where C_j > k, and 1/IDCG telescopes into a
smooth function and parts with one threshold each (`theory.kinks`)::

    1/IDCG = 1/I_(J+1) + sum_j 1(C_j > k) (1/I_j - 1/I_(j+1)).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import NDArray
from scipy.linalg import eigh_tridiagonal

from ndcg_asymptotics.theory.conditional import RankMean, three_points
from ndcg_asymptotics.theory.counts import divide, lattice_window, multinomial_rule
from ndcg_asymptotics.theory.kinks import Interpolated, beyond
from ndcg_asymptotics.theory.segments import ABSENT, Mesh, Segment

Floats = NDArray[np.float64]

_CONCENTRATED = 10**5  # ranks on both sides of the cutoff from which three depths carry tau's law
_PANELS, _WIDEST, _NODES, _FEW_NODES = 8, 1.5, leggauss(10), leggauss(4)
_GAUSS = (12, 18, 26, 36)  # nodes of tau's own Gauss rule to be tried
_RESOLVED = 1e-12  # relative change of the label laws' means that shows that they are enough
_DEEPEST = 1 - 1e-15  # something is left below it
_FALL = 37.0  # log of the smallest density of tau that counts, relative to the highest
_CERTAIN = 60.0  # a count whose mean is sqrt(60 mean) off k is on that side of it: 1e-13
_POINTS = 4000  # of a lattice


def cut_ndcg(mesh: Mesh, mean: RankMean, k: int, n: int) -> tuple[float, float]:
    """E[NDCG_n] at a cutoff k < n, and its relative error apart from the mesh's."""
    law = mesh.segment(1.0).law
    counts = n * np.minimum(np.cumsum(law[:-1]), 1.0)
    gap = counts - k
    more = (gap > 0) & (gap**2 >= _CERTAIN * counts)
    fewer = (gap < 0) & (gap**2 >= _CERTAIN * (counts - gap / 3))
    uncut = int(np.count_nonzero(~more))  # terms of IDCG
    depths, weights, error = depth_rule(mesh, k, n)
    cut = _Cut(mesh, mean, np.append(mesh.relevance.gains, 0.0), law, k, n)
    segments = mesh.segments(depths)
    if uncut == 0:
        one = np.array([[float(k), 0.0]])
        gained = np.array([mean.dcg(segment.merged(), one, n)[0] for segment in segments])
        return float(weights @ gained) / cut.largest, error
    values, thinned = np.zeros(len(segments)), 0.0
    for s, segment in enumerate(segments):
        side = _Side(segment, _rest(mesh, segment.depth), _next(mesh, segment.depth))
        values[s] = cut.smooth(side, uncut)
        for j in np.flatnonzero(~(more | fewer)):
            value, thin = cut.kink(side, int(j))
            values[s] += value
            thinned = max(thinned, thin)
    return float(weights @ values), error + thinned


@dataclass(frozen=True)
class _Side:
    """The items above a depth, the label law of those below and that of the item at it."""

    above: Segment
    below: Floats
    at: Floats


@dataclass(frozen=True)
class _Cut:
    """What the parts of 1/IDCG have in common: gains (J + 1, the last 0), the label law, k and n."""

    mesh: Mesh
    mean: RankMean
    gains: Floats
    law: Floats
    k: int
    n: int

    @property
    def largest(self) -> float:
        """IDCG where all of the first k items have the highest gain."""
        return float(self.gains[0] * self.mean.sums(np.array(float(self.k)), self.n))

    def smooth(self, side: _Side, uncut: int) -> float:
        """E[DCG / I_uncut] at a depth."""
        a, weight_a = multinomial_rule(float(self.k), side.above.law, self.k * side.above.law + 1)
        b, weight_b = multinomial_rule(float(self.n - self.k - 1), side.below, self.n * self.law + 1)
        inverse = np.zeros(len(a))
        for probability, grade in zip(side.at, np.eye(len(self.law)), strict=True):
            if probability > 0:
                inverse += probability * (self._inverse(a, b + grade, uncut) @ weight_b)
        return float(weight_a @ (self.mean.dcg(side.above, a, self.n) * inverse))

    def kink(self, side: _Side, j: int) -> tuple[float, float]:
        """E[DCG (1/I_j - 1/I_(j+1)); C_j > k] at a depth, and its error by thinning the lattices."""
        parts = j + 1, len(self.law)  # grades up to j, and all
        sizes = self.k, self.n - self.k - 1
        laws = side.above.law, side.below
        shares = [min(float(law[: j + 1].sum()), 1.0) for law in laws]
        windows = [lattice_window(size, share) for size, share in zip(sizes, shares, strict=True)]
        spacing = max(1, math.ceil(max(high - low for low, high in windows) / _POINTS))
        scales = self.k * shares[0] + 1, self.n * float(self.law[: j + 1].sum()) + 1
        first = Interpolated.binomial(sizes[0], shares[0], scales[0], spacing, self.k)
        second = Interpolated.binomial(sizes[1], shares[1], scales[1], spacing)
        a, weight_a, row = _divided(first.nodes, sizes[0], laws[0], parts, self.k * laws[0] + 1)
        b, weight_b, column = _divided(second.nodes, sizes[1], laws[1], parts[:1], self.n * self.law + 1)
        gained = weight_a * self.mean.dcg(side.above, a, self.n)
        total = 0.0
        for g, (probability, grade) in enumerate(zip(side.at, np.eye(len(self.law)), strict=True)):
            if probability == 0:
                continue
            weights = beyond(first, second, self.k - int(g <= j))[np.ix_(row, column)]
            change = self._inverse(a, b + grade, j) - self._inverse(a, b + grade, j + 1)
            total += probability * float(gained @ ((weights * change) @ weight_b))
        return total, 1e-6 / math.sqrt(self.n) if spacing > 1 else 0.0

    def _inverse(self, above: Floats, below: Floats, uncut: int) -> Floats:
        """1/I_uncut (A, B) for counts above (A, J + 1) and below (B, J + 1); 0 where that is 0."""
        a, b = np.cumsum(above, axis=1), np.cumsum(below, axis=1)  # with many equal numbers
        ideal = np.full((len(a), len(b)), self.gains[uncut] * self.largest / self.gains[0])
        for j in range(uncut):
            (ours, row), (theirs, column) = (np.unique(c[:, j], return_inverse=True) for c in (a, b))
            cumulative = (self.gains[j] - self.gains[j + 1]) * self.mean.sums(ours[:, None] + theirs, self.n)
            ideal += cumulative[row][:, column]
        return np.asarray(np.divide(1.0, ideal, out=np.zeros_like(ideal), where=ideal > 0))


def _divided(
    totals: Floats, size: int, law: Floats, parts: tuple[int, ...], scales: Floats
) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Label counts given how many items have one of the first grades: rows, weights, index of the total.

    The labels are divided in parts that end at some indices; labels after the last part are left at 0.
    """
    counts, weights, parent = np.zeros((totals.size, 0)), np.ones(totals.size), np.arange(totals.size)
    left = np.stack([totals, size - totals])
    start = 0
    for end, there in zip(parts, left, strict=False):
        drawn, shares, row = divide(there[parent], law[start:end], scales[start:end])
        counts, weights, parent = np.column_stack([counts[row], drawn]), weights[row] * shares, parent[row]
        start = end
    return np.pad(counts, ((0, 0), (0, law.size - counts.shape[1]))), weights, parent


def depth_rule(mesh: Mesh, k: int, n: int) -> tuple[Floats, Floats, float]:
    """Nodes, weights and relative error for means over the depth at rank k + 1, Beta(k + 1, n - k)."""
    above, below = k + 1.0, float(n - k)
    total = above + below
    centre = above / total
    sd = math.sqrt(above * below / (total + 1)) / total
    breaks = mesh.relevance.breakpoints
    if min(k, n - k) >= _CONCENTRATED and all(abs(b - centre) > 9 * sd for b in breaks):
        skewness = 2 * (below - above) / (total + 2) * math.sqrt((total + 1) / (above * below))
        excess = 6 * ((above - below) ** 2 * (total + 1) / (above * below) - total - 2)
        excess /= (total + 2) * (total + 3)
        a, b, left, right = (float(v) for v in three_points(*np.array([1.0, skewness, excess])))
        return centre + sd * np.array([a, 0.0, b]), np.array([left, 1 - left - right, right]), 0.0

    def log_density(x: Floats) -> Floats:
        """Of logit(tau) - logit(centre), relative to the mode."""
        rise, fall = np.log1p(centre * np.expm1(x)), np.log1p((1 - centre) * np.expm1(-x))
        return np.asarray(-below * rise - above * fall)

    ends = [_where_falls(log_density, sign * math.sqrt(1 / above + 1 / below)) for sign in (-1, 1)]
    cuts = [math.log(b / (1 - b) * (1 - centre) / centre) for b in breaks]
    cuts = [c for c in cuts if ends[0] < c < ends[1]]
    if not cuts:
        rule = _own_rule(mesh, above, below)
        if rule is not None:
            return *rule, 0.0
    panels = max(_PANELS, math.ceil((ends[1] - ends[0]) / _WIDEST))
    edges = np.union1d(np.linspace(ends[0], ends[1], panels + 1), cuts)
    narrow = np.diff(edges) < (ends[1] - ends[0]) / (3 * panels)  # between two breaks
    x, weights = (
        np.concatenate(parts)
        for parts in zip(
            _on(edges[:-1][~narrow], edges[1:][~narrow], _NODES),
            _on(edges[:-1][narrow], edges[1:][narrow], _FEW_NODES),
            strict=True,
        )
    )
    weights = weights * np.exp(log_density(x))
    depths = np.minimum(centre * np.exp(x) / (1 + centre * np.expm1(x)), _DEEPEST)
    # the log density is a difference of terms as large as the square root of this
    return depths, weights / weights.sum(), 1e-15 * math.sqrt(above * below / total)


def _own_rule(mesh: Mesh, above: float, below: float) -> tuple[Floats, Floats] | None:
    """The Gauss rule of Beta(above, below), if the label laws are smooth enough for it."""
    previous = None
    for count in _GAUSS:
        depths, weights = _beta_rule(above, below, count)
        value = np.array([curve.value(depths) for curve in mesh.relevance.curves])
        share = np.array([curve.integral(0.0, depths) for curve in mesh.relevance.curves]) / depths
        means = np.concatenate([value, share, value**2, share**2]) @ weights
        if previous is not None and np.all(np.abs(means - previous) <= _RESOLVED * np.abs(means)):
            return depths, weights
        previous = means
    return None


def _beta_rule(above: float, below: float, count: int) -> tuple[Floats, Floats]:
    """Gauss-Jacobi on [0, 1], in relative precision at both ends' scales: nodes over the mean of the law."""
    a, b, s = below - 1, above - 1, above + below - 2
    m = np.arange(float(count))
    centre = above / (above + below)
    diagonal = (2 * m * (m + 1 + s) + s * (b + 1)) / ((2 * m + s) * (2 * m + s + 2))
    m = m[1:]
    product = m * (m + a) / (2 * m + s) * ((m + b) * (m + s) / (2 * m + s))
    beside = np.sqrt(product / ((2 * m + s + 1) * (2 * m + s - 1)))
    nodes, vectors = eigh_tridiagonal(diagonal / centre, beside / centre)
    return np.clip(nodes * centre, 0.0, _DEEPEST), vectors[0] ** 2


def _on(left: Floats, right: Floats, rule: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    half = (right - left)[:, None] / 2
    return (left[:, None] + half * (1 + rule[0])).ravel(), (half * rule[1]).ravel()


def _where_falls(log_density: Callable[[Floats], Floats], step: float) -> float:
    x = step
    while float(log_density(np.array(x))) > -_FALL:
        x += step
    return x


def _rest(mesh: Mesh, depth: float) -> Floats:
    """The label law below a depth."""
    kept = np.array([float(c.integral(depth, 1.0)) for c in mesh.relevance.curves])
    law = np.append(kept, 1 - depth - kept.sum())
    law = np.where(law > ABSENT, law, 0.0) if law.max() > ABSENT else np.maximum(law, 0.0)
    return np.asarray(law / law.sum())


def _next(mesh: Mesh, depth: float) -> Floats:
    """The label law at a depth."""
    value = np.array([float(c.value(depth)) for c in mesh.relevance.curves])
    return np.append(value, max(1.0 - float(value.sum()), 0.0))
