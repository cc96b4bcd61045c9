"""Panels of depth on which the recursion over ranks is solved.

Depth is measured in expected items, ``z = n t``. A panel is at most a few standard deviations of the number
of items of each label wide, and breaks of the curves are edges. Panels on which a curve is not resolved are
divided.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.core.arrays import Bools, Floats
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.fluctuations.ranks.states import FAR
from ndcg_asymptotics.theory.rules.quadrature import on_panels, unresolved

_WIDTH = 4.0  # of a panel, in standard deviations of the number of items of each label above it
_FIRST = 0.36  # added to these numbers, so that the first panel has a width
# where few items are, the highest Legendre coefficients of a probability may be larger: times the items on
# the panel, this part of the tolerance times all items with the label
_FEW_ITEMS = 1e-5


@dataclass(frozen=True)
class Fineness:
    """How fine panels are.

    Attributes
    ----------
    refine : float
        With 1 they are four standard deviations wide, and with more that much narrower.
    tolerance : float
        The highest Legendre coefficients of a probability, relative to its largest value on the panel.
    """

    refine: float
    tolerance: float


ROUGH, FINE = Fineness(0.75, 1e-7), Fineness(1.1, 1e-10)


@dataclass(frozen=True)
class RankPanels:
    """Panels with Gauss-Legendre nodes.

    Attributes
    ----------
    edges : (P + 1,)
        Expected items above, from 0 on.
    z, dz : (P, 16)
        Nodes and weights.
    labels : (J + 1, P, 16)
        The probability of each label at the nodes, the one without gain last.
    """

    edges: Floats
    z: Floats
    dz: Floats
    labels: Floats

    @classmethod
    def of(cls, relevance: Relevance, n: int, last: int, fineness: Fineness) -> RankPanels:
        """Return panels down to every depth that the item at rank ``last`` of n may have."""
        edges = _edges(relevance, n, last, fineness.refine)
        edges = _resolved(relevance, n, edges, fineness.tolerance)
        z, dz = on_panels(edges[:-1], edges[1:])
        return cls(edges, z, dz, _label_law(relevance, z / n))


def depth_of(last: int, n: int) -> float:
    """Return the expected items above a depth that the item at rank ``last`` of n does not exceed."""
    # P(Poisson(z) < last) <= exp(-(z - last + 1)^2 / (2 z))
    return min(float(n), last - 1 + FAR + math.sqrt(FAR**2 + 2 * (last - 1) * FAR))


def _label_law(relevance: Relevance, t: Floats) -> Floats:
    values = np.array([curve.value(t) for curve in relevance.curves])
    complement = relevance.curves[0].complement if len(values) == 1 else None
    rest = complement.value(t) if complement is not None else np.maximum(1 - values.sum(axis=0), 0.0)
    return np.concatenate([values, rest[None]])


def _edges(relevance: Relevance, n: int, last: int, refine: float) -> Floats:
    """Return panels as narrow as the standard deviations of the numbers of items ask for."""
    stop = depth_of(last, n)
    breaks = [n * b for b in relevance.breakpoints if 0 < n * b < stop]
    parts = np.linspace(0.0, 1.0, 65)
    found, above = [np.zeros(1)], np.zeros(len(relevance.gains) + 1)
    for start, end in itertools.pairwise([0.0, *breaks, stop]):
        grid = start + (end - start) * (parts**2 if start == 0 else parts)
        items = _label_law(relevance, (grid[1:] + grid[:-1]) / (2 * n)) * np.diff(grid)
        sums = above[:, None] + np.hstack([np.zeros((len(items), 1)), np.cumsum(items, axis=1)])
        above = sums[:, -1]
        # sum_j 2 sqrt(items of label j) grows by 1 within a standard deviation, or before
        place = 2 * np.sqrt(sums + _FIRST).sum(axis=0) / _WIDTH
        # a refined piece has two panels at least, whose nodes are not those of another mesh
        count = math.ceil(refine * max(place[-1] - place[0], 1.0))
        inner = np.interp(np.linspace(place[0], place[-1], count + 1), place, grid)
        found.append(np.append(inner[1:-1], end))
    return np.unique(np.concatenate(found))


def _resolved(relevance: Relevance, n: int, edges: Floats, tolerance: float) -> Floats:
    """Divide the panels on which the probability of a label is not resolved."""
    left, right, found = edges[:-1], edges[1:], edges
    most = 1000 + len(edges)
    while left.size and found.size < most:
        rough = _rough(relevance, n, left, right, edges[-1], tolerance)
        rough &= right - left > 1e-12 * right
        left, right = left[rough], right[rough]
        inner = np.where(right > 4 * left, np.sqrt(left * right), (left + right) / 2)
        middle = np.where(left > 0, inner, 0.05 * right)
        found = np.concatenate([found, middle])
        left, right = np.concatenate([left, middle]), np.concatenate([middle, right])
    return np.unique(found)


def _rough(relevance: Relevance, n: int, left: Floats, right: Floats, stop: float, tolerance: float) -> Bools:
    z, dz = on_panels(left, right)
    labels = _label_law(relevance, z / n)
    left_over = np.array([unresolved(values * dz) for values in labels])
    items = np.array([*relevance.masses, 1.0])[:, None] * stop
    most = tolerance * np.maximum(labels.max(axis=-1) * (right - left), _FEW_ITEMS * items)
    return np.asarray((left_over > most).any(axis=0))
