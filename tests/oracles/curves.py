"""The formulas of relevance curves in mpmath, as functions of depth; nothing here is the package's."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Any

import mpmath
from mpmath import mp


def number(x: float) -> mpmath.mpf:
    return mp.mpf(x)


def power(bottom, top, exponent):
    return lambda t: number(bottom) + (number(top) - number(bottom)) * (1 - t) ** number(exponent)


def cusp(bottom, top, alpha):
    return lambda t: number(top) - (number(top) - number(bottom)) * t ** number(alpha)


def polynomial(*coefficients):
    return lambda t: mp.fsum(number(c) * t**i for i, c in enumerate(coefficients))


def piecewise(*nodes):
    def value(t):
        for (start, first), (end, last) in pairwise([(number(x), number(y)) for x, y in nodes]):
            if t <= end:
                return first + (last - first) * (t - start) / (end - start)
        raise ValueError(t)

    return value


def step(bottom, top, at):
    return lambda t: number(top) if 1 - t >= number(at) else number(bottom)


@lru_cache
def logistic_intercept(prevalence, slope):
    """The a for which 1 / (1 + exp(-(a + slope (1/2 - t)))) has the mean p, by bisection."""
    p, slope = number(prevalence), number(slope)
    low, high = mp.mpf(-600), mp.mpf(600)
    for _ in range(160):
        a = (low + high) / 2
        difference = mp.log1p(mp.exp(a + slope / 2)) - mp.log1p(mp.exp(a - slope / 2))
        mean = difference / slope if slope else 1 / (1 + mp.exp(-a))
        low, high = (a, high) if mean < p else (low, a)
    return low


def logistic(prevalence, slope):
    def value(t):
        return 1 / (1 + mp.exp(-logistic_intercept(prevalence, slope) - number(slope) * (mp.mpf("0.5") - t)))

    return value


def upper(x):
    return mp.erfc(x / mp.sqrt(2)) / 2


def binormal_score(prevalence, separation, t):
    p, d = number(prevalence), number(separation)
    low, high = mp.mpf(-60), mp.mpf(60)
    for _ in range(150):
        middle = (low + high) / 2
        if (1 - p) * upper(middle) + p * upper(middle - d) > t:
            low = middle
        else:
            high = middle
    return low


def binormal(prevalence, separation):
    p, d = number(prevalence), number(separation)

    def value(t):
        x = binormal_score(prevalence, separation, t)
        odds = p / (1 - p) * mp.exp(d * x - d * d / 2)
        return odds / (1 + odds)

    return value


PIECEWISE = (0, 0.9), (0.001, 0.7), (0.25, 0.3), (0.5, 0.4), (1, 0.05)
PARAMETERS: dict[Any, Any] = {
    power: [(0.1, 0.9, 2), (0, 1, 0.5), (0.2, 0.8, 17.3)],
    polynomial: [(0.9, -1.2, 0.7), (0.5, 1.5, -3, 1.5)],
    cusp: [(0.1, 0.9, 0.5), (0.1, 0.9, 0.05), (0, 1, 3)],
    step: [(0.1, 0.8, 0.6)],
    logistic: [(0.3, 4), (0.3, -4), (0.01, 50), (0.3, 1e-6), (0.3, 0), (0.3, 1.9e-4)],
}
CURVES = {
    "constant(0.3)": lambda t: number(0.3),
    "linear(0.1, 0.7)": power(0.1, 0.7, 1),
    "linear(0.9, 0.2)": power(0.9, 0.2, 1),
    f"piecewise({', '.join(f'{t}={y}' for t, y in PIECEWISE)})": piecewise(*PIECEWISE),
    **{f"{of.__name__}{numbers}": of(*numbers) for of, some in PARAMETERS.items() for numbers in some},
}
BINORMAL = [(0.3, 1.0), (0.05, 2.5), (0.5, -1.0), (0.3, 0.0), (0.9, 0.2)]
