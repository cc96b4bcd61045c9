"""Mean and variance of NDCG with a cutoff (section 3 of docs/fluctuations.md), and of the difference of two.

With DCG's mean m and variance v given the depth tau of the item at rank k + 1 and the label counts above it,
and delta as in `cut_rules`::

    Var NDCG = E[ v (1 + delta)^2 ] / ideal^2 + Var( m (1 + delta) ) / ideal^2.

Two scorers share nothing but the label counts c of the list, so the covariance is that of ``E[NDCG_a | c]``
and ``E[NDCG_b | c]``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.fluctuations.cut_rules import (
    LINEAR,
    OF_PRODUCTS,
    CutIdeal,
    CutRule,
    joined_rules,
    rule_above,
    rule_of_list,
)
from ndcg_asymptotics.theory.fluctuations.effort import CAUTION, Effort, Moments
from ndcg_asymptotics.theory.fluctuations.few_ranks import few_ranks, rank_moments
from ndcg_asymptotics.theory.fluctuations.given_counts import GivenCounts
from ndcg_asymptotics.theory.fluctuations.whole import given_on_panels
from ndcg_asymptotics.theory.mean.given_counts import means_given_counts
from ndcg_asymptotics.theory.rules import quadrature
from ndcg_asymptotics.theory.rules.binomial import ROUNDING, log_binomial
from ndcg_asymptotics.theory.rules.counts import around_rank, gauss_rule, nodes_for
from ndcg_asymptotics.theory.rules.mesh import Mesh, down_to

_PANELS = 5  # of the depth at a cutoff, besides those between breakpoints


def cut_moments(scorers: tuple[Relevance, ...], measure: Measure, n: int, effort: Effort) -> Moments:
    """Return `variance.ndcg_moments` for a cutoff below n."""
    if len(scorers) == 1:
        return _one(scorers[0], measure, n, effort)
    a, b = (_alone(scorer, measure, n, effort) for scorer in scorers)
    mean, covariance = _covariance(scorers, measure, n, effort)
    # the square of a difference is at most twice the sum of the squares; the rule for the counts errs in
    # products of deviations about as it errs in a mean
    missed = 2 * (a.missed + b.missed) + CAUTION * abs(mean - a.mean) * math.sqrt(max(a.variance, 0.0))
    return Moments(a.mean - b.mean, a.variance + b.variance - 2 * covariance, a.size + b.size, missed)


def _alone(scorer: Relevance, measure: Measure, n: int, effort: Effort) -> Moments:
    """Return the moments of one scorer, whose labels may be simpler than those of the pair."""
    if few_ranks((scorer,), measure, n):
        found = rank_moments((scorer,), measure, n)
        return found._replace(size=found.variance)
    return _one(scorer, measure, n, effort)


@shared  # a scorer's moments serve it alone and in every pair
def _one(scorer: Relevance, measure: Measure, n: int, effort: Effort) -> Moments:
    mesh = Mesh.of(scorer, n, effort.refine)
    ideal = CutIdeal.of(mesh, measure, n, effort)
    depths = depths_at_cutoff(mesh, ideal.k, n, effort)
    several = [rule_above(mesh, ideal, *piece) for piece in depths]
    # values are in [0, 1], so the error of their squares is at most the probability of what is left out
    lost = 1 - math.fsum(float(chances.sum()) for _, chances in depths)
    missed = ideal.left_out + (lost if lost > ROUNDING else 0.0)

    def above(depth: float) -> GivenCounts:
        panels, law = down_to(mesh, depth, ideal.k, [rank for rank, _ in effort.stages])
        gains = np.array(scorer.gains)
        return given_on_panels(panels, gains, measure.discount, n, ideal.k * law, effort)

    if not any(piece.nodes.size for piece in several):  # no item of gain is within the cutoff
        return Moments(0.0, 0.0, 0.0, missed)
    rule = joined_rules(piece.few(ideal.scale, effort.digits, OF_PRODUCTS) for piece in several)
    fewer = joined_rules(piece.few(ideal.scale, effort.variances, LINEAR) for piece in several)
    mean, variance, size = moments_above(rule, fewer, above)
    return Moments(mean / ideal.value, variance / ideal.value**2, size / ideal.value**2, missed)


def moments_above(
    rule: CutRule, fewer: CutRule, list_above: Callable[[float], GivenCounts]
) -> tuple[float, float, float]:
    """Return mean, variance and variance without covariances of ``DCG (1 + delta)``.

    ``list_above`` returns the list above a depth. ``fewer`` is the rule for variances given depth and counts,
    which change less than squares of means do, and take longer.
    """
    above = cache(list_above)
    means = np.empty(len(rule.nodes))
    for depth in np.unique(rule.nodes[:, 0]).tolist():
        here = rule.nodes[:, 0] == depth
        means[here] = above(depth).mean() * (1 + above(depth).mean_changes(rule.nodes[here, 1:]))
    mean, moved = rule.moments(means, means)
    parts = np.array([above(t).variance(np.array(c)) for t, *c in fewer.nodes.tolist()])
    # E[v (1 + delta)^2] + Var(m (1 + delta))
    variance, size = moved + (fewer.weights @ [1.0, 2.0, 1.0]) @ parts
    return mean, float(variance), float(size)


def _covariance(
    scorers: tuple[Relevance, ...], measure: Measure, n: int, effort: Effort
) -> tuple[float, float]:
    """Return ``E[NDCG_a]`` and ``Cov(E[NDCG_a | c], E[NDCG_b | c])`` over the label counts c."""
    ideal = CutIdeal.of(Mesh.of(scorers[0], n, effort.refine), measure, n, effort)
    rule = rule_of_list(ideal)
    found = (
        means_given_counts(scorer, measure, n, rule.nodes, effort.refine, effort.digits) for scorer in scorers
    )
    a, b = (mean + changes for mean, changes in found)
    value, covariance = rule.moments(a, b)
    return value / ideal.value, covariance / ideal.value**2


def depths_at_cutoff(mesh: Mesh, k: int, n: int, effort: Effort) -> Sequence[tuple[Floats, Floats]]:
    """Return nodes and weights of the depth of the item at rank k + 1 of n, between breakpoints of curves."""
    count = math.ceil(effort.refine * (4 + 14 / math.sqrt(k)))
    low, high = (min(max(x / n, 0.0), 1.0) for x in around_rank(float(k), float(n)))
    breaks = [b for b in mesh.relevance.breakpoints if low < b < high]
    edges = np.unique([low, *breaks, high, *np.linspace(low, high, _PANELS + 1)])
    t, dt = (x.ravel() for x in quadrature.on_panels(edges[:-1], edges[1:]))
    weights = dt * np.exp(log_binomial(np.array([float(k)]), n - 1.0, t))
    weights /= weights.sum()
    total = _deviation(t, weights)
    # what one rule of ``count`` nodes for all depths leaves is left of all pieces
    variation = (effort.digits / math.factorial(count)) ** (1 / count)
    pieces = []
    for piece in np.split(np.arange(t.size), np.searchsorted(t, breaks)):
        share = float(weights[piece].sum())
        if share > effort.negligible:
            narrow = _deviation(t[piece], weights[piece]) / total
            nodes = min(nodes_for(variation * narrow**2, 0.1 * effort.digits / share), count)
            pieces.append(gauss_rule(t[piece], weights[piece], nodes))
    return pieces


def _deviation(x: Floats, weights: Floats) -> float:
    """Return the standard deviation of a law whose weights may not add up to 1."""
    weights = weights / weights.sum()
    return math.sqrt(float(weights @ (x - weights @ x) ** 2))
