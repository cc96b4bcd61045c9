"""Relevance curves on a quadrature mesh of depth.

The mesh is geometric towards depth 0, where the top of a long list is, and towards 1; the curves'
jumps and kinks are panel edges, and a panel on which a curve is not resolved is halved.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.core.arrays import Bools, Floats, Integers
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.rules.quadrature import (
    PANEL_NODES,
    divided,
    on_graded_panels,
    rule,
    unresolved,
)

TOP = 1e-13  #: items above a depth at which none is
_FEW_NODES = 6  # of a panel
_NARROW = 1 / 3  # panels narrower than this part of their distance from both ends have few nodes
_PANEL_WIDTH = 8 / 3  # of a panel, in log depth
_FIRST_PANEL = 0.1  # items above the first panel boundary: the law of a rank needs panels down to depth 0.1/n
_UNRESOLVED = 1e-11  # of a curve's mass: the two highest Legendre coefficients of a panel that is fine enough


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
    def of(relevance: Relevance, n: int) -> Mesh:
        """Return the mesh for lists of n items."""
        return _mesh(relevance, n)

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
def _mesh(relevance: Relevance, n: int) -> Mesh:
    # scorers of one population have equal laws, to a few units in the last place
    masses = np.array([float(f"{mass:.14g}") for mass in relevance.masses])
    law = np.append(masses, max(1.0 - float(masses.sum()), 0.0))
    edges = _edges(relevance, n)
    left, right = edges[:-1], edges[1:]
    narrow = right - left < _NARROW * np.minimum(left, 1.0 - right)
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


def _edges(relevance: Relevance, n: int) -> Floats:
    """Return the panel boundaries that the law of a rank needs, halved where a curve needs more."""
    count = math.ceil(max(math.log(0.5 * n / _FIRST_PANEL), 1.0) / _PANEL_WIDTH)
    top = np.concatenate([[TOP / n], np.geomspace(min(_FIRST_PANEL / n, 0.25), 0.5, count + 1)])
    bottom = np.linspace(0.5, 1.0, 3)
    breaks = [b for b in relevance.breakpoints if b > top[0]]
    edges = np.unique(np.concatenate([top, bottom, breaks]))

    def rough(left: Floats, right: Floats) -> Bools:
        t, _dt = on_graded_panels(left, right)
        _x, w = rule(PANEL_NODES)
        left_over = [unresolved(curve.value(t) * w) * (right - left) for curve in relevance.curves]
        allowed = [_UNRESOLVED * curve.mass * right for curve in relevance.curves]
        return np.asarray((np.array(left_over) > allowed).any(axis=0))

    return divided(edges, rough)
