"""The heads of growing lists, item by item: short cutoffs, discounts of any form, exact comparisons.

The first K ranks of the list are kept as an array of grades; an arrival among them moves the rest
down, O(K). A fixed k among n items is hit with probability k/n, so a whole stream costs O(k^2 log N).
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.engines.every_n.tree import Arrivals, Ints

Grades = NDArray[np.uint8]


@njit(cache=True)
def _insert(head: Grades, length: int, rank: int, grade: int) -> int:
    """Insert a grade at a rank, if it is within the head; returns the head's new length."""
    if rank > head.size:
        return length
    length = min(length + 1, head.size)
    for i in range(length - 1, rank - 1, -1):
        head[i] = head[i - 1]
    head[rank - 1] = grade
    return length


@njit(cache=True)
def head_sums(arrivals: Arrivals, cut: Ints, values: Floats, out: Floats) -> None:
    """out[i, n - 1] = sum over the first k(n) ranks of gain values[i, rank - 1], for every n.

    ``cut`` holds k(n) <= n, non-decreasing; ``values`` as many ranks as the last of them.
    """
    none = np.uint8(arrivals.gains.size - 1)
    head = np.full(values.shape[1], none)
    length = 0
    for n in range(arrivals.position.size):
        rank, k = arrivals.rank[n], cut[n]
        length = _insert(head, length, rank, arrivals.grade[n])
        before = cut[n - 1] if n > 0 else 0
        # no arrival above the cutoff: only the ranks that the cutoff now lets in are new
        start = before if rank > before else 0
        for i in range(values.shape[0]):
            total = out[i, n - 1] if start > 0 else 0.0
            for r in range(start, k):
                if head[r] != none:
                    total += arrivals.gains[head[r]] * values[i, r]
            out[i, n] = total


@njit(cache=True)
def ideal_sums(grade: Grades, gains: Floats, cut: Ints, cumulative: Floats, mix: Floats, out: Floats) -> None:
    """out[n - 1] = sum over the first k(n) ranks of the first n items in ideal order of gain D_n(rank).

    ``cumulative[i, k]`` is the sum over r <= k of B_i(r); ``mix`` has D_n by the B_i, each n or once.
    """
    ends = np.zeros(gains.size - 1, np.int64)  # how many items have at least each gain
    for n in range(grade.size):
        for j in range(grade[n], ends.size):
            ends[j] += 1
        at, total, before = n if mix.shape[1] > 1 else 0, 0.0, 0.0
        for j in range(ends.size):
            here = 0.0
            for i in range(mix.shape[0]):
                here += mix[i, at] * cumulative[i, min(ends[j], cut[n])]
            total += gains[j] * (here - before)
            before = here
        out[n] = total


@njit(cache=True)
def differences(
    a: Arrivals, b: Arrivals, times: NDArray[np.int64], cut: Ints, values: Floats, mix: Floats, out: Floats
) -> None:
    """DCG_a - DCG_b over the heads of two lists, term by term, at some list lengths.

    With ``D_n(r) = sum_i mix[t, i] values[i, r - 1]`` at n = times[t] (increasing),
    out[t] = sum over the first min(k(n), K) ranks of (gain_a - gain_b) D_n(r), in compensated
    summation (Neumaier), and the sum of the terms' sizes.
    """
    none = np.uint8(a.gains.size - 1)
    head_a, head_b = np.full(values.shape[1], none), np.full(values.shape[1], none)
    length_a = length_b = n = 0
    for t in range(times.size):
        while n < times[t]:
            length_a = _insert(head_a, length_a, a.rank[n], a.grade[n])
            length_b = _insert(head_b, length_b, b.rank[n], b.grade[n])
            n += 1
        total = lost = size = 0.0
        for r in range(min(cut[n - 1], values.shape[1])):
            if head_a[r] != head_b[r]:
                discount = 0.0
                for i in range(values.shape[0]):
                    discount += mix[t, i] * values[i, r]
                term = (a.gains[head_a[r]] - a.gains[head_b[r]]) * discount
                size += abs(term)
                new = total + term
                lost += (total - new) + term if abs(total) >= abs(term) else (term - new) + total
                total = new
        out[t, 0], out[t, 1] = total + lost, size
