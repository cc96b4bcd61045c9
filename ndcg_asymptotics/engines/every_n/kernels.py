"""Compiled kernels that follow a growing list item by item.

`head_sums` and `differences_of_heads` keep the first K ranks of the list as an array of grades; an arrival
among them moves the rest down, which takes O(K) steps. An arrival is among the first k of n items with
probability k/n, so that a whole stream takes O(k^2 log N) steps. `gain_and_rank_sums` takes O(log N) steps an
arrival.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.engines.compiled import kernel

Ints = NDArray[np.int32]
Grades = NDArray[np.uint8]


class Arrivals(NamedTuple):
    """A stream in order of arrival.

    Attributes
    ----------
    position : (N,)
        Each item's place in the final rank order, 0 … N - 1.
    rank : (N,)
        Its rank among the items that have arrived when it arrives, 1 … n.
    grade : (N,)
        The index of its gain.
    gains : (J + 1,)
        In decreasing order; the last is 0.
    """

    position: Ints
    rank: Ints
    grade: Grades
    gains: Floats


class Crossings(NamedTuple):
    """The items that enter and leave the ranks above a cutoff.

    With T the sum over the first k(n - 1) ranks of n - 1 items, arrival n first takes its place if it
    ranks within them, and then items cross the cutoff: each adds its gain, or removes it.

    Attributes
    ----------
    cut : (N,)
        k(n) for n = 1 … N.
    inside : (N,)
        Whether arrival n ranks at k(n - 1) or above.
    first : (N + 1,)
        Where the crossings of each arrival begin.
    rank, gain : (crossings,)
        The rank of the item that crosses; its gain, negative if it is pushed out.
    """

    cut: Ints
    inside: NDArray[np.uint8]
    first: NDArray[np.int64]
    rank: Ints
    gain: Floats


@kernel
def arrival_ranks(position: Ints) -> Ints:
    """Return the rank of each item among those that arrived before it and itself (a Fenwick tree)."""
    count = np.zeros(position.size + 1, np.int32)
    rank = np.empty(position.size, np.int32)
    for n in range(position.size):
        i, above = position[n], 1
        while i > 0:
            above += count[i]
            i &= i - 1
        rank[n] = above
        i = position[n] + 1
        while i <= position.size:
            count[i] += 1
            i += i & -i
    return rank


@kernel
def crossings(order: Ints, grade: Grades, gains: Floats, cut: Ints) -> Crossings:
    """Return what crosses a cutoff, taking the items out of the full list from the last arrival to the first.

    A linked list of the ranked items and a pointer to rank k(n) take O(1) steps an item.
    """
    items = order.size
    node = np.empty(items, np.int32)  # of each arrival; nodes are numbered by rank in the full list, from 1
    gain_at = np.zeros(items + 2)
    for i in range(items):
        node[order[i]] = i + 1
        gain_at[i + 1] = gains[grade[order[i]]]
    after, before = np.arange(1, items + 3).astype(np.int32), np.arange(-1, items + 1).astype(np.int32)
    inside, first = np.empty(items, np.uint8), np.empty(items + 1, np.int64)
    rank, gain = np.empty(items + cut[-1], np.int32), np.empty(items + cut[-1])
    free, edge = rank.size, cut[-1]
    first[items] = free
    for n in range(items - 1, -1, -1):
        # the edge is the node at rank k of the first n + 1 items, and leaves this step at rank k_before
        k, k_before = cut[n], cut[n - 1] if n > 0 else 0
        if k == k_before:
            inside[n] = node[n] <= edge
            if inside[n]:
                edge = after[edge]
                free -= 1
                rank[free], gain[free] = k + 1, -gain_at[edge]
        else:
            for r in range(k, k_before + 1, -1):
                free -= 1
                rank[free], gain[free] = r, gain_at[edge]
                edge = before[edge]
            inside[n] = node[n] < edge
            if not inside[n]:
                free -= 1
                rank[free], gain[free] = k_before + 1, gain_at[edge]
                edge = before[edge]
        first[n] = free
        if edge == node[n]:
            edge = before[edge]
        after[before[node[n]]], before[after[node[n]]] = after[node[n]], before[node[n]]
    return Crossings(cut, inside, first - free, rank[free:].copy(), gain[free:].copy())


@kernel
def _insert(head: Grades, length: int, rank: int, grade: int) -> int:
    """Insert a grade at a rank, if it is within the head; returns the head's new length."""
    if rank > head.size:
        return length
    length = min(length + 1, head.size)
    for i in range(length - 1, rank - 1, -1):
        head[i] = head[i - 1]
    head[rank - 1] = grade
    return length


@kernel
def head_sums(arrivals: Arrivals, cut: Ints, values: Floats, out: Floats) -> None:
    """Write out[i, n - 1] = sum over the first k(n) ranks of gain values[i, rank - 1], for every n.

    ``cut`` holds k(n) <= n, non-decreasing; ``values`` as many ranks as the last of them.
    """
    no_gain = np.uint8(arrivals.gains.size - 1)
    head = np.full(values.shape[1], no_gain)
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
                if head[r] != no_gain:
                    total += arrivals.gains[head[r]] * values[i, r]
            out[i, n] = total


@kernel
def sum_ideal_lists(
    grade: Grades, gains: Floats, cut: Ints, cumulative: Floats, mix: Floats, out: Floats
) -> None:
    """Write out[n - 1] = sum over the first k(n) ranks of n items in ideal order of gain D_n(rank).

    ``cumulative[i, k]`` is the sum over r <= k of B_i(r); ``mix`` has D_n by the B_i, each n or once.
    """
    ends = np.zeros(gains.size - 1, np.int64)  # how many items have at least each gain
    for n in range(grade.size):
        for j in range(ends.size):
            ends[j] += grade[n] <= j  # no branch on it: grades are unpredictable
        at, total, before = n if mix.shape[1] > 1 else 0, 0.0, 0.0
        for j in range(ends.size):
            after = 0.0
            for i in range(mix.shape[0]):
                after += mix[i, at] * cumulative[i, min(ends[j], cut[n])]
            total += gains[j] * (after - before)
            before = after
        out[n] = total


@kernel
def differences_of_heads(
    a: Arrivals, b: Arrivals, times: NDArray[np.int64], cut: Ints, values: Floats, mix: Floats, out: Floats
) -> None:
    """Write DCG_a - DCG_b over the heads of two lists, term by term, at some list lengths.

    With ``D_n(r) = sum_i mix[t, i] values[i, r - 1]`` at n = times[t] (increasing),
    out[t] = sum over the first min(k(n), K) ranks of (gain_a - gain_b) D_n(r), in compensated
    summation (Neumaier), and the sum of the terms' sizes.
    """
    no_gain = np.uint8(a.gains.size - 1)
    head_a, head_b = np.full(values.shape[1], no_gain), np.full(values.shape[1], no_gain)
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


@kernel
def gain_and_rank_sums(arrivals: Arrivals, crossings: Crossings, out: Floats) -> None:
    """Write the sum of gains, G, and that of gain x rank, S, over the first k(n) ranks, for every n.

    They go to out[0, n - 1] and out[1, n - 1]: the linear discount D_n(r) = n - r needs n G - S. An arrival
    adds its own gain x rank to S, and the gains below it, which move down by one. Whole gains give whole
    numbers, which are exact up to 2^53.
    """
    items = arrivals.position.size
    gains = np.zeros(items + 1)  # a Fenwick tree
    total = ranked = 0.0
    for n in range(items):
        gain, position = arrivals.gains[arrivals.grade[n]], arrivals.position[n]
        if crossings.inside[n]:
            below, i = total, position
            while i > 0:
                below -= gains[i]
                i &= i - 1
            ranked += below + gain * arrivals.rank[n]
            total += gain
        i = position + 1
        while gain > 0 and i <= items:
            gains[i] += gain
            i += i & -i
        for j in range(crossings.first[n], crossings.first[n + 1]):
            total += crossings.gain[j]
            ranked += crossings.gain[j] * crossings.rank[j]
        out[0, n], out[1, n] = total, ranked
