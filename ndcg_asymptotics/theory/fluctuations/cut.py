"""The variance of NDCG with a cutoff, where the ideal list is full of the best grade.

Let tau be the depth of the item at rank k + 1, Beta(k + 1, n - k). Given tau the k items above it are
independent on [0, tau], so DCG at k is that of a whole list of k items, and IDCG = y_1 F(k) where
n P(Y = y_1) is well above k::

    Var DCG = E[ Var(DCG_k | tau) ] + Var( E[DCG_k | tau] ).

Two scorers share nothing but the label counts c, so their covariance is that of ``E[DCG | c]``.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import eigh_tridiagonal
from scipy.special import betainc

from ndcg_asymptotics.arrays import Floats
from ndcg_asymptotics.errors import require
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.scorers import Relevance
from ndcg_asymptotics.theory.fluctuations.conditional.panels import down_to
from ndcg_asymptotics.theory.fluctuations.effort import Effort
from ndcg_asymptotics.theory.fluctuations.label_counts import CountRule
from ndcg_asymptotics.theory.fluctuations.whole import fitted_to, on_panels, over_counts
from ndcg_asymptotics.theory.mean.cut import Crossing, gained_at_cut
from ndcg_asymptotics.theory.mean.mesh import Mesh
from ndcg_asymptotics.theory.mean.ranks import RankMean

_CERTAIN = 1e-12  # the chance that the best grade does not fill the ideal list, which is left out


def cut_moments(
    scorers: tuple[Relevance, ...], measure: Measure, n: int, effort: Effort
) -> tuple[float, float, float]:
    """As `variance.moments`, with a cutoff below n.

    Raises
    ------
    InputError
        If the best grade may not fill the ideal list.
    """
    k, best = measure.cutoff(n), n * scorers[0].masses[0]
    # P(Binomial(n, p) < k)
    full = float(betainc(n - k + 1, k, max(1 - scorers[0].masses[0], 0.0))) < _CERTAIN
    require(
        full,
        f"exact variance with a cutoff: needs n P(Y = {scorers[0].gains[0]:g}) well above the cutoff, "
        f"{measure} at n = {n} has {best:g} and {k}",
    )
    whole = scorers[0].gains[0] * float(measure.discount.cumulative(float(k), float(n)))
    found = np.array([_one(scorer, measure, k, n, effort) for scorer in scorers])
    mean = float(found[:, 0] @ [1.0, -1.0][: len(scorers)])
    variance, size = found[:, 1:].sum(axis=0)
    if len(scorers) == 2:
        variance -= 2 * _covariance(scorers, measure, k, n)
    return mean / whole, float(variance) / whole**2, float(size) / whole**2


def _one(scorer: Relevance, measure: Measure, k: int, n: int, effort: Effort) -> tuple[float, float, float]:
    """Mean and variance of DCG, and the variance without covariances."""
    mesh, discount, gains = Mesh.of(scorer, n, effort.refine), measure.discount, np.array(scorer.gains)
    depths, weights = beta_rule(k + 1.0, float(n - k), math.ceil(effort.refine * (4 + 14 / math.sqrt(k))))
    found, ranks = [], [rank for rank, _ in effort.stages]
    for depth in depths:
        panels, law = down_to(mesh, float(depth), k, ranks)
        given = on_panels(panels, gains, discount, n, k * law, effort)
        rule = CountRule.of(law, gains, RankMean.of(discount, fitted_to(discount, n)), k, constant=True)
        found.append(over_counts([given], rule, law, discount, k, effort))
    mean, variance, size = np.array(found).T
    average = float(weights @ mean)
    moved = float(weights @ (mean - average) ** 2)
    return average, float(weights @ variance) + moved, float(weights @ size) + moved


def beta_rule(alpha: float, beta: float, count: int) -> tuple[Floats, Floats]:
    """The Gauss rule of Beta(alpha, beta) with ``count`` nodes, good to its digits for large parameters.

    >>> x, w = beta_rule(3.0, 2.0, 4)
    >>> float((w @ x**2).round(12))
    0.4
    """
    i = np.arange(float(count))
    s, b = alpha + beta - 2, alpha - 1
    diagonal = (2 * i * (i + 1 + s) + s * (1 + b)) / np.where(i > 0, (2 * i + s) * (2 * i + s + 2), 1.0)
    diagonal[0] = alpha / (alpha + beta)
    j = i[1:]
    beside = j * (j + beta - 1) * (j + b) * (j + s) / ((2 * j + s) ** 2 * (2 * j + s + 1) * (2 * j + s - 1))
    centre = diagonal[0]
    nodes, vectors = eigh_tridiagonal(diagonal - centre, np.sqrt(beside))
    return np.asarray(centre + nodes), np.asarray(vectors[0] ** 2)


def _covariance(scorers: tuple[Relevance, ...], measure: Measure, k: int, n: int) -> float:
    """Cov(E[DCG_a | c], E[DCG_b | c]) over the label counts c."""
    mean = RankMean.of(measure.discount, n)
    law, gains = Mesh.of(scorers[0], n).law, np.array(scorers[0].gains)
    rule = CountRule.of(law, gains, mean, n, constant=True)
    counts, weights = rule.few(law, n, 1e-7)
    values = []
    for scorer in scorers:
        mesh, value = Mesh.of(scorer, n), np.zeros(len(counts))
        for j in np.flatnonzero(law[:-1]):
            others = counts - np.eye(len(law))[j]
            crossing = Crossing.by(mesh, k, n, others)
            gained = gained_at_cut(measure.discount, mesh, crossing, others)
            if crossing.start > mesh.edges[0]:
                gained = gained + mean.gained(mesh.down_to(crossing.start), others, n)
            value += gains[j] * counts[:, j] / (n * law[j]) * gained[:, j]
        values.append(value - weights @ value / weights.sum())
    return float(weights @ (values[0] * values[1]))
