"""The exact variance of NDCG at finite n, and of the difference of two scorers.

By the law of total variance over the label counts c of the list::

    Var NDCG_n = E[ Var(DCG | c) / IDCG(c)^2 ] + Var( E[DCG | c] / IDCG(c) ),

and for two scorers that are independent given the label both parts are those of the difference. Var(DCG | c)
is a sum over items and pairs of items of covariances that are integrated as such (`given`), and deviations of
``E[DCG | c] / IDCG(c)`` from its value at the expected counts are computed as deviations: nothing cancels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.arrays import Floats, list_lengths
from ndcg_asymptotics.errors import require
from ndcg_asymptotics.measures import Discount, Measure
from ndcg_asymptotics.measures.exponentials import exponential_sum
from ndcg_asymptotics.scorers import Population, Relevance
from ndcg_asymptotics.theory.fluctuations.affine import AffineGivenCounts
from ndcg_asymptotics.theory.fluctuations.given import NEAR, STAGES, GivenCounts
from ndcg_asymptotics.theory.fluctuations.label_counts import CountRule
from ndcg_asymptotics.theory.fluctuations.panels import Panels
from ndcg_asymptotics.theory.mean.mesh import Mesh
from ndcg_asymptotics.theory.mean.ranks import RankMean

_ROUNDING = 1e-9  # what two evaluations have in common, relative to what items and counts add by themselves
_REFINE = 1.5  # of the second evaluation
QUICK = 0.8
"""The ``refine`` of an evaluation that is good to 1e-5 only."""
_DIGITS = {
    QUICK: 1e-5,
    1.0: 1e-9,
    _REFINE: 1e-11,
}  # of the variance given the counts, as far as it depends on them
_FITTED = (1e4, 1e8, 1e13, 1e19)  # ranks up to which discounts are fitted


@dataclass(frozen=True)
class Spread:
    """A standard deviation at each of several list lengths.

    Attributes
    ----------
    value : (sizes,)
    error : (sizes,)
        A bound of the absolute error, from a second evaluation with other nodes.
    """

    value: Floats
    error: Floats


def ndcg_spread(
    relevance: Relevance | str, measure: Measure | str, sizes: Sequence[int] | ArrayLike
) -> Spread:
    """The standard deviation of NDCG_n.

    ::

        Var NDCG_n = E[ Var(DCG | c) / IDCG(c)^2 ] + Var( E[DCG | c] / IDCG(c) ),   c the label counts.

    Parameters
    ----------
    relevance : Relevance or text
        Binary or graded.
    measure : Measure or text
        Any discount that has an exact mean; the whole list.
    sizes : (sizes,) whole numbers
        List lengths from 1 to 9e18.

    Raises
    ------
    InputError
        If the discount is neither linear nor a sum of exponentials, or a size is out of range.

    Examples
    --------
    >>> ndcg_spread("linear(0.1, 0.7)", "nDCG(power(0.3))", [30_000]).value.round(6)
    array([0.002591])
    """
    relevance = Relevance.of(relevance)
    return _spread((relevance,), Measure.of(measure), list_lengths(sizes))


def difference_spread(
    a: Relevance | str, b: Relevance | str, measure: Measure | str, sizes: Sequence[int] | ArrayLike
) -> Spread:
    """The standard deviation of the difference in NDCG_n of two scorers on the same labels.

    They are independent given the label. Parameters and errors as for `ndcg_spread`.

    Raises
    ------
    InputError
        Besides: if the two have different label laws.

    >>> difference_spread("linear(0.1, 0.7)", "constant(0.4)", "nDCG", [100]).value.round(5)
    array([0.05879])
    """
    pair = Population.of({"a": a, "b": b}).scorers
    return _spread((pair["a"], pair["b"]), Measure.of(measure), list_lengths(sizes))


@lru_cache(maxsize=512)  # check, required and figures ask for the same spreads
def _spread(scorers: tuple[Relevance, ...], measure: Measure, lengths: tuple[int, ...]) -> Spread:
    (_, rough, _), (_, fine, size) = (
        np.array([moments(scorers, measure, n, refine) for n in lengths]).T for refine in (1.0, _REFINE)
    )
    value = np.sqrt(np.maximum(fine, 0.0))
    off = np.abs(fine - rough) + _ROUNDING * size
    error = np.minimum(np.sqrt(off), off / np.where(value > 0, value, 1.0))
    value.flags.writeable = error.flags.writeable = False
    return Spread(value, error)


@lru_cache(maxsize=4096)
def moments(
    scorers: tuple[Relevance, ...], measure: Measure, n: int, refine: float = 1.0
) -> tuple[float, float, float]:
    """Mean and variance of NDCG_n, or of its difference for two scorers; one evaluation, without an error.

    The third number is the variance without the covariances in it, which says what rounding may do.
    ``refine`` is 1, more for a second opinion, `QUICK` for less.
    """
    require(measure.cutoff(n) >= n, f"exact variance: whole lists only, got {measure}")
    discount, law, gains = measure.discount, Mesh.of(scorers[0], n).law, np.array(scorers[0].gains)
    if not law[:-1].any():
        return 0.0, 0.0, 0.0
    rule = CountRule.of(law, gains, RankMean.of(discount, _fitted_to(discount, n)), n)
    few, weights = rule.few(law, n, _DIGITS[refine])
    centre = n * law
    shift = np.zeros(len(rule.counts))
    parts, at_centre = np.zeros(2), 0.0
    for scorer, sign in zip(scorers, (1.0, -1.0), strict=False):
        given = given_label_counts(scorer, discount, n, centre, refine)
        parts += weights @ np.array([given.variance(c) for c in few])
        level = sign * given.mean() / _ideal(discount, gains, centre, n)
        at_centre += level
        shift += level * _changes(given, discount, gains, rule.counts, n)
    moved = float(rule.weights @ shift)
    value = at_centre * (1 - rule.none) + moved  # the mean
    off = at_centre * rule.none + shift - moved
    of_means = float(rule.weights @ off**2) + rule.none * value**2
    return value, float(parts[0]) + of_means, float(parts[1]) + of_means


def given_label_counts(
    scorer: Relevance, discount: Discount, n: int, centre: Floats, refine: float
) -> GivenCounts | AffineGivenCounts:
    """Mean and variance of DCG_n given label counts, about the counts ``centre``."""
    gains = np.array(scorer.gains)
    ranks = tuple(refine * k for k, _ in STAGES)
    panels = Panels.of(Mesh.of(scorer, n, refine), n, ranks)
    if discount.affine:
        constant, slope = discount.coefficients(n)
        return AffineGivenCounts(panels, gains, (constant, slope), centre)
    RankMean.of(discount, _fitted_to(discount, n))  # says what is wrong with a discount that has none
    whole, near = (exponential_sum([discount], x) for x in (_fitted_to(discount, n), NEAR))
    return GivenCounts(panels, gains, whole, near, centre, refine)


def _fitted_to(discount: Discount, n: int) -> float:
    """A rank from n on, one of few, so that fits are found again."""
    longest = next(x for x in _FITTED if x >= n)
    return min(longest, max(discount.known_to, float(n)))


def _ideal(discount: Discount, gains: Floats, counts: Floats, n: int) -> float:
    steps = gains - np.append(gains[1:], 0.0)
    return float(RankMean.of(discount, _fitted_to(discount, n)).sums(np.cumsum(counts[:-1]), n) @ steps)


def _changes(
    given: GivenCounts | AffineGivenCounts, discount: Discount, gains: Floats, counts: Floats, n: int
) -> Floats:
    """E[DCG | c] / IDCG(c) relative to its value at the centre, less 1, for every row of counts."""
    steps = gains - np.append(gains[1:], 0.0)
    ends = np.cumsum(given.centre[:-1])
    moved = np.cumsum((counts - given.centre)[:, :-1], axis=1)
    if discount.affine:
        constant, slope = discount.coefficients(n)
        change = moved * (constant + slope * (2 * ends + moved + 1) / 2)
    else:
        fit = exponential_sum([discount], _fitted_to(discount, n))
        # F(k + d) - F(k) = sum_a w_a z_a^(k+1) (1 - z_a^d) / (1 - z_a)
        part = fit.weights[0] * np.exp(-fit.rates) / -np.expm1(-fit.rates)
        nearer = np.exp(-np.minimum(ends, ends + moved)[..., None] * fit.rates)
        change = np.sign(moved) * ((nearer * -np.expm1(-np.abs(moved)[..., None] * fit.rates)) @ part)
    ideal = change @ steps / _ideal(discount, gains, given.centre, n)
    mean = np.array([given.mean_change(c) for c in counts])
    return np.asarray((mean - ideal) / (1 + ideal))
