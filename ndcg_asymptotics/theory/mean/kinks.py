"""Means over two counts where their sum is beyond a threshold.

For X and Y independent and f smooth, ``E[f(X, Y); X + Y > k]`` is a sum over a lattice that a Gauss
rule cannot take: the indicator jumps. But f can be replaced by the polynomial through its values at
the Gauss nodes of both laws, and the sums over the lattice of *those* polynomials are weights that do
not depend on f::

    E[f(X, Y); X + Y > k] = sum_pq w_pq f(x_p, y_q),
    w_pq = sum over x + y > k of P(x) P(y) l_p(x) l_q(y),    l the Lagrange polynomials of the nodes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh_tridiagonal

from ndcg_asymptotics.arrays import Floats
from ndcg_asymptotics.theory.mean.counts import binomial_lattice

_ACCURACY = 1e-20  # squared relative error of the polynomial, in the mean over the law
_MOST = 40  # nodes; a law that needs more is summed over if it is short
_SHORT = 400


@dataclass(frozen=True)
class Interpolated:
    """A law on a lattice with interpolation nodes.

    Attributes
    ----------
    x : (W,)
        The lattice.
    nodes : (K,)
    weighted : (K, W)
        The Lagrange polynomials of the nodes on the lattice, times the probabilities.
    """

    x: Floats
    nodes: Floats
    weighted: Floats

    @classmethod
    def binomial(
        cls, size: int, probability: float, scale: float, spacing: int, phase: int = 0
    ) -> Interpolated:
        """Binomial(size, probability), for functions that vary on a scale."""
        x, weight = binomial_lattice(size, probability, spacing, phase)
        count = _nodes_for(size * probability * (1 - probability) / scale**2)
        if x.size <= count or (count > _MOST and x.size <= _SHORT):
            return cls(x, x, np.diag(weight))
        return cls(x, *_lagrange(x, weight, int(min(count, _MOST))))


def beyond(first: Interpolated, second: Interpolated, threshold: float) -> Floats:
    """The weights w_pq (K, L) of ``E[f(X, Y); X + Y > threshold]``."""
    tails = np.cumsum(second.weighted[:, ::-1], axis=1)[:, ::-1]
    tails = np.pad(tails, ((0, 0), (0, 1)))
    start = np.searchsorted(second.x, threshold - first.x, side="right")
    return np.asarray(first.weighted @ tails[:, start].T)


def _nodes_for(spread: float) -> float:
    """How many nodes: the projection on K polynomials leaves about K! spread^K of the square."""
    count, left = 1, spread
    while left > _ACCURACY:
        count += 1
        left *= count * spread
        if count * spread > 1:
            return math.inf
    return count + 1


def _lagrange(x: Floats, weight: Floats, count: int) -> tuple[Floats, Floats]:
    """Gauss nodes and weighted Lagrange polynomials of a law, from its orthonormal polynomials (Lanczos)."""
    centre = float(weight @ x)
    unit = math.sqrt(float(weight @ (x - centre) ** 2))
    u = (x - centre) / unit
    rows = np.sqrt(weight)[None]  # polynomials times the root of the law
    diagonal, beside = [], []
    for _ in range(count):
        following = u * rows[-1]
        diagonal.append(float(rows[-1] @ following))
        for _twice in range(2):  # orthogonal to rounding
            following -= rows.T @ (rows @ following)
        beside.append(float(np.linalg.norm(following)))
        rows = np.vstack([rows, following / beside[-1]])
    nodes, vectors = eigh_tridiagonal(diagonal, beside[:-1])
    weighted = vectors[0][:, None] * (vectors.T @ rows[:-1]) * np.sqrt(weight)
    return np.asarray(centre + unit * nodes), np.asarray(weighted)
