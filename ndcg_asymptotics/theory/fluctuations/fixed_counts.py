"""Mean and variance of NDCG in lists with a fixed number of relevant items.

The ideal DCG is not random, so the variance is that of DCG given the label counts (`given_counts`).

With a cutoff k < n, let tau be the depth of the item at rank k + 1, and m_j the number of items of grade j
above it. They have the joint law

    sum_i c_i f_i(tau) prod_j P(Bin(c_j - [i = j], F_j(tau)) = m_j),

where i is the grade of the item at tau, products run over all grades and the last grade, without gain, has
``m = k - sum of the others``. Given tau and m the k items above are independent, those of grade j with the
distribution function F_j/F_j(tau) of their depth. So their DCG is that of a whole list of k items with given
counts, and ``Var = E[Var(DCG | tau, m)] + Var(E[DCG | tau, m])``. This is section 2 of docs/few.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.core.errors import require_available
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import FixedCounts
from ndcg_asymptotics.theory.fluctuations.cut_moments import moments_above
from ndcg_asymptotics.theory.fluctuations.cut_rules import CutRule, joined_rules
from ndcg_asymptotics.theory.fluctuations.effort import Effort, Moments
from ndcg_asymptotics.theory.fluctuations.given_counts import GivenCounts
from ndcg_asymptotics.theory.fluctuations.whole import given_on_panels
from ndcg_asymptotics.theory.mean.fixed_counts import mean_of, normaliser, spread_of
from ndcg_asymptotics.theory.rules.binomial import log_binomial
from ndcg_asymptotics.theory.rules.condense import condensed
from ndcg_asymptotics.theory.rules.counts import NEGLIGIBLE, CountLaw, gauss_rule
from ndcg_asymptotics.theory.rules.law_panels import (
    above,
    by_ranks,
    fixed_label_counts,
    law_panels,
    panels_down_to,
)

_FEWEST_DEPTHS, _DEPTHS = 3, 10  # nodes of the depth at a cutoff k: the first plus the second over sqrt(k)
_MOST_NUMBERS = 20_000  # combinations of numbers above
_SEPARATE, _NARROW = 24, 1000  # combinations, and cutoff, up to which each has its own nodes
_EACH = 300  # of them up to which a variance is computed for each
_NO_IDEAL = np.array([1.0, 0.0, 0.0])  # the ideal DCG is not random: delta is 0


@shared  # a scorer's moments serve it alone and in every pair
def fixed_moments(model: FixedCounts, measure: Measure, n: int, effort: Effort) -> Moments:
    """Return the mean and the variance of NDCG_n from one evaluation."""
    ideal = normaliser(model, measure, n)
    if ideal == 0:
        return Moments(0.0, 0.0, 0.0)
    if model.least_n == 1:
        mean, variance, size = _one_item(model, measure, n, effort)
    elif measure.cutoff(n) >= n:
        counts = fixed_label_counts(model, n)
        panels = by_ranks(model, n, law_panels(model, n, n, effort.refine))
        given = given_on_panels(panels, np.array(model.gains), measure.discount, n, counts, effort)
        mean, (variance, size) = given.mean(), given.variance(counts)
    else:
        mean, variance, size = _cut(model, measure, n, effort)
    return Moments(mean / ideal, variance / ideal**2, size / ideal**2)


def _one_item(model: FixedCounts, measure: Measure, n: int, effort: Effort) -> tuple[float, float, float]:
    """Return mean, variance and variance of the DCG of a single relevant item."""
    (gain,) = (y for y, count in zip(model.gains, model.counts, strict=True) if count)
    mean = mean_of(model, measure, n, effort.refine)
    variance = gain * spread_of(model, measure, n, effort.refine, mean / gain)
    return mean, variance, variance


def _cut(model: FixedCounts, measure: Measure, n: int, effort: Effort) -> tuple[float, float, float]:
    """Return mean and variance of DCG with a cutoff below n, and the variance without covariances."""
    k, gains = measure.cutoff(n), np.array(model.gains)
    rules = list(_rules_above_cutoff(model, n, k, effort))
    if not rules:  # no relevant item is within the cutoff
        return 0.0, 0.0, 0.0
    rule = joined_rules(rules)
    law = rule.weights[:, 0]
    # where no relevant item is above the cutoff DCG is 0
    rule = replace(rule, nothing=max(1.0 - float(law.sum()), 0.0))

    def above(depth: float) -> GivenCounts:
        here = rule.nodes[:, 0] == depth
        centre = law[here] @ rule.nodes[here, 1:] / law[here].sum()
        panels = panels_down_to(model, n, depth, effort.refine)
        return given_on_panels(panels, gains, measure.discount, n, centre, effort)

    return moments_above(rule, _for_variances(model, rule, effort), above)


def _for_variances(model: FixedCounts, rule: CutRule, effort: Effort) -> CutRule:
    """Return fewer nodes of many for means of variances, without the least likely ones."""
    if len(rule.nodes) > _EACH:
        piece = np.searchsorted(model.breaks, rule.nodes[:, 0])
        pieces = [piece == number for number in np.unique(piece)]
        fewer = [condensed(rule.nodes[here], rule.weights[here], degree=4) for here in pieces]
        rule = joined_rules(CutRule(*part, 0.0) for part in fewer)
    size = np.abs(rule.weights[:, 0])
    # in very long lists even the likeliest numbers above are unlikely
    likely = size > effort.negligible * size.sum()
    return CutRule(rule.nodes[likely], rule.weights[likely], rule.nothing)


def _rules_above_cutoff(model: FixedCounts, n: int, k: int, effort: Effort) -> Iterator[CutRule]:
    """Yield nodes of the depth of the item at rank k + 1 with the numbers of items above."""
    panels = law_panels(model, n, k, effort.refine)
    depths, width = panels.t.ravel(), panels.dt.ravel()
    numbers, joint = _above_cutoff(model, n, k, depths)
    joint *= width
    joint /= joint.sum()  # the logarithm of a density of 1e18 numbers has lost some digits
    likely = joint.sum(axis=1) > NEGLIGIBLE
    # whether each combination has a rule for the depth; far down they share one, as their laws are narrow
    separate = np.count_nonzero(likely) <= _SEPARATE and k <= _NARROW
    # without relevant items above DCG is 0
    likely &= numbers[:, :-1].any(axis=1) | (not separate)
    numbers, joint = numbers[likely], joint[likely]
    # what is left of items above varies the less with the depth the less the depth varies
    count = math.ceil(effort.refine * (_FEWEST_DEPTHS + _DEPTHS / math.sqrt(k)))
    piece = np.searchsorted(model.breaks, depths)
    for here in (piece == number for number in np.unique(piece)):
        laws = joint[:, here] if separate else joint[:, here].sum(axis=0)[None]
        for row, law in enumerate(laws):
            kept = law > NEGLIGIBLE * law.max()
            if law.sum() <= NEGLIGIBLE:
                continue
            for depth, weight in zip(*gauss_rule(np.log(depths[here][kept]), law[kept], count), strict=True):
                tau = math.exp(depth)
                several, chances = numbers[row, None], np.array([weight])
                if not separate:
                    several, joint_there = _above_cutoff(model, n, k, np.array([tau]))
                    several, few = condensed(several, weight * joint_there / joint_there.sum(), degree=10)
                    chances = few[:, 0]
                nodes = np.column_stack([np.full(len(several), tau), several])
                yield CutRule(nodes, chances[:, None] * _NO_IDEAL, 0.0)


def _above_cutoff(model: FixedCounts, n: int, k: int, depths: Floats) -> tuple[Floats, Floats]:
    """Return numbers of items above the one at rank k + 1, and their joint density with its depth.

    The shapes are (N, J + 1) and (N, T).
    """
    shares, counts = above(model, depths), fixed_label_counts(model, n)
    densities = np.array([law.density(depths) for law in model.laws])
    ranges = [_likely(count, share, k) for count, share in zip(model.counts, shares, strict=False)]
    size = math.prod(map(len, ranges))
    require_available(size <= _MOST_NUMBERS, "standard deviation: too many grades of too many relevant items")
    relevant = np.array([m for m in product(*ranges) if k - counts[-1] <= sum(m) <= k], np.float64)
    numbers = np.column_stack([relevant, k - relevant.sum(axis=1)])
    joint = np.zeros((len(numbers), depths.size))
    for i in np.flatnonzero(counts):
        others = counts - np.eye(counts.size)[i]
        possible = (numbers <= others).all(axis=1)
        logs = sum(log_binomial(numbers[possible, j, None], others[j], shares[j]) for j in range(counts.size))
        joint[possible] += counts[i] * densities[i] * np.exp(logs)
    return numbers, joint


def _likely(count: int, share: Floats, k: int) -> range:
    """Return the numbers of ``count`` items that may lie above depths with these shares above."""
    first, last = (CountLaw(count, float(extreme)).likely for extreme in (share.min(), share.max()))
    return range(first[0], min(k, last[1]) + 1)
