"""Depth cut into cells on a geometric mesh, and how likely each grade is in each cell."""

from __future__ import annotations

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.populations import Relevance

_TOP = 0.3  # of an item lies above the first edge on average


def mesh(n: int, cells: int, *relevances: Relevance) -> Floats:
    """Edges from 0 to 1 that grow geometrically from 0.3/n, with the curves' breakpoints among them."""
    edges = np.concatenate(([0.0], np.geomspace(min(_TOP / n, _TOP), 1.0, cells)))
    breaks = [b for relevance in relevances for b in relevance.breakpoints]
    return np.unique(np.concatenate((edges, breaks)))


def finer_around(edges: Floats, depth: float, std: float) -> Floats:
    """More edges within six standard deviations of a depth, a quarter of one apart."""
    more = depth + std * np.arange(-6.0, 6.01, 0.25)
    return np.unique(np.concatenate((edges, more[(more > 0) & (more < 1)])))


def grade_masses(relevance: Relevance, edges: Floats) -> Floats:
    """P(grade, cell), (J + 1, C): gains in decreasing order, then the gain 0.

    >>> from ndcg_asymptotics.populations import Relevance
    >>> grade_masses(Relevance.parse("linear(0, 1)"), np.array([0.0, 0.5, 1.0]))
    array([[0.375, 0.125],
           [0.125, 0.375]])
    """
    a, b = edges[:-1], edges[1:]
    shares = np.array([curve.mean(a, b) for curve in relevance.curves])
    rest = np.maximum(1.0 - shares.sum(axis=0), 0.0)
    rest[rest < 1e-15] = 0.0  # rounding of curves that leave nothing to the gain 0
    return np.asarray(np.vstack([shares, rest]) * (b - a))
