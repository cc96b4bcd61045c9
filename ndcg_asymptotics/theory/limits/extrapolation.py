"""The limit of NDCG_n, or of DCG_n / F(k(n)), extrapolated from exact means alone.

A theorem's limit is compared with the number that ``E[NDCG_n]``, n = 1e6, 1e7, …, 1e18, tends to. The
extrapolation uses these means only: no profile, no ideal list, no integral of the curve. Two kinds of
reciprocal differences cover the ways in which NDCG converges (docs/theory.md, section 2):

- the rho algorithm, exact for a ratio of two polynomials in a variable x(n). For the log discount and 1/r,
  DCG and ideal DCG are series in x = 1/log n; for r^-b they are ``n^(1-b)`` times a constant, plus zeta(b),
  so x = n^-|1-b|;
- the epsilon algorithm (Shanks' transformation), exact for a sum of powers of n with unknown exponents. It
  serves for all else, and for k = n^a, where the curve's behaviour at the top determines the exponents.

The stated error is the sum of three parts. (1) The truncation error: the largest change of the extrapolated
value when the last one or two sizes, or the last order of the extrapolation, are left out, times ten.
(2) The errors of the means, propagated through the extrapolation one at a time. (3) Where the top of the list
decides the limit, the error of the same extrapolation applied to the curve's own values: means at n <= 1e18
do not depend on the curve at depths below about 1e-18.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import FixedCounts, Relevance, Scorer
from ndcg_asymptotics.theory.at_lengths import AtLengths
from ndcg_asymptotics.theory.limits.scaled_limits import scaled_limit
from ndcg_asymptotics.theory.mean import expected_ndcg
from ndcg_asymptotics.theory.mean.expectation import expected_with_fixed_counts
from ndcg_asymptotics.theory.rules.acceleration import FEWEST_VALUES, accelerated

SIZES = tuple(10**d for d in range(6, 19))
"""The list lengths of the exact means."""

FAR_SIZES = tuple(10**d for d in range(6, 91, 6))
"""List lengths with a fixed number of relevant items, where series in 1/log n and n^-kappa mix."""

_LEAST_ERROR = 1e-8  # the relative error of a mean is taken to be at least this
_SEEN = 5e-3  # a mean shows its gap to the limit if its error is less than this part of the gap
_ITEMS = 1e3  # fewest items of each grade, above the first break and above the cutoff, in a usable list

Mean = Callable[[Scorer, Measure, tuple[int, ...]], AtLengths]


@dataclass(frozen=True)
class Extrapolation:
    """The exact mean along n and the limit extrapolated from it.

    Attributes
    ----------
    sizes, expectation, errors : (K,)
        The exact mean of NDCG_n, or DCG_n / F(k(n)), at each list length and its error, which is infinite
        where the list is too short. With a fixed number of relevant items they are multiplied by the scale of
        the theorem.
    limit, error : float
        The extrapolated limit and the bound of its error, which is infinite where there are too few means.
    unseen : float
        Twice the error, relative to the best grade, of extrapolating the curve's values to its top.
    reason : str
        The reason why there are too few means; empty otherwise.
    """

    sizes: tuple[int, ...]
    expectation: Floats
    errors: Floats
    limit: float
    error: float
    unseen: float = 0.0
    reason: str = ""

    def coefficient(self, limit: float, exponent: float) -> tuple[float, float]:
        """Return the c of ``E[NDCG_n] - limit = c n^-exponent (1 + o(1))`` and the bound of its error.

        Parameters
        ----------
        limit : float
        exponent : float
            0 stands for the scale 1/log n; else the value of the curve at its top decides the coefficient.
        """
        if exponent and self.unseen > _SEEN:
            return 0.0, math.inf
        usable = np.isfinite(self.errors)
        n = np.array(self.sizes, np.float64)[usable]
        scale = n**-exponent if exponent else 1 / np.log(n)
        gaps, errors = (self.expectation[usable] - limit) / scale, self.errors[usable] / scale
        # longer lists, whose gap is lost in the errors of the means, are left out
        resolved = errors < _SEEN * np.abs(gaps)
        if np.count_nonzero(resolved) < FEWEST_VALUES:
            return 0.0, math.inf
        coefficient, error = accelerated(gaps[resolved], errors[resolved], [1 / scale[resolved]])
        # terms between the leading one and what the algorithm removes: up to 1.2 errors in 620 random pairs
        return coefficient, 2 * error


def extrapolated_limit(
    scorer: Scorer | str, measure: Measure | str, mean: Mean = expected_ndcg
) -> Extrapolation:
    """Extrapolate the exact means to n = infinity.

    Parameters
    ----------
    scorer : Scorer or text
    measure : Measure or text
    mean : callable
        Returns the exact means at several list lengths.

    Raises
    ------
    NotAvailableError
        If there is no exact mean.

    >>> in_limit = extrapolated_limit("linear(0.1, 0.7)", "nDCG")
    >>> abs(in_limit.limit - 1) < in_limit.error < 1e-3, bool(abs(in_limit.expectation[-1] - 1) > 0.01)
    (True, True)
    """
    scorer, measure = Scorer.of(scorer), Measure.of(measure)
    if isinstance(scorer, FixedCounts):
        return _extrapolated_scaled(scorer, measure)
    return _extrapolated(scorer.model, measure, mean)


def _extrapolated_scaled(model: FixedCounts, measure: Measure) -> Extrapolation:
    """Extrapolate exact means with a fixed number of relevant items, times the scale of their theorem.

    The factor decides whether there is a limit, and the means what it is.
    """
    scale, growth = scaled_limit(model, measure).scale, measure.cutoff.growth
    means = expected_with_fixed_counts(model, measure, FAR_SIZES)
    n = np.array(FAR_SIZES, np.float64)
    factor = scale.at(n)
    value = means.value * factor
    share = growth.share or 1.0
    errors = np.where(n * min(share, *model.breaks, 1.0) >= _ITEMS, means.error * factor, math.inf)
    scales: list[Floats | None] = [np.log(n) if scale.logs else None]
    limit, error = accelerated(value, np.maximum(errors, _LEAST_ERROR * np.abs(value)), scales)
    if growth.vanishing and not growth.power:
        reason = f"powers of log n in the cutoff {measure.cutoff} are still far from the limit at n = 1e90"
        return Extrapolation(FAR_SIZES, value, errors, limit, math.inf, reason=reason)
    return Extrapolation(FAR_SIZES, value, errors, limit, error)


def _extrapolated(relevance: Relevance, measure: Measure, mean: Mean) -> Extrapolation:
    unit = np.array([measure.unit(n) for n in SIZES])
    in_values = mean(relevance, measure, SIZES)
    means = AtLengths(in_values.value / unit, in_values.error / unit)
    usable, reason = _usable(relevance, measure)
    errors = np.where(usable, means.error, math.inf)
    if np.count_nonzero(usable) < FEWEST_VALUES:
        return Extrapolation(SIZES, means.value, errors, float(means.value[-1]), math.inf, reason=reason)
    n, value = np.array(SIZES, np.float64)[usable], means.value[usable]
    scales = _scales(measure, n)
    limit, error = accelerated(value, np.maximum(errors[usable], _LEAST_ERROR * np.abs(value)), scales)
    unseen = _unseen(relevance, measure, n, scales)
    if measure.cutoff.growth.share == 0 or measure.discount.asymptotics.top_decides:
        error += unseen
    return Extrapolation(SIZES, means.value, errors, limit, error, unseen)


def _usable(relevance: Relevance, measure: Measure) -> tuple[np.ndarray, str]:
    """Return which lists are long enough for the extrapolation, and why the others are not.

    Shorter lists have too few items of a grade, above a break of the curve or above the cutoff. A cutoff
    k = o(n) must also be smaller than the number of items of the best grade, and above the breaks.
    """
    n, cutoff = np.array(SIZES, np.float64), measure.cutoff
    masses = [mass for mass in relevance.masses if mass > 0] or [1.0]
    breaks = min(relevance.breakpoints, default=1.0)
    if not cutoff.growth.known:
        return np.zeros(n.shape, bool), f"how the cutoff {cutoff} grows is not known"
    share = cutoff.growth.share or 1.0
    usable = n * min(*masses, breaks, share) >= _ITEMS
    reason = f"most lists up to n = 1e18 have fewer than {_ITEMS:g} items of a grade, a cutoff or a step"
    if cutoff.growth.vanishing:
        k = np.array([cutoff(size) for size in SIZES], np.float64)
        # the number of best items exceeds the cutoff by so many standard deviations
        inside = (k + 12.0 * np.sqrt(k) < n * masses[0]) & (k / n < breaks / 2)
        if not np.all(inside[usable]):
            reason = f"up to n = 1e18 the cutoff {cutoff} goes beyond the best grade or a break of the curve"
        usable &= inside
    return usable, reason


def _scales(measure: Measure, n: Floats) -> list[Floats | None]:
    """Return 1/x(n) for the rho algorithm in each variable x; None stands for the epsilon algorithm."""
    growth = measure.cutoff.growth
    if growth.share == 0:  # n/log n is a share that falls like 1/log n
        return [np.log(n) if growth.power == 1 else None]
    return measure.discount.asymptotics.series_variables(n)


def _unseen(relevance: Relevance, measure: Measure, n: Floats, scales: list[Floats | None]) -> float:
    """Return twice the error of extrapolating the curve's values at depths 1/n to its top.

    It is relative to the best grade.
    """
    if measure.cutoff.growth.vanishing:
        n = n / np.array([measure.cutoff(int(size)) for size in n], np.float64)
    gains, best = relevance.mean_gain(1 / n), relevance.gains[0] if measure.normalised else 1.0
    at_top, _ = accelerated(gains, np.full_like(gains, 1e-13 * best), scales)
    return 2 * abs(at_top - relevance.mean_gain_at_top) / best
