"""How many lists a paired test needs."""

from __future__ import annotations

import math

from scipy import stats

_EXACT = 2000  # lists up to which Student's t is told from the normal law


def paired_power(effect: float, lists: int, alpha: float) -> float:
    """The power of a two-sided paired t test at level ``alpha`` on so many lists.

    ``effect`` is the mean of the difference over its standard deviation, differences taken as normal.

    >>> round(paired_power(0.5, 34, 0.05), 3)
    0.808
    """
    shift = abs(effect) * math.sqrt(lists)
    if lists > _EXACT:
        z = stats.norm.isf(alpha / 2)
        return float(stats.norm.sf(z - shift) + stats.norm.sf(z + shift))
    freedom = lists - 1
    t = stats.t.isf(alpha / 2, freedom)
    below = 0.0 if shift > 8 else float(stats.nct.cdf(-t, freedom, shift))
    return float(stats.nct.sf(t, freedom, shift)) + below


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
