"""Exact means of NDCG by other ways than the package's; nothing here is shared with it.

Binary labels. A discount is a function D(r) of arrays of ranks, a curve a function m(t) of arrays of depths.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import mpmath
import numpy as np
from numpy.polynomial.legendre import leggauss

Function = Callable[[Any], Any]


def by_depth(curve: Function, breaks: Sequence[float], discount: Function, k: int, n: int) -> float:
    """E[NDCG_n] from the depth of one relevant item, the number above it, and who of these is relevant.

    ``n int m(t) sum_{a<k} P(a of n - 1 lie above t) D(1+a) E[1/F(min(1 + Bin(a, q) + Bin(n-1-a, r), k))] dt``
    with q, r the mean relevance above and below t. O(n^3) for each of some hundred depths.
    """
    t, w = _depths(breaks, n)
    m = curve(t)
    above = _running(curve, t, breaks)  # int_0^t m
    total = _running(curve, np.array([1.0]), breaks)[0]
    ranks = np.arange(1.0, n + 1)
    d = np.asarray(discount(ranks), float)
    sums = np.concatenate(([0.0], np.cumsum(d)))
    inverse = 1 / sums[np.minimum(np.add.outer(np.arange(n), np.arange(n)) + 1, k)]
    q, r = np.minimum(above / t, 1.0), np.clip((total - above) / (1 - t), 0.0, 1.0)
    relevant_above, relevant_below = _binomials(n, q), _binomials(n, r)[:, ::-1]
    means = ((relevant_above @ inverse) * relevant_below).sum(axis=2)  # (depth, a)
    at_rank = _binomials(n, t)[:, -1, :k] * d[:k] * means[:, :k]
    return float(n * ((w * m) @ at_rank.sum(axis=1)))


def _binomials(n: int, p: np.ndarray) -> np.ndarray:
    """P(Bin(a, p) = i) for a, i = 0 … n - 1: (p.size, n, n)."""
    table, p = np.zeros((p.size, n, n)), p[:, None]
    table[:, 0, 0] = 1.0
    for a in range(1, n):
        table[:, a] = (1 - p) * table[:, a - 1]
        table[:, a, 1:] += p * table[:, a - 1, :-1]
    return table


def _depths(breaks: Sequence[float], n: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Legendre on panels that shrink towards 0, towards 1 and on both sides of the breaks."""
    steps = 0.5 ** np.arange(1, 60)
    edges = {0.0, 1.0, *breaks, *(steps / 1.0), *(1 - steps[:40])}
    edges |= {b + s * min(b, 1 - b) * h for b in breaks for h in steps[:12] for s in (-1, 1)}
    x, weight = leggauss(max(10, int(3 * math.sqrt(n))))
    cuts = np.array(sorted(edges))
    half = np.diff(cuts)[:, None] / 2
    return (cuts[:-1, None] + half * (1 + x)).ravel(), (half * weight).ravel()


def _running(curve: Function, t: np.ndarray, breaks: Sequence[float]) -> np.ndarray:
    """int_0^t m by Gauss-Legendre on panels graded towards 0, 1 and the breaks."""
    steps = 0.5 ** np.arange(0, 70)
    inner = np.array(sorted({*steps, *(1 - steps[1:45]), *breaks, 0.0}))
    x, weight = leggauss(20)
    result = np.empty(t.size)
    for i, end in enumerate(t):
        cuts = np.append(inner[inner < end], end)
        half = np.diff(cuts)[:, None] / 2
        result[i] = float(np.sum(half * weight * curve(cuts[:-1, None] + half * (1 + x))))
    return result


def without_information(p: float, cumulative: Function, k: int, n: int) -> float:
    """E[NDCG_n] for ybar = p: ``p E[F(k) / F(min(1 + L, k))]``, L ~ Bin(n - 1, p).

    ``cumulative`` is F for mpmath numbers. Summed over L where that is short, else by the first moments of L.
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
        odds = mpmath.mpf(p) / (1 - mpmath.mpf(p)) if p < 1 else mpmath.inf
        mode = min(max(round(mean), low), high)
        weights = {mode: mpmath.mpf(1)}
        for x in range(mode, high):
            weights[x + 1] = weights[x] * (size - x) / (x + 1) * odds
        for x in range(mode, low, -1):
            weights[x - 1] = weights[x] * x / ((size - x + 1) * odds)
        norm = mpmath.fsum(weights.values())
        return float(p * mpmath.fsum(w * value(x) for x, w in weights.items() if w > norm * 1e-18) / norm)
    if min(1 + low, k) == min(1 + high, k):
        return p
    if 1 + high > k:
        raise ValueError("the cutoff lies within the counts")
    f = lambda x: whole / cumulative(1 + x)  # noqa: E731
    with mpmath.workdps(40):
        derivatives = mpmath.taylor(f, mpmath.mpf(size) * p, 6)
        v = mpmath.mpf(size) * p * (1 - mpmath.mpf(p))
        third, fourth = v * (1 - 2 * p), v * (1 - 6 * p * (1 - p)) + 3 * v**2
        fifth, sixth = 10 * v * third, 15 * v**3
        moments = (1, 0, v, third, fourth, fifth, sixth)
        return float(p * mpmath.fsum(c * m for c, m in zip(derivatives, moments, strict=True)))
