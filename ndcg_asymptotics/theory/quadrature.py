"""Composite Gauss-Legendre over depth, graded towards the ends and the curve's breakpoints."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_NODES, _WEIGHTS = leggauss(12)


@lru_cache(maxsize=256)
def edges(start: float, stop: float, breaks: tuple[float, ...] = ()) -> Floats:
    """Panel edges on [start, stop], 0 <= start < stop <= 1, fine where curves may be singular.

    They grow geometrically (eight per factor of ten) away from 0, from 1 and from each break,
    on both of its sides.
    """
    steps = np.geomspace(1e-16, 1.0, 129)
    sides = [np.geomspace(1e-300, 1.0, 2401), 1.0 - steps]
    sides += [b + sign * b * steps for b in breaks for sign in (-1.0, 1.0)] if len(breaks) <= 8 else []
    inner = np.concatenate([*sides, breaks])
    inside = inner[(inner > start) & (inner < stop)]
    return np.unique(np.concatenate(([start], inside, [stop])))


def nodes(panel_edges: Floats) -> tuple[Floats, Floats]:
    """Quadrature nodes and weights of the panels between the edges, flattened."""
    a, b = panel_edges[:-1, None], panel_edges[1:, None]
    return ((a + b) / 2 + (b - a) / 2 * _NODES).ravel(), ((b - a) / 2 * _WEIGHTS).ravel()


def breaks_of(breakpoints: Sequence[float]) -> tuple[float, ...]:
    """Breakpoints as a hashable key."""
    return tuple(breakpoints)
