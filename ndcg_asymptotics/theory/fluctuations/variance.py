"""The exact variance of NDCG and of DCG at finite n, and of the difference of two scorers.

By the law of total variance over the label counts c of the list::

    Var NDCG_n = E[ Var(DCG | c) / IDCG(c)^2 ] + Var( E[DCG | c] / IDCG(c) ),

and for two scorers that are independent given the label both parts are those of the difference. Var(DCG | c)
is a sum over items and pairs of items, whose covariances are integrated as covariances (`given_counts`), and
deviations of ``E[DCG | c] / IDCG(c)`` from its value at the expected counts are computed as deviations, so
that no difference of nearly equal numbers occurs (docs/fluctuations.md, section 1). DCG needs no label counts
(`dcg`). Where up to 128 ranks count there is an exact recursion (`ranks`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats, list_lengths
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.core.errors import require_available
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import FixedCounts, Population, Relevance, Scorer, over_groups
from ndcg_asymptotics.theory.fluctuations.cut.moments import cut_moments
from ndcg_asymptotics.theory.fluctuations.dcg import dcg_moments
from ndcg_asymptotics.theory.fluctuations.effort import (
    FEW_GRADES,
    FULL,
    QUICK,
    QUICKER,
    ROUGH,
    USUAL,
    Effort,
    Moments,
)
from ndcg_asymptotics.theory.fluctuations.fixed_counts import fixed_moments
from ndcg_asymptotics.theory.fluctuations.ranks.moments import few_ranks, rank_moments
from ndcg_asymptotics.theory.fluctuations.whole import count_rule, over_counts, part
from ndcg_asymptotics.theory.mean import expected_ndcg
from ndcg_asymptotics.theory.rules.mesh import Mesh

_ROUNDING = 1e-9  # error that two evaluations share, relative to the variance without covariances
_QUICK_ROUNDING = 1e-6  # that of two quick ones
# the stated error is this times the difference of two evaluations; of quick ones one is much the better
_CAUTION, _QUICK_CAUTION = 3.0, 2.0
_QUICKER_CAUTION = 5.0  # of two quick evaluations that are about as good
_AGREED = 1e-4  # error of a variance, relative to it, from which a further evaluation is made
_QUICK_AGREED = 0.02  # … and from which a quick evaluation is replaced: 1% of the standard deviation
_MEAN_ROUNDING = 1e-9  # error of a mean that says nothing about the variance


@dataclass(frozen=True)
class StandardDeviation:
    """The standard deviation at each of several list lengths.

    Attributes
    ----------
    value : (sizes,)
    error : (sizes,)
        A bound of the absolute error, from a second evaluation with other depths, counts and exponentials.
    """

    value: Floats
    error: Floats


def ndcg_std(
    scorer: Scorer | str,
    measure: Measure | str,
    sizes: Sequence[int] | ArrayLike,
    *,
    quick: bool = False,
) -> StandardDeviation:
    """Return the standard deviation of NDCG_n, or of DCG_n.

    ::

        Var NDCG_n = E[ Var(DCG | c) / IDCG(c)^2 ] + Var( E[DCG | c] / IDCG(c) ),   c the label counts.

    Parameters
    ----------
    scorer : Scorer or text
        Binary or graded.
    measure : Measure or text
        Any discount that has an exact mean, any cutoff.
    sizes : (sizes,) whole numbers
        List lengths from 1 to 9e18.
    quick : bool
        Whether three digits are enough where more than 128 ranks count, as beside a simulation. That takes
        about a tenth of the time. Where the error would exceed 1% of the value it is computed in full, and
        where fewer ranks count twelve digits take no longer.

    Raises
    ------
    NotAvailableError
        If the discount is neither linear nor a sum of exponentials.
    InputError
        If a size is out of range.

    Examples
    --------
    >>> ndcg_std("linear(0.1, 0.7)", "nDCG(power(0.3))", [30_000]).value.round(6)
    array([0.002591])
    >>> ndcg_std("relevant(2, roc_power(0.4))", "nDCG@10", [1000, 10**9]).value.round(6)
    array([0.218681, 0.01516 ])
    """
    find, lengths = _quick_std if quick else _std, list_lengths(sizes)
    scorer = Scorer.of(scorer)
    scorer.check_lengths(lengths)
    return find((scorer,), Measure.of(measure), lengths)


def difference_std(
    a: Scorer | str,
    b: Scorer | str,
    measure: Measure | str,
    sizes: Sequence[int] | ArrayLike,
    *,
    quick: bool = False,
) -> StandardDeviation:
    """Return the standard deviation of the difference in NDCG_n of two scorers on the same labels.

    The scorers are independent given the label. Parameters and errors as for `ndcg_std`.

    Raises
    ------
    InputError
        Also if the two have different label laws.

    >>> difference_std("linear(0.1, 0.7)", "constant(0.4)", "nDCG", [100]).value.round(5)
    array([0.06719])
    """
    pair, lengths = Population.of({"a": a, "b": b}).scorers, list_lengths(sizes)
    pair["a"].check_lengths(lengths)
    find = _quick_std if quick else _std
    return find((pair["a"], pair["b"]), Measure.of(measure), lengths)


@shared
def _std(scorers: tuple[Scorer, ...], measure: Measure, lengths: tuple[int, ...]) -> StandardDeviation:
    return _stated([_variance(scorers, measure, n) for n in lengths], _most(scorers, measure, lengths))


@shared
def _quick_std(scorers: tuple[Scorer, ...], measure: Measure, lengths: tuple[int, ...]) -> StandardDeviation:
    return _stated([_quick_variance(scorers, measure, n) for n in lengths], _most(scorers, measure, lengths))


def _variance(scorers: tuple[Scorer, ...], measure: Measure, n: int) -> tuple[float, float]:
    """Return the variance at n and a bound of its error, from evaluations with more nodes until two agree."""
    rough = moments(scorers, measure, n, FULL[0])
    if not rough.size:  # by the recursion over ranks, which knows its error
        return rough.variance, rough.missed
    for effort in FULL[1:]:
        fine = moments(scorers, measure, n, effort)
        shared_by_both = fine.missed + _ROUNDING * fine.size
        if fine != rough:
            shared_by_both += _contradicted(fine, scorers, measure, n)
        error = _CAUTION * abs(fine.variance - rough.variance) + shared_by_both
        if error <= max(_AGREED * fine.variance, 2 * shared_by_both):
            break
        rough = fine
    return fine.variance, error


def _quick_variance(scorers: tuple[Scorer, ...], measure: Measure, n: int) -> tuple[float, float]:
    """Return the variance at n and a bound of its error, from two quick evaluations if these agree.

    Of many grades, whose full evaluation takes minutes, it is that of a third quick one where they do not.
    """
    rough, fine = (moments(scorers, measure, n, effort) for effort in (ROUGH, QUICK))
    shared_by_both = fine.missed + _QUICK_ROUNDING * fine.size
    error = _QUICK_CAUTION * abs(fine.variance - rough.variance) + shared_by_both
    if error > _QUICK_AGREED * fine.variance:
        if len(scorers[0].gains) <= FEW_GRADES:
            return _variance(scorers, measure, n)
        other = moments(scorers, measure, n, QUICKER)
        error = _QUICKER_CAUTION * abs(fine.variance - other.variance) + shared_by_both
    return fine.variance, error


def _contradicted(found: Moments, scorers: tuple[Scorer, ...], measure: Measure, n: int) -> float:
    """Return by how much the exact mean contradicts the mean that comes with a variance."""
    exact = [expected_ndcg(scorer, measure, [n]) for scorer in scorers]
    mean = exact[0].value[0] - sum(other.value[0] for other in exact[1:])
    largest = measure.largest(scorers[0].gains, n)
    within = sum(other.error[0] for other in exact) + _MEAN_ROUNDING * largest
    return float(max(abs(found.mean - mean) - within, 0.0)) * largest


def _most(scorers: tuple[Scorer, ...], measure: Measure, lengths: tuple[int, ...]) -> Floats:
    """Return the largest standard deviation that values, or their differences, can have at each length."""
    largest = [measure.largest(scorers[0].gains, n) for n in lengths]
    return 0.5 * len(scorers) * np.array(largest)


def _stated(found: list[tuple[float, float]], most: Floats) -> StandardDeviation:
    """Return standard deviations from variances and their errors; they are at most ``most``.

    Raises
    ------
    NotAvailableError
        If the variance is not between 0 and its largest possible value, or its error is larger than that.
    """
    variance, error = np.array(found).T
    possible = (variance >= -error) & (variance <= most**2 + error) & (error <= most**2)
    require_available(bool(possible.all()), "standard deviation: not found for these curves and this measure")
    value = np.sqrt(np.maximum(variance, 0.0))
    least = np.sqrt(np.maximum(value**2 - error, 0.0))
    of_value = np.where(value**2 > error, error / np.where(value > 0, value + least, 1.0), np.sqrt(error))
    value.flags.writeable = of_value.flags.writeable = False
    return StandardDeviation(value, of_value)


def moments(scorers: tuple[Scorer, ...], measure: Measure, n: int, effort: Effort = USUAL) -> Moments:
    """Return the moments of NDCG_n, or of its difference for two scorers, from one evaluation."""
    return over_groups(
        scorers,
        lambda *models: _moments(models, measure, n, effort),
        _mixed,
        lambda *models: _of_fixed_counts(models, measure, n, effort),
    )


def _of_fixed_counts(models: tuple[FixedCounts, ...], measure: Measure, n: int, effort: Effort) -> Moments:
    found = [fixed_moments(model, measure, n, effort) for model in models]
    if len(found) == 1:
        return found[0]
    # given their labels, which are not random, the two lists are independent
    a, b = found
    parts = (x + y for x, y in zip(a[1:], b[1:], strict=True))
    return Moments(a.mean - b.mean, *parts)


@shared
def _moments(scorers: tuple[Relevance, ...], measure: Measure, n: int, effort: Effort) -> Moments:
    if not any(scorers[0].masses) or measure.discount(1.0, float(n)) == 0:  # n - r at n = 1: IDCG is 0
        return Moments(0.0, 0.0, 0.0)
    if few_ranks(scorers, measure, n):
        return rank_moments(scorers, measure, n)
    return _of_many_ranks(scorers, measure, n, effort)


def _of_many_ranks(scorers: tuple[Relevance, ...], measure: Measure, n: int, effort: Effort) -> Moments:
    discount, law, gains = measure.discount, Mesh.of(scorers[0], n).law, scorers[0].gains
    if not measure.normalised:
        return dcg_moments(scorers, measure, n, effort)
    if measure.cutoff(n) < n:
        return cut_moments(scorers, measure, n, effort)
    of_labels = tuple(law.tolist())
    rule = count_rule(scorers[0].gains, discount, of_labels, n, effort)
    parts = [part(scorer, discount, of_labels, n, effort) for scorer in scorers]
    found = Moments(*over_counts(parts, rule))
    if len(gains) <= FEW_GRADES or not effort.stated:
        return found
    # there are few nodes for the counts of many grades; their error of the mean is known
    exact = [expected_ndcg(scorer, measure, [n]) for scorer in scorers]
    mean = exact[0].value[0] - sum(other.value[0] for other in exact[1:])
    return found._replace(missed=float(abs(found.mean - mean)) * math.sqrt(found.variance))


def _mixed(weights: Floats, found: list[Moments]) -> Moments:
    """Return the moments over all groups: the variance within the groups and that of their means."""
    means, *others, mean_errors = np.array(found).T
    mean = float(weights @ means)
    between = float(weights @ (means - mean) ** 2)
    variance, size, missed = (float(weights @ part) for part in others)
    off = math.sqrt(float(weights @ mean_errors**2))
    # by the inequality of Cauchy and Schwarz
    missed += 2 * math.sqrt(between) * off + off**2
    return Moments(mean, variance + between, size + between, missed, float(weights @ mean_errors))
