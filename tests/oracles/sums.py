"""F(k) = D(1) + … + D(k) in mpmath, for real k as well, and a mean of NDCG from it.

Between whole numbers F is a smooth interpolation.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import mpmath
from mpmath import mp


@lru_cache
def _log_constant() -> mpmath.mpf:
    with mp.workdps(50):
        start = 300
        return mp.fsum(1 / mp.log(1 + r) for r in range(1, start + 1)) - _log_far(mp.mpf(start))


def _log_far(k: mpmath.mpf) -> mpmath.mpf:
    """li(1+k) + D/2 + D'/12 - D'''/720 + …, D(r) = 1/log(1+r)."""
    x, v = 1 + k, 1 / mp.log(1 + k)
    # derivatives of 1/log x with respect to x, as polynomials in v over powers of x
    polynomial, order = {1: mp.mpf(1)}, 0
    total = mp.li(x) + v / 2
    bernoulli = {1: mp.mpf(1) / 12, 3: -mp.mpf(1) / 720, 5: mp.mpf(1) / 30240, 7: -mp.mpf(1) / 1209600}
    for order in range(1, 8):
        fresh: dict[int, mpmath.mpf] = {}
        for power, c in polynomial.items():
            fresh[power + 1] = fresh.get(power + 1, 0) - power * c
            fresh[power] = fresh.get(power, 0) - (order - 1) * c
        polynomial = fresh
        if order in bernoulli:
            total += bernoulli[order] * sum(c * v**power for power, c in polynomial.items()) / x**order
    return total


def log_sum(k: Any) -> mpmath.mpf:
    """Sum of 1/log(1+r)."""
    if k < 300 and k == int(k):
        return mp.fsum(1 / mp.log(1 + r) for r in range(1, int(k) + 1))
    shift = max(0, 300 - int(k))
    far = _log_constant() + _log_far(mp.mpf(k) + shift)
    return far - mp.fsum(1 / mp.log(1 + mp.mpf(k) + i) for i in range(1, shift + 1))


def power_sum(b: str) -> Callable[[Any], mpmath.mpf]:
    """Sum of r^-b."""

    def cumulative(k: Any) -> mpmath.mpf:
        exponent = mp.mpf(float(b))
        if exponent == 1:
            return mp.harmonic(k)
        return mp.zeta(exponent) - mp.zeta(exponent, mp.mpf(k) + 1)

    return cumulative


SUMS: dict[str, Callable[[Any], mpmath.mpf]] = {
    "log": log_sum,
    "zipf": power_sum("1"),
    "power(0.3)": power_sum("0.3"),
    "power(0.5)": power_sum("0.5"),
    "power(0.8)": power_sum("0.8"),
    "power(1.5)": power_sum("1.5"),
    "geometric(2)": lambda k: 1 - mp.mpf(2) ** -k,
}


def without_information(p: float, cumulative: Callable[[Any], mpmath.mpf], k: int, n: int) -> float:
    """E[NDCG_n] for ybar = p: ``p E[F(k) / F(min(1 + L, k))]``, L ~ Bin(n - 1, p).

    Summed over L where that is short, else by the first moments of L.
    """
    size = n - 1
    mean = size * p
    deviation = math.sqrt(mean * (1 - p))
    low = max(0, math.floor(mean - 10 * deviation - 20))
    high = min(size, math.ceil(mean + 10 * deviation + 40))
    whole = cumulative(k)

    def value(count: int) -> mpmath.mpf:
        return whole / cumulative(min(1 + count, k))

    if high - low <= 3000:
        odds = mp.mpf(p) / (1 - mp.mpf(p)) if p < 1 else mp.inf
        mode = min(max(round(mean), low), high)
        weights = {mode: mp.mpf(1)}
        for x in range(mode, high):
            weights[x + 1] = weights[x] * (size - x) / (x + 1) * odds
        for x in range(mode, low, -1):
            weights[x - 1] = weights[x] * x / ((size - x + 1) * odds)
        norm = mp.fsum(weights.values())
        return float(p * mp.fsum(w * value(x) for x, w in weights.items() if w > norm * 1e-18) / norm)
    if min(1 + low, k) == min(1 + high, k):
        return p
    if 1 + high > k:
        raise ValueError("the cutoff lies within the counts")
    f = lambda x: whole / cumulative(1 + x)  # noqa: E731
    with mp.workdps(40):
        derivatives = mp.taylor(f, mp.mpf(size) * p, 6)
        v = mp.mpf(size) * p * (1 - mp.mpf(p))
        third, fourth = v * (1 - 2 * p), v * (1 - 6 * p * (1 - p)) + 3 * v**2
        fifth, sixth = 10 * v * third, 15 * v**3
        moments = (1, 0, v, third, fourth, fifth, sixth)
        return float(p * mp.fsum(c * m for c, m in zip(derivatives, moments, strict=True)))
