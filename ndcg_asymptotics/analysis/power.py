"""The power of a paired test, and how many lists it needs."""

from __future__ import annotations

import math

import numpy as np
from scipy import special, stats

_EXACT = 2000  # lists up to which Student's t is told from the normal law
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)
_QUANTILES, _WEIGHTS = (_NODES + 1) / 2, _WEIGHTS / 2


def power_of(effect: float, queries: int, alpha: float) -> float:
    """The power of a two-sided paired t-test: P(|T| > t) for T noncentral with shift effect sqrt(queries).

    The mean over s, the standard deviation seen relative to the true one, of the normal probabilities
    that Z + shift is beyond t s; by Gauss-Legendre over the quantiles of s, to about 1e-6.

    >>> round(power_of(0.5, 34, 0.05), 3)
    0.808
    """
    freedom = queries - 1
    threshold, shift = float(special.stdtrit(freedom, 1 - alpha / 2)), abs(effect) * math.sqrt(queries)
    spread = np.sqrt(special.chdtri(freedom, 1 - _QUANTILES) / freedom)
    beyond = special.ndtr(shift - threshold * spread) + special.ndtr(-shift - threshold * spread)
    return float(_WEIGHTS @ beyond)


def paired_power(effect: float, lists: int, alpha: float) -> float:
    """The power of a two-sided paired t test at level ``alpha`` on so many lists.

    ``effect`` is the mean of the difference over its standard deviation, differences taken as normal.

    >>> round(paired_power(0.5, 34, 0.05), 3)
    0.808
    """
    if lists <= _EXACT:
        return power_of(effect, lists, alpha)
    shift, z = abs(effect) * math.sqrt(lists), stats.norm.isf(alpha / 2)
    return float(stats.norm.sf(z - shift) + stats.norm.sf(z + shift))


def lists_for(effect: float, power: float, alpha: float) -> int | None:
    """The fewest lists, at least 2, with which a paired test has the power; None where there is no effect.

    About ``((z_(1-alpha/2) + z_power) / effect)^2`` (Sakai 2016, "Topic set size design").

    >>> lists_for(0.5, 0.8, 0.05), lists_for(0.01, 0.8, 0.05)
    (34, 78489)
    """
    if effect == 0:
        return None
    normal = ((stats.norm.isf(alpha / 2) + stats.norm.ppf(power)) / abs(effect)) ** 2
    if normal > 9e18:
        return None
    if normal > _EXACT:
        return math.ceil(normal)
    lists = max(2, math.floor(normal) - 1)
    while paired_power(effect, lists, alpha) < power:
        lists += 1
    return lists
