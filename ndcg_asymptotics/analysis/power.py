"""The power of a paired t test, and the number of lists or queries that it needs."""

from __future__ import annotations

import math

import numpy as np
from scipy import special, stats

from ndcg_asymptotics.core.arrays import require_fraction
from ndcg_asymptotics.core.errors import require

_LARGEST = 10**15  # lists
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)
_NORMAL = 9.0 * _NODES  # a standard normal variable, with its weights
_WEIGHTS = _WEIGHTS * np.exp(-(_NORMAL**2) / 2) / (_WEIGHTS @ np.exp(-(_NORMAL**2) / 2))


def paired_power(effect: float, lists: int, alpha: float) -> float:
    """Return the power of a two-sided paired t test at level ``alpha``: P(|T| > t), T noncentral.

    T is (Z + effect sqrt(lists)) / S with Z normal and S an independent scale, the root of a chi-square
    variable over its degrees of freedom. The probability is integrated over whichever of Z and S leaves the
    smoother integrand, to about 1e-9.

    Parameters
    ----------
    effect : float
        The mean of the difference over its standard deviation; differences are taken as normal.
    lists : int
        At least 2.
    alpha : float

    >>> round(paired_power(0.5, 34, 0.05), 3)
    0.808
    """
    freedom, shift = lists - 1, abs(effect) * math.sqrt(lists)
    threshold = -float(special.stdtrit(freedom, alpha / 2))
    if threshold <= math.sqrt(2 * freedom):  # the scale moves the threshold by less than the test's noise
        scale = np.sqrt(special.chdtri(freedom, special.ndtr(-_NORMAL)) / freedom)
        beyond = special.ndtr(shift - threshold * scale) + special.ndtr(-shift - threshold * scale)
    else:
        beyond = special.chdtr(freedom, freedom * ((shift + _NORMAL) / threshold) ** 2)
    return min(float(_WEIGHTS @ beyond), 1.0)


def lists_for(effect: float, power: float, alpha: float) -> int | None:
    """Return the smallest number of lists, at least 2, with which a paired t test has the power.

    It is about ``((z_(1-alpha/2) + z_power) / effect)^2`` (Sakai 2016, "Topic set size design"); None where
    1e15 lists are too few.

    Raises
    ------
    InputError
        For alpha outside (0, 1), or a power that does not lie between alpha and 1.

    >>> lists_for(0.5, 0.8, 0.05), lists_for(0.01, 0.8, 0.05), lists_for(0.0, 0.8, 0.05)
    (34, 78491, None)
    """
    require_fraction(alpha, "alpha")
    require(alpha < power < 1, f"must lie between alpha = {alpha:g} and 1, got {power:g}", "power")
    if effect == 0 or paired_power(effect, _LARGEST, alpha) < power:
        return None
    low, high = 1, max(2, math.floor(((stats.norm.isf(alpha / 2) + stats.norm.ppf(power)) / effect) ** 2))
    while paired_power(effect, high, alpha) < power:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if paired_power(effect, middle, alpha) >= power else (middle, high)
    return high
