"""NDCG of a growing list without a cutoff, for discounts that are sums of exponentials.

DCG is sum_m w_m V_m, V_m = sum of gain z_m^rank. The stream is cut into stretches of time, and what the
arrivals of one do to the V_m is followed from the list before it (`engines.every_n.halves`), eight modes at
a time. An item at rank r adds no more than z_m^r to V_m, and its arrival changes no more than
z_m^r / (1 - z_m), so a block of modes looks at the ranks with lambda_m r <= `REACH` only.

The stretches are taken from the last to the first: the list before one is what is left of the list after it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.engines.every_n.halves import effects, follow, room
from ndcg_asymptotics.engines.every_n.modes import Modes
from ndcg_asymptotics.engines.every_n.simd import WIDTH, aligned, fill, load, multiply_add, store, transpose
from ndcg_asymptotics.engines.every_n.tree import Ints

_STRETCHES = 16  # fewer: more halvings, and effects beyond the caches; more: the list is met more often
_SHORTEST = 512

_GRADE = 8  # bits of a grade


class _Room(NamedTuple):
    """Where a stretch of time is worked on: effects and sums of eight modes, and their weighted sums."""

    effect: Floats
    time: Ints
    sums: Floats
    weighted: Floats


def whole_sums(order: Ints, grade: NDArray[np.uint8], gains: Floats, modes: Modes, weights: Floats) -> Floats:
    """The sum over all ranks of gain sum_m weights[i, m] z_m^rank, for every n, (rows, N).

    Parameters
    ----------
    order : (N,)
        The items in rank order, each by its place in the order of arrival.
    grade : (N,)
        In order of arrival, as indices of ``gains``.
    weights : (rows, M)
        For as many modes as there are in whole blocks.
    """
    items, rows = order.size, len(weights)
    stretch = _stretch(items)
    held = stretch + WIDTH
    space = _Room(
        aligned(WIDTH * room(stretch)),
        np.empty(room(stretch), np.int32),
        aligned(WIDTH * held),
        aligned(rows * (held + -held % WIDTH)),
    )
    out = np.zeros((rows, items))
    listed = order.astype(np.int64) << _GRADE | grade[order]
    blocks = aligned(weights.size).reshape(-1, rows, WIDTH)
    blocks[:] = weights.reshape(rows, -1, WIDTH).transpose(1, 0, 2)
    _through_stretches(listed, gains, stretch, modes, blocks.ravel(), space, out)
    return out


def memory(items: int, rows: int) -> int:
    """Bytes that the arrays of `whole_sums` take, but for what it returns."""
    return 16 * items + _stretch(items) * (3 * (8 * WIDTH + 4) + 8 * WIDTH + 8 * rows + 20)


def _stretch(items: int) -> int:
    """How many arrivals are followed in one go."""
    return min(items, max(_SHORTEST, -(-items // _STRETCHES)))


@njit(cache=True)
def _part(
    listed: Integers,
    length: int,
    begin: int,
    gains: Floats,
    old: Floats,
    time: Ints,
    rank: Ints,
    gain: Floats,
) -> None:
    """Take the arrivals since a time out of a list; they are written in rank order."""
    left = new = 0
    for i in range(length):
        item = listed[i]
        when, worth = item >> _GRADE, gains[item & ((1 << _GRADE) - 1)]
        is_new = int(when >= begin)  # no branch on it: each is written to both, and one place is kept
        listed[left], old[left] = item, worth
        time[new], rank[new], gain[new] = when - begin, left + 1, worth
        left += 1 - is_new
        new += is_new


@njit(cache=True)
def _renumber(time: Ints, count: int, arrived: Ints, target: Ints) -> None:
    """target = the times of the first ``count`` arrivals among these; arrived[t] of them come by time t."""
    arrived[:] = 0
    for k in range(count):
        arrived[time[k]] = 1
    total = 0
    for t in range(arrived.size):
        total += arrived[t]
        arrived[t] = total
    for k in range(count):
        target[k] = arrived[time[k]] - 1


@njit(cache=True)
def weigh(sums: Floats, count: int, weights: Floats, first: int, rows: int, out: Floats) -> None:
    """The inner products of ``count`` blocks with those of weights, eight of them at a time, row by row."""
    step = out.size // rows
    for t in range(0, count, WIDTH):
        at = WIDTH * t
        a, b, c, d, e, f, g, h = transpose(
            (
                load(sums, at), load(sums, at + 8), load(sums, at + 16), load(sums, at + 24),
                load(sums, at + 32), load(sums, at + 40), load(sums, at + 48), load(sums, at + 56),
            )
        )  # fmt: skip
        for i in range(rows):
            w = first + WIDTH * i
            low, high = fill(weights[w]) * a, fill(weights[w + 1]) * b
            low, high = (
                multiply_add(fill(weights[w + 2]), c, low),
                multiply_add(fill(weights[w + 3]), d, high),
            )
            low, high = (
                multiply_add(fill(weights[w + 4]), e, low),
                multiply_add(fill(weights[w + 5]), f, high),
            )
            low, high = (
                multiply_add(fill(weights[w + 6]), g, low),
                multiply_add(fill(weights[w + 7]), h, high),
            )
            store(out, i * step + t, low + high)


@njit(cache=True)
def _through_stretches(
    listed: Integers, gains: Floats, stretch: int, modes: Modes, weights: Floats, space: _Room, out: Floats
) -> None:
    """Add the sums of all stretches of time to ``out``; ``listed`` is used up."""
    high, low, rest = modes.high, modes.low, modes.rest
    rows, width = out.shape[0], rest.size
    effect, time, sums, weighted = space.effect, space.time, space.sums, space.weighted
    step = weighted.size // rows
    old = np.empty(listed.size)
    when, rank, gain = np.empty(stretch + 1, np.int32), np.empty(stretch + 1, np.int32), np.empty(stretch + 1)
    arrived = np.empty(stretch, np.int32)
    end = listed.size
    while end > 0:
        begin = (end - 1) // stretch * stretch
        _part(listed, end, begin, gains, old, when, rank, gain)
        for b in range(modes.reach.size):
            count, last = end - begin, begin
            if modes.reach[b] < last:
                last = int(modes.reach[b])
                count = int(np.searchsorted(rank[:count], last, side="right"))
            if count < end - begin:
                _renumber(when, count, arrived[: end - begin], time)
            else:
                time[:count] = when[:count]
            mode = WIDTH * b
            start = effects(old, last, rank, gain, count, high, low, rest, width, mode, effect)
            follow(effect, time, count, start, high, low, rest, width, mode, sums)
            weigh(sums, count + 1, weights, rows * mode, rows, weighted)
            for i in range(rows):
                if count < end - begin:
                    for t in range(end - begin):
                        out[i, begin + t] += weighted[i * step + arrived[t]]
                else:
                    out[i, begin:end] += weighted[i * step + 1 : i * step + 1 + count]
        end = begin
