"""The order of two scorers by NDCG at every list length, with certainty.

Two scorers of one population share IDCG, so DCG decides. Where the two differ by no more than the
error of their evaluation, they are compared again rank by rank: ranks where the gains agree cancel
exactly, so lists whose labels read the same up to the cutoff are an exact tie, and elsewhere
the sum of (gain_a - gain_b) D(r), in extended precision, is good to a few units of rounding of
its largest terms. A sum below that is a tie as well, such as 1/2 + 1/12 against 1/3 + 1/4.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.engines.every_n.arrivals import Stream
from ndcg_asymptotics.engines.every_n.kernels import differences_of_heads
from ndcg_asymptotics.engines.every_n.paths import basis_values, cut_ranks, method_of, mix, sums
from ndcg_asymptotics.measures import Measure

Signs = NDArray[np.int8]

_HEAD = 4096  # ranks compared first; further ranks only where these do not decide
_SLACK = 8 * np.finfo(np.float64).eps  # relative error of a term (gain_a - gain_b) D(r)


def signs(a: Stream, b: Stream, measure: Measure, dcg_a: Floats, dcg_b: Floats, ideal: Floats) -> Signs:
    """Return the sign of NDCG_a - NDCG_b for n = 1 … N."""
    difference = dcg_a - dcg_b
    result = np.sign(difference).astype(np.int8)
    if measure.discount.affine and _whole(a):
        return result
    bound = 2.0 * method_of(measure, difference.size).error * ideal
    times = np.flatnonzero((np.abs(difference) <= bound) & (ideal > 0)) + 1
    result[times - 1] = _compare(a, b, measure, times)
    return result


def _whole(stream: Stream) -> bool:
    """Return whether sums of gain x rank are whole numbers that doubles hold exactly."""
    largest = float(stream.gains.max()) * stream.order.size**2
    return largest < 2.0**53 and bool(np.all(stream.gains == np.rint(stream.gains)))


def _compare(a: Stream, b: Stream, measure: Measure, times: NDArray[np.int64]) -> Signs:
    """Return the sign of DCG_a - DCG_b at some list lengths, compared rank by rank."""
    items = a.order.size
    if times.size == 0 or np.array_equal(a.order, b.order):
        return np.zeros(times.size, np.int8)
    lists = _InRankOrder(a), _InRankOrder(b)
    if all(ranked.ideal for ranked in lists):
        return np.zeros(times.size, np.int8)
    every_cut = cut_ranks(measure.cutoff, items)
    weights = np.broadcast_to(mix(measure.discount, items), (len(measure.discount.basis()), items))
    weights = np.ascontiguousarray(weights[:, times - 1].T)
    cut = every_cut[times - 1]
    head = np.minimum(cut, _HEAD)
    sums_and_sizes = np.empty((times.size, 2))
    table = basis_values(measure.discount, int(head[-1]))
    differences_of_heads(a.arrivals, b.arrivals, times, every_cut, table, weights, sums_and_sizes)
    total, size = sums_and_sizes.T
    cumulative = sums(measure.discount, items)
    tail = a.gains.max() * np.einsum("ti,it->t", weights, cumulative[:, cut] - cumulative[:, head])
    sure = np.abs(total) > _SLACK * size + tail
    result = np.where(sure, np.sign(total), 0.0).astype(np.int8)
    for t in np.flatnonzero(~sure & (cut > head)):
        gap = np.subtract(*(ranked.gains(int(times[t]), int(cut[t])) for ranked in lists))
        result[t] = _sign(gap, measure, int(times[t]))
    return result


class _InRankOrder:
    """The gains of a stream in rank order."""

    def __init__(self, stream: Stream) -> None:
        self._order = stream.order
        self._gains = stream.gains[stream.grade[stream.order]]

    @property
    def ideal(self) -> bool:
        """Whether the list is in ideal order, and so was at every n."""
        return bool(np.all(np.diff(self._gains) <= 0))

    def gains(self, n: int, k: int) -> Floats:
        """Return the gains of the first k of the first n items."""
        return np.asarray(self._gains[self._order < n][:k])


def _sign(gap: Floats, measure: Measure, n: int) -> int:
    """Return the sign of sum gap_r D(r), 0 within rounding."""
    ranks = np.flatnonzero(gap)
    terms = gap[ranks] * measure.discount(ranks + 1.0, float(n))
    total = math.fsum(terms)
    return int(np.sign(total)) if abs(total) > _SLACK * float(np.abs(terms).sum()) else 0
