"""Nodes for sums over the ranks of a list: the first ones one by one, the others on panels.

Panels are geometric in r and in n + 1 - r, with ten Gauss-Legendre nodes each, so their number does not
depend on n but for its logarithm. The depth of rank r has the law Beta(r, n + 1 - r), with three nodes. Where
one of the three passes a break of a curve, a panel ends.
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial import legendre

from ndcg_asymptotics.core.arrays import Floats

NODES = 10  #: of a panel
X, DX = (part.copy() for part in legendre.leggauss(NODES))
SCORES, CHANCES = np.sqrt(3.0) * np.arange(-1, 2), np.array([1.0, 4.0, 1.0]) / 6  #: of a depth
FIRST = 128  #: ranks one by one
_AROUND = np.sqrt(3.0) * np.arange(-3, 4)  # edges around a break, in standard deviations of its rank


def _to_the_end() -> Floats:
    """Return the matrix from values at the nodes to integrals from each node to the end."""
    series = legendre.legint(np.linalg.inv(legendre.legvander(X, NODES - 1)))
    return np.asarray(legendre.legval(np.ones(NODES), series) - legendre.legval(X, series)).T.copy()


TO_THE_END = _to_the_end()


def rank_depths(n: float, rank: Floats) -> Floats:
    """Return nodes (..., 3) of the law Beta(r, n + 1 - r), by Wilson and Hilferty's score of a gamma law."""
    r, s = rank[..., None], np.maximum(n + 1 - rank[..., None], 0.5)

    def gamma(shape: Floats, score: Floats) -> Floats:
        root = np.maximum(1 - 1 / (9 * shape) + score / (3 * np.sqrt(shape)), 1e-3)
        return np.asarray(shape * root**3)

    x, y = gamma(r, SCORES * np.sqrt(s / (n + 1))), gamma(s, -SCORES * np.sqrt(r / (n + 1)))
    return np.asarray(x / (x + y))


def panel_edges(n: float, first: int, k: float, breaks: Floats, sd: Floats) -> Floats:
    """Return edges (C, P + 1) of panels from ``first`` + 1/2 to n + 1/2, geometric in r and in n + 1 - r.

    The cutoff is an edge, and so are ranks around breaks (C, S), whose ranks have standard deviations.
    """
    low, high, edges = first + 0.5, n + 0.5, []
    above, below = low, min((n + 1) / 2, high - first)
    while above < 0.35 * (n + 1):
        edges.append(above)
        above *= 3 if above < 1e-3 * n else 1.4
    while above < high and below > max(2e-4 * n, 2):
        edges.append(n + 1 - below)
        below /= 1.8
    rows = np.tile([low, *edges, k + 0.5, high], (len(breaks), 1))
    around = (breaks[:, :, None] + sd[:, :, None] * _AROUND).reshape(len(breaks), -1)
    rows = np.sort(np.clip(np.concatenate([rows, around], axis=1), low, high), axis=1)
    return rows[:, np.append(True, (np.diff(rows, axis=1) > 0).any(axis=0))]


def products(values: Floats, weights: Floats) -> Floats:
    """Return the weighted sums of products of rows: (A, C, r) and (C, r) to (A, A, C)."""
    return np.asarray(np.einsum("acr,bcr->abc", values * weights, values))
