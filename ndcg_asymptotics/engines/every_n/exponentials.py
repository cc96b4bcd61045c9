"""Sums over a growing list, at every list length, for discounts that are sums of exponentials.

With D(r) = sum_m w_m z_m^r, DCG is sum_m w_m V_m, where V_m is the sum of gain z_m^rank. This module
computes all V_m after every arrival by equation (12) of docs/theory.md, eight modes m at a time.

Take some arrivals. Let V be the sum of gain z^rank before the first of them, C_k the part of V above
arrival k, and r_k the rank that k would take if it came first. Alone, k would change the sum into
z V + B_k, where

    B_k = (1 - z) C_k + gain_k z^(r_k)

is its *effect*. After a set X of the arrivals, a_k of which are above k, the sum is

    V(X) = z^|X| V + sum over k in X of z^(a_k) B_k,

because the part above k has become z^(a_k) C_k + sum over j in X above k of z^(a_j) B_j. For the same
reason an arrival k that is not in X has, after X, the effect

    B_k(X) = z^(a_k) B_k + (1 - z) sum over j in X above k of z^(a_j) B_j.

So the sums follow by halving time: the effects of the early half are known, and one pass in rank order
gives those of the late half. M arrivals take M log M steps of eight modes each, one after another in
memory. Nothing is subtracted, so nothing cancels.

An effect depends only on what ranks above the arrival. With a cutoff, an arrival above it therefore has
the same effect as in the whole list, an arrival below it has none, and the item that crosses the cutoff
adds or removes its own term (`kernels.Crossings`).

The stream is cut into stretches of time. They are processed from the last to the first: the list before
a stretch is the list after it without the arrivals of the stretch. An item at rank r adds no more than
z^r to V, and its arrival changes V by no more than z^r / (1 - z), so eight modes look only at ranks up to
their `reach`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.engines.every_n.kernels import Crossings, Ints
from ndcg_asymptotics.engines.shared.simd import (
    WIDTH,
    aligned,
    choose,
    fill,
    load,
    multiply_add,
    store,
    transpose,
)

_REACH = 40.0  # a mode ends where z^rank is exp(-40) = 4e-18
_LOW_BITS = 10  # powers z^c come from two tables, c = 1024 h + l, and are good to rounding whatever c
_LOW = (1 << _LOW_BITS) - 1

_STRETCHES = 16  # fewer: more halvings, and effects beyond the caches; more: the list is read more often
_SHORTEST = 512
_FEW = 8  # arrivals that are followed one by one
_RUN = 256  # steps of a recursion before its rounding errors are put aside
_DEEPEST = 64  # nodes that wait for their turn
_GRADE = 8  # bits of a grade


class Modes(NamedTuple):
    """Rates as tables, a row for eight modes: z^(1024 h) and z^l; 1 - z; the largest rank that matters."""

    high: Floats
    low: Floats
    rest: Floats
    reach: Floats


class _Space(NamedTuple):
    """Work space for a stretch: effects and times; sums and own effects of eight modes; weighted sums."""

    effect: Floats
    time: Ints
    sums: Floats
    own: Floats
    weighted: Floats


def make_modes(rates: Floats, largest: int) -> Modes:
    """Return tables of increasing rates, padded to whole blocks with copies of the last rate."""
    padded = np.pad(rates, (0, -len(rates) % WIDTH), mode="edge").reshape(-1, WIDTH)
    high = _powers(padded, np.arange(0.0, largest + 1, _LOW + 1.0))
    low = _powers(padded, np.arange(_LOW + 1.0))
    rest = aligned(padded.size).reshape(padded.shape)
    rest[:] = -np.expm1(-padded)
    return Modes(high, low, rest, _REACH / padded[:, 0])


def _powers(rates: Floats, exponents: Floats) -> Floats:
    """Return z^c of each eight modes for some c, one c after another, (rows, 8 numbers of c)."""
    found = aligned(rates.size * exponents.size).reshape(len(rates), -1)
    for row, eight in zip(found, rates, strict=True):
        row.reshape(-1, WIDTH)[:] = np.exp(-np.outer(exponents, eight))
    return found


def exponential_sums(
    order: Ints,
    grade: NDArray[np.uint8],
    gains: Floats,
    modes: Modes,
    weights: Floats,
    crossings: Crossings | None = None,
) -> Floats:
    """Return the sum of gain sum_m weights[i, m] z_m^rank for every list length n.

    Parameters
    ----------
    order : (N,)
        The items in rank order, each by its place in the order of arrival.
    grade : (N,)
        In order of arrival, as indices of ``gains``.
    weights : (rows, M)
        For as many modes as there are in whole blocks of eight.
    crossings : Crossings, optional
        Which items cross the cutoff. The sum is over the whole list if it is not given.

    Returns
    -------
    (rows, N) array
    """
    items, rows = order.size, len(weights)
    stretch = _stretch(items)
    held = stretch + WIDTH
    space = _Space(
        aligned(WIDTH * capacity(stretch)),
        np.empty(capacity(stretch), np.int32),
        aligned(WIDTH * held),
        aligned(WIDTH * (1 if crossings is None else held)),
        aligned(rows * (held + -held % WIDTH)),
    )
    out = np.zeros((rows, items))
    listed = order.astype(np.int64) << _GRADE | grade[order]
    blocks = aligned(weights.size).reshape(-1, rows, WIDTH)
    blocks[:] = weights.reshape(rows, -1, WIDTH).transpose(1, 0, 2)
    none = np.empty(0, np.int32)
    cut = crossings or Crossings(none, none.astype(np.uint8), none.astype(np.int64), none, np.empty(0))
    _through_stretches(listed, gains, stretch, modes, blocks.ravel(), cut, space, out)
    return out


def memory(items: int, rows: int) -> int:
    """Return the bytes that the arrays of `exponential_sums` take, without its result."""
    return 16 * items + _stretch(items) * (3 * (8 * WIDTH + 4) + 2 * 8 * WIDTH + 8 * rows + 20)


def _stretch(items: int) -> int:
    """Return the number of arrivals that are followed in one go."""
    return min(items, max(_SHORTEST, -(-items // _STRETCHES)))


def capacity(count: int) -> int:
    """Return the number of effects and times for which `follow` allocates space, for ``count`` arrivals."""
    return 3 * count + 2 * _DEEPEST + _FEW


@njit(cache=True)
def _power(high: Floats | None, low: Floats, rank: int) -> Floats:
    """Return z^rank for eight modes; ``high`` may be None if the rank is below 1024."""
    if high is None:
        return load(low, rank * WIDTH)
    return load(high, (rank >> _LOW_BITS) * WIDTH) * load(low, (rank & _LOW) * WIDTH)


@njit(cache=True)
def effects(
    old: Floats, last: int, rank: Ints, gain: Floats, count: int,
    high: Floats, low: Floats, rest: Floats, effect: Floats,
) -> Floats:  # fmt: skip
    """Compute the effects B_k of some arrivals, for eight modes, and return V.

    Parameters
    ----------
    old : (n,)
        Gains of the list before the first arrival, in rank order; those up to rank ``last`` count.
    rank, gain : (count or more,)
        r_k, non-decreasing, and gain_k.
    high, low, rest : rows of `Modes`
    effect : (8 count or more,), written here
    """
    z, z2, z4 = load(low, WIDTH), load(low, 2 * WIDTH), load(low, 4 * WIDTH)
    loss, above, none, r = load(rest, 0), fill(0.0), fill(0.0), 1
    for k in range(count + 1):
        end = rank[k] if k < count else last + 1
        while r < end:
            some = min(end - r, _RUN)
            i, odd = r - 1 + some, some & 3
            # up to three ranks, without a branch on their number, which is unpredictable
            one = fill(old[i - 1])
            two = multiply_add(one, z, fill(old[max(i - 2, 0)]))
            three = multiply_add(two, z, fill(old[max(i - 3, 0)]))
            part = choose(odd & 1, choose(odd & 2, three, one), choose(odd & 2, two, none))
            i -= odd
            while i >= r + 3:  # Horner's rule from the back, four ranks at a time
                i -= 4
                front = multiply_add(z, fill(old[i + 1]), fill(old[i]))
                back = multiply_add(z, fill(old[i + 3]), fill(old[i + 2]))
                part = multiply_add(part, z4, multiply_add(back, z2, front))
            above = multiply_add(part, _power(high, low, r), above)
            r += some
        if k < count:
            own = fill(gain[k]) * _power(high, low, rank[k])
            store(effect, WIDTH * k, multiply_add(loss, above, own))
    return above


@njit(cache=True)
def _split(
    effect: Floats, time: Ints, first: int, count: int, middle: int, early: int, late: int,
    high: Floats | None, low: Floats, rest: Floats,
) -> Floats:  # fmt: skip
    """Copy the arrivals before time ``middle`` to ``early``, and the others to ``late`` with effects B_k(X).

    Returns the sum over the early arrivals of z^(a_k) B_k.
    """
    loss, done, none, before = load(rest, 0), fill(0.0), fill(0.0), 0
    times, written, lead = time[first : first + count], time[early:], late - early
    for k in range(count):
        own, when = load(effect, WIDTH * (first + k)), times[k]
        is_early = int(when < middle)  # unpredictable, so there is no branch on it
        shifted = _power(high, low, before) * own
        place = before if is_early else lead + k - before
        store(effect, WIDTH * (early + place), choose(is_early, own, multiply_add(loss, done, shifted)))
        written[place] = when
        done = done + choose(is_early, shifted, none)
        before += is_early
    return done


@njit(cache=True)
def _sums_one_by_one(
    effect: Floats, time: Ints, first: int, some: int, begin: int, end: int, z: Floats, sums: Floats
) -> None:
    """Write the sums up to time ``end``, starting from the sum at ``begin``."""
    start = load(sums, WIDTH * begin)
    for t in range(begin, end):
        start = start * z
        total = fill(0.0)
        for k in range(first + some - 1, first - 1, -1):
            more = multiply_add(total, z, load(effect, WIDTH * k))
            total = choose(int(time[k] <= t), more, total)
        store(sums, WIDTH * (t + 1), start + total)


@njit(cache=True)
def _effects_one_by_one(
    effect: Floats, time: Ints, first: int, some: int, z: Floats, loss: Floats, own: Floats
) -> None:
    """Write the effect of each of a few arrivals at the time it arrives."""
    for k in range(first, first + some):
        shifted, total = load(effect, WIDTH * k), fill(0.0)
        for j in range(k - 1, first - 1, -1):
            is_earlier = int(time[j] < time[k])
            total = choose(is_earlier, multiply_add(total, z, load(effect, WIDTH * j)), total)
            shifted = choose(is_earlier, shifted * z, shifted)
        store(own, WIDTH * time[k], multiply_add(loss, total, shifted))


@njit(cache=True)
def follow(
    effect: Floats, time: Ints, count: int, start: Floats,
    high: Floats, low: Floats, rest: Floats, wants_effects: bool, out: Floats,
) -> None:  # fmt: skip
    """Write V after the first t arrivals, or the effect of arrival t when it arrives, to out[8 t …].

    ``effect`` and ``time`` (0 … count - 1) are in rank order; both have `capacity` and are overwritten.
    ``start`` is V before the first arrival.
    """
    z = load(low, WIDTH)
    nodes = np.empty((_DEEPEST, 4), np.int64)  # where it begins, how many, the first time, free space
    nodes[0] = 0, count, 0, count
    waiting = 1
    store(out, 0, start)
    while waiting > 0:
        waiting -= 1
        first, some, begin, free = nodes[waiting]
        if some <= _FEW and wants_effects:
            _effects_one_by_one(effect, time, first, some, z, load(rest, 0), out)
            continue
        if some <= _FEW:
            # the sum after all of them has been made with fewer roundings, unless they are the last
            end = begin + some if begin + some == count else begin + some - 1
            _sums_one_by_one(effect, time, first, some, begin, end, z, out)
            continue
        half = some >> 1
        middle, late, after = begin + half, free + half + 1, free + some + 2
        if half <= _LOW:  # so many are early at most
            done = _split(effect, time, first, some, middle, free, late, None, low, rest)
        else:
            done = _split(effect, time, first, some, middle, free, late, high, low, rest)
        if not wants_effects:
            shifted = _power(high, low, half) * load(out, WIDTH * begin)
            store(out, WIDTH * middle, shifted + done)
        nodes[waiting] = late, some - half, middle, after
        nodes[waiting + 1] = free, half, begin, after
        waiting += 2


@njit(cache=True)
def _up_to_cutoff(
    own: Floats, arrived: Ints, begin: int, length: int, reach: float, crossings: Crossings, start: Floats,
    high: Floats, low: Floats, sums: Floats,
) -> None:  # fmt: skip
    """Write the sum over the ranks above the cutoff after each arrival of a stretch.

    Within a run, T = z^above base + local: ``local`` starts at 0, so that few rounding errors add up.

    Parameters
    ----------
    own : effects of the arrivals within reach, when they arrive
    arrived : (length,)
        How many arrivals within reach there are up to each time.
    start : the sum before the stretch
    """
    z = load(low, WIDTH)
    base, local, above, before = start, fill(0.0), 0, 0
    for t in range(length):
        n = begin + t
        if crossings.inside[n] and arrived[t] > before:
            local = multiply_add(z, local, load(own, WIDTH * before))
            above += 1
        before = arrived[t]
        for i in range(crossings.first[n], crossings.first[n + 1]):
            if crossings.rank[i] <= reach:
                term = _power(high, low, crossings.rank[i])
                local = multiply_add(fill(crossings.gain[i]), term, local)
        total = multiply_add(_power(high, low, above), base, local)
        store(sums, WIDTH * t, total)
        if t % _RUN == _RUN - 1:
            base, local, above = total, fill(0.0), 0


@njit(cache=True)
def _take_out(
    listed: Integers,
    length: int,
    begin: int,
    gains: Floats,
    old: Floats,
    time: Ints,
    rank: Ints,
    gain: Floats,
) -> None:
    """Take the arrivals since time ``begin`` out of a list and write them in rank order."""
    left = new = 0
    for i in range(length):
        item = listed[i]
        when, its_gain = item >> _GRADE, gains[item & ((1 << _GRADE) - 1)]
        is_new = int(when >= begin)  # no branch on it: each item is written to both, and one place is kept
        listed[left], old[left] = item, its_gain
        time[new], rank[new], gain[new] = when - begin, left + 1, its_gain
        left += 1 - is_new
        new += is_new


@njit(cache=True)
def _renumber(time: Ints, count: int, arrived: Ints, target: Ints) -> None:
    """Number the first ``count`` arrivals by time, 0 … count - 1; arrived[t] of them come by time t."""
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
    """Write the inner products of ``count`` blocks with each row's block of weights, eight at a time."""
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
    listed: Integers,
    gains: Floats,
    stretch: int,
    modes: Modes,
    weights: Floats,
    crossings: Crossings,
    space: _Space,
    out: Floats,
) -> None:
    """Add the sums of all stretches of time to ``out``; ``listed`` is overwritten."""
    rows = out.shape[0]
    effect, time, sums, own, weighted = space
    step = weighted.size // rows
    old = np.empty(listed.size)
    when, rank, gain = np.empty(stretch + 1, np.int32), np.empty(stretch + 1, np.int32), np.empty(stretch + 1)
    has_cutoff = crossings.cut.size > 0
    followed = own if has_cutoff else sums
    end = listed.size
    while end > 0:
        begin = (end - 1) // stretch * stretch
        length = end - begin
        arrived = np.empty(length, np.int32)
        _take_out(listed, end, begin, gains, old, when, rank, gain)
        for b in range(modes.reach.size):
            count, last = length, begin
            if modes.reach[b] < last:
                last = int(modes.reach[b])
                count = int(np.searchsorted(rank[:count], last, side="right"))
            if count < length:
                _renumber(when, count, arrived, time)
            else:
                time[:length] = when[:length]
                for t in range(length):
                    arrived[t] = t + 1
            high, low, rest = modes.high[b], modes.low[b], modes.rest[b]
            start = effects(old, last, rank, gain, count, high, low, rest, effect)
            follow(effect, time, count, start, high, low, rest, has_cutoff, followed)
            if not has_cutoff:
                weigh(sums, count + 1, weights, rows * WIDTH * b, rows, weighted)
                for i in range(rows):
                    part, added = out[i, begin:end], weighted[i * step : (i + 1) * step]
                    if count == length:
                        for t in range(length):
                            part[t] += added[t + 1]
                    else:
                        for t in range(length):
                            part[t] += added[arrived[t]]
                continue
            shown = min(last, crossings.cut[begin - 1]) if begin > 0 else 0
            start = effects(old, shown, rank, gain, 0, high, low, rest, effect)
            _up_to_cutoff(own, arrived, begin, length, modes.reach[b], crossings, start, high, low, sums)
            weigh(sums, length, weights, rows * WIDTH * b, rows, weighted)
            for i in range(rows):
                for t in range(length):
                    out[i, begin + t] += weighted[i * step + t]
        end = begin
