"""Cells of depth, and the difference of two scorers' mean DCGs under a law that is tilted on cells."""

from __future__ import annotations

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.rare.weights import MeanDiscount

FEWEST_ABOVE = 30  #: a cutoff with at least so many ranks falls within few standard deviations of a rank

_AROUND = np.arange(-6.0, 6.01, 0.25)  # standard deviations
_TOP = 0.3  # expected items in the first cell
_PARTS = 4  # of each cell in the coarser of two sums, whose error is smaller by 15 after extrapolation
_PLACED = 3  # rounds that place the cutoff among the depths: each leaves about the square of the last error


def mesh(n: int, cells: int, *relevances: Relevance) -> Floats:
    """Return edges from 0 to 1 that grow geometrically from 0.3/n, and the breakpoints of the curves."""
    edges = np.concatenate(([0.0], np.geomspace(min(_TOP / n, _TOP), 1.0, cells)))
    breaks = [b for relevance in relevances for b in relevance.breakpoints]
    return np.unique(np.concatenate((edges, breaks)))


def finer_around(edges: Floats, depth: float, std: float) -> Floats:
    """Return edges with more of them within six standard deviations of a depth, a quarter of one apart."""
    return _with(edges, depth + std * _AROUND)


def _with(edges: Floats, more: Floats) -> Floats:
    return np.unique(np.concatenate((edges, more[(more > 0) & (more < 1)])))


def rank_std(k: int, n: int, sharpest: float = 0.0) -> float:
    """Return the standard deviation of the share of a list above the depth k/n, at least a share of k/n."""
    return max(float(np.sqrt(k / n * (1 - k / n) / n)), sharpest * k / n)


def grade_masses(relevance: Relevance, edges: Floats) -> Floats:
    """Return P(grade, cell), (J + 1, C), for the gains in decreasing order and the gain 0.

    >>> grade_masses(Relevance.parse("linear(0, 1)"), np.array([0.0, 0.5, 1.0]))
    array([[0.375, 0.125],
           [0.125, 0.375]])
    """
    a, b = edges[:-1], edges[1:]
    shares = np.array([curve.mean(a, b) for curve in relevance.curves])
    rest = np.maximum(1.0 - shares.sum(axis=0), 0.0)
    rest[rest < 1e-15] = 0.0  # curves that leave nothing to the gain 0, but for rounding
    return np.asarray(np.vstack([shares, rest]) * (b - a))


def difference_of_means(
    a: Relevance, b: Relevance, measure: Measure, n: int, edges: Floats, ratios: Floats | None = None
) -> float:
    """Return the difference of E[DCG_n] under a law that is tilted by ``ratios``, constant on the cells.

    Trapezoids of parts of cells are extrapolated (Richardson), and the weight falls at a cutoff within the
    standard deviation of a rank. So means that agree but for a part in 1e7 are told apart at n = 1e18.

    Parameters
    ----------
    a, b : Relevance
    measure : Measure
    n : int
    edges : (C + 1,)
    ratios : (2, J + 1, C), optional
        The tilted over the true law of (grade, cell) for each scorer, up to a factor; the true law without.

    >>> a, b = Relevance.parse("linear(0.1, 0.5)"), Relevance.parse("linear(0.2, 0.4)")
    >>> zipf, n = Measure("zipf"), 10**18  # 0.1 (H_n - 2 + O(1/n)): the weight is (1 - (1 - t)^n) / (n t)
    >>> round(difference_of_means(a, b, zipf, n, mesh(n, 600, a, b)), 4)
    4.0024
    """
    if ratios is None:
        ratios = np.ones((2, len(a.gains) + 1, len(edges) - 1))
    first, second = (
        _mean(relevance, measure, n, edges, of) for relevance, of in zip((a, b), ratios, strict=True)
    )
    return first - second


def _mean(relevance: Relevance, measure: Measure, n: int, edges: Floats, ratios: Floats) -> float:
    """Return E[DCG_n] of one scorer: n int E[Y | H] W(H) dH."""
    finer, k = edges, measure.cutoff(n)
    if FEWEST_ABOVE <= k < n:
        for _ in range(_PLACED):
            ends = _ends(_joint(relevance, edges, ratios, finer))
            finer = _with(finer, np.interp([k / n], ends, finer))
        ends = _ends(_joint(relevance, edges, ratios, finer))
        finer = _with(finer, np.interp(k / n + rank_std(k, n) * _AROUND, ends, finer))
    weight, gains = MeanDiscount(measure, n, sharpest=0.0), np.array([*relevance.gains, 0.0])
    found = []
    for parts in (_PARTS, 2 * _PARTS):
        within = np.diff(finer)[:, None] * (np.arange(parts) / parts)
        joint = _joint(relevance, edges, ratios, np.append((finer[:-1, None] + within).ravel(), 1.0))
        at = weight(_ends(joint))
        found.append(float(gains @ joint @ (at[:-1] + at[1:]) / 2 / joint.sum()))
    return n * (4 * found[1] - found[0]) / 3


def _joint(relevance: Relevance, edges: Floats, ratios: Floats, finer: Floats) -> Floats:
    """Return the tilted law of (grade, part of a cell), up to a factor."""
    cells = np.searchsorted(edges, finer[:-1], side="right") - 1
    return grade_masses(relevance, finer) * ratios[:, cells]


def _ends(joint: Floats) -> Floats:
    """Return the shares of the list above the edges."""
    ends = np.concatenate(([0.0], np.cumsum(joint.sum(axis=0))))
    return np.asarray(ends / ends[-1])
