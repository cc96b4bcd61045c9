"""The probability of a wrong order at n by large deviations, and how its cost in nats grows with n."""

from __future__ import annotations

import math

from scipy.special import log_ndtr

from ndcg_asymptotics.core.arrays import LARGEST_N
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.rare.tilting import level_tilt

_STEP = 10**0.125  # the factor of n to both sides of the local slope: a quarter of a decade together


def log_wrong_probability(cost: float, std: float) -> float:
    """Return log P(wrong order) for a tilt: ``-cost + s^2/2 + log P(N(0,1) > s)``, s the standard deviation.

    Under the tilted law theta (DCG_A - DCG_B) is about normal with mean 0 and standard deviation s,
    and P is ``exp(-cost)`` times the mean of exp(-x) over x > 0 (Esscher's approximation).

    >>> round(log_wrong_probability(8.0, 4.0), 3)  # P(N(0,1) > 4), for which it is exact
    -10.36
    """
    return -cost + std**2 / 2 + float(log_ndtr(-std))


def cost_exponent(a: Relevance, b: Relevance, measure: Measure, n: int) -> float | None:
    """Return d log cost / d log n, over a quarter of a decade around n.

    It is None where the leader at n is behind at one of the two ends: its defeat costs nothing there.
    """
    low, high = max(int(n / _STEP), 1), min(max(int(n * _STEP), n + 1), LARGEST_N)
    leader = level_tilt(a, b, measure, n).leader
    costs = [level_tilt(a, b, measure, size, leader=leader).cost for size in (low, high)]
    if min(costs) <= 0:
        return None
    return math.log(costs[1] / costs[0]) / math.log(high / low)
