"""The exact variance of NDCG and of DCG at finite n, and of the difference of two scorers.

By the law of total variance over the label counts c of the list::

    Var NDCG_n = E[ Var(DCG | c) / IDCG(c)^2 ] + Var( E[DCG | c] / IDCG(c) ),

and for two scorers that are independent given the label both parts are those of the difference. Var(DCG | c)
is a sum over items and pairs of items, whose covariances are integrated as covariances (`given_counts`), and
deviations of ``E[DCG | c] / IDCG(c)`` from its value at the expected counts are computed as deviations, so
that no difference of nearly equal numbers occurs (docs/fluctuations.md, section 1). DCG needs no label counts
(`dcg`). Where up to 128 ranks count there is an exact recursion (`few_ranks`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats, list_lengths
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.core.errors import require_available
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import FixedCounts, Population, Relevance, Scorer
from ndcg_asymptotics.theory.at_lengths import AtLengths
from ndcg_asymptotics.theory.fluctuations.cut_moments import cut_moments
from ndcg_asymptotics.theory.fluctuations.dcg import dcg_moments
from ndcg_asymptotics.theory.fluctuations.effort import (
    CAUTION,
    FEW_GRADES,
    FINE,
    FINER,
    MANY_ITEMS,
    ROUGH,
    USUAL,
    Effort,
    MeanAndDeviation,
    Moments,
)
from ndcg_asymptotics.theory.fluctuations.few_ranks import few_ranks, rank_moments, rough_rank_moments
from ndcg_asymptotics.theory.fluctuations.fixed_counts import fixed_moments
from ndcg_asymptotics.theory.fluctuations.whole import count_rule, over_counts, part
from ndcg_asymptotics.theory.mean import expected_ndcg
from ndcg_asymptotics.theory.rules.mesh import Mesh

_SPACING = 3e-17  # rounding of counts of long lists, relative to their standard deviation, over n^1/2


@dataclass(frozen=True)
class StandardDeviation(AtLengths):
    """The standard deviation at each of several list lengths.

    Attributes
    ----------
    value : (sizes,)
    error : (sizes,)
        A bound of the absolute error, from a second evaluation with other depths, counts and exponentials.
    """


def ndcg_std(
    scorer: Scorer | str,
    measure: Measure | str,
    sizes: Sequence[int] | ArrayLike,
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

    Returns
    -------
    StandardDeviation
        Values with some four digits where more than 128 ranks count, and twelve where fewer do. The stated
        error is below 1% of the value but for three grades and more, where it may be larger.

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
    scorer, lengths = Scorer.of(scorer), list_lengths(sizes)
    scorer.check_lengths(lengths)
    return _std((scorer,), Measure.of(measure), lengths)


def difference_std(
    a: Scorer | str,
    b: Scorer | str,
    measure: Measure | str,
    sizes: Sequence[int] | ArrayLike,
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
    return _std((pair["a"], pair["b"]), Measure.of(measure), lengths)


def quick_moments(scorers: tuple[Scorer, ...], measure: Measure, n: int) -> MeanAndDeviation:
    """Return mean and standard deviation of NDCG_n, or of its difference for two, without their errors.

    They are good to 1e-5 or so, for a curve that is drawn and for a search; see `ndcg_std` for a bound.

    >>> mean, sd = quick_moments((Scorer.of("linear(0.1, 0.7)"),), Measure.of("nDCG(power(0.3))"), 30_000)
    >>> round(sd, 6)
    0.002591
    """
    found = ndcg_moments(scorers, measure, n, ROUGH, rough_rank_moments)
    certain = found.variance <= FINE.rounding * found.size
    return MeanAndDeviation(found.mean, 0.0 if certain else math.sqrt(found.variance))


@shared
def _std(scorers: tuple[Scorer, ...], measure: Measure, lengths: tuple[int, ...]) -> StandardDeviation:
    found = [_variance(scorers, measure, n) for n in lengths]
    return _stated(found, _most(scorers, measure, lengths))


def _variance(scorers: tuple[Scorer, ...], measure: Measure, n: int) -> tuple[float, float]:
    """Return the variance at n and a bound of its error, from two better evaluations where two differ."""
    few_grades = len(scorers[0].gains) <= FEW_GRADES
    for efforts in ((ROUGH, USUAL), (FINE, FINER)) if few_grades else ((ROUGH, USUAL),):
        rough = ndcg_moments(scorers, measure, n, efforts[0])
        if not rough.size:  # by the recursion over ranks, which knows its error
            return rough.variance, rough.missed
        fine = ndcg_moments(scorers, measure, n, efforts[1])
        in_common = fine.missed + (efforts[1].rounding + _SPACING * math.sqrt(n)) * fine.size
        in_common += _contradicted(fine, scorers, measure, n)
        error = CAUTION * abs(fine.variance - rough.variance) + in_common
        # 0.5% of the standard deviation
        if error <= 0.01 * fine.variance:
            break
    return fine.variance, error


def _contradicted(found: Moments, scorers: tuple[Scorer, ...], measure: Measure, n: int) -> float:
    """Return the error of a variance that its mean shows, as the exact one is known.

    Few nodes represent grades of few items, and the counts of many grades, in both evaluations.
    """
    gains, cut = scorers[0].gains, measure.cutoff(n) < n
    iid = scorers[0].iid
    rarest = min((mass for mass in scorers[0].masses if mass > 0), default=1.0) if iid else 1.0
    random = iid and measure.normalised  # whether label counts and ideal lists are
    few_items = random and cut and len(gains) > 1 and n * rarest <= MANY_ITEMS
    many_grades = random and not cut and len(gains) > FEW_GRADES
    if not (few_items or many_grades):
        return 0.0
    exact = [expected_ndcg(scorer, measure, [n]) for scorer in scorers]
    off = abs(found.mean - exact[0].value[0] + sum(other.value[0] for other in exact[1:]))
    if few_items:  # values lie in [0, 1], so the error of their squares is at most their own
        return float(off + sum(other.error[0] for other in exact))
    # what moves values by much where they are far from their mean changes the variance by more than this
    return CAUTION * float(off * math.sqrt(max(found.variance, 0.0)))


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


def ndcg_moments(
    scorers: tuple[Scorer, ...],
    measure: Measure,
    n: int,
    effort: Effort = USUAL,
    of_few_ranks: Callable[[tuple[Relevance, ...], Measure, int], Moments] = rank_moments,
) -> Moments:
    """Return the moments of NDCG_n, or of its difference for two scorers, from one evaluation.

    Where few ranks count they are those of ``of_few_ranks``, which takes no effort into account.
    """
    fixed = tuple(scorer for scorer in scorers if isinstance(scorer, FixedCounts))
    if fixed:
        return _of_fixed_counts(fixed, measure, n, effort)
    return _moments(tuple(scorer.model for scorer in scorers), measure, n, effort, of_few_ranks)


def _of_fixed_counts(models: tuple[FixedCounts, ...], measure: Measure, n: int, effort: Effort) -> Moments:
    found = [fixed_moments(model, measure, n, effort) for model in models]
    if len(found) == 1:
        return found[0]
    # given their labels, which are not random, the two lists are independent
    a, b = found
    parts = (x + y for x, y in zip(a[1:], b[1:], strict=True))
    return Moments(a.mean - b.mean, *parts)


@shared
def _moments(
    scorers: tuple[Relevance, ...],
    measure: Measure,
    n: int,
    effort: Effort,
    of_few_ranks: Callable[[tuple[Relevance, ...], Measure, int], Moments],
) -> Moments:
    if not any(scorers[0].masses) or measure.discount(1.0, float(n)) == 0:  # n - r at n = 1: IDCG is 0
        return Moments(0.0, 0.0, 0.0)
    if few_ranks(scorers, measure, n):
        return of_few_ranks(scorers, measure, n)
    return _of_many_ranks(scorers, measure, n, effort)


def _of_many_ranks(scorers: tuple[Relevance, ...], measure: Measure, n: int, effort: Effort) -> Moments:
    discount, law = measure.discount, Mesh.of(scorers[0], n).law
    if not measure.normalised:
        return dcg_moments(scorers, measure, n, effort)
    if measure.cutoff(n) < n:
        return cut_moments(scorers, measure, n, effort)
    of_labels = tuple(law.tolist())
    rule = count_rule(scorers[0].gains, discount, of_labels, n, effort)
    parts = [part(scorer, discount, of_labels, n, effort) for scorer in scorers]
    return Moments(*over_counts(parts, rule))
