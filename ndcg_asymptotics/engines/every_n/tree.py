"""A static binary tree over the final rank order of a stream, filled as its items arrive.

The N items are known from the start, so the leaves share out the final ranks once and for all. A
leaf lists the items with a gain that have arrived, by their rank within the leaf; an inner node
counts the arrivals in its left child. What else nodes keep is up to the users of the tree
(`engines.modes`, `engines.moments`): an arrival changes one path from a leaf to the root.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.engines.every_n.simd import aligned

Ints = NDArray[np.int32]

LEAF = 32  # items in a leaf, at most: a leaf's arrivals are one cache line of 16-bit words
RANK = 256  # a leaf keeps an item as 256 rank + grade


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
    grade: NDArray[np.uint8]
    gains: Floats


class Tree(NamedTuple):
    """The state: how many items have arrived in left children; leaves; sums V_m of nodes."""

    left: Ints
    leaf: NDArray[np.uint16]
    filled: NDArray[np.uint8]
    share: int  # final ranks per leaf
    sums: Floats


def make_tree(items: int, modes: int) -> Tree:
    """An empty tree for a stream of so many items and modes (a multiple of `WIDTH`)."""
    leaves = leaf_count(items)
    share = -(-items // leaves)
    return Tree(
        np.zeros(leaves, np.int32),
        aligned(leaves * LEAF, np.uint16),
        np.zeros(leaves, np.uint8),
        share,
        aligned(2 * leaves * modes),
    )


def leaf_count(items: int) -> int:
    """The number of leaves, a power of two."""
    return 1 << max(0, (-(-items // LEAF) - 1).bit_length())


@njit(cache=True)
def arrival_ranks(position: Ints) -> Ints:
    """The rank of each item among those that arrived before it and itself (a Fenwick tree)."""
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


@njit(cache=True)
def climb(tree: Tree, node: int, path: NDArray[np.int64]) -> tuple[int, int]:
    """Count an arrival in a leaf; the counts of the left children on the way up go to ``path``.

    Returns the height of the tree and the number of items that arrived in earlier leaves.
    """
    before, height = 0, 0
    while node > 1:
        up, right = node >> 1, node & 1  # which child it is cannot be predicted: no branch on it
        count = tree.left[up]
        before += right * count
        count += 1 - right
        tree.left[up] = count
        path[height] = count
        height += 1
        node = up
    return height, before


@njit(cache=True)
def insert(tree: Tree, leaf: int, rank: int, grade: int, none: int) -> int:
    """Insert an item into a leaf at a rank; returns how many items with a gain the leaf has now.

    ``none`` is the grade of the gain 0.
    """
    start, filled = leaf * LEAF, np.int64(tree.filled[leaf])
    i = start + filled - 1
    while i >= start and tree.leaf[i] >= rank * RANK:
        tree.leaf[i] += np.uint16(RANK)
        i -= 1
    if grade != none:
        for j in range(start + filled - 1, i, -1):
            tree.leaf[j + 1] = tree.leaf[j]
        tree.leaf[i + 1] = np.uint16(rank * RANK + grade)
        filled += 1
        tree.filled[leaf] = filled
    return int(filled)
