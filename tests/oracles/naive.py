"""Plain oracles: NDCG as its definition reads, and its exact law for a handful of items.

Nothing here is shared with the package. A discount is a function of the rank, relevance a polynomial in the
depth t.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.polynomial import Polynomial

from oracles.first_labels import sequences

Discount = Callable[[int], float]


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
) -> Iterator[tuple[tuple[float, ...], float]]:
    """Every sequence of n gains in rank order, with its probability.

    ``curves`` holds for each positive gain the coefficients c0, c1, … of P(gain | t) in depth t; the gain 0
    takes the rest.
    """
    polynomials = [Polynomial([float(c) for c in coefficients]) for coefficients in curves.values()]
    kinds, chances = sequences(polynomials, n)
    return zip(map(tuple, np.array([*curves, 0.0])[kinds].tolist()), chances.tolist(), strict=True)


def expected_ndcg(
    curves: Mapping[float, Sequence[float | Fraction]],
    discount: Discount,
    n: int,
    cutoff: int | None = None,
) -> float:
    """E[NDCG_n] by summing over every sequence of labels."""
    law = label_law(curves, n)
    return math.fsum(weight * ndcg(gains, discount, cutoff) for gains, weight in law)


def expected_product(
    curves: Mapping[float, Sequence[float | Fraction]], discount: Discount, n: int, larger: int
) -> float:
    """E[NDCG_n NDCG_larger] along one stream: S_n is a uniformly random part of S_larger."""
    parts = list(itertools.combinations(range(larger), n))
    terms = []
    for gains, weight in label_law(curves, larger):
        mean = math.fsum(ndcg([gains[i] for i in part], discount) for part in parts) / len(parts)
        terms.append(weight * mean * ndcg(gains, discount))
    return math.fsum(terms)
