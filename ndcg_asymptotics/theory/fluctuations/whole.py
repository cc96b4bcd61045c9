"""Mean and variance of NDCG of a whole list, from those given its label counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.measures import Discount
from ndcg_asymptotics.measures.exponentials import exponential_sum
from ndcg_asymptotics.measures.gains import gain_steps
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.fluctuations.effort import Effort
from ndcg_asymptotics.theory.fluctuations.given_counts import AffineGivenCounts, GivenCounts, GivenCountsOfSum
from ndcg_asymptotics.theory.rules.condense import condensed, interpolated
from ndcg_asymptotics.theory.rules.counts import (
    EVERY,
    EVERY_SPLIT,
    NEGLIGIBLE,
    CountLaw,
    distributed,
    gauss_rule,
    nodes_for,
    nodes_of_splits,
)
from ndcg_asymptotics.theory.rules.ideal import Sums, fitted_to, increase, smooth_sums
from ndcg_asymptotics.theory.rules.mesh import Mesh, Panels

_COUNT_DIGITS = 1e-2  # of the tolerance, for the label counts: they are many, but little is computed at each
_NEAR = 4.0  # the last rank that items near the top have, as a multiple of that where the series begins


def given_label_counts(scorer: Relevance, discount: Discount, n: int, effort: Effort) -> GivenCounts:
    """Return DCG_n given its label counts."""
    mesh = Mesh.of(scorer, n, effort.refine)
    panels = Panels.of(mesh, n, [rank for rank, _ in effort.stages])
    return given_on_panels(panels, np.array(scorer.gains), discount, n, n * mesh.law, effort)


def given_on_panels(
    panels: Panels, gains: Floats, discount: Discount, n: int, centre: Floats, effort: Effort
) -> GivenCounts:
    """Return DCG of items that lie on these panels, their counts near ``centre``, in a list of n."""
    if discount.affine:
        constant, slope = discount.coefficients(n)
        return AffineGivenCounts(panels, gains, (constant, slope), centre)
    longest = fitted_to(discount, math.ceil(centre.sum()))
    last = _NEAR * effort.series(len(gains))[0][0] / effort.refine
    whole, near = (exponential_sum([discount], x, effort.fit) for x in (longest, last))
    return GivenCountsOfSum(panels, gains, whole, near, centre, effort)


@dataclass(frozen=True, eq=False)
class Part:
    """The share of one scorer in the moments of NDCG over the label counts.

    Attributes
    ----------
    variance : (2,)
        ``E[Var(DCG | c) / IDCG(c)^2]``, and the part of it without covariances of items.
    level : float
        ``E[DCG | c] / IDCG(c)`` at the expected counts.
    shift : (C,)
        Its deviation from the level at the counts of the rule.
    """

    variance: Floats
    level: float
    shift: Floats


@shared  # a scorer's part serves it alone and in every pair
def part(scorer: Relevance, discount: Discount, law: tuple[float, ...], n: int, effort: Effort) -> Part:
    """Return the part of one scorer; ``law`` is the label law of the population."""
    rule = count_rule(scorer.gains, discount, law, n, effort)
    given = given_label_counts(scorer, discount, n, effort)
    # The weights of the few nodes contain 1/IDCG^2.
    few, weights = rule.few(np.array(law), n, effort)
    ideal, change = _ideal(given.gains, given.centre, rule.counts, discount, n, effort.fit)
    # E[DCG | c] / IDCG(c) = level (1 + mean) / (1 + change), whose deviation from the level is the shift
    level = given.mean() / ideal
    if len(law) > 2:  # there are many label counts of several grades
        # its spread is that of the first degree, however little the counts of a long list spread
        degree = max(effort.degree(np.array(law), n, 0.1 * effort.digits, most=300), 1)
        mean = interpolated(given.mean_changes, rule.counts, rule.weights, degree)
    else:
        mean = given.mean_changes(rule.counts)
    return Part(
        np.asarray(weights @ np.array([given.variance(c) for c in few])),
        level,
        level * (mean - change) / (1 + change),
    )


@shared
def count_rule(
    gains: tuple[float, ...], discount: Discount, law: tuple[float, ...], n: int, effort: Effort
) -> CountRule:
    """Return the rule for the label counts of a whole list."""
    sums = smooth_sums(discount, n, effort.fit)
    return CountRule.of(np.array(law), np.array(gains), sums, n, _COUNT_DIGITS * effort.digits)


def over_counts(parts: Sequence[Part], rule: CountRule) -> tuple[float, float, float]:
    """Return mean, variance and variance without covariances of ``DCG / IDCG``, or of its difference."""
    # The first part, E[Var(DCG | c) / IDCG^2], is a sum over the scorers, as they are independent given c.
    # The level and the shift of two scorers are those of the difference.
    variance = np.sum([one.variance for one in parts], axis=0)
    at_centre, shift = parts[0].level, parts[0].shift
    if len(parts) > 1:
        at_centre, shift = at_centre - parts[1].level, shift - parts[1].shift
    moved = float(rule.weights @ shift)
    value = at_centre * (1 - rule.none) + moved
    # with the probability ``none`` no item has a gain, NDCG is 0, and its deviation from the mean is -value
    off = at_centre * rule.none + shift - moved
    of_means = float(rule.weights @ off**2) + rule.none * value**2
    return value, float(variance[0]) + of_means, float(variance[1]) + of_means


def _ideal(
    gains: Floats, centre: Floats, counts: Floats, discount: Discount, n: int, tolerance: float
) -> tuple[float, Floats]:
    """Return IDCG at the centre, and its relative change elsewhere, without cancellation."""
    steps = gain_steps(gains)
    ends, moved = np.cumsum(centre[:-1]), np.cumsum((counts - centre)[:, :-1], axis=1)
    ideal = float(smooth_sums(discount, n, tolerance)(ends) @ steps)
    return ideal, increase(discount, n, ends, moved, tolerance) @ steps / ideal


@dataclass(frozen=True)
class CountRule:
    """Nodes for a mean over the counts of a list with at least one item of gain.

    Attributes
    ----------
    counts : (C, J + 1)
    weights : (C,)
        They add up to ``1 - none``.
    ideal : (C,)
        IDCG.
    none : float
        The probability that no item has a gain.
    """

    counts: Floats
    weights: Floats
    ideal: Floats
    none: float

    @classmethod
    def of(cls, law: Floats, gains: Floats, sums: Sums, n: int, digits: float) -> CountRule:
        """Return the rule for lists of n items with the label law ``law``, whose last grade has no gain.

        The number of items with a gain is distributed over the grades, best grade first.
        """
        some, splits = min(float(law[:-1].sum()), 1.0), len(gains) - 1
        first = CountLaw(n, some, least=1)
        count = 2 + nodes_for(1 / max(first.rarer, 1.0), digits)
        numbers, chances = first.nodes(count, EVERY_SPLIT if splits else EVERY)
        most = nodes_of_splits(20_000 / max(numbers.size, 1), splits)
        graded, ways = distributed(numbers, law[:-1], most, digits)
        weights = (chances[:, None] * ways).ravel()
        counts = np.column_stack([graded.reshape(weights.size, -1), n - np.repeat(numbers, ways.shape[1])])
        kept = np.abs(weights) > NEGLIGIBLE
        counts, weights = counts[kept], weights[kept]
        none = math.exp(n * math.log1p(-some)) if some < 1 else 0.0
        weights = weights * ((1 - none) / weights.sum())
        steps = gain_steps(gains)
        ideal = np.asarray(sums(np.cumsum(counts[:, :-1], axis=1)) @ steps)
        # a grade may have the gain 0; half an item of the smallest other gain is none
        gained = ideal > gains[gains > 0].min() * sums(np.ones(1)) / 2
        none += float(weights[~gained].sum())
        return cls(counts[gained], weights[gained], ideal[gained], none)

    def few(self, law: Floats, n: int, effort: Effort) -> tuple[Floats, Floats]:
        """Return few nodes for ``E[f / IDCG^2]``, f a polynomial in the counts as parts of n.

        They are exact to about ``effort.digits`` for an f that changes by its own size over n items.
        """
        degree = effort.degree(law, n, effort.digits, most=60)
        if self.counts.shape[1] == 2:
            few = effort.nodes(degree, n * float(law.min()))
            if len(self.counts) <= few:
                return self.counts, self.weights / self.ideal**2
            first, weights = gauss_rule(self.counts[:, 0], self.weights / self.ideal**2, few)
            return np.column_stack([first, n - first]), weights
        columns = (self.weights / self.ideal**2)[:, None]
        counts, weights = condensed(self.counts, columns, degree)
        return counts, weights[:, 0]
