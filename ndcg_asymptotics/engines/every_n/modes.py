"""NDCG of a growing list with a cutoff, for discounts that are sums of exponentials.

With D(r) = sum_m w_m z_m^r, DCG is sum_m w_m V_m, V_m = sum of gain z_m^rank. A node of the tree
keeps V_m over those of its items that have arrived, ranks counted within the node; with c of them
in the left child,

    V_m = V_m(left) + z_m^c V_m(right),

so the first k ranks of all n are evaluated in O(M log N) each, for every discount with these rates at
once. An arrival at rank r changes no V_m of the whole list by more than z_m^r / (1 - z_m), so only the
modes with lambda_m r <= `REACH` are touched (modes are ordered by rate). The powers z_m^c come from two
tables, c = 1024 h + j, and are good to rounding whatever c.

A node's children lie side by side in memory, in blocks of eight modes that alternate: block b of
node i starts at ``2 M (i // 2) + 16 b + 8 (i % 2)``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.engines.every_n.simd import (
    WIDTH,
    aligned,
    fill,
    load,
    multiply_add,
    prefetch,
    store,
)
from ndcg_asymptotics.engines.every_n.tree import LEAF, RANK, Arrivals, Ints, Tree, climb, insert

REACH = 40.0  # exp(-40) = 4e-18
_LOW_BITS = 10
_LOW = (1 << _LOW_BITS) - 1
_AHEAD = 8  # arrivals between a prefetch and its use
_DEPTH = 5  # levels above the leaves that are prefetched


class Modes(NamedTuple):
    """Rates as tables: z^(1024 h) and z^l; 1 - z; the largest rank at which each block of modes matters."""

    high: Floats
    low: Floats
    rest: Floats
    reach: Floats


class Rows(NamedTuple):
    """What to evaluate: row i with weights[i], rows first[c] … first[c + 1] - 1 with cutoff cut[c, n - 1]."""

    cut: Ints
    first: NDArray[np.int64]
    weights: Floats


def make_modes(rates: Floats, largest: int) -> Modes:
    """Tables of increasing rates, filled up to whole blocks with copies of the last."""
    padded = np.pad(rates, (0, -len(rates) % WIDTH), mode="edge")
    high, low = aligned((largest // (_LOW + 1) + 1) * len(padded)), aligned((_LOW + 1) * len(padded))
    high.reshape(-1, len(padded))[:] = np.exp(
        -np.outer(np.arange(len(high) // len(padded)) * (_LOW + 1.0), padded)
    )
    low.reshape(-1, len(padded))[:] = np.exp(-np.outer(np.arange(_LOW + 1.0), padded))
    rest = aligned(len(padded))
    rest[:] = -np.expm1(-padded)
    return Modes(high, low, rest, REACH / padded[::WIDTH])


@njit(cache=True)
def power(high: Floats, low: Floats, width: int, rank: int, mode: int) -> Floats:
    """z^rank for the block of modes that starts at one of them."""
    return load(high, (rank >> _LOW_BITS) * width + mode) * load(low, (rank & _LOW) * width + mode)


@njit(cache=True)
def _alive(modes: Modes, rank: int) -> int:
    blocks = 0
    while blocks < modes.reach.size and modes.reach[blocks] >= rank:
        blocks += 1
    return blocks


@njit(cache=True)
def _leaf_sums(
    tree: Tree,
    gains: Floats,
    modes: Modes,
    leaf: int,
    last: int,
    blocks: int,
    target: Floats,
    t: int,
    step: int,
) -> None:
    """target = V_m over the items of a leaf at ranks up to ``last``."""
    width = modes.reach.size * WIDTH
    for b in range(blocks):
        total = fill(0.0)
        for i in range(leaf * LEAF, leaf * LEAF + tree.filled[leaf]):
            rank = int(np.int64(tree.leaf[i])) // RANK
            if rank > last:
                break
            gain = fill(gains[tree.leaf[i] % RANK])
            total = multiply_add(gain, load(modes.low, rank * width + WIDTH * b), total)
        store(target, t + step * b, total)


@njit(cache=True)
def _prefix(tree: Tree, gains: Floats, modes: Modes, last: int, total: Floats, leaf_total: Floats) -> None:
    """total = V_m over the items at ranks up to ``last``."""
    width = modes.reach.size * WIDTH
    total[:] = 0.0
    node, before = 1, 0
    while node < tree.left.size:
        count = tree.left[node]
        node *= 2
        if last - before > count:
            for b in range(_alive(modes, before)):
                shift = power(modes.high, modes.low, width, before, WIDTH * b)
                sums = load(tree.sums, node * width + 2 * WIDTH * b)
                store(total, WIDTH * b, multiply_add(shift, sums, load(total, WIDTH * b)))
            before += count
            node += 1
    blocks = _alive(modes, before)
    _leaf_sums(tree, gains, modes, node - tree.left.size, last - before, blocks, leaf_total, 0, WIDTH)
    for b in range(blocks):
        shift = power(modes.high, modes.low, width, before, WIDTH * b)
        store(total, WIDTH * b, multiply_add(shift, load(leaf_total, WIDTH * b), load(total, WIDTH * b)))


@njit(cache=True)
def _weigh(weights: Floats, w: int, sums: Floats, blocks: int, lanes: Floats) -> float:
    """sum_m w_m V_m, in an order that depends on nothing but the number of modes."""
    total = fill(0.0)
    for b in range(blocks):
        total = multiply_add(load(weights, w + WIDTH * b), load(sums, WIDTH * b), total)
    store(lanes, 0, total)
    return float(
        ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]))
    )


@njit(cache=True)
def _fetch_ahead(tree: Tree, modes: Modes, position: int, rank: int) -> None:
    """Ask for what an arrival will need, while earlier ones are being worked on."""
    node = position // tree.share
    prefetch(tree.leaf, node * LEAF)
    node += tree.left.size
    blocks, pair = _alive(modes, rank), 2 * modes.reach.size * WIDTH
    for _ in range(_DEPTH):
        node >>= 1
        prefetch(tree.left, node)
        for b in range(2 * blocks):
            prefetch(tree.sums, node * pair + WIDTH * b)


@njit(cache=True)
def _update(arrivals: Arrivals, n: int, modes: Modes, tree: Tree, path: NDArray[np.int64]) -> None:
    """Let item n arrive."""
    width, step = modes.reach.size * WIDTH, 2 * WIDTH
    leaf = arrivals.position[n] // tree.share
    node = tree.left.size + leaf
    height, before = climb(tree, node, path)
    insert(tree, leaf, arrivals.rank[n] - before, arrivals.grade[n], arrivals.gains.size - 1)
    blocks = _alive(modes, arrivals.rank[n])
    at = (node >> 1) * 2 * width + WIDTH * (node & 1)
    _leaf_sums(tree, arrivals.gains, modes, leaf, LEAF, blocks, tree.sums, at, step)
    for level in range(height):
        node >>= 1
        count = path[level]
        child, at = node * 2 * width, (node >> 1) * 2 * width + WIDTH * (node & 1)
        for b in range(blocks):
            left, right = load(tree.sums, child + step * b), load(tree.sums, child + step * b + WIDTH)
            shift = power(modes.high, modes.low, width, count, WIDTH * b)
            store(tree.sums, at + step * b, multiply_add(shift, right, left))


@njit(cache=True)
def weighted_modes(
    arrivals: Arrivals,
    modes: Modes,
    tree: Tree,
    rows: Rows,
    target: NDArray[np.int64],
    scratch: Floats,
    out: Floats,
) -> None:
    """The sum over the first k(n) ranks of gain sum_m weights[i, m] z_m^rank, for every n.

    It goes to out[target[i], n - 1]. ``scratch`` holds 2 M + 8 aligned numbers; the tree starts empty.
    """
    blocks = modes.reach.size
    width = blocks * WIDTH
    total, leaf_total, lanes = scratch[:width], scratch[width : 2 * width], scratch[2 * width :]
    path = np.empty(64, np.int64)
    for n in range(arrivals.position.size):
        if n + _AHEAD < arrivals.position.size:
            _fetch_ahead(tree, modes, arrivals.position[n + _AHEAD], arrivals.rank[n + _AHEAD])
        _update(arrivals, n, modes, tree, path)
        for c in range(rows.first.size - 1):
            k = rows.cut[c, n]
            same = n > 0 and rows.cut[c, n - 1] == k and arrivals.rank[n] > k
            if not same:
                _prefix(tree, arrivals.gains, modes, k, total, leaf_total)
            for i in range(rows.first[c], rows.first[c + 1]):
                if same:
                    out[target[i], n] = out[target[i], n - 1]
                else:
                    out[target[i], n] = _weigh(rows.weights, i * width, total, blocks, lanes)
