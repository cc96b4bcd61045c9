"""The exact chance of a wrong order in short lists, by going through all label sequences."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.polynomial import Polynomial


@cache
def sequences(coefficients: tuple[float, ...], n: int) -> dict[tuple[int, ...], float]:
    """P(labels from the top down) for n items whose label at depth t is 1 with the chance of a polynomial.

    ``n! int_{t_1 < … < t_n} prod f(t_i)``, f = m or 1 - m, integrated one depth after the other.
    """
    m = Polynomial(coefficients)
    found: dict[tuple[int, ...], float] = {}

    def go(labels: tuple[int, ...], below: Polynomial) -> None:
        if len(labels) == n:
            found[labels] = math.factorial(n) * float(below(1.0))
            return
        for y, f in ((1, m), (0, 1 - m)):
            go((*labels, y), (below * f).integ())

    go((), Polynomial([1.0]))
    return found


def chance_not_greater(
    a: Polynomial, b: Polynomial, n: int, discount: Callable[[int], float], cut: int
) -> float:
    """P(DCG_a <= DCG_b) at n, the scorers independent given the labels."""
    p = float(a.integ()(1.0))
    weights = np.array([discount(r) if r <= cut else 0.0 for r in range(1, n + 1)])
    total = 0.0
    laws = []
    for curve in (a, b):
        by_count: dict[int, list[tuple[float, float]]] = {}
        for labels, chance in sequences(tuple(curve.coef), n).items():
            by_count.setdefault(sum(labels), []).append((float(weights @ labels), chance))
        laws.append(by_count)
    for count in range(n + 1):
        here = math.comb(n, count) * p**count * (1 - p) ** (n - count)
        x, px = np.array(laws[0][count]).T
        y, py = np.array(laws[1][count]).T
        total += float(px @ (x[:, None] <= y[None, :] + 1e-12) @ py) / here
    return total
