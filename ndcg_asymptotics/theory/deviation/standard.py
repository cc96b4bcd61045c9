"""The standard deviation of NDCG and DCG of one list, and of the difference of two scorers.

======================  ==========================================================================
evaluator               where
======================  ==========================================================================
first ranks (`ranks`)   up to 128 ranks count, fewer with several grades: exact. So are discounts
                        of which the later ranks weigh nothing, such as 2^-r
label counts            longer lists and cutoffs (`counts`)
fixed counts            a fixed number of relevant items, up to 128 ranks (`fixed_counts`): exact
rank law                one relevant item, at every n (`fixed_counts`): exact
======================  ==========================================================================

Each states a bound of its error. Where it is above 2% of the value, or there is no evaluator, the value is
not available. This is docs/fluctuations.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import list_lengths
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.core.errors import require_available
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import FixedCounts, Population, Relevance, Scorer
from ndcg_asymptotics.populations.graded import Graded
from ndcg_asymptotics.theory.at_lengths import AtLengths
from ndcg_asymptotics.theory.deviation.counts import MOST_GRADES, variance_by_counts
from ndcg_asymptotics.theory.deviation.fixed_counts import fixed_variance
from ndcg_asymptotics.theory.deviation.ranks import ERROR, MOST_RANKS, few_ranks, rank_moments
from ndcg_asymptotics.theory.mean import expected_ndcg

LARGEST_ERROR = 0.02
"""Relative error beyond which a standard deviation is not available."""
_NOTHING = 1e-6  # relative to the largest value: a standard deviation that is 0 for all that is known


@dataclass(frozen=True)
class StandardDeviation(AtLengths):
    """The standard deviation at each of several list lengths.

    Attributes
    ----------
    value : (sizes,)
    error : (sizes,)
        A bound of the absolute error.
    evaluators : tuple of str
        How each was computed: "first ranks", "label counts", "fixed counts" or "rank law".
    """

    evaluators: tuple[str, ...]

    @property
    def methods(self) -> tuple[str, ...]:
        """The evaluator and the error of each value in words.

        >>> ndcg_std("linear(0.1, 0.7)", "nDCG", [50, 10**4]).methods
        ('first ranks, exact', 'label counts, error below 0.02%')
        """
        rows = zip(self.evaluators, self.value.tolist(), self.error.tolist(), strict=True)
        return tuple(_in_words(*row) for row in rows)


def _in_words(evaluator: str, value: float, error: float) -> str:
    if evaluator != "label counts":
        return f"{evaluator}, exact"
    if value == 0 or error > value:
        return f"{evaluator}, below {value + error:.0e}"
    percent = 100 * error / value
    step = 10.0 ** math.floor(math.log10(percent))
    return f"{evaluator}, error below {math.ceil(percent / step) * step:.6g}%"


class MeanAndDeviation(NamedTuple):
    """Mean and standard deviation of NDCG, or of its difference for two scorers."""

    mean: float
    sd: float


def ndcg_std(
    scorer: Scorer | str, measure: Measure | str, sizes: Sequence[int] | ArrayLike
) -> StandardDeviation:
    """Return the standard deviation of NDCG_n, or of DCG_n.

    ::

        Var NDCG_n = E[ Var(DCG | c) / IDCG(c)^2 ] + Var( E[DCG | c] / IDCG(c) ),   c the label counts.

    Parameters
    ----------
    scorer : Scorer or text
        Binary or graded, or with a fixed number of relevant items.
    measure : Measure or text
    sizes : (sizes,) whole numbers
        List lengths from 1 to 9e18.

    Returns
    -------
    StandardDeviation
        Values with bounds of their errors, which are at most 2%: about 1e-12 where up to 128 ranks count, and
        with label counts a median of 1e-3 for n up to 1000 and 1e-5 beyond.

    Raises
    ------
    NotAvailableError
        If a value cannot be computed to 2%; the message says why.
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
    return _at_lengths((scorer,), Measure.of(measure), lengths)


def difference_std(
    a: Scorer | str, b: Scorer | str, measure: Measure | str, sizes: Sequence[int] | ArrayLike
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
    return _at_lengths((pair["a"], pair["b"]), Measure.of(measure), lengths)


def moments(scorers: tuple[Scorer, ...], measure: Measure, n: int) -> MeanAndDeviation:
    """Return mean and standard deviation of NDCG_n, or of its difference for two scorers.

    Raises
    ------
    NotAvailableError
        If the measure has no exact mean, or the standard deviation cannot be computed to 2%.

    >>> mean, sd = moments((Scorer.of("linear(0.1, 0.7)"),), Measure.of("nDCG(power(0.3))"), 30_000)
    >>> round(mean, 6), round(sd, 6)
    (0.860334, 0.002591)
    """
    return MeanAndDeviation(mean_on_one_list(scorers, measure, n), deviation(scorers, measure, n).value)


def mean_on_one_list(scorers: tuple[Scorer, ...], measure: Measure, n: int) -> float:
    """Return the mean of NDCG_n, or of its difference for two scorers.

    >>> scorers = Scorer.of("linear(0.1, 0.7)"), Scorer.of("constant(0.4)")
    >>> round(mean_on_one_list(scorers, Measure.of("nDCG(zipf)@1"), 10), 6)
    0.245455
    """
    first, *subtracted = (float(expected_ndcg(scorer, measure, [n]).value[0]) for scorer in scorers)
    return first - sum(subtracted)


def _at_lengths(scorers: tuple[Scorer, ...], measure: Measure, lengths: tuple[int, ...]) -> StandardDeviation:
    deviations = [deviation(scorers, measure, n) for n in lengths]
    return StandardDeviation.of([sd[:2] for sd in deviations], tuple(sd.evaluator for sd in deviations))


class Deviation(NamedTuple):
    """A standard deviation, a bound of its error, and the evaluator."""

    value: float
    error: float
    evaluator: str


@shared
def deviation(scorers: tuple[Scorer, ...], measure: Measure, n: int) -> Deviation:
    """Return the standard deviation of NDCG_n of one scorer, or of the difference of two, by its evaluator.

    Raises
    ------
    NotAvailableError
        If it cannot be computed to 2%.
    """
    largest = 0.5 * len(scorers) * measure.largest(scorers[0].gains, n)  # of a deviation
    evaluator, variance, error = _variance(scorers, measure, n)
    value = math.sqrt(max(variance, 0.0))
    least = math.sqrt(max(variance - error, 0.0))
    off = error / (value + least) if variance > error else math.sqrt(error)
    available = (
        off <= LARGEST_ERROR * value or value + off <= _NOTHING * largest or evaluator != "label counts"
    )
    off = max(off, float(np.finfo(float).eps) * largest)
    if not available:
        why = f"it is known to {off / value:.1%}" if off < value else "its error is not known"
        require_available(False, f"no standard deviation at n = {n:,}: {why}, {LARGEST_ERROR:.0%} is allowed")
    return Deviation(value, off, evaluator)


def _variance(scorers: tuple[Scorer, ...], measure: Measure, n: int) -> tuple[str, float, float]:
    """Return the evaluator, the variance and a bound of its error."""
    if measure.discount(1.0, float(n)) == 0:  # n - r at n = 1: IDCG is 0
        return "first ranks", 0.0, 0.0
    models = tuple(_occurring(scorer.model) for scorer in scorers if scorer.iid)
    if models and not any(models[0].masses):
        return "first ranks", 0.0, 0.0
    shorter, left = _without_weightless(measure, n)
    if models and not few_ranks(models, shorter, n):
        grades = len(models[0].gains)
        require_available(
            grades <= MOST_GRADES,
            f"no standard deviation: {grades} grades, at most {MOST_GRADES} are allowed",
        )
        return "label counts", *variance_by_counts(models, measure, n)
    if models:
        moments = rank_moments(models, shorter, n)
        evaluator, variance, error = "first ranks", moments.variance, moments.error
    else:
        fixed = [scorer for scorer in scorers if isinstance(scorer, FixedCounts)]
        evaluator = "rank law" if fixed[0].least_n == 1 else "fixed counts"
        variance, error = (
            sum(part) for part in zip(*(fixed_variance(model, shorter, n) for model in fixed), strict=True)
        )
    return evaluator, variance, error + left * (2 * math.sqrt(variance) + left)


def _without_weightless(measure: Measure, n: int) -> tuple[Measure, float]:
    """Return a measure without the ranks that weigh nothing, and by how much deviations may differ."""
    k, discount = min(measure.cutoff(n), n), measure.discount
    if k <= MOST_RANKS:
        return measure, 0.0
    sums = discount.cumulative(np.append(np.arange(1.0, MOST_RANKS + 1), k), float(n))
    left = 2 * (sums[-1] - sums[:-1]) / sums[0]  # NDCG of a list with gain changes by no more
    ranks = int(np.searchsorted(-left, -2 * ERROR)) + 1
    if ranks > MOST_RANKS:
        return measure, 0.0
    return Measure(discount, ranks, measure.normalised), float(left[ranks - 1])


def _occurring(scorer: Relevance) -> Relevance:
    """Return a graded scorer without the grades that have no items."""
    if all(scorer.masses) or not any(scorer.masses):
        return scorer
    grades = zip(scorer.gains, scorer.curves, scorer.masses, strict=True)
    return Graded(tuple((gain, curve) for gain, curve, mass in grades if mass > 0))
