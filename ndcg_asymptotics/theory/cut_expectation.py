"""The exact mean of NDCG at finite n with a cutoff.

Let tau be the depth of the item at rank k + 1, Beta(k + 1, n - k). Given tau, the items above it
are k independent ones, uniform on [0, tau], and those below are n - k - 1 independent ones on
[tau, 1]. So DCG at k is the DCG of a *full* list of k items with the curves on [0, tau], and with
``a`` their label counts and ``b`` those of the rest (the item at tau included)::

    E[NDCG_n] = E_tau E_a[ E[DCG_k | a, tau] · E_b[ 1 / IDCG(a + b) ] ].

There is no truncated sum left, and every part is smooth but one: IDCG has a kink where the number
of items of some grade or better passes k. With binary labels, where that can happen the counts are
summed over instead of integrated.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.polynomial.chebyshev import Chebyshev
from numpy.polynomial.legendre import leggauss
from numpy.typing import NDArray
from scipy.signal import correlate

from ndcg_asymptotics.theory.conditional import RankMean, three_points
from ndcg_asymptotics.theory.counts import binomial_lattice, lattice_window, multinomial_rule
from ndcg_asymptotics.theory.segments import ABSENT, Mesh, Segment

Floats = NDArray[np.float64]

_CONCENTRATED = 10**5  # ranks on both sides of the cutoff from which three depths carry tau's law
_PANELS, _WIDEST, _NODES, _FEW_NODES = 8, 1.5, leggauss(10), leggauss(4)
_DEEPEST = 1 - 1e-15  # something is left below it
_FALL = 37.0  # log of the smallest density of tau that counts, relative to the highest
_CERTAIN = 60.0  # a count is at least k when k is sqrt(60 mean) below its mean: 1e-13
_POINTS = 4000  # of a lattice
_DEGREE = 24  # of E[DCG | a] as a polynomial over its window, when that has more points
_GENTLE = 8.0  # items of each grade above the cutoff
_EXTRA = 3  # nodes more in each direction, to see what a rule's error is
_TABLE = 30_000  # count vectors up to which graded counts are summed over


def cut_ndcg(mesh: Mesh, mean: RankMean, k: int, n: int) -> tuple[float, float]:
    """E[NDCG_n] at a cutoff k < n, and its relative error apart from the mesh's."""
    law = mesh.segment(1.0).law
    gains = np.array(mesh.relevance.gains)
    depths, weights, error = depth_rule(k, n, mesh.relevance.breakpoints)
    segments = mesh.segments(depths)
    if n * law[0] > k and (n * law[0] - k) ** 2 >= _CERTAIN * n * law[0]:
        ideal = gains[0] * float(mean.sums(np.array(float(k)), n))
        one = np.array([[float(k), 0.0]])
        gained = np.array([mean.dcg(segment.merged(), one, n)[0] for segment in segments])
        return float(weights @ gained) / ideal, error
    shares = np.minimum(np.cumsum(law[:-1]), 1.0)
    kinked = np.abs(n * shares - k) <= 9 * np.sqrt(n * shares * (1 - shares)) + 32
    if len(gains) == 1 and kinked.any():
        values, thinned = _summed(mesh, mean, segments, k, n)
        return float(weights @ values), error + thinned
    value = float(weights @ _integrated(mesh, mean, segments, k, n))
    if kinked.any() and (n + 1) ** len(gains) > _TABLE:
        other = float(weights @ _integrated(mesh, mean, segments, k, n, _EXTRA))
        error += 4 * abs(value - other) / value
    return value, error


def depth_rule(k: int, n: int, breaks: tuple[float, ...]) -> tuple[Floats, Floats, float]:
    """Nodes, weights and relative error for means over the depth at rank k + 1, Beta(k + 1, n - k)."""
    above, below = k + 1.0, float(n - k)
    total = above + below
    centre = above / total
    sd = math.sqrt(above * below / (total + 1)) / total
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
    panels = max(_PANELS, math.ceil((ends[1] - ends[0]) / _WIDEST))
    edges = np.union1d(np.linspace(ends[0], ends[1], panels + 1), [c for c in cuts if ends[0] < c < ends[1]])
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
    return np.append(value, max(1 - value.sum(), 0.0))


def _integrated(
    mesh: Mesh, mean: RankMean, segments: list[Segment], k: int, n: int, extra: int = 0
) -> Floats:
    """E[NDCG_n | tau] by quadrature over the counts above and below."""
    gains = np.array(mesh.relevance.gains)
    result = np.zeros(len(segments))
    table = _table(mean, gains, k, n) if (n + 1) ** len(gains) <= _TABLE else None
    for s, segment in enumerate(segments):
        a, weight_a = multinomial_rule(float(k), segment.law, extra, whole=table is not None)
        if table is not None:
            inverse = _correlated(table, _rest(mesh, segment.depth), _next(mesh, segment.depth), n - k)
            inverse = inverse[tuple(a[:, :-1].astype(int).T)]
        else:
            # with many of every grade above the cutoff, IDCG hardly feels the counts below it
            gentle = bool((k * segment.law[:-1]).min() > _GENTLE)
            rest = _rest(mesh, segment.depth)
            b, weight_b = multinomial_rule(float(n - k - 1), rest, extra, gentle=gentle)
            inverse = np.zeros(len(a))
            for probability, grade in zip(_next(mesh, segment.depth), np.eye(a.shape[1]), strict=True):
                rows = (a[:, None] + b + grade).reshape(-1, a.shape[1])
                ideal = mean.ideal(rows, gains, k, n).reshape(len(a), len(b))
                inverse += probability * (_inverse(ideal) @ weight_b)
        result[s] = weight_a @ (mean.dcg(segment, a, n) * inverse)
    return result


def _table(mean: RankMean, gains: Floats, k: int, n: int) -> Floats:
    """1/IDCG for all whole counts 0 … n of the grades with gain (in each dimension)."""
    counts = np.indices((n + 1,) * len(gains)).reshape(len(gains), -1).T
    ideal = mean.ideal(np.pad(counts.astype(np.float64), ((0, 0), (0, 1))), gains, k, n)
    return _inverse(ideal).reshape((n + 1,) * len(gains))


def _correlated(table: Floats, rest: Floats, following: Floats, items: int) -> Floats:
    """The mean of table[a + b] over the counts b of ``items`` items, as a function of a."""
    b, weight = multinomial_rule(float(items - 1), rest, whole=True)
    law = np.zeros((items + 1,) * table.ndim)
    for probability, grade in zip(following, np.eye(len(rest), dtype=int), strict=True):
        np.add.at(law, tuple((b.astype(int) + grade)[:, :-1].T), probability * weight)
    return np.asarray(correlate(table, law, mode="valid"))


def _inverse(ideal: Floats) -> Floats:
    """1/IDCG, 0 where there is nothing to gain."""
    return np.divide(1.0, ideal, out=np.zeros_like(ideal), where=ideal > 0)


def _summed(mesh: Mesh, mean: RankMean, segments: list[Segment], k: int, n: int) -> tuple[Floats, float]:
    """E[NDCG_n | tau] by sums over binary counts, thinned to a lattice that holds k when long."""
    gain = float(mesh.relevance.gains[0])
    result, thinned = np.zeros(len(segments)), 0.0
    for s, segment in enumerate(segments):
        rest, following = _rest(mesh, segment.depth), _next(mesh, segment.depth)
        windows = lattice_window(k, segment.law[0]), lattice_window(n - k - 1, rest[0])
        spacing = max(1, math.ceil(max(high - low for low, high in windows) / _POINTS))
        if spacing > 1:
            thinned = 1e-6 / math.sqrt(n)
        a, weight_a = binomial_lattice(k, segment.law[0], spacing, k)
        b, weight_b = binomial_lattice(n - k - 1, rest[0], spacing)
        together = a[0] + b[0] + spacing * np.arange(len(a) + len(b) - 1.0)
        inverse = sum(
            probability * _inverse(gain * mean.sums(np.minimum(together + one, k), n))
            for probability, one in zip(following, (1.0, 0.0), strict=True)
        )
        averaged = correlate(inverse, weight_b, mode="valid")
        result[s] = weight_a @ (_over_window(mean, segment, a, k, n) * averaged)
    return result, thinned


def _over_window(mean: RankMean, segment: Segment, a: Floats, k: int, n: int) -> Floats:
    """E[DCG | a] at many counts: a polynomial through some of them."""

    def dcg(counts: Floats) -> Floats:
        return mean.dcg(segment, np.stack([counts, k - counts], axis=1), n)

    if len(a) <= 2 * _DEGREE or a[0] == a[-1]:
        return dcg(a)
    return np.asarray(Chebyshev.interpolate(dcg, _DEGREE, domain=(a[0], a[-1]))(a))
