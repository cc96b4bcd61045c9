"""The exact chance of a wrong order in short lists, by going through all label sequences."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.polynomial import Polynomial


@cache
def sequences(coefficients: tuple[float, ...], n: int) -> tuple[np.ndarray, np.ndarray]:
    """All labels from the top down (2^n, n) of n items, and their probabilities.

    The label at depth t is 1 with the chance of a polynomial m. ``n! int_{t_1 < … < t_n} prod f(t_i)``, f = m
    or 1 - m, is integrated one depth after the other, for all labels at once.
    """
    relevant = np.array(coefficients)
    other = np.append(1.0, np.zeros(relevant.size - 1)) - relevant
    labels, below = np.zeros((1, 0), int), np.ones((1, 1))
    for _ in range(n):
        labels = np.concatenate([np.insert(labels, labels.shape[1], y, axis=1) for y in (1, 0)])
        below = np.concatenate([_integral_of_product(below, f) for f in (relevant, other)])
    return labels, math.factorial(n) * below.sum(axis=1)


def _integral_of_product(polynomials: np.ndarray, factor: np.ndarray) -> np.ndarray:
    """Integrals from 0 of polynomials, one a row, times a factor; coefficients from the constant on."""
    size = polynomials.shape[1]
    found = np.zeros((len(polynomials), size + factor.size))
    for power, c in enumerate(factor, 1):
        found[:, power : power + size] += c * polynomials
    found[:, 1:] /= np.arange(1, found.shape[1])
    return found


def chance_not_greater(
    a: Polynomial, b: Polynomial, n: int, discount: Callable[[int], float], cut: int
) -> float:
    """P(DCG_a <= DCG_b) at n, the scorers independent given the labels."""
    p = float(a.integ()(1.0))
    weights = np.array([discount(r) if r <= cut else 0.0 for r in range(1, n + 1)])
    (labels, of_a), (_, of_b) = (sequences(tuple(curve.coef), n) for curve in (a, b))
    dcg, relevant = labels @ weights, labels.sum(axis=1)
    total = 0.0
    for count in range(n + 1):
        same = relevant == count
        not_greater = dcg[same][:, None] <= dcg[same] + 1e-12
        here = math.comb(n, count) * p**count * (1 - p) ** (n - count)
        total += float(of_a[same] @ not_greater @ of_b[same]) / here
    return total
