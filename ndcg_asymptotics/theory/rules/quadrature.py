"""Composite Gauss-Legendre rules over depth, graded towards the ends and the breakpoints of curves."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.polynomial.legendre import leggauss, legvander

from ndcg_asymptotics.core.arrays import Bools, Floats
from ndcg_asymptotics.core.caching import shared

UNRESOLVED = 1e-11  #: greatest value of `unresolved` on a fine panel, relative to the integral from 0 to it

SMALLEST = 1e-300  #: smaller depths are replaced by it

WIDEST = 6.0  #: log of the ratio of its ends below which a panel has its nodes in log depth

PANEL_NODES = 16  #: of a panel that must show that it is resolved

FEWER_NODES = 12  #: of a panel on which a function is known to be smooth

SPACING = float(np.finfo(float).epsneg)  #: of doubles just below 1

HALVINGS = 40  #: of a panel or a bracket; what is not smooth then is not seen

rule = shared(leggauss)
"""Return nodes and weights of the Gauss-Legendre rule with a given number of nodes on [-1, 1]."""


@shared
def edges(start: float, stop: float, breaks: tuple[float, ...] = ()) -> Floats:
    """Return panel edges on [start, stop], 0 <= start < stop <= 1, fine where curves may be singular.

    They grow geometrically (eight per factor of ten) away from 0, from 1 and from each of at most eight
    breaks, on both of its sides.
    """
    steps = np.geomspace(1e-16, 1.0, 129)
    sides = [np.geomspace(1e-300, 1.0, 2401), 1.0 - steps]
    if len(breaks) <= 8:  # each adds 258 edges; more than eight are edges only
        sides += [b + sign * b * steps for b in breaks for sign in (-1.0, 1.0)]
    inner = np.concatenate([*sides, breaks])
    inside = inner[(inner > start) & (inner < stop)]
    return np.unique(np.concatenate(([start], inside, [stop])))


def nodes_between(panel_edges: Floats) -> tuple[Floats, Floats]:
    """Return the quadrature nodes and weights of the panels between the edges, flattened."""
    t, weights = on_panels(panel_edges[:-1], panel_edges[1:], FEWER_NODES)
    return t.ravel(), weights.ravel()


def weighted_nodes(panel_edges: Floats, exponent: float) -> tuple[Floats, Floats]:
    """Return nodes t, and weights of ``int f(t) t^-exponent dt``, exponent < 1.

    ``u = t^(1-b)``, with b the exponent, takes the singular weight away: t^-b dt = du / (1-b).
    """
    a = 1 - exponent
    u, weights = nodes_between(panel_edges**a)
    return np.maximum(u ** (1 / a), SMALLEST), weights / a


def on_panels(left: Floats, right: Floats, count: int = PANEL_NODES) -> tuple[Floats, Floats]:
    """Return Gauss-Legendre nodes and weights on each panel, (P, count)."""
    x, w = rule(count)
    half = (right - left)[:, None] / 2
    return (left + right)[:, None] / 2 + half * x, half * w


def on_graded_panels(left: Floats, right: Floats, count: int = PANEL_NODES) -> tuple[Floats, Floats]:
    """Return nodes and weights, in log t on panels in (0, 1/2] and in log (1 - t) on panels in [1/2, 1].

    A panel must lie on one side of 1/2, with 0 < left < right <= 1. Panels that are narrow, or so wide that
    only their far end counts, have the nodes of `on_panels`.
    """
    x, w = rule(count)
    deep = left >= 0.5
    # distances from 0 or 1, the nearer one; the last panel ends at 1 itself and stays as it is
    near, far = np.where(deep, 1 - right, left), np.where(deep, 1 - left, right)
    with np.errstate(divide="ignore"):
        width = np.log(far / near)[:, None]
    wide = (width > 0.5) & (width < WIDEST)
    width = np.where(wide, width, 1.0)
    graded = near[:, None] * np.exp(width * (x + 1) / 2)
    t, weights = on_panels(left, right, count)
    # reversed, so that t increases below 1/2 as well
    t = np.where(wide, np.where(deep[:, None], 1 - graded[:, ::-1], graded), t)
    graded_weights = graded * width / 2 * w
    return t, np.where(wide, np.where(deep[:, None], graded_weights[:, ::-1], graded_weights), weights)


def unresolved(terms: Floats) -> Floats:
    """Return the larger of the two highest Legendre terms on each panel (P,); ``terms`` = values times dt.

    >>> x, dx = on_panels(np.array([0.0]), np.array([1.0]), 4)
    >>> float(unresolved(x * dx)[0]) < 1e-15 < float(unresolved(x**3 * dx)[0])
    True
    """
    count = terms.shape[-1]
    # the coefficient of P_k is (k + 1/2) int f P_k over [-1, 1]
    highest = legvander(rule(count)[0], count - 1)[:, -2:] * (np.arange(count - 2, count) + 0.5)
    return np.asarray(np.abs(terms @ highest).max(axis=-1))


def middles(left: Floats, right: Floats) -> Floats:
    """Return the geometric middle of each panel, as seen from the nearer of 0 and 1."""
    # a panel that ends at 1 is divided as if it ended a million times nearer to 1 than it begins
    with np.errstate(invalid="ignore"):
        deep = 1 - np.sqrt((1 - left) * np.maximum(1 - right, (1 - left) * 1e-6))
    # not the root of a product, which may underflow
    return np.where(left >= 0.5, deep, np.sqrt(left) * np.sqrt(right))


def divided(
    panel_edges: Floats,
    rough: Callable[[Floats, Floats], Bools],
    between: Callable[[Floats, Floats], Floats] = middles,
    most: float = math.inf,
) -> Floats:
    """Divide panels until none is rough, at most 40 times each.

    Parameters
    ----------
    panel_edges : (P + 1,)
    rough, between : callable
        Take the left and the right ends of panels. Panels that are not rough are not asked for again.
    most : float
        Edges, of which no more are added beyond these.

    >>> divided(np.array([0.0, 1.0]), lambda a, b: b - a > 0.3, lambda a, b: (a + b) / 2)
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    left, right, mesh = panel_edges[:-1], panel_edges[1:], panel_edges
    for _ in range(HALVINGS):
        coarse = rough(left, right)
        if not coarse.any() or mesh.size >= most:
            break
        left, right = left[coarse], right[coarse]
        middle = between(left, right)
        mesh = np.concatenate([mesh, middle])
        left, right = np.concatenate([left, middle]), np.concatenate([middle, right])
    return np.unique(mesh)
