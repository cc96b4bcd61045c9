"""What arrivals do to a sum over a list, followed through time by halving it.

Of some arrivals let V be the sum of gain z^rank before the first one, C_k that part of it which is above
arrival k, and r_k the rank at which k would come first. Were k alone, the sum would become z V + B_k, with

    B_k = (1 - z) C_k + gain_k z^(r_k),

its *effect*. After a set X of the arrivals, a_k of them above k, the sum is

    V(X) = z^|X| V + sum over k in X of z^(a_k) B_k,

for what is above k has become ``z^(a_k) C_k + sum over j in X above k of z^(a_j) B_j``. For the same reason
an arrival k that is not in X has after X the effect

    B_k(X) = z^(a_k) B_k + (1 - z) sum over j in X above k of z^(a_j) B_j.

So V is found at all times by halves: the effects of the early half are those at the start, and one pass in
rank order makes those of the late half. M arrivals take M log M steps of eight modes each, one after
another in memory. Nothing is subtracted, so nothing cancels.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.engines.every_n.modes import power
from ndcg_asymptotics.engines.every_n.simd import WIDTH, choose, fill, load, multiply_add, store
from ndcg_asymptotics.engines.every_n.tree import Ints

_FEW = 8  # arrivals that are followed one by one
_STRETCH = 256  # ranks in one go of Horner's rule, whose rounding grows with them
_DEEPEST = 64  # nodes that wait for their turn


def room(count: int) -> int:
    """How many effects and times `follow` needs room for, to follow so many arrivals."""
    return 3 * count + 2 * _DEEPEST + _FEW


@njit(cache=True)
def effects(
    old: Floats, last: int, rank: Ints, gain: Floats, count: int,
    high: Floats, low: Floats, rest: Floats, width: int, mode: int, effect: Floats,
) -> Floats:  # fmt: skip
    """The effects of some arrivals, for the eight modes from ``mode`` on; returns V.

    Parameters
    ----------
    old : (n,)
        Gains of the list before the first arrival, in rank order; those up to rank ``last`` count.
    rank, gain : (count or more,)
        r_k, non-decreasing, and gain_k.
    high, low, rest : flat, as in `engines.every_n.modes.Modes`, with ``width`` modes
    effect : (8 count or more,), written here
    """
    z, z2, z4 = load(low, width + mode), load(low, 2 * width + mode), load(low, 4 * width + mode)
    loss, above, r = load(rest, mode), fill(0.0), 1
    for k in range(count + 1):
        end = rank[k] if k < count else last + 1
        while r < end:
            some = min(end - r, _STRETCH)
            i, part = r - 1 + some, fill(0.0)
            for _ in range(some & 3):
                i -= 1
                part = multiply_add(part, z, fill(old[i]))
            while i >= r + 3:  # from the back, four ranks at a time
                i -= 4
                front = multiply_add(z, fill(old[i + 1]), fill(old[i]))
                back = multiply_add(z, fill(old[i + 3]), fill(old[i + 2]))
                part = multiply_add(part, z4, multiply_add(back, z2, front))
            above = multiply_add(part, power(high, low, width, r, mode), above)
            r += some
        if k < count:
            own = fill(gain[k]) * power(high, low, width, rank[k], mode)
            store(effect, WIDTH * k, multiply_add(loss, above, own))
    return above


@njit(cache=True)
def _split(
    effect: Floats, time: Ints, first: int, count: int, middle: int, early: int, late: int,
    high: Floats, low: Floats, rest: Floats, width: int, mode: int,
) -> Floats:  # fmt: skip
    """Copy the arrivals before a time to ``early``, the others to ``late`` with their effects after these.

    Returns what the early ones have done to the sum. Each part has room for one more, which is written to.
    """
    loss, done, none, before = load(rest, mode), fill(0.0), fill(0.0), 0
    for k in range(first, first + count):
        own, when = load(effect, WIDTH * k), time[k]
        is_early = int(when < middle)  # which cannot be predicted: no branch on it
        shifted = power(high, low, width, before, mode) * own
        store(effect, WIDTH * early, own)
        store(effect, WIDTH * late, multiply_add(loss, done, shifted))
        time[early], time[late] = when, when
        done = done + choose(is_early, shifted, none)
        before += is_early
        early += is_early
        late += 1 - is_early
    return done


@njit(cache=True)
def _one_by_one(
    effect: Floats, time: Ints, first: int, some: int, begin: int, end: int, z: Floats, sums: Floats
) -> None:
    """The sums up to time ``end``, from that at ``begin``, with which a few arrivals begin."""
    start = load(sums, WIDTH * begin)
    for t in range(begin, end):
        start = start * z
        total = fill(0.0)
        for k in range(first + some - 1, first - 1, -1):
            more = multiply_add(total, z, load(effect, WIDTH * k))
            total = choose(int(time[k] <= t), more, total)
        store(sums, WIDTH * (t + 1), start + total)


@njit(cache=True)
def follow(
    effect: Floats, time: Ints, count: int, start: Floats,
    high: Floats, low: Floats, rest: Floats, width: int, mode: int, sums: Floats,
) -> None:  # fmt: skip
    """V after the first t arrivals goes to the block of ``sums`` at 8 t, for t = 0 … count.

    ``effect`` and ``time`` (0 … count - 1) are in rank order; both have `room` and are written to.
    """
    z = load(low, width + mode)
    nodes = np.empty((_DEEPEST, 4), np.int64)  # where it begins, how many, the first time, free room
    nodes[0] = 0, count, 0, count
    waiting = 1
    store(sums, 0, start)
    while waiting > 0:
        waiting -= 1
        first, some, begin, free = nodes[waiting]
        if some <= _FEW:
            # the sum after all of them has been made with fewer roundings, unless they are the last
            end = begin + some if begin + some == count else begin + some - 1
            _one_by_one(effect, time, first, some, begin, end, z, sums)
            continue
        half = some >> 1
        middle, late, after = begin + half, free + half + 1, free + some + 2
        done = _split(effect, time, first, some, middle, free, late, high, low, rest, width, mode)
        shifted = power(high, low, width, half, mode) * load(sums, WIDTH * begin)
        store(sums, WIDTH * middle, shifted + done)
        nodes[waiting] = late, some - half, middle, after
        nodes[waiting + 1] = free, half, begin, after
        waiting += 2
