"""The exact variance of NDCG at finite n, and of the difference of two scorers.

By the law of total variance over the label counts c of the list::

    Var NDCG_n = E[ Var(DCG | c) / IDCG(c)^2 ] + Var( E[DCG | c] / IDCG(c) ),

and for two scorers that are independent given the label both parts are those of the difference. Var(DCG | c)
is a sum over items and pairs of items of covariances that are integrated as such (`given`), and deviations of
``E[DCG | c] / IDCG(c)`` from its value at the expected counts are computed as deviations: nothing cancels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats, list_lengths
from ndcg_asymptotics.core.errors import require_available
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Population, Relevance, Scorer, over_groups
from ndcg_asymptotics.theory.fluctuations.cut.moments import cut_moments
from ndcg_asymptotics.theory.fluctuations.effort import FEW_GRADES, QUICK, REFINED, USUAL, Effort
from ndcg_asymptotics.theory.fluctuations.enumeration import enumerable, enumerated_moments
from ndcg_asymptotics.theory.fluctuations.label_counts import CountRule
from ndcg_asymptotics.theory.fluctuations.moments import Moments
from ndcg_asymptotics.theory.fluctuations.whole import (
    given_label_counts,
    over_counts,
)
from ndcg_asymptotics.theory.mean import expectation
from ndcg_asymptotics.theory.mean.mesh import Mesh
from ndcg_asymptotics.theory.mean.sums import ideal_sums

_SHORT = 30  # lists that are enumerated where few ranks count
_ENUMERATED = 1e-3  # what rounding is relative to there: it leaves 1e-12
_COUNTS = 0.1  # of the digits, for the rule of graded label counts
_ROUNDING = 1e-9  # what two evaluations have in common, relative to what items and counts add by themselves
_QUICK, _QUICK_ROUNDING = 1e-3, 1e-5  # the same of a quick evaluation, with what it leaves of the value


@dataclass(frozen=True)
class StandardDeviation:
    """A standard deviation at each of several list lengths.

    Attributes
    ----------
    value : (sizes,)
    error : (sizes,)
        A bound of the absolute error, from a second evaluation with other nodes; of a quick evaluation, as
        found over many curves, discounts and sizes.
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
    """The standard deviation of NDCG_n.

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
        To three digits, in about a tenth of the time: enough beside a simulation.

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
    """
    find = _quick_std if quick else _std
    return find((Scorer.of(scorer),), Measure.of(measure), list_lengths(sizes))


def difference_std(
    a: Scorer | str, b: Scorer | str, measure: Measure | str, sizes: Sequence[int] | ArrayLike
) -> StandardDeviation:
    """The standard deviation of the difference in NDCG_n of two scorers on the same labels.

    They are independent given the label. Parameters and errors as for `ndcg_std`.

    Raises
    ------
    InputError
        Besides: if the two have different label laws.

    >>> difference_std("linear(0.1, 0.7)", "constant(0.4)", "nDCG", [100]).value.round(5)
    array([0.06719])
    """
    pair = Population.of({"a": a, "b": b}).scorers
    return _std((pair["a"], pair["b"]), Measure.of(measure), list_lengths(sizes))


@lru_cache(maxsize=512)  # check, required and figures ask for the same standard deviations
def _std(scorers: tuple[Scorer, ...], measure: Measure, lengths: tuple[int, ...]) -> StandardDeviation:
    (_, rough, *_), (_, fine, size, missed) = (
        np.array([moments(scorers, measure, n, effort) for n in lengths]).T for effort in (USUAL, REFINED)
    )
    return _stated(fine, np.abs(fine - rough) + missed + _ROUNDING * size, _most(scorers))


@lru_cache(maxsize=512)
def _quick_std(scorers: tuple[Scorer, ...], measure: Measure, lengths: tuple[int, ...]) -> StandardDeviation:
    _, variance, size, missed = np.array([moments(scorers, measure, n, QUICK) for n in lengths]).T
    return _stated(variance, _QUICK * variance + missed + _QUICK_ROUNDING * size, _most(scorers))


def _most(scorers: tuple[Scorer, ...]) -> float:
    """The largest standard deviation of a number in [0, 1], or of a difference of two."""
    return 0.5 * len(scorers)


def forget() -> None:
    """Drop the moments that are held, and what is behind them."""
    for held in (_std, _quick_std, moments):
        held.cache_clear()
    expectation.forget()


def _stated(variance: Floats, off: Floats, most: float) -> StandardDeviation:
    """The standard deviation, where a variance may be off by so much.

    Raises
    ------
    NotAvailableError
        If it is not found to be between 0 and its largest possible value.
    """
    found = (variance >= -off) & (variance <= most**2 + off) & (off <= most**2)
    require_available(bool(found.all()), "standard deviation: not found for these curves and this measure")
    value = np.sqrt(np.maximum(variance, 0.0))
    error = np.where(value**2 > off, off / np.where(value > 0, value, 1.0), np.sqrt(off))
    value.flags.writeable = error.flags.writeable = False
    return StandardDeviation(value, error)


@lru_cache(maxsize=4096)
def moments(scorers: tuple[Scorer, ...], measure: Measure, n: int, effort: Effort = USUAL) -> Moments:
    """Of NDCG_n, or of its difference for two scorers: one evaluation."""
    return over_groups(scorers, lambda *models: _moments(models, measure, n, effort), _mixed)


@lru_cache(maxsize=4096)
def _moments(scorers: tuple[Relevance, ...], measure: Measure, n: int, effort: Effort) -> Moments:
    discount, law, gains = measure.discount, Mesh.of(scorers[0], n).law, np.array(scorers[0].gains)
    if not law[:-1].any() or discount(1.0, float(n)) == 0:  # the linear one at n = 1: IDCG is 0
        return Moments(0.0, 0.0, 0.0)
    if n <= _SHORT and enumerable(scorers[0], measure, n):
        mean, variance = enumerated_moments(scorers[0], scorers[1] if len(scorers) > 1 else None, measure, n)
        return Moments(mean, max(variance, 0.0), _ENUMERATED)
    if measure.cutoff(n) < n:
        return cut_moments(scorers, measure, n, effort)
    rule = CountRule.of(law, gains, ideal_sums(discount, n), n, effort.digits * _COUNTS)
    given = [given_label_counts(scorer, discount, n, effort) for scorer in scorers]
    found = Moments(*over_counts(given, rule, law, discount, n, effort))
    if len(gains) <= FEW_GRADES:
        return found
    # the nodes for the counts of many grades are few: what they leave of the mean is known
    exact = [expectation.expected_ndcg(scorer, measure, [n], quick=True) for scorer in scorers]
    mean = exact[0].value[0] - sum(other.value[0] for other in exact[1:])
    return found._replace(missed=float(abs(found.mean - mean)) * math.sqrt(found.variance))


def _mixed(weights: Floats, found: list[Moments]) -> Moments:
    """Return the moments over all groups: the variance within the groups and that of their means."""
    means, *others = np.array(found).T
    mean = float(weights @ means)
    between = float(weights @ (means - mean) ** 2)
    variance, size, missed = (float(weights @ part) for part in others)
    return Moments(mean, variance + between, size + between, missed)
