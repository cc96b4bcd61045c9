"""The depth of the item at rank k + 1, above which the first k items of a list are independent."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.theory.fluctuations.effort import Effort
from ndcg_asymptotics.theory.rules import quadrature
from ndcg_asymptotics.theory.rules.binomial import log_binomial
from ndcg_asymptotics.theory.rules.counts import around_rank, gauss_rule, nodes_for
from ndcg_asymptotics.theory.rules.mesh import Mesh

_PANELS, _FINE = 5, 16  # of that depth and nodes in each, where curves have breakpoints


def depths_at_cutoff(mesh: Mesh, k: int, n: int, effort: Effort) -> Sequence[tuple[Floats, Floats]]:
    """Return nodes and weights of the depth of the item at rank k + 1 of n, between breakpoints of curves."""
    count = math.ceil(effort.refine * (4 + 14 / math.sqrt(k)))
    low, high = (min(max(x / n, 0.0), 1.0) for x in around_rank(float(k), float(n)))
    breaks = [b for b in mesh.relevance.breakpoints if low < b < high]
    if not breaks:
        return [beta_rule(k + 1.0, float(n - k), count)]
    edges = np.unique([low, *breaks, high, *np.linspace(low, high, _PANELS + 1)])
    t, dt = (x.ravel() for x in quadrature.on_panels(edges[:-1], edges[1:], _FINE))
    weights = dt * np.exp(log_binomial(np.array([float(k)]), n - 1.0, t))
    weights /= weights.sum()
    total = _deviation(t, weights)
    # what one rule of ``count`` nodes for all depths leaves is left of all pieces
    variation = (effort.digits / math.factorial(count)) ** (1 / count)
    pieces = []
    for piece in np.split(np.arange(t.size), np.searchsorted(t, breaks)):
        share = float(weights[piece].sum())
        if share > effort.negligible:
            narrow = _deviation(t[piece], weights[piece]) / total
            nodes = min(nodes_for(variation * narrow**2, 0.1 * effort.digits / share), count)
            pieces.append(gauss_rule(t[piece], weights[piece], nodes))
    return pieces


def _deviation(x: Floats, weights: Floats) -> float:
    """Return the standard deviation of a law whose weights may not add up to 1."""
    weights = weights / weights.sum()
    return math.sqrt(float(weights @ (x - weights @ x) ** 2))


def beta_rule(alpha: float, beta: float, count: int) -> tuple[Floats, Floats]:
    """Return the Gauss rule of Beta(alpha, beta) with ``count`` nodes; large parameters lose no digits.

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
    nodes, vectors = np.linalg.eigh(np.diag(diagonal - centre) + np.diag(np.sqrt(beside), -1))
    return np.asarray(centre + nodes), np.asarray(vectors[0] ** 2)
