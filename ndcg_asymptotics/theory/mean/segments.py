"""Relevance curves on a quadrature mesh of the depths [0, tau].

The mesh is geometric towards depth 0, where the top of a long list is, and towards 1; the curves'
jumps and kinks are panel edges, and a panel on which a curve is not resolved is halved.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.polynomial.legendre import legvander
from numpy.typing import NDArray

from ndcg_asymptotics.arrays import Floats
from ndcg_asymptotics.scorers import Relevance
from ndcg_asymptotics.theory.quadrature import on_graded_panels, rule

TOP = 1e-13  # depths below TOP/N hold no item of a list of N
ABSENT = 1e-14  # a grade of smaller probability is left out

_MANY, _FEW = 16, 6  # nodes of a panel
_NARROW = 0.25  # width in log depth of a panel for which few nodes do
_WIDTH = 2.5  # of a panel in log depth
_UNRESOLVED = 1e-11  # of a curve's two highest Legendre coefficients on a panel
_HIGHEST = legvander(rule(16)[0], 15)[:, -2:] * rule(16)[1][:, None] * np.array([14.5, 15.5])
_HALVINGS = 40


@dataclass(frozen=True)
class Mesh:
    """Panels of [0, 1] with the curves on them.

    Attributes
    ----------
    edges : (P + 1,)
    first : (P + 1,)
        The index of the first node of each panel: 16 of them, 6 on a panel that is narrow in log depth.
    t, dt : (T,)
        Gauss-Legendre nodes and weights.
    value, mass : (J, T)
        Each curve and its integral from 0.
    """

    relevance: Relevance
    edges: Floats
    first: NDArray[np.int64]
    t: Floats
    dt: Floats
    value: Floats
    mass: Floats

    @classmethod
    def of(cls, relevance: Relevance, items: float, refine: float = 1.0) -> Mesh:
        """A mesh for lists of up to ``items`` items; ``refine`` > 1 makes panels that much narrower."""
        edges = _edges(relevance, TOP / items, _WIDTH / refine)
        left, right = edges[:-1], edges[1:]
        narrow = np.log(right / left) < _NARROW / refine
        nodes = [
            np.concatenate([few.ravel(), many.ravel()])
            for few, many in zip(
                on_graded_panels(left[narrow], right[narrow], _FEW),
                on_graded_panels(left[~narrow], right[~narrow], _MANY),
                strict=True,
            )
        ]
        order = np.argsort(nodes[0])
        sizes = np.where(narrow, _FEW, _MANY)
        first = np.concatenate(([0], np.cumsum(sizes)))
        return cls(relevance, edges, first, *_on_nodes(relevance, nodes[0][order], nodes[1][order]))

    def segment(self, depth: float) -> Segment:
        """The depths [0, depth]: whole panels, and a panel of its own for the last piece."""
        return self.segments(np.array([depth]))[0]

    def segments(self, depths: Floats) -> list[Segment]:
        """One segment per depth."""
        whole = np.searchsorted(self.edges, depths, side="left") - 1  # edges[whole] < depth
        last = _on_nodes(
            self.relevance, *(x.ravel() for x in on_graded_panels(self.edges[whole], depths, _MANY))
        )
        totals = np.array([curve.integral(0.0, depths) for curve in self.relevance.curves])
        kept = (self.t, self.dt, self.value, self.mass)
        result = []
        for i, depth in enumerate(depths):
            own = slice(_MANY * i, _MANY * i + _MANY)
            end = int(self.first[whole[i]])
            parts = [
                np.concatenate([old[..., :end], new[..., own]], axis=-1)
                for old, new in zip(kept, last, strict=True)
            ]
            result.append(Segment.of(self.relevance, float(depth), totals[:, i], *parts))
        return result


@dataclass(frozen=True)
class Segment:
    """The grades of the items in the depths [0, depth].

    Attributes
    ----------
    depth : float
    t : (T,)
        Quadrature nodes, increasing.
    density : (J, T)
        g_j(t) dt, the depth density of each grade with gain times the quadrature weight.
    below : (J + 1, T)
        G_i(t), the last grade being the one without gain.
    law : (J + 1,)
        The probabilities of the grades.
    gains : (J,)
    """

    depth: float
    t: Floats
    density: Floats
    below: Floats
    law: Floats
    gains: Floats

    @classmethod
    def of(
        cls,
        relevance: Relevance,
        depth: float,
        totals: Floats,
        t: Floats,
        dt: Floats,
        value: Floats,
        mass: Floats,
    ) -> Segment:
        """From the curves on a mesh and their integrals over [0, depth]."""
        every = np.vstack([mass, t - mass.sum(axis=0)])
        whole = np.append(totals, depth - totals.sum())
        present = whole > ABSENT * depth
        scale = np.where(present, whole, 1.0)[:, None]
        below = np.where(present[:, None], np.clip(every / scale, 0.0, 1.0), 0.0)
        density = np.where(present[:-1, None], value * dt / scale[:-1], 0.0)
        law = np.where(present, whole, 0.0)
        return cls(depth, t, density, below, law / law.sum(), np.array(relevance.gains))

    def merged(self) -> Segment:
        """All labels in one grade, its gain the mean gain: for means without given counts."""
        gain = float(self.gains @ self.law[:-1])
        density = (self.gains * self.law[:-1]) @ self.density / (gain or 1.0)
        below = np.vstack([self.t / self.depth, np.zeros_like(self.t)])
        return Segment(self.depth, self.t, density[None], below, np.array([1.0, 0.0]), np.array([gain]))


def _on_nodes(relevance: Relevance, t: Floats, dt: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Nodes and weights, and the curves and their integrals at the nodes."""
    value = np.array([curve.value(t) for curve in relevance.curves])
    mass = np.array([curve.integral(0.0, t) for curve in relevance.curves])
    return t, dt, value, mass


def _edges(relevance: Relevance, lowest: float, width: float) -> Floats:
    falling = np.geomspace(lowest, 0.5, math.ceil(math.log(0.5 / lowest) / width) + 1)
    rising = 1.0 - 0.5 * np.exp(-0.7 * width * np.arange(1, math.ceil(40 / width)))
    breaks = [b for b in relevance.breakpoints if b > lowest]
    edges = np.unique(np.concatenate([falling, rising, breaks, [1.0]]))
    for _ in range(_HALVINGS):
        t, _dt = on_graded_panels(edges[:-1], edges[1:], _MANY)
        rough = np.zeros(len(edges) - 1, bool)
        for curve in relevance.curves:
            left_over = np.abs(curve.value(t) @ _HIGHEST).max(axis=1) * np.diff(edges)
            rough |= left_over > _UNRESOLVED * curve.mass * edges[1:]
        if not rough.any():
            break
        edges = np.union1d(edges, np.sqrt(edges[:-1] * edges[1:])[rough])
    return edges
