"""The law of the labels at the first ranks, with moments of sums over them, by depth.

The items of a list of n are, by depth in expected items z, those of a Poisson process of rate 1, given that
there are n of them down to z = n. Let A(z) be the label counts of the items above z, and X a sum over their
ranks of terms that depend on the rank, its label, and the counts of the ranks before. Then

    f_s(z, a) = E[X^p; s items above z, A(z) = a],        f_s' = g_s - f_s,

where g_s, the mean over the label y of an item at z of ``f_(s-1)`` with the term of rank s added, belongs to
an item at rank s. So one linear equation follows from the other, and all that is added up is positive where
the terms are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.polynomial.legendre import legvander
from scipy.special import xlog1py, xlogy

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.theory.fluctuations.ranks.panels import NODES, Panels
from ndcg_asymptotics.theory.fluctuations.ranks.states import CountStates
from ndcg_asymptotics.theory.rules.quadrature import rule

_NEGLIGIBLE = 58.0  # minus the logarithm of the probability of numbers of items that are left out
_INNER = 40  # nodes of integrals within a panel

Terms = Callable[[int, int, int], Floats]
"""The terms of a rank (from 1) and a gain (from 0) after each of the first states: (number of states,)."""


def at_rank(panels: Panels, n: int, k: int, states: CountStates, terms: Terms) -> tuple[Floats, Floats]:
    """Return depths (T,) of the item at rank k of n, and E[X^p; depth, counts], p = 0, 1, 2: (T, 3, S).

    X is the sum of the terms of the ranks 1 … k. The moments are multiplied by weights of the depths: those
    for p = 0 add up to 1.
    """
    equation = _Equation.of(panels)
    low, high = _windows(panels.edges, n, k)
    start, stop = int(low[0]), int(high[0])
    before = np.zeros((stop - start, NODES, 3, 1))
    before[:, :, 0, 0] = np.exp(-panels.z[start:stop])
    for rank in range(1, k):
        source = _next(panels.labels[:, start:stop], before, states, terms, rank)
        first, stop = int(low[rank]), int(high[rank])
        here = np.zeros((stop - first, *source.shape[1:]))
        here[: start + len(source) - first] = source[first - start :]
        before, start = equation.solved(first, here.reshape(*here.shape[:2], -1)).reshape(here.shape), first
    found = _next(panels.labels[:, start:stop], before, states, terms, k)
    z, dz = panels.z[start:stop], panels.dz[start:stop]
    # n of the Poisson process down to n: e^z (1 - z/n)^(n - k) n! / ((n - k)! n^k)
    given = np.exp(z + xlog1py(float(n - k), -z / n) + np.log1p(-np.arange(k) / n).sum())
    found *= (given * dz)[:, :, None, None]
    return (z / n).ravel(), found.reshape(-1, 3, found.shape[-1])


def _next(labels: Floats, before: Floats, states: CountStates, terms: Terms, rank: int) -> Floats:
    """Return g of a rank from f of the one before, (P, 16, 3, S)."""
    *gains, nothing = labels[..., None, None]
    known, size = before.shape[-1], int(states.size[rank])
    found = np.zeros((*before.shape[:-1], size))
    np.multiply(before, nothing, out=found[..., :known])
    for j, chance in enumerate(gains):
        term, more = terms(rank, j, known), before * chance
        # E[(X + d)^2] = E[X^2] + d (2 E[X] + d)
        more[..., 2, :] += term * (2 * more[..., 1, :] + term * more[..., 0, :])
        more[..., 1, :] += term * more[..., 0, :]
        if states.consecutive:
            found[..., 1:] += more[..., : size - 1]
        else:
            up = states.up[j, :known]
            found[..., up[up >= 0]] += more[..., up >= 0]
    return found


def _windows(edges: Floats, n: int, k: int) -> tuple[Integers, Integers]:
    """Return from which panel to which s of n items may lie above it, for s = 0, …, k - 1."""
    s, z = np.arange(float(k))[:, None], edges
    with np.errstate(divide="ignore", invalid="ignore"):
        # Chernoff's bound of P(Bin(n, z/n) >= s) where s > z, of P(Bin(n, z/n) <= s) where s < z
        bound = xlogy(s, s / z) + xlog1py(n - s, -s / n) - xlog1py(n - s, -z / n)
    rare = bound > _NEGLIGIBLE
    low = (rare & (s > z))[:, 1:].sum(axis=1)
    high = len(edges) - 1 - (rare & (s < z))[:, :-1].sum(axis=1)
    return low, high


@dataclass(frozen=True)
class _Equation:
    """The solution of ``f' = g - f`` on panels, g a polynomial through its values at the nodes of each.

    Attributes
    ----------
    within : (P, 16, 16)
        f at the nodes from g, where f is 0 at the panel's upper edge.
    at_end : (P, 1, 16)
        f at its lower edge.
    from_edge : (P, 16)
        f at the nodes from 1 at the upper edge, without g.
    edges : (P + 1,)
    """

    within: Floats
    at_end: Floats
    from_edge: Floats
    edges: Floats

    @classmethod
    def of(cls, panels: Panels) -> _Equation:
        width = np.diff(panels.edges)
        gaps, weights = _integrals()
        kernel = np.exp(-width[:, None] * gaps[:, None])  # (17, P, Q)
        found = (kernel @ weights).swapaxes(0, 1) * width[:, None, None]  # (P, 17, 16)
        from_edge = np.exp(panels.edges[:-1, None] - panels.z)
        return cls(found[:, :-1].copy(), found[:, -1:].copy(), from_edge, panels.edges)

    def solved(self, first: int, source: Floats) -> Floats:
        """Return f at the nodes (P', 16, S) of panels from ``first`` on, f = 0 above them, from g."""
        last = first + len(source)
        inner = self.edges[first + 1 : last]
        reach = np.tril(np.exp(np.minimum(inner - inner[:, None], 0.0)))
        above = reach @ (self.at_end[first : last - 1] @ source[:-1])[:, 0]  # f at the edges between
        found = np.asarray(self.within[first:last] @ source)
        found[1:] += self.from_edge[first + 1 : last, :, None] * above[:, None]
        return found


@shared
def _integrals() -> tuple[Floats, Floats]:
    """Return gaps (17, Q) and weights (17, Q, 16) for integrals from the upper edge of a panel of width 1.

    ``sum_q exp(-gap_q) weights_q`` times the values of a polynomial at the nodes is its integral times
    ``exp(-(end - z))``, to each node and to the lower edge.
    """
    x, w = rule(NODES)
    inner, inner_w = rule(_INNER)
    ends = np.append((x + 1) / 2, 1.0)[:, None]
    places = ends * (inner + 1) / 2
    terms = legvander(x, NODES - 1) * w[:, None] * (np.arange(NODES) + 0.5)  # values to coefficients
    lagrange = legvander(2 * places - 1, NODES - 1) @ terms.T
    inner_w = inner_w / inner_w.sum()  # which numpy leaves 2e-15 off
    return ends - places, lagrange * (ends * inner_w)[..., None]
