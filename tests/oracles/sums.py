"""F(k) = D(1) + … + D(k) in mpmath, for real k as well: smooth interpolation between whole numbers."""

from __future__ import annotations

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
