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
from ndcg_asymptotics.theory.deviation.rank_sums import TOP, RankSums


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
    >>> moments = moments_given_counts(curve, discount, 60, (60,), np.array([[18.0]]))
    >>> moments.mean.round(6), moments.counts.round(6)  # 0.3 sum_r 1/r, and n p (1 - p)
    (array([[1.403961]]), array([[[12.6]]]))
    """
    sums = RankSums(scorer, discount, n, cutoffs, counts)
    gained = np.tensordot(sums.gains[sums.rows], sums.labels, 1)
    mean = (sums.weights[sums.rows] * gained * sums.measure).sum(axis=2)
    missed = _missed_by_jumps(sums)
    if sums.items.complement is None:  # a probability near 1 is rounded
        squares = (sums.weights[0] ** 2 * sums.measure)[sums.lists // 2]
        missed += np.finfo(float).eps * sums.gains[0].max() ** 2 * float(squares.sum())
    sums.weights = sums.weights - _shift(sums)[:, None, None]
    matrix = np.einsum("acr,bcr,abcr,cr->abc", sums.weights, sums.weights, sums.covariance, sums.measure)
    matrix += _of_slopes(sums, sums.slope)
    for i, jump in zip(sums.breaks.steps, sums.jumps, strict=True):
        # the variance by the law of N less that of the smoothed jump in (3)
        exact = sums.after(sums.weights)
        exact = exact - (exact * jump.law).sum(axis=2)[..., None]
        size = sums.of_rows(sums.breaks.size[: sums.grades, :, i])
        matrix += size[:, None] * size * (_products(exact, jump.law) - _of_slopes(sums, jump.slope))
    return GivenCounts(mean, *_regressed(sums, matrix), missed)


def _shift(sums: RankSums) -> Floats:
    """Return a constant for the weights of DCG, which changes nothing given the counts and cancels most."""
    variances, shift = sums.covariance[0, 0] * sums.measure, np.zeros(len(sums.gains))
    average = (sums.weights[sums.rows] * variances).sum(axis=2) / np.maximum(variances.sum(axis=1), 1e-300)
    shift[sums.rows] = average[:, sums.lists // 2]
    return shift


def _of_slopes(sums: RankSums, slope: Floats) -> Floats:
    """Return Cov(A(j), A'(j))/(n + 2) for all rows, (A, A, C)."""
    after = sums.after(sums.weights * slope)
    # less the mean over the n + 1 gaps
    after = after - (after * sums.gaps).sum(axis=2)[..., None] / (sums.n + 1)
    return _products(after, sums.gaps) / (sums.n + 1) / (sums.n + 2)


def _products(values: Floats, weights: Floats) -> Floats:
    """Return the weighted sums of products of rows: (A, C, r) and (C, r) to (A, A, C)."""
    return np.asarray(np.einsum("acr,bcr->abc", values * weights, values))


def _missed_by_jumps(sums: RankSums) -> float:
    """Return what jumps beyond the ranks that are compared may add to a variance at the expected counts."""
    missed, middle = 0.0, sums.lists // 2
    for i in sums.breaks.steps:
        rank = (sums.n + 1) * float(sums.breaks.u[middle, i])
        if TOP / 2 < rank < sums.cutoffs[0] + 8 * rank**0.5:
            size = float(sums.gains[0] @ sums.breaks.size[: sums.grades, middle, i])
            missed += (size * float(sums.discount(rank, sums.n))) ** 2
    return missed


def _second_order(sums: RankSums) -> Floats:
    """Return (4) for each row, (A, C)."""
    # with n + 1 of (4) as n, so that the depth of rank r has the mean r / n
    n, r, weights = sums.n + 1, sums.ranks, sums.weights * sums.measure
    g, h = weights * sums.slope, weights * sums.curvature
    # Cov(U_(r), U_(s)) = r (n + 1 - s) / ((n + 1)^2 (n + 2)) for r <= s
    unit = n**2 * (n + 1)
    # each pair r < s stands twice in (4), so half of it is this sum; `_before` takes half of r = s
    squares = (h * (n - r) ** 2 * _before(h * r**2)).sum(axis=2) / unit**2
    # sum_s g_s Cov(U_(r), U_(s)), from the ranks s up to r and those below
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
