"""Plain oracles: NDCG as its definition reads, and its exact law for a handful of items.

Nothing here is shared with the package. A discount is a function of the rank; relevance is a
polynomial in the depth t, for which the law of the labels in rank order is a rational number.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache

Discount = Callable[[int], float]
Polynomial = list[Fraction]


def dcg(gains: Sequence[float], discount: Discount, cutoff: int | None = None) -> float:
    """The sum of gain * discount over gains in rank order, up to rank ``cutoff``."""
    kept = gains[: len(gains) if cutoff is None else cutoff]
    return math.fsum(float(gain) * discount(rank) for rank, gain in enumerate(kept, start=1) if gain)


def ndcg(
    gains: Sequence[float],
    discount: Discount,
    cutoff: int | None = None,
    ideal: Sequence[float] | None = None,
) -> float:
    """NDCG of gains in rank order; 0 where every gain is 0.

    ``ideal`` holds the gains the ideal list is made from, if not those of the list.
    """
    best = sorted(gains if ideal is None else ideal, reverse=True)
    denominator = dcg(best, discount, cutoff)
    return dcg(gains, discount, cutoff) / denominator if denominator else 0.0


def label_law(
    curves: Mapping[float, Sequence[float | Fraction]], n: int
) -> Iterator[tuple[tuple[float, ...], Fraction]]:
    """Every sequence of n gains in rank order, with its probability, exactly.

    ``curves`` holds for each positive gain the coefficients c0, c1, … of P(gain | t) in depth t; the gain 0
    takes the rest. The probability is ``n! int_{t_1 < … < t_n} prod_i P(gain_i | t_i)``.
    """
    return iter(_label_law(tuple((gain, tuple(map(Fraction, c))) for gain, c in curves.items()), n))


@lru_cache(maxsize=64)  # tests compare a law under many measures
def _label_law(
    curves: tuple[tuple[float, tuple[Fraction, ...]], ...], n: int
) -> list[tuple[tuple[float, ...], Fraction]]:
    laws = {gain: list(coefficients) for gain, coefficients in curves}
    degree = max(len(c) for c in laws.values())
    sums = [sum((c[i] for c in laws.values() if i < len(c)), Fraction(0)) for i in range(degree)]
    laws[0.0] = [Fraction(1) - sums[0], *(-c for c in sums[1:])]

    def extend(prefix: tuple[float, ...], above: Polynomial) -> Iterator[tuple[tuple[float, ...], Fraction]]:
        if len(prefix) == n:
            yield prefix, math.factorial(n) * sum(above, Fraction(0))
            return
        for gain, law in laws.items():
            yield from extend((*prefix, gain), _integral(_product(above, law)))

    return list(extend((), [Fraction(1)]))


def expected_ndcg(
    curves: Mapping[float, Sequence[float | Fraction]],
    discount: Discount,
    n: int,
    cutoff: int | None = None,
) -> float:
    """E[NDCG_n] by summing over every sequence of labels."""
    law = label_law(curves, n)
    return math.fsum(float(weight) * ndcg(gains, discount, cutoff) for gains, weight in law)


def expected_product(
    curves: Mapping[float, Sequence[float | Fraction]], discount: Discount, n: int, larger: int
) -> float:
    """E[NDCG_n NDCG_larger] along one stream: S_n is a uniformly random part of S_larger."""
    parts = list(itertools.combinations(range(larger), n))
    terms = []
    for gains, weight in label_law(curves, larger):
        mean = math.fsum(ndcg([gains[i] for i in part], discount) for part in parts) / len(parts)
        terms.append(float(weight) * mean * ndcg(gains, discount))
    return math.fsum(terms)


def _product(a: Polynomial, b: Polynomial) -> Polynomial:
    result = [Fraction(0)] * (len(a) + len(b) - 1)
    for (i, x), (j, y) in itertools.product(enumerate(a), enumerate(b)):
        result[i + j] += x * y
    return result


def _integral(a: Polynomial) -> Polynomial:
    return [Fraction(0), *(c / (i + 1) for i, c in enumerate(a))]
