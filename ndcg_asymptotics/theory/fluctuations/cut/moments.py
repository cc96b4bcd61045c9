"""Mean and variance of NDCG with a cutoff (section 3 of docs/fluctuations.md), and of the difference of two.

With DCG's mean m and variance v given the depth tau of the item at rank k + 1 and the label counts above it,
and delta as in `rules`::

    Var NDCG = E[ v (1 + delta)^2 ] / ideal^2 + Var( m (1 + delta) ) / ideal^2.

Two scorers share nothing but the label counts c of the list, so the covariance is that of ``E[NDCG_a | c]``
and ``E[NDCG_b | c]``.
"""

from __future__ import annotations

import math

import numpy as np

from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.measures import Discount, Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.fluctuations.cut.depths import depths_at_cutoff
from ndcg_asymptotics.theory.fluctuations.cut.ideal import CutIdeal
from ndcg_asymptotics.theory.fluctuations.cut.rules import (
    LINEAR,
    OF_PRODUCTS,
    joined_rules,
    rule_above,
    rule_of_list,
)
from ndcg_asymptotics.theory.fluctuations.effort import Effort, Moments
from ndcg_asymptotics.theory.fluctuations.given_counts import GivenCounts
from ndcg_asymptotics.theory.fluctuations.whole import given_on_panels
from ndcg_asymptotics.theory.mean.given_counts import means_given_counts
from ndcg_asymptotics.theory.rules.mesh import Mesh
from ndcg_asymptotics.theory.rules.panels import down_to

_ROUNDING = 1e-14  # of a probability; depths that are less likely are eight standard deviations away


def cut_moments(scorers: tuple[Relevance, ...], measure: Measure, n: int, effort: Effort) -> Moments:
    """Return `variance.ndcg_moments` for a cutoff below n."""
    found = [_one(scorer, measure, n, effort) for scorer in scorers]
    if len(found) == 1:
        return found[0]
    a, b = found
    variance = a.variance + b.variance - 2 * _covariance(scorers, measure, n, effort)
    # the square of a difference is at most twice the sum of the squares
    return Moments(a.mean - b.mean, variance, a.size + b.size, 2 * (a.missed + b.missed))


@shared  # a scorer's moments serve it alone and in every pair
def _one(scorer: Relevance, measure: Measure, n: int, effort: Effort) -> Moments:
    mesh = Mesh.of(scorer, n, effort.refine)
    ideal = CutIdeal.of(mesh, measure, n, effort)
    depths = depths_at_cutoff(mesh, ideal.k, n, effort)
    several = [rule_above(mesh, ideal, *piece) for piece in depths]
    # values are in [0, 1], so the error of their squares is at most the probability of what is left out
    lost = 1 - math.fsum(float(chances.sum()) for _, chances in depths)
    missed = ideal.left_out + (lost if lost > _ROUNDING else 0.0)
    given: dict[float, GivenCounts] = {}

    def above(depth: float) -> GivenCounts:
        if depth not in given:
            given[depth] = _list_above(mesh, depth, ideal.k, n, measure.discount, effort)
        return given[depth]

    if not any(piece.nodes.size for piece in several):  # no item of gain is within the cutoff
        return Moments(0.0, 0.0, 0.0, missed)
    rule = joined_rules(piece.few(ideal.scale, effort.digits, OF_PRODUCTS) for piece in several)
    means = np.empty(len(rule.nodes))
    for depth in np.unique(rule.nodes[:, 0]):
        here = rule.nodes[:, 0] == depth
        list_ = above(float(depth))
        means[here] = list_.mean() * (1 + list_.mean_changes(rule.nodes[here, 1:]))
    mean, moved = rule.moments(means, means)
    # variances change less than squares of means do, and take longer
    fewer = joined_rules(piece.few(ideal.scale, effort.variances, LINEAR) for piece in several)
    parts = np.array([above(t).variance(np.array(c)) for t, *c in fewer.nodes])
    # E[v (1 + delta)^2] / ideal^2 + Var(m (1 + delta)) / ideal^2
    squared = fewer.weights @ [1.0, 2.0, 1.0]  # (1 + delta)^2
    variance, size = (moved + float(part @ squared) for part in parts.T)
    return Moments(mean / ideal.value, variance / ideal.value**2, size / ideal.value**2, missed)


def _list_above(mesh: Mesh, depth: float, k: int, n: int, discount: Discount, effort: Effort) -> GivenCounts:
    """Return DCG of k items that lie above a depth."""
    panels, law = down_to(mesh, depth, k, [rank for rank, _ in effort.stages])
    return given_on_panels(panels, np.array(mesh.relevance.gains), discount, n, k * law, effort)


def _covariance(scorers: tuple[Relevance, ...], measure: Measure, n: int, effort: Effort) -> float:
    """Return ``Cov(E[NDCG_a | c], E[NDCG_b | c])`` over the label counts c."""
    ideal = CutIdeal.of(Mesh.of(scorers[0], n, effort.refine), measure, n, effort)
    rule = rule_of_list(ideal).few(ideal.scale, effort.digits, OF_PRODUCTS)
    found = (
        means_given_counts(scorer, measure, n, rule.nodes, effort.refine, effort.digits) for scorer in scorers
    )
    a, b = (mean + changes for mean, changes in found)
    return rule.moments(a, b)[1] / ideal.value**2
