"""Losses and measures of rankings as their definitions read, list by list; nothing here is the package's.

An order is a sequence of items, best first; labels are those of the items in their own numbering.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import permutations

Vector = Sequence[float]


def gain(label: float) -> float:
    return 2.0**label - 1


def dcg(order: Sequence[int], gains: Vector, discount: Callable[[int], float]) -> float:
    return math.fsum(gains[item] * discount(rank) for rank, item in enumerate(order, 1))


def norm(gains: Vector, discount: Callable[[int], float]) -> float:
    """The largest DCG over all orders."""
    return max(dcg(order, gains, discount) for order in permutations(range(len(gains))))


def shares(labels: Vector, discount: Callable[[int], float]) -> list[float]:
    """G / ||G||_D."""
    gains = [gain(y) for y in labels]
    ideal = norm(gains, discount)
    return [g / ideal if ideal else 0.0 for g in gains]


def disagreement(order: Sequence[int], weights: Sequence[Vector]) -> float:
    """The weight of the pairs that the order has the wrong way round."""
    place = {item: rank for rank, item in enumerate(order)}
    items = range(len(order))
    return math.fsum(weights[i][j] for i in items for j in items if place[i] > place[j])


def softmax(x: Vector) -> list[float]:
    powers = [math.exp(v) for v in x]
    return [p / math.fsum(powers) for p in powers]


def kl(p: Vector, q: Vector) -> float:
    """Σ p log(p/q) - p + q."""
    return math.fsum((a * math.log(a / b) if a else 0.0) - a + b for a, b in zip(p, q, strict=True))


def length(x: Vector, q: float = 2) -> float:
    return math.fsum(abs(v) ** q for v in x) ** (1 / q)


def inner(x: Vector, y: Vector) -> float:
    return math.fsum(a * b for a, b in zip(x, y, strict=True))


PHI: dict[str, Callable[[float], float]] = {
    "logistic": lambda t: math.log(1 + math.exp(-t)),
    "hinge": lambda t: max(0.0, 1 - t),
    "squared_hinge": lambda t: max(0.0, 1 - t) ** 2,
    "exponential": lambda t: math.exp(-t),
}


def pairs(labels: Vector, by_gain: bool) -> list[tuple[int, int, float]]:
    """(i, j, a_ij) for the pairs with y_i > y_j."""
    items = range(len(labels))
    return [
        (i, j, gain(labels[i]) - gain(labels[j]) if by_gain else 1.0)
        for i in items
        for j in items
        if labels[i] > labels[j]
    ]


def log_discount(rank: int) -> float:
    return 1 / math.log(1 + rank)


#: Every loss of one list, by its text, for NDCG with the log discount: scores and labels -> number.
LOSSES: dict[str, Callable[[Vector, Vector], float]] = {
    "squared": lambda s, y: math.fsum((a - gain(b)) ** 2 for a, b in zip(s, y, strict=True)),
    "squared_consistent": lambda s, y: math.fsum(
        (a - b) ** 2 for a, b in zip(s, shares(y, log_discount), strict=True)
    ),
    "cosine": lambda s, y: 1 - inner(s, [gain(b) for b in y]) / length(s) / length([gain(b) for b in y]),
    "cosine_consistent": lambda s, y: 1 - inner(s, shares(y, log_discount)) / length(s),
    "listnet": lambda s, y: kl(softmax(y), softmax(s)),
    "listnet_consistent": lambda s, y: kl(shares(y, log_discount), [math.exp(v) for v in s]),
    "pnorm(1.5)": lambda s, y: length(s, 3) ** 2 - 2 * inner(s, shares(y, log_discount)),
    "pnorm(2)": lambda s, y: length(s) ** 2 - 2 * inner(s, shares(y, log_discount)),
    "pnorm_normalised(1.25)": lambda s, y: -inner(s, shares(y, log_discount)) / length(s, 5),
    'pnorm("log")': lambda s, y: length(s, math.log(len(s)) + 2) ** 2 - 2 * inner(s, shares(y, log_discount)),
    'pnorm_normalised("log", 2)': lambda s, y: (
        -inner(s, shares(y, lambda r: log_discount(r) if r <= 2 else 0)) / length(s, math.log(len(s)) + 2)
    ),
    'bregman("entropy")': lambda s, y: kl(shares(y, log_discount), [math.exp(v) for v in s]),
    'bregman("logistic")': lambda s, y: math.fsum(
        kl([t, 1 - t], [1 / (1 + math.exp(-v)), 1 / (1 + math.exp(v))])
        for v, t in zip(s, shares(y, log_discount), strict=True)
    ),
    'bregman("hyperbolic")': lambda s, y: math.fsum(
        t * math.asinh(t) - math.sqrt(1 + t * t) + math.cosh(v) - v * t
        for v, t in zip(s, shares(y, log_discount), strict=True)
    ),
    "order_preserving": lambda s, y: math.fsum(
        a * PHI["squared_hinge"](s[i] - s[j])
        for i, a in enumerate(shares(y, log_discount))
        for j in range(len(s))
        if i != j
    ),
    "duchi": lambda s, y: math.fsum([*(s[j] - s[i] for i, j, _ in pairs(y, False)), *(v * v / 2 for v in s)]),
    'duchi(2, "gain")': lambda s, y: math.fsum(
        [*(a * (s[j] - s[i]) for i, j, a in pairs(y, True)), *(v * v for v in s)]
    ),
    "linear_ndcg": lambda s, y: math.fsum(
        a * PHI["logistic"](s[i] - s[j]) / norm([gain(b) for b in y], lambda rank: len(y) - rank)
        for i, j, a in pairs(y, True)
    ),
}
LOSSES["approx_ndcg"] = lambda s, y: (
    1
    - math.fsum(
        share / math.log(2 + math.fsum(1 / (1 + math.exp((v - u) / 0.1)) for j, u in enumerate(s) if j != i))
        for i, (v, share) in enumerate(zip(s, shares(y, log_discount), strict=True))
    )
)
LOSSES['pairwise("logistic", "gain", "mean")'] = lambda s, y: (
    math.fsum(a * PHI["logistic"](s[i] - s[j]) for i, j, a in pairs(y, True))
    / (math.fsum(a for _, _, a in pairs(y, True)) or 1)
)
for _name, _phi in PHI.items():
    LOSSES[f'pairwise("{_name}")'] = lambda s, y, f=_phi: math.fsum(
        f(s[i] - s[j]) for i, j, _ in pairs(y, False)
    )
    LOSSES[f'pairwise("{_name}", "gain")'] = lambda s, y, f=_phi: math.fsum(
        a * f(s[i] - s[j]) for i, j, a in pairs(y, True)
    )
    LOSSES[f'margin("{_name}")'] = lambda s, y, f=_phi: math.fsum(
        f(s[i] - s[j] - a) for i, j, a in pairs(y, True)
    )
