"""The exact law of the labels by rank in lists with a fixed number of relevant items.

Depths have densities that are sums of powers of the depth, such as ``kappa t^(kappa - 1)``, so integrals over
``t_1 < … < t_n`` are sums of powers too, in rational arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

Density = dict[Fraction, Fraction]
"""Coefficients by exponent."""


def power(kappa: Fraction) -> Density:
    """The density of roc_power."""
    return {kappa - 1: kappa}


def beta(a: Fraction, b: int) -> Density:
    """The density of roc_beta with a whole number b."""
    constant = math.prod((a + i for i in range(b)), start=Fraction(1)) / math.factorial(b - 1)
    return {a - 1 + i: constant * (-1) ** i * math.comb(b - 1, i) for i in range(b)}


def integral(density: Density) -> Fraction:
    """The integral over [0, 1]."""
    return sum((c / (e + 1) for e, c in density.items()), Fraction(0))


def given_label(curves: Sequence[Density]) -> list[Density]:
    """The densities of depths given the label, irrelevant ones last, from curves P(Y = y_j | t)."""
    rest: Density = {Fraction(0): Fraction(1)}
    for curve in curves:
        for e, c in curve.items():
            rest[e] = rest.get(e, Fraction(0)) - c
    return [{e: c / integral(part) for e, c in part.items()} for part in (*curves, rest)]


def sequence_law(densities: Sequence[Density], counts: Sequence[int]) -> Iterator[tuple[list[int], float]]:
    """Every order of the grades by rank, as their indices, with its probability."""
    ways = math.prod(math.factorial(count) for count in counts)

    def below(prefix: list[int], left: list[int], inner: Density) -> Iterator[tuple[list[int], float]]:
        if not any(left):
            yield prefix, float(ways * sum(inner.values(), Fraction(0)))
            return
        for grade, count in enumerate(left):
            if count:
                found: Density = {}
                for e, c in densities[grade].items():
                    for exponent, coefficient in inner.items():
                        key = e + exponent + 1  # the antiderivative
                        found[key] = found.get(key, Fraction(0)) + c * coefficient / key
                fewer = [*left]
                fewer[grade] -= 1
                yield from below([*prefix, grade], fewer, found)

    yield from below([], list(counts), {Fraction(0): Fraction(1)})
