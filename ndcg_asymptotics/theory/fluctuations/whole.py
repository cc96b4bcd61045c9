"""Mean and variance of NDCG of a whole list, from those given its label counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.measures import Discount
from ndcg_asymptotics.measures.exponentials import TOLERANCE, exponential_sum
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.fluctuations.count_rules import CountRule
from ndcg_asymptotics.theory.fluctuations.effort import Effort
from ndcg_asymptotics.theory.fluctuations.given_counts import AffineGivenCounts, GivenCounts, GivenCountsOfSum
from ndcg_asymptotics.theory.rules.condense import interpolated
from ndcg_asymptotics.theory.rules.ideal import Sums
from ndcg_asymptotics.theory.rules.mesh import Mesh
from ndcg_asymptotics.theory.rules.panels import Panels

_COUNT_DIGITS = 1e-2  # of the tolerance, for the label counts: they are many, but little is computed at each
_NEAR = 4.0  # the last rank that items near the top have, as a multiple of that where the series begins
_FITTED = (1e4, 1e8, 1e13, 1e19)  # ranks up to which discounts are fitted


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


def fitted_to(discount: Discount, n: int) -> float:
    """Return a rank from n on, one of few, so that fits are found again."""
    longest = next(x for x in _FITTED if x >= n)
    return min(longest, max(discount.known_to, float(n)))


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
    steps = gains - np.append(gains[1:], 0.0)
    ends, moved = np.cumsum(centre[:-1]), np.cumsum((counts - centre)[:, :-1], axis=1)
    ideal = float(smooth_sums(discount, n, tolerance)(ends) @ steps)
    return ideal, increase(discount, n, ends, moved, tolerance) @ steps / ideal


def smooth_sums(discount: Discount, n: int, tolerance: float = TOLERANCE) -> Sums:
    """Return F for real k, as the sum of exponentials whose differences `increase` takes.

    Between whole numbers another continuation of F would differ, by much for a discount with a kink.
    """
    return lambda k: increase(discount, n, np.zeros(1), k, tolerance)


def increase(discount: Discount, n: int, start: Floats, more: Floats, tolerance: float = TOLERANCE) -> Floats:
    """Return F(start + more) - F(start) in a list of n, without cancellation."""
    if discount.affine:
        constant, slope = discount.coefficients(n)
        return np.asarray(more * (constant + slope * (2 * start + more + 1) / 2))
    rates, weights = summed(discount, n, tolerance)
    # F(k + d) - F(k) = sum_a weights_a exp(-rates_a k) (1 - exp(-rates_a d)), d of either sign
    nearer = np.exp(-np.minimum(start, start + more)[..., None] * rates)
    grown = (nearer * -np.expm1(-np.abs(more)[..., None] * rates)) @ weights
    return np.asarray(np.sign(more) * grown)


@shared
def summed(discount: Discount, n: int, tolerance: float = TOLERANCE) -> tuple[Floats, Floats]:
    """Return rates and weights of ``F(k) = sum_a weights_a (1 - exp(-rates_a k))``, k up to n."""
    # a geometric series: sum_(r <= k) w z^r = w z (1 - z^k) / (1 - z)
    fit = exponential_sum([discount], fitted_to(discount, n), tolerance)
    return fit.rates, fit.weights[0] * np.exp(-fit.rates) / -np.expm1(-fit.rates)
