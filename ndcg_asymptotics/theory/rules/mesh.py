"""Relevance curves on a quadrature mesh of depth.

The mesh is geometric towards depth 0, where the top of a long list is, and towards 1; the curves'
jumps and kinks are panel edges, and a panel on which a curve is not resolved is halved.

For integrals that run from the top `Panels` have the same curves as densities of the depths of each grade.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ndcg_asymptotics.core.arrays import Bools, Floats, Integers
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.rules.quadrature import (
    PANEL_NODES,
    divided,
    on_graded_panels,
    on_panels,
    rule,
    unresolved,
)

TOP = 1e-13  #: items above a depth at which none is
_FEW_NODES = 6  # of a panel
_NARROW = 0.25  # panels narrower than this part of their distance from both ends have few nodes
PANEL_WIDTH = 2.0  #: of a panel, in log depth or in the logarithm of a share of items above
_FIRST_PANEL = 0.1  # items above the first panel boundary: the law of a rank needs panels down to depth 0.1/n
_UNRESOLVED = 1e-11  # of a curve's mass: the two highest Legendre coefficients of a panel that is fine enough
_FIRST = (1e-12, 1e-8, 1e-6, 1e-4, 5e-3, _FIRST_PANEL)  # first edges, in items above
LAST_EDGES = np.array([0.5, 0.8])  #: edges in the lower half of a list above a depth, as parts of that depth


@dataclass(frozen=True)
class CurveDepths:
    """Increasing nodes of depth with the values of the curves there.

    Attributes
    ----------
    t, dt : (T,)
        Gauss-Legendre nodes and weights.
    value : (J, T)
        The probability of each gain, P(Y = y_j | t).
    above : (J + 1, T)
        The part of each grade that lies above depth t, ``int_0^t P(Y = y_i | u) du / P(Y = y_i)``; the last
        grade is the one without gain.
    """

    t: Floats
    dt: Floats
    value: Floats
    above: Floats

    def __getitem__(self, part: slice) -> CurveDepths:
        return CurveDepths(self.t[part], self.dt[part], self.value[:, part], self.above[:, part])


@dataclass(frozen=True)
class Mesh:
    """Panels of [0, 1] with the curves on them.

    Attributes
    ----------
    relevance : Relevance
    law : (J + 1,)
        The probabilities of the grades, the last one without gain.
    edges : (P + 1,)
    first : (P + 1,)
        The index of the first node of each panel.
    depths : CurveDepths
        The nodes of all panels.
    """

    relevance: Relevance
    law: Floats
    edges: Floats
    first: Integers
    depths: CurveDepths

    @staticmethod
    def of(relevance: Relevance, n: int, refine: float = 1.0) -> Mesh:
        """Return the mesh for lists of n items; ``refine`` > 1 makes panels that much narrower."""
        return _mesh(relevance, n, refine)

    def down_to(self, depth: float) -> CurveDepths:
        """Return the nodes from 0 to ``depth``: those of whole panels, and of a panel for the last piece."""
        if depth >= 1.0:
            return self.depths
        whole = int(np.searchsorted(self.edges, depth, side="left")) - 1  # edges[whole] < depth
        if whole < 0:
            return self.depths[:0]
        return joined(
            [self.depths[: int(self.first[whole])], self.between(np.array([self.edges[whole], depth]))]
        )

    def between(self, edges: Floats) -> CurveDepths:
        """Return nodes on other panels."""
        t, dt = on_graded_panels(edges[:-1], edges[1:])
        return depths_at(self.relevance, self.law, t.ravel(), dt.ravel())


def joined(parts: Sequence[CurveDepths]) -> CurveDepths:
    """Return several runs of depths as one."""
    names = ("t", "dt", "value", "above")
    return CurveDepths(*(np.concatenate([getattr(part, name) for part in parts], axis=-1) for name in names))


def depths_at(relevance: Relevance, law: Floats, t: Floats, dt: Floats) -> CurveDepths:
    """Return given nodes and weights with the values of the curves there."""
    value = np.array([curve.value(t) for curve in relevance.curves])
    mass = np.array([curve.integral(0.0, t) for curve in relevance.curves])
    every = np.vstack([mass, t - mass.sum(axis=0)])
    present = law[:, None] > 0
    above = np.where(present, np.clip(every / np.where(present, law[:, None], 1.0), 0.0, 1.0), 0.0)
    return CurveDepths(t, dt, value, above)


@shared
def _mesh(relevance: Relevance, n: int, refine: float) -> Mesh:
    # scorers of one population have equal laws, to a few units in the last place
    masses = np.array([float(f"{mass:.14g}") for mass in relevance.masses])
    law = np.append(masses, max(1.0 - float(masses.sum()), 0.0))
    edges = _edges(relevance, n, refine)
    left, right = edges[:-1], edges[1:]
    narrow = right - left < _NARROW / refine * np.minimum(left, 1.0 - right)
    nodes = [
        np.concatenate([few.ravel(), many.ravel()])
        for few, many in zip(
            on_graded_panels(left[narrow], right[narrow], _FEW_NODES),
            on_graded_panels(left[~narrow], right[~narrow]),
            strict=True,
        )
    ]
    order = np.argsort(nodes[0])
    first = np.concatenate(([0], np.cumsum(np.where(narrow, _FEW_NODES, PANEL_NODES))))
    return Mesh(relevance, law, edges, first, depths_at(relevance, law, nodes[0][order], nodes[1][order]))


def _edges(relevance: Relevance, n: int, refine: float) -> Floats:
    """Return the panel boundaries that the law of a rank needs, halved where a curve needs more."""
    count = math.ceil(refine * math.ceil(max(math.log(0.5 * n / _FIRST_PANEL), 1.0) / PANEL_WIDTH))
    top = np.concatenate([[TOP / n], np.geomspace(min(_FIRST_PANEL / n, 0.25), 0.5, count + 1)])
    bottom = np.linspace(0.5, 1.0, math.ceil(2 * refine) + 1)
    breaks = [b for b in relevance.breakpoints if b > top[0]]
    edges = np.unique(np.concatenate([top, bottom, breaks]))

    def rough(left: Floats, right: Floats) -> Bools:
        t, _dt = on_graded_panels(left, right)
        _x, w = rule(PANEL_NODES)
        left_over = [unresolved(curve.value(t) * w) * (right - left) for curve in relevance.curves]
        allowed = [_UNRESOLVED * curve.mass * right for curve in relevance.curves]
        return np.asarray((np.array(left_over) > allowed).any(axis=0))

    return divided(edges, rough)


@dataclass(frozen=True)
class Panels:
    """Quadrature nodes of depth, with the law of the depth of an item of each grade.

    Attributes
    ----------
    edges : (P + 1,)
    t, dt : (P, 16)
        Gauss-Legendre nodes and weights of each panel, increasing.
    density : (J, P, 16)
        ``P(Y = y_j | t) / P(Y = y_j)``, the density of the depth of an item of gain y_j.
    above : (J + 1, P, 16)
        Its distribution function; the last grade is the one without gain.
    """

    edges: Floats
    t: Floats
    dt: Floats
    density: Floats
    above: Floats

    @classmethod
    def of(cls, mesh: Mesh, n: int, ranks: Sequence[float], stop: float = 1.0) -> Panels:
        """Return the panels of a mesh for lists of n items, down to ``stop``.

        There are few where no item is, and there are edges at given ranks.
        """
        edges = mesh.edges
        kept = (edges * n >= _FIRST[-1]) & ((1 - edges) * max(n, 1000) > 1e-9) | (edges == 1.0)
        own = np.array([*_FIRST, *ranks]) / n
        edges = np.union1d(edges[kept], own[own < 0.5])
        edges = np.union1d(edges, [b for b in mesh.relevance.breakpoints if b > edges[0]])
        if stop < 1:
            edges = np.append(edges[edges < stop], stop)
        t, dt = on_graded_panels(edges[:-1], edges[1:])
        density, above = (x.reshape(len(x), *t.shape) for x in densities_at(mesh, t.ravel(), dt.ravel()))
        return cls(edges, t, dt, density, above)

    def known_above(self, share: Floats) -> Panels:
        """Return the panels for items that lie above a depth; ``share`` (J + 1, 1) of all items do."""
        some = np.divide(1.0, share, out=np.zeros_like(share), where=share > 0)[:, :, None]
        return replace(self, density=self.density * some[:-1], above=np.minimum(self.above * some, 1.0))


def down_to(mesh: Mesh, depth: float, n: int, ranks: Sequence[float]) -> tuple[Panels, Floats]:
    """Return panels for n items known to lie above ``depth``, and the probabilities of their grades."""
    own = np.array([*_FIRST, *ranks]) * depth / n
    inner = mesh.edges[(mesh.edges * n > _FIRST[-1] * depth) & (mesh.edges < depth)]
    edges = np.unique([*inner, *own[own < depth / 2], *(depth * LAST_EDGES), depth])
    t, dt = on_panels(edges[:-1], edges[1:])
    early = edges[:-1] < edges[1:] / 2
    t[early], dt[early] = on_graded_panels(edges[:-1][early], np.minimum(edges[1:][early], 1.0))
    density, above = (x.reshape(len(x), *t.shape) for x in densities_at(mesh, t.ravel(), dt.ravel()))
    whole = depths_at(mesh.relevance, mesh.law, np.array([depth]), np.ones(1)).above
    law = mesh.law * whole[:, 0] / depth
    return Panels(edges, t, dt, density, above).known_above(whole), law / law.sum()


def densities_at(mesh: Mesh, t: Floats, dt: Floats) -> tuple[Floats, Floats]:
    """Return densities (J, T) and distribution functions (J + 1, T) at depths."""
    depths = depths_at(mesh.relevance, mesh.law, t, dt)
    law = mesh.law[:-1, None]
    return np.where(law > 0, depths.value / np.where(law > 0, law, 1.0), 0.0), depths.above


def panel_of(edges: Floats, depth: float) -> int:
    """Return the first panel that starts at ``depth`` or below it."""
    return int(np.searchsorted(edges[:-1], depth * (1 - 1e-12)))
