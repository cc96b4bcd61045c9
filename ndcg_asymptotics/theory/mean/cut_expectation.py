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
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ndcg_asymptotics.arrays import Floats
from ndcg_asymptotics.theory.mean.conditional import RankMean
from ndcg_asymptotics.theory.mean.counts import divide, lattice_window, multinomial_rule
from ndcg_asymptotics.theory.mean.cut_depth import depth_rule
from ndcg_asymptotics.theory.mean.kinks import Interpolated, beyond
from ndcg_asymptotics.theory.mean.segments import ABSENT, Mesh, Segment

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
    depths, weights, error = depth_rule(mesh.relevance, k, n)
    cut = _Cut(mean, np.append(mesh.relevance.gains, 0.0), law, k, n)
    segments = mesh.segments(depths)
    if uncut == 0:
        one = np.array([[float(k), 0.0]])
        gained = np.array([mean.dcg(segment.merged(), one, n)[0] for segment in segments])
        return float(weights @ gained) / (cut.gains[0] * cut.whole), error
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

    def next_item(self, grades: int) -> Iterator[tuple[float, Floats]]:
        """Probability and counts of the item at the depth: of each of the first grades, or of none."""
        law = np.append(self.at[:grades], self.at[grades:].sum())
        return ((p, counts) for p, counts in zip(law, np.eye(grades + 1, grades), strict=True) if p > 0)


@dataclass(frozen=True)
class _Cut:
    """What the parts of 1/IDCG have in common: gains (J + 1, the last 0), the label law, k and n."""

    mean: RankMean
    gains: Floats
    law: Floats
    k: int
    n: int

    @cached_property
    def whole(self) -> float:
        """F(k)."""
        return float(self.mean.sums(np.array(float(self.k)), self.n))

    def smooth(self, side: _Side, uncut: int) -> float:
        """E[DCG / I_uncut] at a depth."""
        a, weight_a = multinomial_rule(float(self.k), side.above.law, self.k * side.above.law + 1)
        b, weight_b = multinomial_rule(float(self.n - self.k - 1), side.below, self.n * self.law + 1)
        inverse = np.zeros(len(a))
        for probability, grade in side.next_item(uncut):
            inverse += probability * (self._inverse(a, b[:, :uncut] + grade, uncut) @ weight_b)
        return float(weight_a @ (self.mean.dcg(side.above, a, self.n) * inverse))

    def kink(self, side: _Side, j: int) -> tuple[float, float]:
        """E[DCG (1/I_j - 1/I_(j+1)); C_j > k] at a depth, and its error by thinning the lattices."""
        grades = j + 1
        sizes, laws = (self.k, self.n - self.k - 1), (side.above.law, side.below)
        shares = [min(float(law[:grades].sum()), 1.0) for law in laws]
        windows = [lattice_window(size, share) for size, share in zip(sizes, shares, strict=True)]
        spacing = max(1, math.ceil(max(high - low for low, high in windows) / _POINTS))
        scale_a, scale_b = self.k * laws[0] + 1, self.n * self.law + 1
        spread = self.k * shares[0] + 1, self.n * float(self.law[:grades].sum()) + 1
        first = Interpolated.binomial(sizes[0], shares[0], spread[0], spacing, self.k)
        second = Interpolated.binomial(sizes[1], shares[1], spread[1], spacing)
        better, weight_a, row = divide(first.nodes, laws[0][:grades], scale_a[:grades])
        others, weight, parent = divide(self.k - first.nodes[row], laws[0][grades:], scale_a[grades:])
        a, weight_a, row = np.column_stack([better[parent], others]), weight_a[parent] * weight, row[parent]
        b, weight_b, column = divide(second.nodes, laws[1][:grades], scale_b[:grades])
        gained = weight_a * self.mean.dcg(side.above, a, self.n)
        without, with_it = (beyond(first, second, self.k - one)[np.ix_(row, column)] for one in (0, 1))
        total = 0.0
        for probability, grade in side.next_item(grades):
            change = self._inverse(a, b + grade, j) - self._inverse(a, b + grade, grades)
            weights = with_it if grade.any() else without
            total += probability * float(gained @ ((weights * change) @ weight_b))
        return total, 1e-6 / math.sqrt(self.n) if spacing > 1 else 0.0

    def _inverse(self, above: Floats, below: Floats, uncut: int) -> Floats:
        """1/I_uncut (A, B) for counts above (A, >= uncut) and below (B, >= uncut); 0 where that is 0."""
        a, b = np.cumsum(above, axis=1), np.cumsum(below, axis=1)  # with many equal numbers
        ideal = np.full((len(a), len(b)), self.gains[uncut] * self.whole)
        for j in range(uncut):
            (ours, row), (theirs, column) = (np.unique(c[:, j], return_inverse=True) for c in (a, b))
            cumulative = (self.gains[j] - self.gains[j + 1]) * self.mean.sums(ours[:, None] + theirs, self.n)
            ideal += cumulative[row][:, column]
        return np.asarray(np.divide(1.0, ideal, out=np.zeros_like(ideal), where=ideal > 0))


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
