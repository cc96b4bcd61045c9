"""Relevance curves on a quadrature mesh of depth.

The mesh is geometric towards depth 0, where the top of a long list is, and towards 1; the curves'
jumps and kinks are panel edges, and a panel on which a curve is not resolved is halved.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.core.arrays import Bools, Floats
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.rules.quadrature import (
    PANEL_NODES,
    UNRESOLVED,
    divided,
    on_graded_panels,
    rule,
    unresolved,
)

TOP = 1e-13  #: items above a depth at which none is
_PANEL_WIDTH = 8 / 3  # of a panel, in log depth, tested with `rank_terms._AROUND_CUTOFF`
_FIRST_PANEL = 0.1  # items above the first panel boundary: the law of a rank needs panels down to depth 0.1/n


@dataclass(frozen=True)
class CurveDepths:
    """Increasing nodes of depth with the values of the curves there.

    Attributes
    ----------
    law : (J + 1,)
        The probabilities of the grades, the last one without gain.
    t, dt : (T,)
        Gauss-Legendre nodes and weights.
    value : (J, T)
        The probability of each gain, P(Y = y_j | t).
    above : (J + 1, T)
        The part of each grade that lies above depth t, ``int_0^t P(Y = y_i | u) du / P(Y = y_i)``; the last
        grade is the one without gain.
    """

    law: Floats
    t: Floats
    dt: Floats
    value: Floats
    above: Floats

    @classmethod
    def of(cls, relevance: Relevance, edges: Floats) -> CurveDepths:
        """Return the nodes of the panels between some depths."""
        # scorers of one population have equal laws, to a few units in the last place
        masses = np.array([float(f"{mass:.14g}") for mass in relevance.masses])
        law = np.append(masses, max(1.0 - float(masses.sum()), 0.0))
        t, dt = (part.ravel() for part in on_graded_panels(edges[:-1], edges[1:]))
        value = np.array([curve.value(t) for curve in relevance.curves])
        mass = np.array([curve.integral(0.0, t) for curve in relevance.curves])
        masses_above, present = np.vstack([mass, t - mass.sum(axis=0)]), law[:, None] > 0
        above = np.where(present, np.clip(masses_above / np.where(present, law[:, None], 1.0), 0.0, 1.0), 0.0)
        return cls(law, t, dt, value, above)


@shared  # whatever the cutoff
def curve_edges(relevance: Relevance, n: int) -> Floats:
    """Return edges of panels that the law of a rank among n needs, halved where a curve needs more."""
    count = math.ceil(max(math.log(0.5 * n / _FIRST_PANEL), 1.0) / _PANEL_WIDTH)
    top = np.concatenate([[TOP / n], np.geomspace(min(_FIRST_PANEL / n, 0.25), 0.5, count + 1)])
    bottom = np.linspace(0.5, 1.0, 3)
    breaks = [b for b in relevance.breakpoints if b > top[0]]
    edges = np.unique(np.concatenate([top, bottom, breaks]))

    def rough(left: Floats, right: Floats) -> Bools:
        t, _dt = on_graded_panels(left, right)
        _x, w = rule(PANEL_NODES)
        left_over = [unresolved(curve.value(t) * w) * (right - left) for curve in relevance.curves]
        bounds = [UNRESOLVED * curve.mass * right for curve in relevance.curves]
        return np.asarray((np.array(left_over) > bounds).any(axis=0))

    return divided(edges, rough)
