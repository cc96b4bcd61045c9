"""Mean and variance of DCG given the label counts of a list, at a cost that does not depend on its length.

Given the counts labels are independent given the depths, with the law f_j(u) at the uniform depth u
(`items`). For a weight w(r) of the ranks and gains y_j, with phi = sum_j y_j f_j and U_(r) the depth of rank
r, which has the law Beta(r, n + 1 - r)::

    E S        = sum_r w(r) E phi(U_(r)),                                            S = sum_r w(r) y_(r),
    Cov(S, S') = sum_r w w' E Cov(y, y' | U_(r)) + Cov(A(j), A'(j)) / (n + 2),                           (3)
    A(j)       = sum_{r > j} w(r) E phi'(U_(r)),            the gap j uniform on 0, …, n.

DCG has the weights D(r) up to the cutoff, and the number of items of a grade has w = 1 and the gain 1 for
that grade. (3) is linear in the deviations of U_(r). The terms of second order are, with h = w E phi'' and g
= w E phi',

    1/2 sum_rs h_r h_s Cov(U_(r), U_(s))^2 + sum_rs h_r g_s E[dU_(r)^2 dU_(s)],                          (4)

where the third moment is ``2 (1 - 2u)/(n + 3) Cov(U_(r), U_(s))`` at u = r/(n + 1), as U_(s) is linear in
U_(r) on average. The regression on the numbers of items of each grade leaves the variance given the counts
(`counts`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.measures import Discount
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.deviation.jumps import missed_by_jumps, of_far_jump, of_jump_among_first_ranks
from ndcg_asymptotics.theory.deviation.rank_nodes import DX, TO_THE_END, downwards, products
from ndcg_asymptotics.theory.deviation.rank_sums import RankSums

_ROUNDING = 2e-16  # of a probability near 1 without a complement


class GivenCounts(NamedTuple):
    """DCG given that the labels have a law with these expected counts.

    Attributes
    ----------
    mean : (K, C)
        For each cutoff and each of the counts: E[DCG | c].
    linear : (K, C)
        The variance by (3) less its regression on the numbers of items of the grades.
    second : (K, C)
        The terms (4).
    counts : (C, J, J)
        The covariance matrix of the numbers of items of the grades.
    missed : float
        What jumps of the curves and lost digits may add to a variance.
    """

    mean: Floats
    linear: Floats
    second: Floats
    counts: Floats
    missed: float


def moments_given_counts(
    scorer: Relevance, discount: Discount, n: int, cutoffs: tuple[int, ...], counts: Floats
) -> GivenCounts:
    """Return mean and variance of DCG with each cutoff for label counts (C, J), by (3) and (4).

    The middle one of the counts is the expected one, and the first cutoff is the largest.

    >>> curve, discount = Relevance.of("constant(0.3)"), Discount.of("zipf")
    >>> found = moments_given_counts(curve, discount, 200, (200,), np.array([[60.0]]))
    >>> found.mean.round(6), found.counts.round(6)  # 0.3 sum_r 1/r, and n p (1 - p)
    (array([[1.763409]]), array([[[42.]]]))
    """
    sums = RankSums(scorer, discount, n, cutoffs, counts)
    gained = np.tensordot(sums.gains[sums.rows], sums.labels, 1)
    mean = (sums.weights[sums.rows] * gained * sums.measure).sum(axis=2)
    missed = missed_by_jumps(sums)
    if sums.items.rest is None:
        squares = (sums.weights[0] ** 2 * sums.measure)[sums.lists // 2]
        missed += _ROUNDING * sums.gains[0].max() ** 2 * float(squares.sum())
    sums.shifted(_shift(sums))
    matrix = np.einsum("acr,bcr,abcr,cr->abc", sums.weights, sums.weights, sums.covariance, sums.measure)
    gaps = _gaps(sums)
    matrix += products(gaps.sums, gaps.measure) / (sums.n + 1) / (sums.n + 2) + gaps.matrix
    mean += gaps.mean
    for i in sums.jumps.steps:
        matrix += of_jump_among_first_ranks(sums, i)
    return GivenCounts(mean, *_regressed(sums, matrix), missed)


def _shift(sums: RankSums) -> Floats:
    """Return a constant for the weights of DCG, which changes nothing given the counts and cancels most."""
    own, shift = sums.covariance[0, 0] * sums.measure, np.zeros(len(sums.gains))
    average = (sums.weights[sums.rows] * own).sum(axis=2) / np.maximum(own.sum(axis=1), 1e-300)
    shift[sums.rows] = average[:, sums.lists // 2]
    return shift


class _Gaps(NamedTuple):
    """A(j) less its mean, (A, C, gaps), with how many gaps each stands for; and what jumps and kinks add."""

    sums: Floats
    measure: Floats
    mean: Floats
    matrix: Floats


def _gaps(sums: RankSums) -> _Gaps:
    rows, first = len(sums.gains), sums.first
    mean, matrix = np.zeros((len(sums.cutoffs), sums.lists)), np.zeros((rows, rows, sums.lists))
    rate, gap = sums.weights * sums.slope, np.ones((sums.lists, first + 1))
    if not sums.long:
        found = downwards(rate)
        return _Gaps(found - found.sum(axis=2)[..., None] / (sums.n + 1), gap, mean, matrix)
    rate_there = rate[..., first:].reshape(rows, *sums.x.shape)
    fall = np.zeros(rate_there.shape[:3])  # of A at the upper edge of each panel
    for i in sums.jumps.steps:
        jump = of_far_jump(sums, i)
        mean, matrix = mean + jump.mean, matrix + jump.matrix
        fall[:, np.arange(sums.lists), jump.panel] += jump.fall
    panel = (rate_there * sums.half * DX).sum(axis=3)
    rest = downwards(panel + fall)
    inside = rest[:, :, 1:, None] + (rate_there @ TO_THE_END.T) * sums.half
    gap[:, -1] = 0.5  # Euler and Maclaurin
    measure = np.concatenate([gap, sums.measure[:, first:]], axis=1)
    found = np.concatenate(
        [downwards(rate[..., :first], rest[..., 0]), inside.reshape(rows, sums.lists, -1)], axis=2
    )
    average = (found * measure).sum(axis=2)[..., None] / (sums.n + 1)
    if sums.kinks is not None:
        # means over U_(r) of kinks at the edges between panels
        edges, kinks = sums.edges[:, 1:-1], sums.kinks * sums.half_variance(sums.edges[:, 1:-1])
        weights, slope = sums.weights_at(edges), sums.of_rows(kinks[: sums.grades])
        mean = mean + (weights * slope)[sums.rows].sum(axis=2)
        weights = weights - sums.shift[..., None]
        across = np.einsum("acp,acp,bcp->abc", weights, slope, rest[..., 1:-1] - average) / (sums.n + 2)
        within = np.einsum("acp,bcp,abcp->abc", weights, weights, sums.of_pairs(kinks))
        matrix = matrix + within - across - across.swapaxes(0, 1)
    return _Gaps(found - average, measure, mean, matrix)


def _second_order(sums: RankSums) -> Floats:
    """Return (4) for each row, (A, C)."""
    n, r, weights = sums.n + 1, sums.ranks, sums.weights * sums.measure
    g, h = weights * sums.slope, weights * sums.curvature
    if sums.kinks is not None:
        # the second derivative of a kink is its change of slope, at its rank
        edges = sums.edges[:, 1:-1]
        kinks = (
            (sums.weights_at(edges) - sums.shift[..., None]) * sums.of_rows(sums.kinks[: sums.grades]) * n**2
        )
        order = np.argsort(np.concatenate([r, edges], axis=1), axis=1)
        r = np.take_along_axis(np.concatenate([r, edges], axis=1), order, 1)
        g, h = (
            np.take_along_axis(np.concatenate([y, z], axis=2), order[None], 2)
            for y, z in ((g, 0 * kinks), (h, kinks))
        )
    # Cov(U_(r), U_(s)) = r (n + 1 - s) / ((n + 1)^2 (n + 2)) for r <= s
    unit = n**2 * (n + 1)
    squares = (h * (n - r) ** 2 * _before(h * r**2)).sum(axis=2) / unit**2
    above, below = g * r, g * (n - r)
    across = ((n - r) * _before(above) + r * (below.sum(axis=2)[..., None] - _before(below))) / unit
    return np.asarray(squares + 2 / (n + 2) * (h * (1 - 2 * r / n) * across).sum(axis=2))


def _before(values: Floats) -> Floats:
    """Return sums up to the middle of each value."""
    return np.asarray(np.cumsum(values, axis=2) - values / 2)


def _regressed(sums: RankSums, matrix: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the variances that the regression on the counts leaves, (4), and the matrix of the counts."""
    rows = len(sums.cutoffs)
    of_counts = matrix[rows:, rows:].transpose(2, 0, 1)
    across = matrix[rows:, :rows].transpose(2, 0, 1)  # (C, J, K)
    explained = (across * (np.linalg.pinv(of_counts, rcond=1e-9, hermitian=True) @ across)).sum(axis=1)
    alone = matrix[range(rows), range(rows)] - explained.T
    return alone, _second_order(sums)[:rows], of_counts
