"""The linear discount at every list length: sums of gains, and of gain times rank, on the tree.

``D_n(r) = n - r`` needs, over the first k ranks, G = sum of gains and S = sum of gain x rank. With
c items in the left child, ``S = S(left) + S(right) + c G(right)``: O(log N) per arrival and per
question. Whole gains give whole numbers, exact up to 2^53.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.engines.every_n.tree import LEAF, RANK, Arrivals, Ints, Tree, climb, insert


@njit(cache=True)
def _leaf_moments(tree: Tree, gains: Floats, leaf: int, last: int) -> tuple[float, float]:
    """G and S of the items of a leaf at ranks up to ``last``."""
    total, ranked = 0.0, 0.0
    for i in range(leaf * LEAF, leaf * LEAF + tree.filled[leaf]):
        rank = int(np.int64(tree.leaf[i])) // RANK
        if rank <= last:
            total += gains[tree.leaf[i] % RANK]
            ranked += gains[tree.leaf[i] % RANK] * rank
    return total, ranked


@njit(cache=True)
def _first(tree: Tree, gains: Floats, last: int) -> tuple[float, float]:
    """G and S of the items at ranks up to ``last``."""
    node, before, total, ranked = 1, 0, 0.0, 0.0
    while node < tree.left.size:
        count = tree.left[node]
        node *= 2
        if last - before > count:
            total += tree.sums[2 * node]
            ranked += tree.sums[2 * node + 1] + before * tree.sums[2 * node]
            before += count
            node += 1
    more, further = _leaf_moments(tree, gains, node - tree.left.size, last - before)
    return total + more, ranked + further + before * more


@njit(cache=True)
def moments(arrivals: Arrivals, tree: Tree, cut: Ints, out: Floats) -> None:
    """out[0, n - 1] and out[1, n - 1] = G and S over the first cut[n - 1] ranks, for every n."""
    path = np.empty(64, np.int64)
    for n in range(arrivals.position.size):
        leaf = arrivals.position[n] // tree.share
        node = tree.left.size + leaf
        height, before = climb(tree, node, path)
        insert(tree, leaf, arrivals.rank[n] - before, arrivals.grade[n], arrivals.gains.size - 1)
        total, ranked = _leaf_moments(tree, arrivals.gains, leaf, LEAF)
        tree.sums[2 * node], tree.sums[2 * node + 1] = total, ranked
        for level in range(height):
            node >>= 1
            left, right = 4 * node, 4 * node + 2
            tree.sums[2 * node] = tree.sums[left] + tree.sums[right]
            shifted = tree.sums[right + 1] + path[level] * tree.sums[right]
            tree.sums[2 * node + 1] = tree.sums[left + 1] + shifted
        if cut[n] > n:
            out[0, n], out[1, n] = tree.sums[2], tree.sums[3]
        else:
            out[0, n], out[1, n] = _first(tree, arrivals.gains, cut[n])
