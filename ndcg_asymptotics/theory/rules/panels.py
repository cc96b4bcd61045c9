"""Panels of depth with the densities of the grades, for integrals that run from the top."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.theory.rules.mesh import Mesh, depths_at
from ndcg_asymptotics.theory.rules.quadrature import on_graded_panels, on_panels

_FIRST = (1e-12, 1e-8, 1e-6, 1e-4, 5e-3, 0.1)  # first edges, in items above
LAST_EDGES = np.array([0.5, 0.8])  #: edges in the lower half of a list above a depth, as parts of that depth


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
    share = np.where(whole > 0, whole, 1.0)[:, :, None]
    law = mesh.law * whole[:, 0] / depth
    return Panels(edges, t, dt, density / share[:-1], np.minimum(above / share, 1.0)), law / law.sum()


def densities_at(mesh: Mesh, t: Floats, dt: Floats) -> tuple[Floats, Floats]:
    """Return densities (J, T) and distribution functions (J + 1, T) at depths."""
    depths = depths_at(mesh.relevance, mesh.law, t, dt)
    law = mesh.law[:-1, None]
    return np.where(law > 0, depths.value / np.where(law > 0, law, 1.0), 0.0), depths.above


def panel_of(edges: Floats, depth: float) -> int:
    """Return the first panel that starts at ``depth`` or below it."""
    return int(np.searchsorted(edges[:-1], depth * (1 - 1e-12)))
