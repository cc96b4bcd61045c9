"""Mean and variance of NDCG with a cutoff (section 3 of docs/fluctuations.md), and of the difference of two.

With DCG's mean m and variance v given the depth tau of the item at rank k + 1 and the label counts above it,
and delta as in `rules`::

    Var NDCG = E[ v (1 + delta)^2 ] / ideal^2 + Var( m (1 + delta) ) / ideal^2.

Two scorers share nothing but the label counts c of the list, so the covariance is that of ``E[NDCG_a | c]``
and ``E[NDCG_b | c]``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.measures import Discount, Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.fluctuations.cut.rules import (
    LINEAR,
    OF_PRODUCTS,
    CutIdeal,
    CutRule,
    LabelLaws,
    joined_rules,
    of_counts,
    pieces,
    share,
    with_others,
)
from ndcg_asymptotics.theory.fluctuations.effort import Effort, Moments
from ndcg_asymptotics.theory.fluctuations.given_counts import GivenCounts
from ndcg_asymptotics.theory.fluctuations.whole import given_on_panels
from ndcg_asymptotics.theory.mean.given_counts import means_given_counts
from ndcg_asymptotics.theory.rules import quadrature
from ndcg_asymptotics.theory.rules.binomial import log_binomial
from ndcg_asymptotics.theory.rules.counts import around_rank, gauss_rule, nodes_for
from ndcg_asymptotics.theory.rules.mesh import Mesh, depths_at
from ndcg_asymptotics.theory.rules.panels import down_to

_PANELS, _FINE = 5, 16  # of that depth and nodes in each, where curves have breakpoints
_PIECE_DIGITS = 0.1  # of the tolerance, for one piece


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
    several = [_rule(mesh, ideal, *piece) for piece in depths]
    # values are in [0, 1], so the error of their squares is at most the probability of what is left out
    missed = ideal.left_out + max(1 - math.fsum(float(chances.sum()) for _, chances in depths), 0.0)
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


def _rule(mesh: Mesh, ideal: CutIdeal, depths: Floats, weights: Floats) -> CutRule:
    """Return the rule whose nodes are a depth and the counts above it."""
    at = depths_at(mesh.relevance, mesh.law, depths, np.ones(depths.size))
    law, rest = mesh.law[:, None], ideal.n - ideal.k - 1
    here = np.vstack([at.value, 1 - at.value.sum(axis=0)])
    below = law * (1 - at.above) if rest else np.eye(len(law))[:, -1:] + 0 * depths
    found = []
    for i, (depth, weight) in enumerate(zip(depths, weights, strict=True)):
        laws = (np.maximum(part[:, i], 0.0) / part[:, i].sum() for part in (law * at.above, here, below))
        counts, parts = LabelLaws(ideal, *laws).counts_above()
        given = of_counts(counts, weight * parts)
        nodes = np.column_stack([np.full(len(given.nodes), depth), given.nodes])
        found.append(replace(given, nodes=nodes))
    return joined_rules(found)


def depths_at_cutoff(mesh: Mesh, k: int, n: int, effort: Effort) -> Sequence[tuple[Floats, Floats]]:
    """Return nodes and weights of the depth of the item at rank k + 1 of n, between breakpoints of curves."""
    count = math.ceil(effort.refine * (4 + 14 / math.sqrt(k)))
    low, high = (min(max(x / n, 0.0), 1.0) for x in around_rank(float(k), float(n)))
    breaks = [b for b in mesh.relevance.breakpoints if low < b < high]
    if not breaks:
        return [beta_rule(k + 1.0, float(n - k), count)]
    edges = np.unique([low, *breaks, high, *np.linspace(low, high, _PANELS + 1)])
    t, dt = (x.ravel() for x in quadrature.on_panels(edges[:-1], edges[1:], _FINE))
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
            nodes = min(nodes_for(variation * narrow**2, _PIECE_DIGITS * effort.digits / share), count)
            pieces.append(gauss_rule(t[piece], weights[piece], nodes))
    return pieces


def _deviation(x: Floats, weights: Floats) -> float:
    """Return the standard deviation of a law whose weights may not add up to 1."""
    weights = weights / weights.sum()
    return math.sqrt(float(weights @ (x - weights @ x) ** 2))


def _list_above(mesh: Mesh, depth: float, k: int, n: int, discount: Discount, effort: Effort) -> GivenCounts:
    """Return DCG of k items that lie above a depth."""
    panels, law = down_to(mesh, depth, k, [rank for rank, _ in effort.stages])
    return given_on_panels(panels, np.array(mesh.relevance.gains), discount, n, k * law, effort)


def beta_rule(alpha: float, beta: float, count: int) -> tuple[Floats, Floats]:
    """Return the Gauss rule of Beta(alpha, beta) with ``count`` nodes; large parameters lose no digits.

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
    nodes, vectors = np.linalg.eigh(np.diag(diagonal - centre) + np.diag(np.sqrt(beside), -1))
    return np.asarray(centre + nodes), np.asarray(vectors[0] ** 2)


def _covariance(scorers: tuple[Relevance, ...], measure: Measure, n: int, effort: Effort) -> float:
    """Return ``Cov(E[NDCG_a | c], E[NDCG_b | c])`` over the label counts c."""
    ideal = CutIdeal.of(Mesh.of(scorers[0], n, effort.refine), measure, n, effort)
    rule = joined_rules(_part(ideal, j, beyond=beyond) for j, beyond in ideal.parts).few(
        ideal.scale, effort.digits, OF_PRODUCTS
    )
    found = (
        means_given_counts(scorer, measure, n, rule.nodes, effort.refine, effort.digits) for scorer in scorers
    )
    a, b = (mean + changes for mean, changes in found)
    return rule.moments(a, b)[1] / ideal.value**2


def _part(ideal: CutIdeal, j: int, *, beyond: bool) -> CutRule:
    """Return the rule of one part of 1/IDCG; its nodes are label counts of the list."""
    numbers, chances = pieces(ideal.n, share(ideal.law, j), ideal.k, ideal.effort, beyond=beyond, split=j > 1)
    own, ways = ideal.distributed(numbers, ideal.law[:j])
    means = np.zeros((*ways.shape, 2))
    for sign, (delta,) in ideal.part(np.zeros((1, j)), own.reshape(-1, j), beyond=beyond):
        means += sign * np.stack([delta, delta**2], axis=1).reshape(means.shape)
    return of_counts(*with_others(own, chances[:, None] * ways, means, ideal.n, ideal.law[j:], beyond=beyond))
