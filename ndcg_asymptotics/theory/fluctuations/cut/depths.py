"""Depths of the item below the cutoff, and the list above it."""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import eigh_tridiagonal

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.measures import Discount
from ndcg_asymptotics.theory import quadrature
from ndcg_asymptotics.theory.fluctuations.conditional.panels import down_to
from ndcg_asymptotics.theory.fluctuations.effort import Effort
from ndcg_asymptotics.theory.fluctuations.whole import Given, on_panels
from ndcg_asymptotics.theory.mean.mesh import Mesh
from ndcg_asymptotics.theory.mean.tails import log_binomial

_REACH, _FURTHER, _PIECES = 8.0, 20.0, 3  # standard deviations and items; panels, if curves have breaks


def depths_of(mesh: Mesh, k: int, n: int, effort: Effort) -> list[tuple[Floats, Floats]]:
    """The item at rank k + 1 of n: nodes and weights of each piece between breakpoints of the curves."""
    count = math.ceil(effort.refine * (4 + 14 / math.sqrt(k)))
    deviation = math.sqrt(k / n * (1 - k / n) / n)
    low, high = (
        max(0.0, k / n - _REACH * deviation - _FURTHER / n),
        min(1.0, k / n + _REACH * deviation + _FURTHER / n),
    )
    breaks = [b for b in mesh.relevance.breakpoints if low < b < high]
    if not breaks:
        return [beta_rule(k + 1.0, float(n - k), count)]
    edges = np.unique([low, *breaks, high, *np.linspace(low, high, _PIECES + 1)])
    t, dt = quadrature.on_panels(edges[:-1], edges[1:], count)
    density = np.array([[log_binomial(np.array([float(k)]), n - 1.0, float(x))[0] for x in row] for row in t])
    weights = dt * np.exp(density)
    weights /= weights.sum()
    start = np.searchsorted(breaks, edges[:-1], side="right")
    return [(t[start == i].ravel(), weights[start == i].ravel()) for i in range(len(breaks) + 1)]


def list_above(mesh: Mesh, depth: float, k: int, n: int, discount: Discount, effort: Effort) -> Given:
    """DCG of k items that lie above a depth."""
    panels, law = down_to(mesh, depth, k, [rank for rank, _ in effort.stages])
    return on_panels(panels, np.array(mesh.relevance.gains), discount, n, k * law, effort)


def beta_rule(alpha: float, beta: float, count: int) -> tuple[Floats, Floats]:
    """The Gauss rule of Beta(alpha, beta) with ``count`` nodes, good to its digits for large parameters.

    >>> x, w = beta_rule(3.0, 2.0, 4)
    >>> float((w @ x**2).round(12))
    0.4
    """
    i = np.arange(float(count))
    s, b = alpha + beta - 2, alpha - 1
    diagonal = (2 * i * (i + 1 + s) + s * (1 + b)) / np.where(i > 0, (2 * i + s) * (2 * i + s + 2), 1.0)
    diagonal[0] = alpha / (alpha + beta)
    j = i[1:]
    beside = j * (j + beta - 1) * (j + b) * (j + s) / ((2 * j + s) ** 2 * (2 * j + s + 1) * (2 * j + s - 1))
    centre = diagonal[0]
    nodes, vectors = eigh_tridiagonal(diagonal - centre, np.sqrt(beside))
    return np.asarray(centre + nodes), np.asarray(vectors[0] ** 2)
