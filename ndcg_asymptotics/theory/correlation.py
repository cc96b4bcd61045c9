"""The correlation of the NDCG of two scorers that agree: a Gaussian copula of the depths of each item.

Given its label the two depths of an item have a Gaussian copula of correlation rho; items are independent.
With psi the influence of a single item (`fluctuations.influence`), NDCG_n of a scorer is its mean, the sum
``n^-1 sum_i psi(T_i, Y_i)``, and a remainder R that is uncorrelated with all sums over items. Let Z be the
normal score of T given the label, and He_k the Hermite polynomials. By Mehler's formula

    n Cov(sum of A, sum of B) = sum_y P(y) sum_k rho^k alpha_k(y) beta_k(y),

with ``alpha_k = E[psi He_k(Z) | y] / k!^1/2`` of A and beta_k those of B. The term k = 0 does not depend on
rho. So the covariance is the exact one of scorers that are independent given the label, plus the terms
k >= 1, plus a change of Cov(R_A, R_B) of at most ``rho (Var R_A Var R_B)^1/2`` (docs/fluctuations.md,
section 2).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats, list_lengths
from ndcg_asymptotics.core.errors import require_available
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Coupling, Gaussian, Population, Relevance, Scorer
from ndcg_asymptotics.theory.at_lengths import AtLengths
from ndcg_asymptotics.theory.fluctuations.effort import CAUTION
from ndcg_asymptotics.theory.fluctuations.influence import Influence, influence
from ndcg_asymptotics.theory.fluctuations.variance import StandardDeviation, difference_std, ndcg_std

_TERMS = 300  # of the series
_ROUNDING = 1e-13  # of a sum, relative to the moments of its factors
_NEAR = 3.0  # standard deviations of the number of relevant items within which the ideal list may be full


@dataclass(frozen=True)
class Correlation(AtLengths):
    """The correlation of the NDCG_n of two scorers at each of several list lengths.

    Attributes
    ----------
    value : (sizes,)
        From the exact covariance of independent scorers, the terms k >= 1, and the exact standard deviations.
    error : (sizes,)
        A bound of the numerical error: the end of the series, quadrature, and the standard deviations.
    remainder : (sizes,)
        ``rho (Var R_A Var R_B)^1/2 / (sd_A sd_B)``, by which ``value`` may miss the correlation at n in
        addition, as NDCG_n is not a sum over items. It is 0 for rho = 0 and tends to 0 as n grows.
    leading : (sizes,)
        The correlation of the two sums over items alone, to which ``value`` tends.
    sd_a, sd_b : StandardDeviation
        Those of the two scorers.
    """

    remainder: Floats
    leading: Floats
    sd_a: StandardDeviation
    sd_b: StandardDeviation

    def difference_std(self) -> StandardDeviation:
        """Return the standard deviation of the difference of the two, whose error includes the remainder."""
        a, b = self.sd_a.value, self.sd_b.value
        variance = (a - b) ** 2 + 2 * a * b * (1 - self.value)
        off = 2 * a * b * (self.error + self.remainder)
        off += 2 * (a + b) * (self.sd_a.error + self.sd_b.error) * (1 - self.value)
        value = np.sqrt(variance)
        return StandardDeviation(value, value - np.sqrt(np.maximum(variance - off, 0.0)))


def correlation(
    a: Scorer | str,
    b: Scorer | str,
    measure: Measure | str,
    sizes: Sequence[int] | ArrayLike,
    coupling: Coupling | str | float,
) -> Correlation:
    """Return the correlation of the NDCG_n, or DCG_n, of two scorers on the same items.

    ::

        Cov = Cov_independent + n^-1 sum_y P(y) sum_{k>=1} rho^k alpha_k(y) beta_k(y) + remainder

    For the log discount, the linear one and r^-b with b < 1/2, whole lists and cutoffs k = cn. Var(A - B) is
    ``sd_A^2 + sd_B^2 - 2 corr sd_A sd_B`` (`Correlation.difference_std`).

    Parameters
    ----------
    a, b : Scorer or text
        Relevance curves with the same label law, binary or graded.
    measure : Measure or text
    sizes : (sizes,) whole numbers
        List lengths from 2 to 9e18.
    coupling : Coupling, text or number
        ``gaussian(rho)`` or rho, from 0 to 1.

    Raises
    ------
    NotAvailableError
        For other measures, mixtures and fixed numbers of relevant items; where a curve jumps at the cutoff,
        or the ideal list may or may not be full; where NDCG does not vary.
    InputError
        For label laws that differ, and what is not a coupling.

    References
    ----------
    Mehler (1866), Journal für die reine und angewandte Mathematik 66, 161-176; Hájek (1968), Annals of
    Mathematical Statistics 39, 325-346.

    Examples
    --------
    >>> pair = "linear(0.1, 0.7)", "linear(0.25, 0.55)"
    >>> [correlation(*pair, "nDCG", [10**6], rho).value.round(3).tolist() for rho in (0, 0.5, 0.8)]
    [[0.31], [0.566], [0.788]]
    """
    measure, lengths = Measure.of(measure), list_lengths(sizes)
    population = Population.of({"a": a, "b": b}, coupling)
    rho = population.coupling.rho if isinstance(population.coupling, Gaussian) else 0.0
    pair = population.scorers["a"], population.scorers["b"]
    of_a, of_b = models = _models(*pair, measure, lengths)
    sds = [ndcg_std(model, measure, lengths) for model in models]
    independent = difference_std(of_a, of_b, measure, lengths)
    found = [
        _at(models, measure, n, rho, [(float(sd.value[i]), float(sd.error[i])) for sd in (*sds, independent)])
        for i, n in enumerate(lengths)
    ]
    return Correlation(*np.array(found).T, *sds)


def _at(
    models: tuple[Relevance, Relevance],
    measure: Measure,
    n: int,
    rho: float,
    sds: Sequence[tuple[float, float]],
) -> tuple[float, float, float, float]:
    """Return value, error, remainder and leading term at n; ``sds`` are those of a, b, a - b independent."""
    fine, rough = (_sums(models, measure, n, rho, width) for width in (0.3, 0.4))
    (a, a_error), (b, b_error), (d, d_error) = sds
    require_available(min(a, b, fine.of_a, fine.of_b) > 0, f"correlation: {measure} does not vary at n = {n}")
    within = (a**2 + b**2 - d**2) / 2 + (fine.coupled - fine.independent) / n
    error = fine.left_out + CAUTION * abs(fine.coupled - rough.coupled)
    error += CAUTION * abs(fine.independent - rough.independent)
    sd_error = a_error / a + b_error / b
    left = math.sqrt(abs(a**2 - fine.of_a / n) * abs(b**2 - fine.of_b / n)) if rho else 0.0
    value = within / (a * b)
    leading = fine.coupled / math.sqrt(fine.of_a * fine.of_b)
    of_sds = (a * a_error + b * b_error + d * d_error) / (a * b) + abs(value) * sd_error
    return min(max(value, -1.0), 1.0), error / n / (a * b) + of_sds, rho * left / (a * b), leading


@dataclass(frozen=True)
class _Sums:
    """n times variances and covariances of the sums over items.

    Attributes
    ----------
    of_a, of_b : float
        Variances.
    independent, coupled : float
        Covariances, with rho = 0 and with the coupling.
    left_out : float
        A bound of the terms of the series that are left out, and of rounding.
    """

    of_a: float
    of_b: float
    independent: float
    coupled: float
    left_out: float


def _sums(models: tuple[Relevance, Relevance], measure: Measure, n: int, rho: float, width: float) -> _Sums:
    found = [influence(model, measure, n, width) for model in models]
    both = [one for one in found if one is not None]
    if len(both) < 2:
        return _Sums(0.0, 0.0, 0.0, 0.0, 0.0)
    (alpha, second_a), (beta, second_b) = (_coefficients(one) for one in both)
    law = np.append(models[0].masses, max(1.0 - sum(models[0].masses), 0.0))
    powers = rho ** np.arange(_TERMS + 1.0)
    left = [np.maximum(s - (c**2).sum(axis=1), 0.0) for c, s in ((alpha, second_a), (beta, second_b))]
    bound = powers[-1] * rho * np.sqrt(left[0] * left[1]) + _ROUNDING * np.sqrt(second_a * second_b)
    return _Sums(
        both[0].moment(2),
        both[1].moment(2),
        float(law @ (alpha[:, 0] * beta[:, 0])),
        float(law @ ((alpha * beta) @ powers)),
        float(law @ bound),
    )


def _coefficients(one: Influence) -> tuple[Floats, Floats]:
    """Return the alpha_k of each grade, (J + 1, K + 1), and ``E[psi^2 | y]``."""
    weight = one.chance * one.dt
    mass = weight.sum(axis=1, keepdims=True)
    weight = np.divide(weight, mass, out=np.zeros_like(weight), where=mass > 0)
    before, now = np.zeros_like(one.score), np.ones_like(one.score)
    found = np.empty((len(mass), _TERMS + 1))
    for k in range(_TERMS + 1):
        found[:, k] = (weight * one.psi * now).sum(axis=1)
        # He_(k+1) = z He_k - k He_(k-1), over the square roots of factorials
        before, now = now, (one.score * now - math.sqrt(k) * before) / math.sqrt(k + 1)
    return found, np.asarray((weight * one.psi**2).sum(axis=1))


def _models(a: Scorer, b: Scorer, measure: Measure, lengths: Sequence[int]) -> tuple[Relevance, Relevance]:
    """Return the two relevance models, of a pair whose correlation is known."""
    require_available(
        a.iid and not a.mixed, "correlation: known for i.i.d. labels and one curve per scorer only"
    )
    asymptotics, regime = measure.discount.asymptotics, measure.cutoff.regime
    slow = asymptotics.known and asymptotics.exponent < 0.5
    require_available(
        slow and regime in ("none", "fraction"),
        "correlation: known for log, linear and r^-b with b < 1/2, whole lists and k = cn, "
        f"not for {measure}, where the first ranks decide or nothing is known",
    )
    for model in (a.model, b.model):
        for n in lengths:
            _require_smooth(model, measure, n)
    return a.model, b.model


def _require_smooth(model: Relevance, measure: Measure, n: int) -> None:
    """Refuse a cutoff at which NDCG is no smooth function of the counts of items."""
    c = measure.cutoff(n) / n
    if c == 1:
        return
    jumps = any(abs(at - c) * math.sqrt(n) < _NEAR for at in model.breakpoints if _jumps(model, at))
    require_available(not jumps, f"correlation: a curve jumps at the cutoff {measure.cutoff} of {n:g} items")
    ends = np.cumsum(model.masses)
    near = bool((np.abs(ends - c) * math.sqrt(n) < _NEAR * np.sqrt(ends * np.maximum(1 - ends, 0.0))).any())
    require_available(
        not (near and measure.normalised),
        f"correlation: {measure.cutoff(n):,} relevant items among {n:,} are as likely as fewer or more",
    )


def _jumps(model: Relevance, at: float) -> bool:
    step = 1e-9 * min(at, 1 - at)
    return abs(float(model.mean_gain(at - step) - model.mean_gain(at + step))) > 1e-6 * model.gains[0]
