"""The law of the labels at the first ranks, with moments of sums over them, by depth.

The items of a list of n are, by depth in expected items z, those of a Poisson process of rate 1, given that
there are n of them down to z = n. Let A(z) be the label counts of the items above z, and X a sum over their
ranks of terms that depend on the rank, its label, and the counts of the ranks before. Then

    f_s(z, a) = E[X^p; s items above z, A(z) = a],        f_s' = g_s - f_s,

where g_s, the mean over the label y of an item at z of ``f_(s-1)`` with the term of rank s added, belongs to
an item at rank s. So one linear equation follows from the other, and all that is added up is positive where
the terms are.

Depth is measured in expected items, ``z = n t``. A panel is at most a few standard deviations of the number
of items of each label wide, and breaks of the curves are edges. Panels on which a curve is not resolved are
divided.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.polynomial.legendre import legvander
from scipy.special import xlog1py, xlogy

from ndcg_asymptotics.core.arrays import Bools, Floats, Integers
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.rules.quadrature import PANEL_NODES, divided, on_panels, rule, unresolved

FAR = 50.0  #: minus the logarithm of the probability of numbers that are left out
UNLIKELY = math.exp(-FAR)  #: probability of label counts, and of ranks on a panel, that are left out
# of a panel, in standard deviations of the number of items of each label above it: errors of 840 variances
# are up to 1e-11 of the second moment, and with 3.6 up to 6e-10
_WIDTH = 2.9
_UNRESOLVED = 1e-10  # highest Legendre coefficients of a probability, relative to its largest on a panel
_FIRST = 0.36  # added to these numbers, so that the first panel has a width
_EDGES = 512  # whose distances are in memory together

AddedTerms = Callable[[int, int, Integers], Floats]
"""The terms of a rank (from 1) and a gain (from 0) after each of some states: (number of states,)."""


@dataclass(frozen=True)
class CountStates:
    """Label counts of the first ranks.

    Attributes
    ----------
    counts : (S, J)
        How many items have each gain; those with fewer items come first.
    up : (J, S)
        The position of the counts with one more item of a gain; -1 if they are left out.
    """

    counts: Integers
    up: Integers

    @classmethod
    def of(cls, k: int, means: Floats) -> CountStates:
        """Return the counts of k items that are likely if their means are at most ``means`` (J,).

        >>> CountStates.of(2, np.array([1.0])).counts.ravel()
        array([0, 1, 2])
        """
        most = largest_counts(k, means)
        grid = np.indices([m + 1 for m in most]).reshape(len(most), -1).T
        grid = grid[grid.sum(axis=1) <= k]
        grid = grid[np.argsort(grid.sum(axis=1), kind="stable")]
        position = np.full([m + 2 for m in most], -1)
        position[tuple(grid.T)] = np.arange(len(grid))
        up = np.array([position[tuple((grid + unit).T)] for unit in np.eye(len(most), dtype=int)])
        return cls(grid, up)

    @classmethod
    def none(cls, gains: int) -> CountStates:
        """Return a single state for all counts, where nothing depends on them."""
        return cls(np.zeros((1, gains), int), np.zeros((gains, 1), int))


def largest_counts(k: int, means: Floats, far: float = FAR) -> list[int]:
    """Return for each mean a number up to k that a binomial variable hardly exceeds: P <= exp(-far).

    >>> largest_counts(100, np.array([0.0, 1e-5, 20.0]))
    [0, 4, 79]
    """
    return [next(m for m in range(k + 1) if m == k or _rare(m + 1, float(mean), far)) for mean in means]


def _rare(number: int, mean: float, far: float) -> bool:
    """Return whether the chance of a binomial variable that is as large is below exp(-far), by Chernoff."""
    if mean == 0:
        return True
    return number > mean and number * math.log(number / mean) - (number - mean) > far


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
    def of(cls, relevance: Relevance, n: int, last: int) -> RankPanels:
        """Return panels down to every depth that the item at rank ``last`` of n may have."""
        edges = _resolved(relevance, n, _edges(relevance, n, last))
        z, dz = on_panels(edges[:-1], edges[1:])
        return cls(edges, z, dz, _label_law(relevance, z / n))


def depth_of(last: int, n: int) -> float:
    """Return the expected items above a depth that the item at rank ``last`` of n does not exceed."""
    # P(Poisson(z) < last) <= exp(-(z - last + 1)^2 / (2 z))
    return min(float(n), last - 1 + FAR + math.sqrt(FAR**2 + 2 * (last - 1) * FAR))


def _label_law(relevance: Relevance, t: Floats) -> Floats:
    values = np.array([curve.value(t) for curve in relevance.curves])
    complement = relevance.curves[0].complement if len(values) == 1 else None
    irrelevant = complement.value(t) if complement is not None else np.maximum(1 - values.sum(axis=0), 0.0)
    return np.concatenate([values, irrelevant[None]])


def _edges(relevance: Relevance, n: int, last: int) -> Floats:
    """Return panels as narrow as the standard deviations of the numbers of items ask for."""
    stop = depth_of(last, n)
    breaks = [n * b for b in relevance.breakpoints if 0 < n * b < stop]
    parts = np.linspace(0.0, 1.0, 65)
    edges, above = [np.zeros(1)], np.zeros(len(relevance.gains) + 1)
    for start, end in itertools.pairwise([0.0, *breaks, stop]):
        grid = start + (end - start) * (parts**2 if start == 0 else parts)
        items = _label_law(relevance, (grid[1:] + grid[:-1]) / (2 * n)) * np.diff(grid)
        sums = above[:, None] + np.hstack([np.zeros((len(items), 1)), np.cumsum(items, axis=1)])
        above = sums[:, -1]
        # sum_j 2 sqrt(items of label j) grows by 1 within a standard deviation, or before
        place = 2 * np.sqrt(sums + _FIRST).sum(axis=0) / _WIDTH
        count = math.ceil(max(place[-1] - place[0], 1.0))
        inner = np.interp(np.linspace(place[0], place[-1], count + 1), place, grid)
        edges.append(np.append(inner[1:-1], end))
    return np.unique(np.concatenate(edges))


def _resolved(relevance: Relevance, n: int, edges: Floats) -> Floats:
    """Divide the panels on which the probability of a label is not resolved."""

    def rough(left: Floats, right: Floats) -> Bools:
        coarse = _rough(relevance, n, left, right)
        return coarse & (right - left > 1e-12 * right)

    def between(left: Floats, right: Floats) -> Floats:
        inner = np.where(right > 4 * left, np.sqrt(left * right), (left + right) / 2)
        return np.where(left > 0, inner, 0.05 * right)

    return divided(edges, rough, between, most=1000 + len(edges))


def _rough(relevance: Relevance, n: int, left: Floats, right: Floats) -> Bools:
    z, dz = on_panels(left, right)
    labels = _label_law(relevance, z / n)
    left_over = np.array([unresolved(values * dz) for values in labels])
    most = _UNRESOLVED * labels.max(axis=-1) * (right - left)
    return np.asarray((left_over > most).any(axis=0))


def at_rank(
    panels: RankPanels, n: int, k: int, states: CountStates, terms: AddedTerms
) -> tuple[Floats, Integers, Floats]:
    """Return depths (T,) of the item at rank k of n, label counts (S, J), and moments (3, S, T).

    These are E[X^p; counts, depth] for p = 0, 1, 2, times weights of the depths: those for p = 0 add up to 1.
    X is the sum of the terms of the ranks 1 … k.
    """
    equation = _Equation.of(panels)
    low, high = _windows(panels.edges, n, k)
    start, stop = int(low[0]), int(high[0])
    alive, before = np.zeros(1, int), np.zeros((3, 1, stop - start, PANEL_NODES))
    before[0, 0] = np.exp(-panels.z[start:stop])
    for rank in range(1, k):
        first, last = int(low[rank]), int(high[rank])
        labels, f = panels.labels[:, first:stop], before[:, :, first - start :]
        alive, source = _next(alive, f, labels, last - first, states, terms, rank)
        alive, before = _likely(alive, equation.solved(first, source))
        start, stop = first, last
    alive, moments = _next(alive, before, panels.labels[:, start:stop], stop - start, states, terms, k)
    z, dz = panels.z[start:stop], panels.dz[start:stop]
    # n of the Poisson process down to n: e^z (1 - z/n)^(n - k) n! / ((n - k)! n^k)
    density_ratio = np.exp(z + xlog1py(float(n - k), -z / n) + np.log1p(-np.arange(k) / n).sum())
    moments *= density_ratio * dz
    return (z / n).ravel(), states.counts[alive], moments.reshape(*moments.shape[:2], -1)


def _next(
    alive: Integers,
    before: Floats,
    labels: Floats,
    count: int,
    states: CountStates,
    terms: AddedTerms,
    rank: int,
) -> tuple[Integers, Floats]:
    """Return states after a rank, and its g on ``count`` panels (3, S', count, 16).

    ``alive`` are the states before and ``before`` (3, S, P, 16) is f there on the first P of these panels,
    on which ``labels`` (J + 1, P, 16) are the probabilities.
    """
    *gains, nothing = labels
    following = [states.up[j, alive] for j in range(len(gains))]
    after = np.unique(np.concatenate([alive, *following]))
    after = after[after >= 0]  # more items than are likely have no state
    whole = np.zeros((3, after.size, count, before.shape[-1]))
    g = whole[:, :, : before.shape[2]]
    g[:, _places(after, alive)] = before * nothing
    for j, (up, chance) in enumerate(zip(following, gains, strict=True)):
        term, gained = terms(rank, j, alive)[:, None, None], before * chance
        # E[(X + d)^2] = E[X^2] + d (2 E[X] + d)
        grown = term * gained[0]
        gained[2] += term * (2 * gained[1] + grown)
        gained[1] += grown
        likely = slice(None) if up.min() >= 0 else up >= 0
        g[:, _places(after, up[likely])] += gained[:, likely]
    return after, whole


def _places(states: Integers, subset: Integers) -> Integers | slice:
    """Return where some states are among others, both increasing; a slice, which is quicker, for a run."""
    places = np.searchsorted(states, subset)
    run = places.size > 0 and places[-1] - places[0] == places.size - 1
    return slice(int(places[0]), int(places[-1]) + 1) if run else places


def _likely(alive: Integers, f: Floats) -> tuple[Integers, Floats]:
    """Return the states that have a probability, and f there."""
    (likely,) = np.nonzero(f[0].max(axis=(1, 2)) > UNLIKELY)
    return alive[likely], f[:, _places(np.arange(alive.size), likely)]


def _windows(edges: Floats, n: int, k: int) -> tuple[Integers, Integers]:
    """Return from which panel to which s of n items may lie above it, for s = 0, …, k - 1."""
    s, z = np.arange(float(k))[:, None], edges
    with np.errstate(divide="ignore", invalid="ignore"):
        # Chernoff's bound of P(Bin(n, z/n) >= s) where s > z, of P(Bin(n, z/n) <= s) where s < z
        bound = xlogy(s, s / z) + xlog1py(n - s, -s / n) - xlog1py(n - s, -z / n)
    rare = bound > -math.log(UNLIKELY)
    low = (rare & (s > z))[:, 1:].sum(axis=1)
    high = len(edges) - 1 - (rare & (s < z))[:, :-1].sum(axis=1)
    return low, high


@dataclass(frozen=True)
class _Equation:
    """The solution of ``f' = g - f`` on panels, g a polynomial through its values at the nodes of each.

    Attributes
    ----------
    within : (P, 16, 16)
        g at the nodes to f at the nodes, where f is 0 at the panel's upper edge.
    at_end : (P, 16, 1)
        The same to f at its lower edge.
    from_edge : (P, 16)
        f at the nodes from 1 at the upper edge, without g.
    edges : (P + 1,)
    """

    within: Floats
    at_end: Floats
    from_edge: Floats
    edges: Floats

    @classmethod
    def of(cls, panels: RankPanels) -> _Equation:
        width = np.diff(panels.edges)
        gaps, weights = _integrals()
        kernel = np.exp(-width[:, None] * gaps[:, None])  # (17, P, Q)
        integrals = (kernel @ weights).swapaxes(0, 1) * width[:, None, None]  # (P, 17, 16)
        from_edge = np.exp(panels.edges[:-1, None] - panels.z)
        integrals = integrals.swapaxes(1, 2)
        return cls(integrals[..., :-1].copy(), integrals[..., -1:].copy(), from_edge, panels.edges)

    def solved(self, first: int, source: Floats) -> Floats:
        """Return f at the nodes (3, S, P', 16) of panels from ``first`` on, f = 0 above them, from g."""
        last = first + source.shape[2]
        g = source.reshape(-1, *source.shape[2:]).swapaxes(0, 1)  # (P', 3 S, 16)
        solution = np.empty_like(source)
        f = solution.reshape(-1, *source.shape[2:]).swapaxes(0, 1)
        np.matmul(g, self.within[first:last], out=f)
        added = (g[:-1] @ self.at_end[first : last - 1])[..., 0]
        above = _decayed(self.edges[first + 1 : last], added)  # f at the edges between
        f[1:] += above[..., None] * self.from_edge[first + 1 : last, None]
        return solution


def _decayed(edges: Floats, added: Floats) -> Floats:
    """Return ``sum_(j <= i) exp(edges_j - edges_i) added_j`` (E, C), by matrices of so many edges at a time.

    >>> _decayed(np.array([1.0, 2.0]), np.ones((2, 1))).round(6).tolist()
    [[1.0], [1.367879]]
    """
    sums = np.empty_like(added)
    for start in range(0, len(edges), _EDGES):
        part = slice(start, start + _EDGES)
        chunk = edges[part]
        sums[part] = np.tril(np.exp(np.minimum(chunk - chunk[:, None], 0.0))) @ added[part]
        if start:
            sums[part] += np.exp(edges[start - 1] - chunk)[:, None] * sums[start - 1]
    return sums


@shared
def _integrals() -> tuple[Floats, Floats]:
    """Return gaps (17, Q) and weights (17, Q, 16) for integrals from the upper edge of a panel of width 1.

    ``sum_q exp(-gap_q) weights_q`` times the values of a polynomial at the nodes is its integral times
    ``exp(-(end - z))``, to each node and to the lower edge.
    """
    x, w = rule(PANEL_NODES)
    inner, inner_w = rule(40)
    ends = np.append((x + 1) / 2, 1.0)[:, None]
    places = ends * (inner + 1) / 2
    terms = (
        legvander(x, PANEL_NODES - 1) * w[:, None] * (np.arange(PANEL_NODES) + 0.5)
    )  # values to coefficients
    lagrange = legvander(2 * places - 1, PANEL_NODES - 1) @ terms.T
    inner_w = inner_w / inner_w.sum()  # which numpy leaves 2e-15 off
    return ends - places, lagrange * (ends * inner_w)[..., None]
