"""Sums over a growing list, at every list length, for discounts that are sums of exponentials.

With D(r) = sum_m w_m z_m^r, DCG is sum_m w_m V_m, where V_m is the sum of gain z_m^rank. This module
computes all V_m after every arrival by equation (12) of docs/theory.md, 24 modes m at a time.

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
gives those of the late half. M arrivals take M log M steps of 24 modes each, one after another in
memory. Nothing is subtracted, so nothing cancels. Effects take 192 bytes each, and the caches hold those
of a few thousand arrivals: the first halvings are made together for each chunk of arrivals (`_spread`), the
others one after another for each near stretch of time (`_follow_near`).

An effect depends only on what ranks above the arrival. With a cutoff, an arrival above it therefore has
the same effect as in the whole list, an arrival below it has none, and the item that crosses the cutoff
adds or removes its own term (`kernels.Crossings`).

The stream is cut into stretches of time. They are processed from the last to the first: the list before
a stretch is the list after it without the arrivals of the stretch. An item at rank r adds no more than
z^r to V, and its arrival changes V by no more than z^r / (1 - z), so 24 modes look only at ranks up to
their `reach`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.engines.compiled import kernel
from ndcg_asymptotics.engines.every_n.kernels import Crossings, Ints
from ndcg_asymptotics.engines.shared.simd import (
    WIDE,
    WIDTH,
    aligned,
    choose,
    fill,
    inner_products,
    load_wide,
    multiply_add,
    store,
)

_REACH = 40.0  # a mode ends where z^rank is exp(-40) = 4e-18
_LOW_BITS = 10  # powers z^c come from two tables, c = 1024 h + l, and are good to rounding whatever c
_LOW = 1 << _LOW_BITS

_STRETCHES = 8  # fewer: more halvings; more: the list is read more often
_SHORTEST = 512
_NEAR = 12  # of 2^12 arrivals most halvings are within the second-level cache
_CHUNK = 1024  # arrivals that are spread over near stretches before the next ones: more need a larger cache
_FEW = WIDTH  # arrivals that are followed one by one
_TILE = 64  # ranks of the old list whose sums are kept at a time
_PARTS = 4  # chains of sums at a time, as each waits for its last product
_PART = _TILE // _PARTS  # ranks of a chain
_RUN = 256  # steps of a recursion before its rounding errors are put aside
_DEEPEST = 64  # nodes that wait for their turn
_HALVES = (2 << _NEAR) + _FEW * _DEEPEST  # effects of halves of a near stretch, of their halves, and so on
_GRADE = 8  # bits of a grade


class Modes(NamedTuple):
    """Rates as tables, a row for 24 modes: z^(1024 h) and z^l; 1 - z; the largest rank that matters."""

    high: Floats
    low: Floats
    complement: Floats
    reach: Floats


class ModeBlock(NamedTuple):
    """The tables of 24 modes, a row of `Modes`."""

    high: Floats
    low: Floats
    complement: Floats


class _Arrivals(NamedTuple):
    """Effects of arrivals, 24 numbers each, and their times."""

    effect: Floats
    time: Ints


class _Space(NamedTuple):
    """Work space for a stretch.

    Attributes
    ----------
    time
        Times of the arrivals within reach, in rank order.
    near
        The arrivals near stretch by near stretch, and behind them space for the halves of one.
    chunk
        The arrivals of a chunk, with space for its halves.
    sums, counts
        Of the nodes of `_spread`.
    starts
        The sum before each few arrivals of a near stretch.
    tile
        Of `effects`, and of the sums that `weigh` weighs.
    on_arrival
        With a cutoff, the effects of the arrivals when they arrive.
    weighted
        Sums of a block of modes, weighted.
    """

    time: Ints
    near: _Arrivals
    chunk: _Arrivals
    sums: Floats
    counts: Integers
    starts: Floats
    tile: Floats
    on_arrival: Floats
    weighted: Floats


def make_modes(rates: Floats, largest: int) -> Modes:
    """Return tables of increasing rates, padded to whole blocks with copies of the last rate."""
    padded = np.pad(rates, (0, -len(rates) % WIDE), mode="edge").reshape(-1, WIDE)
    high = _powers(padded, np.arange(0.0, largest + 1, _LOW))
    low = _powers(padded, np.arange(_LOW + 1.0))
    complement = aligned(padded.size).reshape(padded.shape)
    complement[:] = -np.expm1(-padded)
    return Modes(high, low, complement, _REACH / padded[:, 0])


def _powers(rates: Floats, exponents: Floats) -> Floats:
    """Return z^c of each 24 modes for some c, one c after another, (rows, 24 numbers of c)."""
    powers = aligned(rates.size * exponents.size).reshape(len(rates), -1)
    for row, modes in zip(powers, rates, strict=True):
        row.reshape(-1, WIDE)[:] = np.exp(-np.outer(exponents, modes))
    return powers


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
        For as many modes as there are in whole blocks of 24.
    crossings : Crossings, optional
        Which items cross the cutoff. The sum is over the whole list if it is not given.

    Returns
    -------
    (rows, N) array
    """
    items, rows = order.size, len(weights)
    stretch = _stretch(items)
    space = make_space(stretch, rows, has_cutoff=crossings is not None)
    out = np.zeros((rows, items))
    packed = order.astype(np.int64) << _GRADE | grade[order]
    blocks = aligned(weights.size).reshape(-1, rows, WIDE)
    blocks[:] = weights.reshape(rows, -1, WIDE).transpose(1, 0, 2)
    empty = np.empty(0, np.int32)
    cut = crossings or Crossings(empty, empty.astype(np.uint8), empty.astype(np.int64), empty, np.empty(0))
    _through_stretches(packed, gains, stretch, modes, blocks.reshape(len(blocks), -1), cut, space, out)
    return out


def make_space(stretch: int, rows: int, *, has_cutoff: bool) -> _Space:
    """Return work space for stretches of up to so many arrivals, a multiple of eight."""
    size, nodes = stretch + _HALVES, 2 << _halvings(stretch)
    return _Space(
        np.empty(stretch, np.int32),
        _Arrivals(aligned(WIDE * size), np.empty(size, np.int32)),
        _Arrivals(aligned(WIDE * 2 * _CHUNK), np.empty(2 * _CHUNK, np.int32)),
        aligned(WIDE * nodes),
        np.empty(nodes, np.int64),
        aligned(WIDE * (1 << _NEAR) // _FEW),
        aligned(WIDE * (_TILE + 2 * _PARTS)),
        aligned(WIDE * stretch if has_cutoff else 0),
        aligned(rows * (_FEW + stretch)),
    )


def memory_of_sums(items: int, rows: int) -> int:
    """Return the bytes that the arrays of `exponential_sums` take at most, without its result."""
    return 16 * items + _stretch(items) * (2 * 8 * WIDE + 8 * rows + 28)


def _stretch(items: int) -> int:
    """Return the number of arrivals that are followed in one go, a power of two."""
    return max(_SHORTEST, 1 << max(round(math.log2(items / _STRETCHES)), 0))


@kernel
def _halvings(count: int) -> int:
    """Return how many halvings of ``count`` arrivals leave no more than a near stretch."""
    halvings = 0
    while count > 1 << (_NEAR + halvings):
        halvings += 1
    return halvings


@kernel
def _power(high: Floats, low: Floats, rank: int) -> Floats:
    """Return z^rank for the modes of a block."""
    return load_wide(high, (rank >> _LOW_BITS) * WIDE) * load_wide(low, (rank & (_LOW - 1)) * WIDE)


@kernel
def effects(
    old: Floats, last: int, rank: Ints, gain: Floats, count: int, space: _Space, block: ModeBlock
) -> Floats:
    """Compute the effects B_k of some arrivals, spread them over near stretches of time, and return V.

    Parameters
    ----------
    old : (last + 64 or more,)
        Gains of the list before the first arrival, in rank order; those up to rank ``last`` count.
    rank, gain : (count or more,)
        r_k, non-decreasing, and gain_k.
    space : _Space
        ``time`` has the arrivals' times, 0 … count - 1. ``near`` is written: near stretches one after
        another, each in rank order, with their effects after the earlier ones.
    block : Block
    """
    high, low, complement = block
    time, tile = space.time, space.tile
    chunk, chunk_time = space.chunk
    halvings = _halvings(count)
    space.sums[: WIDE << halvings] = 0.0
    space.counts[: 2 << halvings] = 0
    loss, above, k, filled = load_wide(complement, 0), fill(0.0), 0, 0
    whole = above
    for begin in range(0, last + 1, _TILE):
        total = _tile_sums(old, begin, low, tile)
        at, lost = _power(high, low, begin), loss * above
        while k < count and rank[k] <= begin + _TILE:
            i = rank[k] - 1 - begin
            own_term = fill(gain[k]) * load_wide(low, WIDE * (i + 1))
            new = multiply_add(loss, _first_of(tile, low, i), own_term)
            store(chunk, WIDE * filled, multiply_add(at, new, lost))
            chunk_time[filled] = time[k]
            k += 1
            filled += 1
            if filled == _CHUNK or k == count:
                _spread(filled, halvings, space, block)
                filled = 0
        if last < begin + _TILE:
            whole = multiply_add(at, _first_of(tile, low, last - begin), above)
        above = multiply_add(at, total, above)
    return whole


@kernel
def _spread(count: int, halvings: int, space: _Space, block: ModeBlock) -> None:
    """Append the arrivals of a chunk to their near stretches.

    Node 1 is the whole stretch, the halves of node i are nodes 2 i and 2 i + 1, and the last are near
    stretches. The sums and numbers that `_split` carries on stand in ``sums`` and ``counts`` at each node; at
    a near stretch ``counts`` is how many arrivals it has.
    """
    near, chunk, sums, counts = space.near, space.chunk, space.sums, space.counts
    chunk_time = chunk.time
    if halvings == 0:
        for i in range(WIDE * count):
            near.effect[WIDE * counts[1] + i] = chunk.effect[i]
        for k in range(count):
            near.time[counts[1] + k] = chunk_time[k]
        counts[1] += count
        return
    ends = np.empty(2 << halvings, np.int64)  # where the arrivals of each node end in the chunk
    source, target = 0, _CHUNK
    ends[1] = count
    for level in range(halvings):
        half = 1 << (_NEAR + halvings - level - 1)
        begin = 0
        for node in range(1 << level, 2 << level):
            end, middle = ends[node], (2 * (node - (1 << level)) + 1) * half
            early = 0
            for k in range(begin, end):
                early += chunk_time[source + k] < middle
            ends[2 * node], ends[2 * node + 1] = begin + early, end
            number, before, total = end - begin, counts[node], load_wide(sums, WIDE * node)
            first = source + begin
            if level < halvings - 1:
                to = target + begin
                total = _split(chunk, first, number, middle, before, total, chunk, to, to + early, block)
            else:
                to, late = middle - half + counts[2 * node], middle + counts[2 * node + 1]
                total = _split(chunk, first, number, middle, before, total, near, to, late, block)
                counts[2 * node] += early
                counts[2 * node + 1] += number - early
            store(sums, WIDE * node, total)
            counts[node] = before + early
            begin = end
        source, target = target, source


@kernel
def _tile_sums(old: Floats, begin: int, low: Floats, tile: Floats) -> Floats:
    """Write sums of gain z^rank over the first ranks of a tile, as if it began the list; return that of all.

    They begin anew in each part of the tile; those over the parts before it stand at the end.
    """
    for part in range(_PARTS):
        store(tile, WIDE * (_PART + 1) * part, fill(0.0))
    for i in range(_PART):
        power = load_wide(low, WIDE * (i + 1))
        for part in range(_PARTS):
            at = WIDE * ((_PART + 1) * part + i)
            gain = fill(old[begin + _PART * part + i])
            store(tile, at + WIDE, multiply_add(gain, power, load_wide(tile, at)))
    total = fill(0.0)
    for part in range(_PARTS):
        store(tile, WIDE * (_TILE + _PARTS + part), total)
        last = load_wide(tile, WIDE * ((_PART + 1) * part + _PART))
        total = multiply_add(load_wide(low, WIDE * _PART * part), last, total)
    return total


@kernel
def _first_of(tile: Floats, low: Floats, i: int) -> Floats:
    """Return the sum over the first i < 64 ranks of a tile."""
    part = i // _PART
    before = load_wide(tile, WIDE * (_TILE + _PARTS + part))
    return multiply_add(load_wide(low, WIDE * _PART * part), load_wide(tile, WIDE * (i + part)), before)


@kernel
def _split(
    source: _Arrivals,
    first: int,
    count: int,
    middle: int,
    before: int,
    total: Floats,
    target: _Arrivals,
    early: int,
    late: int,
    block: ModeBlock,
) -> Floats:
    """Copy the arrivals before time ``middle`` to ``early``, and the others to ``late`` with effects B_k(X).

    The early arrivals above the first of these are ``before``, and their sum of z^(a_k) B_k is ``total``.
    Returns the sum over all of them.
    """
    effect, time = source
    out, out_time = target
    high, low, complement = block
    loss, zero = load_wide(complement, 0), fill(0.0)
    times, early, late = time[first : first + count], early - before, late + before
    for k in range(count):
        its_effect, when = load_wide(effect, WIDE * (first + k)), times[k]
        is_early = int(when < middle)  # unpredictable, so there is no branch on it
        # z^(a_k) B_k, to which an arrival that is not in X adds the effects above it, and then has B_k(X)
        shifted = _power(high, low, before) * its_effect
        place = early + before if is_early else late + k - before
        store(out, WIDE * place, choose(is_early, its_effect, multiply_add(loss, total, shifted)))
        out_time[np.uint64(place)] = when
        total = total + choose(is_early, shifted, zero)
        before += is_early
    return total


@kernel(forceinline=True)
def _effects_one_by_one(
    effect: Floats,
    time: Ints,
    first: int,
    begin: int,
    place: Integers,
    z: Floats,
    loss: Floats,
    out: Floats,
    at: int,
) -> None:
    """Write the effect of each of a few arrivals when it arrives, in order of time, from ``out[at]`` on."""
    for k in range(_FEW):
        place[time[first + k] - begin] = k
    for late in range(_FEW):
        effect_now = load_wide(effect, WIDE * (first + place[late]))
        for early in range(late):
            is_above = int(place[early] < place[late])  # unpredictable, so there is no branch on it
            new = loss * load_wide(out, at + WIDE * early)
            effect_now = choose(is_above, multiply_add(effect_now, z, new), effect_now)
        store(out, at + WIDE * late, effect_now)


@kernel
def follow(
    count: int, start: Floats, space: _Space, block: ModeBlock, weights: Floats | None, rows: int
) -> None:
    """Write weighted sums after the first t arrivals, or the effect of arrival t when it arrives.

    Parameters
    ----------
    start : V before the first arrival
    space : _Space
        From `effects`. Written are row by row the weighted sum after t arrivals, to 7 + t of each row of
        ``weighted``, or without weights the effect of arrival t, to 24 t … 24 t + 23 of ``on_arrival``.
    block : Block
    weights : (24 rows,), optional
    """
    step = space.weighted.size // max(rows, 1)
    if weights is not None:
        for t in range(_FEW):
            store(space.tile, WIDE * t, start)
        weigh(space.tile, weights, rows, step, 0, space.weighted)
    nodes, place = np.empty((_DEEPEST, 4), np.int64), np.empty(_FEW, np.int64)
    for first in range(0, count, 1 << _NEAR):
        number = min(1 << _NEAR, count - first)
        start = _follow_near(first, number, start, space, nodes, place, block, weights, rows, step)


@kernel
def _follow_near(
    origin: int,
    count: int,
    start: Floats,
    space: _Space,
    nodes: Integers,
    place: Integers,
    block: ModeBlock,
    weights: Floats | None,
    rows: int,
    step: int,
) -> Floats:
    """Do what `follow` does for a near stretch that begins at time ``origin``, and return V after it."""
    high, low, complement = block
    near, starts, tile = space.near, space.starts, space.tile
    on_arrival, weighted = space.on_arrival, space.weighted
    effect, time = near
    z, loss = load_wide(low, WIDE), load_wide(complement, 0)
    whole = -(-count // _FEW) * _FEW
    for k in range(count, whole):  # arrivals that come last, at the end, and so change nothing
        store(effect, WIDE * (origin + k), fill(0.0))
        time[origin + k] = origin + k
    # where it begins, how many, the first time, free space
    nodes[0, 0], nodes[0, 1], nodes[0, 2], nodes[0, 3] = origin, whole, origin, time.size - _HALVES
    store(starts, 0, start)
    waiting = 1
    while waiting > 0:
        waiting -= 1
        first, size, begin, free = nodes[waiting, 0], nodes[waiting, 1], nodes[waiting, 2], nodes[waiting, 3]
        if size == _FEW:
            if weights is None:
                _effects_one_by_one(effect, time, first, begin, place, z, loss, on_arrival, WIDE * begin)
            else:
                _effects_one_by_one(effect, time, first, begin, place, z, loss, tile, 0)
                start = load_wide(starts, WIDE * ((begin - origin) // _FEW))
                for t in range(_FEW):
                    start = multiply_add(z, start, load_wide(tile, WIDE * t))
                    store(tile, WIDE * t, start)
                weigh(tile, weights, rows, step, _FEW + begin, weighted)
            continue
        half = (size // _FEW + 1) // 2 * _FEW
        middle, late, after, zero = begin + half, free + half, free + size, fill(0.0)
        total = _split(near, first, size, middle, 0, zero, near, free, late, block)
        if weights is not None:
            at = WIDE * ((begin - origin) // _FEW)
            before = load_wide(starts, at)
            store(starts, at + WIDE * (half // _FEW), multiply_add(_power(high, low, half), before, total))
        # number by number: of a tuple numba makes a loop with a jump
        nodes[waiting, 0], nodes[waiting, 1] = late, size - half
        nodes[waiting, 2], nodes[waiting, 3] = middle, after
        waiting += 1
        nodes[waiting, 0], nodes[waiting, 1] = free, half
        nodes[waiting, 2], nodes[waiting, 3] = begin, after
        waiting += 1
    return start


@kernel
def _up_to_cutoff(
    space: _Space,
    arrived: Ints,
    begin: int,
    length: int,
    reach: float,
    crossings: Crossings,
    start: Floats,
    block: ModeBlock,
    weights: Floats,
    rows: int,
) -> None:
    """Weigh the sum over the ranks above the cutoff after each arrival of a stretch, as `follow` does.

    Within a run, T = z^above base + local: ``local`` starts at 0, so that few rounding errors add up.

    Parameters
    ----------
    space : _Space
        ``on_arrival`` has the effects of the arrivals within reach, when they arrive; ``tile`` is
        overwritten, and ``weighted`` written.
    arrived : (length,)
        How many arrivals within reach there are up to each time.
    start : the sum before the stretch
    """
    high, low, _ = block
    on_arrival, totals, out = space.on_arrival, space.tile, space.weighted
    z, step = load_wide(low, WIDE), out.size // rows
    base, local, above, before = start, fill(0.0), 0, 0
    for t in range(length):
        n = begin + t
        if crossings.inside[n] and arrived[t] > before:
            local = multiply_add(z, local, load_wide(on_arrival, WIDE * before))
            above += 1
        before = arrived[t]
        for i in range(crossings.first[n], crossings.first[n + 1]):
            if crossings.rank[i] <= reach:
                term = _power(high, low, crossings.rank[i])
                local = multiply_add(fill(crossings.gain[i]), term, local)
        total = multiply_add(_power(high, low, above), base, local)
        store(totals, WIDE * (t % _FEW), total)
        if t % _FEW == _FEW - 1 or t == length - 1:
            weigh(totals, weights, rows, step, WIDTH + t // _FEW * _FEW, out)
        if t % _RUN == _RUN - 1:
            base, local, above = total, fill(0.0), 0


@kernel
def _take_out(
    packed: Integers,
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
        item = packed[i]
        when, its_gain = item >> _GRADE, gains[item & ((1 << _GRADE) - 1)]
        is_new = int(when >= begin)  # no branch on it: each item is written to both, and one place is kept
        packed[left], old[left] = item, its_gain
        time[new], rank[new], gain[new] = when - begin, left + 1, its_gain
        left += 1 - is_new
        new += is_new


@kernel
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


@kernel(forceinline=True)
def weigh(sums: Floats, weights: Floats, rows: int, step: int, at: int, out: Floats) -> None:
    """Write the inner products of eight blocks with each row's weights, from ``at`` on in its row."""
    for i in range(rows):
        store(out, i * step + at, inner_products(sums, load_wide(weights, WIDE * i)))


@kernel
def _begin(end: int, stretch: int) -> int:
    """Return where the stretch of time up to ``end`` begins.

    The first full stretch is halved towards time 0: modes that reach a few ranks only need a list before.
    """
    begin = (end - 1) // stretch * stretch
    if begin == 0 and end > _SHORTEST:
        begin = _SHORTEST
        while 2 * begin < end:
            begin *= 2
    return begin


@kernel
def _through_stretches(
    packed: Integers,
    gains: Floats,
    stretch: int,
    modes: Modes,
    weights: Floats,
    crossings: Crossings,
    space: _Space,
    out: Floats,
) -> None:
    """Add the sums of all stretches of time to ``out``; ``packed`` is overwritten."""
    rows = out.shape[0]
    weighted, time = space.weighted, space.time
    step = weighted.size // rows
    old = np.empty(packed.size + _TILE)
    when, rank, gain = np.empty(stretch + 1, np.int32), np.empty(stretch + 1, np.int32), np.empty(stretch + 1)
    has_cutoff = crossings.cut.size > 0
    end = packed.size
    while end > 0:
        begin = _begin(end, stretch)
        length = end - begin
        arrived = np.empty(length, np.int32)
        _take_out(packed, end, begin, gains, old, when, rank, gain)
        old[begin : begin + _TILE] = 0.0
        for b in range(modes.reach.size):
            count, last = length, begin
            if modes.reach[b] < last:
                last = int(modes.reach[b])
                count = int(np.searchsorted(rank[:count], last, side="right"))
            _renumber(when, count, arrived, time)
            block, of_block = ModeBlock(modes.high[b], modes.low[b], modes.complement[b]), weights[b]
            start = effects(old, last, rank, gain, count, space, block)
            if not has_cutoff:
                follow(count, start, space, block, of_block, rows)
                for i in range(rows):
                    part, added = out[i, begin:end], weighted[i * step + WIDTH - 1 : (i + 1) * step]
                    for t in range(length):
                        part[t] += added[arrived[t]]
                continue
            follow(count, start, space, block, None, 0)
            cut_rank = min(last, crossings.cut[begin - 1]) if begin > 0 else 0
            start = effects(old, cut_rank, rank, gain, 0, space, block)
            reach = modes.reach[b]
            _up_to_cutoff(space, arrived, begin, length, reach, crossings, start, block, of_block, rows)
            for i in range(rows):
                for t in range(length):
                    out[i, begin + t] += weighted[i * step + WIDTH + t]
        end = begin
