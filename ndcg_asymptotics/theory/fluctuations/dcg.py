"""Mean and variance of DCG, and of the difference of two scorers (docs/dcg.md, section 2).

DCG is a sum over items that are independent and alike, so the label counts need not be known. An item has the
mean gain a(t) and the mean squared gain b(t) at its depth t, and A ~ Binomial(n - 1, t) items above it::

    Var DCG_n = n ( int b E[D(1+A)^2 | t] dt - (int a h dt)^2 ) + n (n-1) Cov,   h = E[D(1+A) | t].

Cov, the covariance of two items, is that of `given_counts` for a single grade with all n items. With a cutoff
k < n, DCG_n is DCG of the k items above the depth tau of the item at rank k + 1, which are independent given
tau. Two scorers share nothing but the label counts c, so their covariance is that of ``E[DCG_a | c]`` and
``E[DCG_b | c]``.
"""

from __future__ import annotations

import math

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.fluctuations.cut_moments import depths_at_cutoff
from ndcg_asymptotics.theory.fluctuations.effort import FEW_GRADES, Effort, Moments, mixed_moments
from ndcg_asymptotics.theory.fluctuations.whole import count_rule, given_on_panels
from ndcg_asymptotics.theory.mean.given_counts import means_given_counts
from ndcg_asymptotics.theory.rules.condense import condensed
from ndcg_asymptotics.theory.rules.mesh import Mesh, Panels, down_to

_DEGREE = 5  # of the polynomials in the counts of many grades for which a rule of fewer nodes is exact


def dcg_moments(scorers: tuple[Relevance, ...], measure: Measure, n: int, effort: Effort) -> Moments:
    """Return `variance.ndcg_moments` for DCG."""
    found = [_one(scorer, measure, n, effort) for scorer in scorers]
    if len(found) == 1:
        return found[0]
    a, b = found
    covariance, off = _covariance(scorers, measure, n, effort)
    variance = a.variance + b.variance - 2 * covariance
    # there are few nodes for the counts of many grades; the error of their means is known
    missed = off * math.sqrt(a.variance + b.variance) if len(scorers[0].gains) > FEW_GRADES else 0.0
    return Moments(a.mean - b.mean, variance, a.size + b.size, missed)


def _one(scorer: Relevance, measure: Measure, n: int, effort: Effort) -> Moments:
    mesh, k = Mesh.of(scorer, n, effort.refine), measure.cutoff(n)
    ranks = [rank for rank, _ in effort.stages]
    if k >= n:
        return _of_items(Panels.of(mesh, n, ranks), mesh.law, 1.0, mesh, measure, n, n, effort)
    nodes, weights = (
        np.concatenate(part) for part in zip(*depths_at_cutoff(mesh, k, n, effort), strict=True)
    )
    lists = (down_to(mesh, depth, k, ranks) for depth in nodes.tolist())
    above = [
        _of_items(*list_, depth, mesh, measure, k, n, effort)
        for list_, depth in zip(lists, nodes.tolist(), strict=True)
    ]
    return mixed_moments(weights / weights.sum(), above)


def _of_items(
    panels: Panels,
    law: Floats,
    depth: float,
    mesh: Mesh,
    measure: Measure,
    items: int,
    n: int,
    effort: Effort,
) -> Moments:
    """Return the moments of DCG of ``items`` items, all above ``depth`` and within the cutoff, of n."""
    gains = np.array(mesh.relevance.gains)[:, None, None]
    chances = law[:-1, None, None] * panels.density  # P(Y = y_j | t) / depth
    first, second = (gains * chances).sum(axis=0), (gains**2 * chances).sum(axis=0)
    # all items as one grade of the gain a(t), and nothing in the grade without gain
    above = np.stack([panels.t / depth, np.zeros_like(panels.t)])
    pooled = Panels(panels.edges, panels.t, panels.dt, first[None], above)
    counts = np.array([float(items), 0.0])
    given = given_on_panels(pooled, np.ones(1), measure.discount, n, counts, effort)
    discounts, spreads, pairs = given.parts(counts)
    h, spread = discounts[0], spreads[0]
    mean = float((first * h * panels.dt).sum())
    gain = depth * first  # a(t)
    # int b E[D^2] - (int a h)^2, in which nothing cancels
    single = ((gain * h - mean) ** 2 / depth + (second - gain * first) * h**2 + second * spread) * panels.dt
    size = items * float(single.sum())
    return Moments(items * mean, size + 2 * pairs, size)


def _covariance(
    scorers: tuple[Relevance, ...], measure: Measure, n: int, effort: Effort
) -> tuple[float, float]:
    """Return ``Cov(E[DCG_a | c], E[DCG_b | c])``, and the largest error of the means of its rule."""
    mesh, gains = Mesh.of(scorers[0], n), scorers[0].gains
    rule = count_rule(gains, measure.discount, tuple(mesh.law.tolist()), n, effort)
    counts, weights = rule.counts, rule.weights
    wide = 3 * math.sqrt(float((mesh.law * (1 - mesh.law)).max()) / n)  # of the counts, as parts of n
    if len(gains) > FEW_GRADES and wide ** (_DEGREE + 1) <= effort.digits:
        counts, columns = condensed(counts, weights[:, None], _DEGREE)
        weights = columns[:, 0]
    a, b = (
        means_given_counts(scorer, measure, n, counts, effort.refine, effort.digits) for scorer in scorers
    )
    # without an item of gain DCG is 0
    found = float(weights @ (a.changes * b.changes)) + rule.none * a.mean * b.mean
    return found, max(abs(float(weights @ one.changes) - rule.none * one.mean) for one in (a, b))
