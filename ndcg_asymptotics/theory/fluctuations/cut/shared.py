"""The covariance of two scorers with a cutoff: they share nothing but the label counts."""

from __future__ import annotations

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.fluctuations.cut.filling import CutIdeal, Filling, joined, of_counts
from ndcg_asymptotics.theory.fluctuations.cut.labels import dealt, pieces, share, with_others
from ndcg_asymptotics.theory.fluctuations.effort import Effort
from ndcg_asymptotics.theory.mean.cut import gained
from ndcg_asymptotics.theory.mean.mesh import Mesh
from ndcg_asymptotics.theory.mean.ranks import RankMean


def covariance(scorers: tuple[Relevance, ...], measure: Measure, n: int, effort: Effort) -> float:
    """``Cov(E[NDCG_a | c], E[NDCG_b | c])`` over the label counts c."""
    meshes = [Mesh.of(scorer, n) for scorer in scorers]
    ideal = CutIdeal.of(meshes[0], measure, n, effort)
    filling = joined(_part(ideal, j, beyond=beyond) for j, beyond in ideal.parts).few(n, effort.digits)
    a, b = (_means(mesh, ideal, filling.nodes) for mesh in meshes)
    return filling.moments(a, b)[1] / ideal.value**2


def _part(ideal: CutIdeal, j: int, *, beyond: bool) -> Filling:
    """Nodes are label counts of the list."""
    numbers, chances = pieces(ideal.n, share(ideal.law, j), ideal.k, ideal.effort, beyond=beyond, split=j > 1)
    own, ways = dealt(numbers, ideal.law[:j], ideal.effort)
    means = np.concatenate(ideal.part(own.reshape(-1, j), np.zeros((1, j)), beyond=beyond), axis=1)
    means = means.reshape(*ways.shape, 2)
    return of_counts(*with_others(own, chances[:, None] * ways, means, ideal.n, ideal.law[j:], beyond=beyond))


def _means(mesh: Mesh, ideal: CutIdeal, counts: Floats) -> Floats:
    """E[DCG | c], (C,)."""
    n, mean, value = ideal.n, RankMean.of(ideal.discount, ideal.n), np.zeros(len(counts))
    for j in np.flatnonzero(mesh.law[:-1]):
        taken = np.where(counts[:, j] > 0, j, counts.shape[1] - 1)  # where there is none, nothing comes of it
        others = counts - np.eye(counts.shape[1])[taken]
        each = gained(mean, mesh, others, ideal.k, n)[:, j]
        value += mesh.relevance.gains[j] * counts[:, j] / (n * mesh.law[j]) * each
    return value
