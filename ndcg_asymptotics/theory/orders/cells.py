"""Cells of depth, and the mean discount of an item on them.

An item with a share H of the law above it has rank 1 + N, N ~ Bin(n - 1, H), so a list of n
independent items has ``E[DCG_n] = n int E[Y | H] W(H) dH`` with ``W(H) = E[D(1 + N) 1(N < k)]``, exactly.
``n W`` is the weight w_n in equation (2) of docs/theory.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln, ndtr

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.caching import shared
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance

if TYPE_CHECKING:
    from scipy.interpolate import PPoly

_PER_DECADE = 120  # nodes of the table in log H, which is a cubic spline
_EXACT = 60.0  # with fewer expected items above, W is a sum over ranks
_RANKS = int(4 * _EXACT)  # its terms; a Poisson variable of mean 60 exceeds that with probability 4e-69
SHARPEST = 0.004  #: the smallest relative width over which the weight falls at a cutoff
FEWEST_ABOVE = 30  #: a cutoff with at least so many ranks falls within few standard deviations of a rank

_AROUND = np.arange(-6.0, 6.01, 0.25)  # standard deviations
_FIRST = 0.3  # expected items in the first cell


class MeanDiscount:
    """W(H) for shares H in [0, 1].

    Up to 60 expected items above, it is the sum over ranks. Beyond, it is the mean of D at one standard
    deviation of the rank to both sides, times the normal probability of being above the cutoff. The
    width of that normal law is at least ``sharpest`` of the cutoff, since the cells of a tilt are no finer.

    >>> zipf = MeanDiscount(Measure("zipf"), 1000)  # (1 - (1 - H)^n) / (n H)
    >>> zipf(np.array([1e-3])).round(4)
    array([0.6323])
    """

    def __init__(self, measure: Measure, n: int, sharpest: float = SHARPEST) -> None:
        self._n, self._k, self._sharpest = n, measure.cutoff(n), sharpest
        self._smooth, self._last = _table(measure, n)

    def __call__(self, H: Floats) -> Floats:
        n, k = self._n, self._k
        values = self._smooth(np.log(np.clip(H, _TOP / n, 1.0)))
        if k < n and self._last < 1.0:
            with np.errstate(divide="ignore", invalid="ignore"):
                std = np.maximum(np.sqrt((n - 1) * H * (1 - H)), self._sharpest * k)
                inside = ndtr((k - 0.5 - (n - 1) * H) / std)
            values = np.where(self._last < H, values * np.where(H == 1.0, 0.0, inside), values)
        return np.asarray(values)


_TOP = 1e-4  # with fewer expected items above, W is D(1)


@shared
def _table(measure: Measure, n: int) -> tuple[PPoly, float]:
    """Return W as a function of log H, and the H beyond which it does not contain the cutoff."""
    from scipy.interpolate import CubicSpline, PPoly  # here: they take long to load

    last = 1.0 if n <= _RANKS else _EXACT / n
    below = np.linspace(np.log(_TOP / n), np.log(last), int(np.log10(last * n / _TOP) * _PER_DECADE) + 2)
    parts = [CubicSpline(below, _summed(measure, n, np.minimum(np.exp(below), 1.0)))]
    if last < 1.0:
        beyond = np.linspace(np.log(last), 0.0, int(-np.log10(last) * _PER_DECADE) + 4)
        parts.append(CubicSpline(beyond, _two_points(measure, n, np.exp(beyond))))
    places = np.concatenate([parts[0].x, *(part.x[1:] for part in parts[1:])])
    return PPoly(np.concatenate([part.c for part in parts], axis=1), places), last


def _summed(measure: Measure, n: int, H: Floats) -> Floats:
    ranks = np.arange(1.0, min(n, measure.cutoff(n), _RANKS) + 1)
    weights = measure.discount(ranks, float(n))
    above, below = ranks - 1, n - ranks
    # P(N = r - 1) for N ~ Bin(n - 1, H), as binom(n - 1, r - 1) H^(r - 1) (1 - H)^(n - r)
    choose = gammaln(n) - gammaln(ranks) - gammaln(below + 1)
    if n > 10**6:  # differences of large logarithms of factorials cancel
        choose = above * np.log(float(n)) - gammaln(ranks)
    with np.errstate(divide="ignore", invalid="ignore"):
        tail = np.where(below[:, None] > 0, below[:, None] * np.log1p(-H), 0.0)
        law = np.exp(choose[:, None] + above[:, None] * np.log(H) + tail)
    return np.asarray(weights @ law)


def _two_points(measure: Measure, n: int, H: Floats) -> Floats:
    """Return the mean of D at one standard deviation of the rank to both sides: exact to third moments."""
    mean, std = (n - 1) * H, np.sqrt(np.maximum((n - 1) * H * (1 - H), 0.0))
    last = min(measure.discount.known_to, float(n))
    low, high = np.maximum(1 + mean - std, 1.0), 1 + mean + std
    ends = [measure.discount(np.minimum(rank, last), float(n)) for rank in (low, high)]
    return np.asarray(ends[0] + ends[1]) / 2


def mesh(n: int, cells: int, *relevances: Relevance) -> Floats:
    """Return edges from 0 to 1 that grow geometrically from 0.3/n, and the breakpoints of the curves."""
    edges = np.concatenate(([0.0], np.geomspace(min(_FIRST / n, _FIRST), 1.0, cells)))
    breaks = [b for relevance in relevances for b in relevance.breakpoints]
    return np.unique(np.concatenate((edges, breaks)))


def finer_around(edges: Floats, depth: float, std: float) -> Floats:
    """Return edges with more of them within six standard deviations of a depth, a quarter of one apart."""
    extra = depth + std * _AROUND
    return np.unique(np.concatenate((edges, extra[(extra > 0) & (extra < 1)])))


def rank_std(k: int, n: int, sharpest: float = SHARPEST) -> float:
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
    irrelevant = np.maximum(1.0 - shares.sum(axis=0), 0.0)
    irrelevant[irrelevant < 1e-15] = 0.0  # curves that leave nothing to the gain 0, but for rounding
    return np.asarray(np.vstack([shares, irrelevant]) * (b - a))
