"""Integrals over depth of polynomials in the label counts, from few of the depths.

Let ``v_i(t) = sqrt(p_i) (G_i(t) - t) / sqrt(t (1 - t))``, a vector over the grades whose length is the
correlation of the label counts and the number A of items above depth t. By equation (5) of docs/theory.md

    Cov( E[phi_m(A) | c, t], E[phi_m(A) | c, s] ) = (v(t) · v(s))^m,

so that ``E[phi_m(A) | c, t]`` is linear in the m-th tensor power of v(t). These powers lie near a space of
few dimensions, since v(t) is a curve. So an integral over depth of any mean with them is a sum over few of
the depths, up to an error of at most the distance of the two combinations of powers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, Integers

_EXHAUSTED = 1e-14  # relative size of what is rounding


@dataclass(frozen=True)
class FewDepths:
    """Depths and weights that take the place of those of an integral.

    Attributes
    ----------
    node : (K,) whole numbers
        The indices of the depths.
    weights : (M + 1, J, K)
        For each degree, as those of the integral.
    """

    node: Integers
    weights: Floats

    @classmethod
    def of(cls, directions: Floats, weights: Floats, degrees: Integers, tolerance: float) -> FewDepths:
        """Return depths and weights for sums over depths of ``weights[m, j] E[phi_m(A) | c, t]``.

        Parameters
        ----------
        directions : (J + 1, T)
            v(t).
        weights : (M + 1, J, T)
        degrees : (T,) whole numbers
            The highest degree at each depth, at most M; weights of higher ones are ignored.
        tolerance : float
            The error that is allowed, relative to the sum of the weights of degree 0.

        >>> t = np.linspace(0.1, 0.7, 4)
        >>> few = FewDepths.of(np.array([t, -t]), np.ones((3, 1, 4)), np.full(4, 2), 1e-9)
        >>> few.node, (few.weights[2, 0] * t[few.node] ** 2).round(9), float((t**2).sum().round(9))
        (array([3]), array([0.84]), 0.84)
        """
        size = np.abs(weights).max(axis=(0, 1))
        size = np.where(size > 0, size, 1.0)
        # 1/IDCG may vary by several times its mean
        allowed = 0.1 * tolerance * np.abs(weights[0]).sum()
        powers = _powers(directions, size, int(degrees.max()), allowed)
        found = np.zeros_like(weights)
        node = np.empty(0, int)
        for m in range(len(powers) - 1, -1, -1):
            here = np.flatnonzero(degrees >= m)
            parts = weights[m][:, here] / size[here]
            more = _pivots(powers[m][:, here] * np.abs(parts).max(axis=0), powers[m][:, node], allowed)
            node = np.append(node, here[more])
            if m == 0 and not node.size:
                node = np.array([np.argmax(size)])
            exact = powers[m][:, here] @ parts.T
            solved = np.linalg.lstsq(powers[m][:, node], exact, rcond=_EXHAUSTED)[0]
            found[m][:, node] = solved.T * size[node]
        return cls(node, found[:, :, node])


def _powers(directions: Floats, size: Floats, highest: int, allowed: float) -> list[Floats]:
    """Return vectors (R, T) for m = 0, 1, …, highest with the products of ``size v^m``, up to an error."""
    found = [size[None, :]]
    for _ in range(highest):
        following = (found[-1][:, None] * directions).reshape(-1, size.size)
        _, values, rows = np.linalg.svd(following, full_matrices=False)
        left = np.sqrt(np.cumsum(values[::-1] ** 2))[::-1]  # of each value and those after it
        smallest = max(allowed / (highest * np.sqrt(size.size)), _EXHAUSTED * values[0])
        rank = max(1, int(np.count_nonzero(left > smallest)))
        found.append(values[:rank, None] * rows[:rank])
    return found


def _pivots(columns: Floats, known: Floats, allowed: float) -> Integers:
    """Return the columns that, together with those known, leave no more of all than is allowed."""
    if known.size:
        basis, _ = np.linalg.qr(known)
        columns = columns - basis @ (basis.T @ columns)
    if np.linalg.norm(columns, axis=0).sum() <= allowed:
        return np.empty(0, int)
    from scipy.linalg import qr  # here: it takes long to load

    triangle, order = qr(columns, mode="r", pivoting=True)
    left = np.sqrt(np.cumsum(triangle[::-1] ** 2, axis=0)[::-1])  # of each column, after so many pivots
    count = int(np.count_nonzero(left.sum(axis=1) > allowed))
    return np.asarray(order[:count])
