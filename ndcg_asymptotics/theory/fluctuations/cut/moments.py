"""Mean and variance of NDCG with a cutoff, or of its difference for two scorers.

With DCG's mean m and variance v given the depth tau of the item at rank k + 1 and the label counts above it,
and delta as in `filling`::

    Var NDCG = E[ v (1 + delta)^2 ] / ideal^2 + Var( m (1 + delta) ) / ideal^2.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.fluctuations.cut.depths import depths_of, list_above
from ndcg_asymptotics.theory.fluctuations.cut.filling import CutIdeal, Filling, joined, of_counts
from ndcg_asymptotics.theory.fluctuations.cut.labels import Labels
from ndcg_asymptotics.theory.fluctuations.cut.shared import covariance
from ndcg_asymptotics.theory.fluctuations.effort import Effort
from ndcg_asymptotics.theory.fluctuations.moments import Moments
from ndcg_asymptotics.theory.fluctuations.whole import Given
from ndcg_asymptotics.theory.mean import expected_ndcg
from ndcg_asymptotics.theory.mean.mesh import Mesh, depths_at

_VARIANCE = 0.55  # of the digits, for the variance above


def cut_moments(scorers: tuple[Relevance, ...], measure: Measure, n: int, effort: Effort) -> Moments:
    """As `variance.moments`, with a cutoff below n."""
    found = [_one(scorer, measure, n, effort) for scorer in scorers]
    if len(found) == 1:
        return found[0]
    (mean_a, *parts_a), (mean_b, *parts_b) = found
    variance, size, missed = (a + b for a, b in zip(parts_a, parts_b, strict=True))
    return Moments(mean_a - mean_b, variance - 2 * covariance(scorers, measure, n, effort), size, missed)


def _one(scorer: Relevance, measure: Measure, n: int, effort: Effort) -> Moments:
    mesh = Mesh.of(scorer, n, effort.refine)
    ideal = CutIdeal.of(mesh, measure, n, effort)
    several = [_filling(mesh, ideal, *piece) for piece in depths_of(mesh, ideal.k, n, effort)]
    given: dict[float, Given] = {}

    def above(depth: float) -> Given:
        if depth not in given:
            given[depth] = list_above(mesh, depth, ideal.k, n, measure.discount, effort)
        return given[depth]

    filling = joined(piece.few(ideal.k, effort.digits) for piece in several)
    means = np.empty(len(filling.nodes))
    for depth in np.unique(filling.nodes[:, 0]):
        here = filling.nodes[:, 0] == depth
        list_ = above(float(depth))
        means[here] = list_.mean() * (1 + list_.mean_changes(filling.nodes[here, 1:]))
    mean, moved = filling.moments(means, means)
    # variances change less than squares of means do, and take longer
    fewer = joined(piece.few(ideal.k, effort.digits**_VARIANCE) for piece in several)
    parts = np.array([above(t).variance(np.array(c)) for t, *c in fewer.nodes])
    squared = fewer.weights @ [1.0, 2.0, 1.0]  # (1 + delta)^2
    variance, size = (moved + float(part @ squared) for part in parts.T)
    found = Moments(mean / ideal.value, variance / ideal.value**2, size / ideal.value**2)
    certain = ideal.full or len(ideal.gains) == 1
    return found if certain else found._replace(missed=_missed(found.mean, scorer, measure, n))


def _missed(mean: float, scorer: Relevance, measure: Measure, n: int) -> float:
    """What the grades of few items, dealt out in few ways, may leave.

    NDCG lies in [0, 1], so that its square is off by no more than it is, and its exact mean is known.
    """
    exact = expected_ndcg(scorer, measure, [n], quick=True)
    return float(abs(mean - exact.value[0]) + exact.error[0])


def _filling(mesh: Mesh, ideal: CutIdeal, depths: Floats, weights: Floats) -> Filling:
    """Nodes are a depth and the counts above it."""
    at = depths_at(mesh.relevance, mesh.law, depths, np.ones(depths.size))
    law, rest = mesh.law[:, None], ideal.n - ideal.k - 1
    here = np.vstack([at.value, 1 - at.value.sum(axis=0)])
    below = law * (1 - at.above) if rest else np.eye(len(law))[:, -1:] + 0 * depths
    found = []
    for i, (depth, weight) in enumerate(zip(depths, weights, strict=True)):
        laws = (np.maximum(part[:, i], 0.0) / part[:, i].sum() for part in (law * at.above, here, below))
        counts, parts = Labels(ideal, *laws).filling()
        given = of_counts(counts, weight * parts)
        nodes = np.column_stack([np.full(len(given.nodes), depth), given.nodes])
        found.append(replace(given, nodes=nodes))
    return joined(found)
