"""Depths of the item below the cutoff, and the list above it."""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import eigh_tridiagonal

from ndcg_asymptotics.arrays import Floats
from ndcg_asymptotics.measures import Discount
from ndcg_asymptotics.theory.fluctuations.conditional.panels import down_to
from ndcg_asymptotics.theory.fluctuations.effort import Effort
from ndcg_asymptotics.theory.fluctuations.whole import Given, on_panels
from ndcg_asymptotics.theory.mean.mesh import Mesh


def depths_of(k: int, n: int, effort: Effort) -> tuple[Floats, Floats]:
    """The item at rank k + 1 of n: nodes and weights."""
    return beta_rule(k + 1.0, float(n - k), math.ceil(effort.refine * (4 + 14 / math.sqrt(k))))


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
