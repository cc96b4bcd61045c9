"""Nodes for sums over the ranks of a list: the first ones one by one, the others on panels.

Panels are geometric in r and in n + 1 - r, with ten Gauss-Legendre nodes each, so their number does not
depend on n but for its logarithm. The depth of rank r has the law Beta(r, n + 1 - r), with nine nodes.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.polynomial import hermite_e, legendre

from ndcg_asymptotics.core.arrays import Floats

NODES = 10  #: of a panel
X, DX = (part.copy() for part in legendre.leggauss(NODES))
NORMAL, NORMAL_WEIGHTS = (part.copy() for part in hermite_e.hermegauss(9))  #: of a depth
NORMAL_WEIGHTS /= NORMAL_WEIGHTS.sum()
_EACH, _FIRST = 400, 128  # ranks of a list up to which each is a term, and how many are in longer ones
_MOST = 4 * _FIRST  # ranks one by one, beyond which breaks add none

_coefficients = np.linalg.inv(legendre.legvander(X, NODES - 1))  # from values at the nodes


def _matrix(at: Floats, order: int) -> Floats:
    """Return the matrix from values at the nodes to derivatives at points, or integrals (order -1)."""
    series = legendre.legder(_coefficients, order) if order > 0 else legendre.legint(_coefficients)
    return np.asarray(legendre.legval(at, series), np.float64).T.copy()


AT_ENDS = _matrix(np.array([-1.0, 1.0]), 1)  #: values at the nodes to derivatives at the ends
DERIVATIVE = _matrix(X, 1)
TO_THE_END = _matrix(np.ones(NODES), -1) - _matrix(X, -1)  #: to integrals from each node to the end


def ranks_one_by_one(n: int, breaks: Floats) -> int:
    """Return how many ranks are summed one by one: more where breaks are at ranks (S,) just beyond the usual.

    >>> [ranks_one_by_one(n, np.array([130.0])) for n in (300, 10**6)]
    [300, 208]
    """
    if n <= _EACH:
        return n
    first = _FIRST
    for rank in np.sort(breaks).tolist():
        if rank < first + 6 * math.sqrt(first) and first < _MOST:
            first = min(n, max(first, int(rank + 6 * math.sqrt(rank) + 10)))
    return first


def rank_depths(n: float, rank: Floats) -> Floats:
    """Return nodes (R, 9) of the law Beta(r, n + 1 - r), by Wilson and Hilferty's score of a gamma law."""
    r, s = rank[:, None], n + 1 - rank[:, None]

    def gamma(shape: Floats, score: Floats) -> Floats:
        root = np.maximum(1 - 1 / (9 * shape) + score / (3 * np.sqrt(shape)), 1e-3)
        return np.asarray(shape * root**3)

    x, y = gamma(r, NORMAL * np.sqrt(s / (n + 1))), gamma(s, -NORMAL * np.sqrt(r / (n + 1)))
    return np.asarray(x / (x + y))


def panel_edges(n: float, first: int, k: float, breaks: Floats) -> Floats:
    """Return edges (C, P + 1) of panels from ``first`` + 1/2 to n + 1/2, geometric in r and in n + 1 - r.

    The cutoff and the ranks of breaks (C, S) are edges.
    """
    low, high, edges = first + 0.5, n + 0.5, []
    above, below = low, min((n + 1) / 2, high - first)
    while above < 0.35 * (n + 1):
        edges.append(above)
        above *= 3 if above < 1e-3 * n else 1.4
    while below > max(2e-4 * n, 2):
        edges.append(n + 1 - below)
        below /= 1.8
    base, fixed = np.unique(edges), np.append(breaks[len(breaks) // 2], k + 0.5)
    close = np.abs(base[:, None] - fixed) <= 0.1 * np.minimum(fixed, n + 1 - fixed)
    rows = np.tile([low, *base[~close.any(axis=1)], k + 0.5, high], (len(breaks), 1))
    return np.sort(np.clip(np.concatenate([rows, breaks], axis=1), low, high), axis=1)


def downwards(values: Floats, start: Floats | float = 0.0) -> Floats:
    """Return sums over the later ones: (A, C, r) to (A, C, r + 1), of which the last is ``start``."""
    later = np.concatenate([np.zeros((*values.shape[:2], 1)), values[:, :, ::-1]], axis=2)
    return np.asarray(np.cumsum(later, axis=2)[:, :, ::-1] + np.asarray(start)[..., None])


def products(values: Floats, weights: Floats) -> Floats:
    """Return the weighted sums of products of rows: (A, C, r) and (C, r) to (A, A, C)."""
    return np.asarray(np.einsum("acr,bcr->abc", values * weights, values))
