"""Numbers of lists or queries that a paired t test needs, and differences that a given number can detect.

Differences are stated in units of the standard deviation of the difference of two systems on one list.
Source: Sakai (2016), "Topic set size design", Information Retrieval Journal 19, 256-283.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from ndcg_asymptotics.core.arrays import LARGEST_N, brief, is_number, require_fraction, whole_number
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.search import first_true

_LARGEST = 10**15  # lists
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)
_NORMAL = 9.0 * _NODES  # a standard normal variable, with its weights
# the normal density at the nodes, normalised so that the rule gives 1 for a constant
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


def queries_for(effect: float, power: float, alpha: float) -> int | None:
    """Return the smallest number of lists, at least 2, with which a paired t test has the power.

    It is about ``((z_(1-alpha/2) + z_power) / effect)^2``; None where 1e15 lists are too few.

    Raises
    ------
    InputError
        For alpha outside (0, 1), or a power that does not lie between alpha and 1.

    >>> queries_for(0.5, 0.8, 0.05), queries_for(0.01, 0.8, 0.05), queries_for(0.0, 0.8, 0.05)
    (34, 78491, None)
    """
    require_power(power, alpha)
    if effect == 0:
        return None

    def enough(lists: int) -> bool:
        return paired_power(effect, lists, alpha) >= power

    # a tiny effect takes more lists than any search allows, and its square would overflow
    root = min(float(special.ndtri(power) - special.ndtri(alpha / 2)) / abs(effect), float(_LARGEST))
    return first_true(enough, 1, _LARGEST, guess=root**2) if enough(_LARGEST) else None


def detectable_effect(lists: int, power: float, alpha: float) -> float:
    """Return the smallest effect that a paired t test on ``lists`` lists detects with the power.

    >>> round(detectable_effect(34, 0.8, 0.05), 3)
    0.495

    Raises
    ------
    InputError
        For fewer than two lists, and as `queries_for`.
    """
    require_power(power, alpha)
    require(lists >= 2, f"must be at least 2, got {lists}", "queries")
    from scipy.optimize import brentq  # here: it takes long to load

    high = 1.0
    while paired_power(high, lists, alpha) < power:
        high *= 2
    return float(brentq(lambda effect: paired_power(effect, lists, alpha) - power, 0.0, high))


def sd_interval(sd: float, lists: int, alpha: float) -> tuple[float, float]:
    """Return an interval at level 1 - alpha of a standard deviation that was estimated from normal values.

    ``sd^2 f / sigma^2`` has a chi-square law with f = lists - 1 degrees of freedom.

    >>> [round(end, 3) for end in sd_interval(0.2, 50, 0.05)]
    [0.167, 0.249]
    """
    require_fraction(alpha, "alpha")
    lists = whole_number(lists, "pilot", 2, LARGEST_N)
    freedom = lists - 1
    low, high = (
        sd * math.sqrt(freedom / float(special.chdtri(freedom, p))) for p in (alpha / 2, 1 - alpha / 2)
    )
    return low, high


def require_power(power: float, alpha: float) -> None:
    """Refuse an alpha outside (0, 1), and a power that does not lie between alpha and 1."""
    require_fraction(alpha, "alpha")
    between = is_number(power) and alpha < power < 1
    require(between, f"must lie between alpha = {alpha:g} and 1, got {brief(power)}", "power")
