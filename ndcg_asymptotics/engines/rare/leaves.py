"""One scorer's list as counts in cells of depth, which are divided until the order of the pair is decided.

A *leaf* is a stretch of depth with its items counted by label; leaves stand in the order of depth.
The base cells' halves, quarters, … are known by the curve down to `LEVELS` cuts, below which
both halves are equally likely. An item's place is cut when needed, by binomials, so the counts of all
leaves are an exact draw at any resolution.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.engines.compiled import kernel
from ndcg_asymptotics.engines.engine import UNDECIDED
from ndcg_asymptotics.engines.shared.tables import Tables, cumulative, greatest_dcg

LEVELS = 4  #: cuts of a base cell whose halves have probabilities of their own; below, both have 1/2
UNKNOWN = int(UNDECIDED)
LEAVES = 2**16  #: of both scorers, at most
ITEMS = 10**7  #: items that are put in order one by one where leaves do not do
_ROUNDING = 1e-12  # of the largest DCG there can be
_ROUNDS = 200


class MeasureTable(NamedTuple):
    """A measure at one list length, as kernels read it."""

    tables: Tables
    row: int
    cut: int
    gains: Floats  # decreasing, then 0


class Leaves(NamedTuple):
    """A scorer's list as counts in leaves. ``counts`` and ``mass``, P(leaf | label), are (leaf, label)."""

    counts: Integers
    mass: Floats
    cell: Integers  # the base cell
    heap: Integers  # the place in it: 1 is the whole, 2i and 2i + 1 are the halves of i; 0 beyond `LEVELS`
    low: Floats
    high: Floats
    mean: Floats


@kernel
def bracket_of_leaf(table: MeasureTable, counts: Integers, above: int) -> tuple[float, float, float]:
    """Return the least, the greatest and the mean part of DCG of a leaf with ``above`` items above it."""
    near, far, start, length = table.tables
    gains, cut, row = table.gains, table.cut, table.row
    total, last, kinds = 0, len(gains) - 1, 0
    gain = 0.0
    for g in range(len(gains)):
        total += counts[g]
        gain += gains[g] * counts[g]
        kinds += counts[g] > 0
    if gain == 0.0 or above >= cut:
        return 0.0, 0.0, 0.0
    first = cumulative(near, far, start, length, row, above)
    whole = cumulative(near, far, start, length, row, min(above + total, cut)) - first
    mean = gain / total * whole
    if kinds == 1:
        return mean, mean, mean
    # DCG is largest with the gains decreasing from the top of the leaf and smallest with them increasing
    # (equation (13) of docs/theory.md for several gains)
    high = greatest_dcg(near, far, start, length, row, cut, gains, counts, above, first)
    low = 0.0
    position = above + counts[last]
    before = cumulative(near, far, start, length, row, min(position, cut))
    for g in range(last - 1, -1, -1):
        position += counts[g]
        after = cumulative(near, far, start, length, row, min(position, cut))
        low += gains[g] * (after - before)
        before = after
    return low, high, mean


@kernel
def measure_all(table: MeasureTable, leaves: Leaves) -> None:
    """Write every leaf's least, greatest and mean part of DCG."""
    above = 0
    for i in range(len(leaves.cell)):
        leaves.low[i], leaves.high[i], leaves.mean[i] = bracket_of_leaf(table, leaves.counts[i], above)
        above += leaves.counts[i].sum()


@kernel
def mean_dcg(table: MeasureTable, counts: Integers) -> float:
    """Return the mean DCG of counts (cell, label): the means of `bracket_of_leaf`, with fewer sums F."""
    near, far, start, length = table.tables
    gains, cut, row = table.gains, table.cut, table.row
    result, above = 0.0, 0
    end, at_end = -1, 0.0  # F at the end of a cell is F at the start of the next one, and takes longest
    for i in range(len(counts)):
        total, gain = 0, 0.0
        for g in range(len(gains)):
            total += counts[i, g]
            gain += gains[g] * counts[i, g]
        if gain != 0.0 and above < cut:
            first = at_end if end == above else cumulative(near, far, start, length, row, above)
            end = min(above + total, cut)
            at_end = cumulative(near, far, start, length, row, end)
            result += gain / total * (at_end - first)
        above += total
    return result


@kernel
def width_of_order(table: MeasureTable, counts: Integers) -> float:
    """Return about the standard deviation of DCG that is due to the order within cells."""
    # In a cell of C items, half of them relevant, the bracket is w = |D'| C^2 / 4, and the variance over all
    # orders is about |D'|^2 C^3 / 48 = w^2 / (3 C), that of a sum of ranks.
    result, above = 0.0, 0
    for i in range(len(counts)):
        low, high, _ = bracket_of_leaf(table, counts[i], above)
        items = counts[i].sum()
        result += (high - low) ** 2 / max(items, 1)
        above += items
    return float(np.sqrt(result / 3))


@kernel
def cut_wide(
    table: MeasureTable, leaves: Leaves, halves: Floats, width: float, rng: np.random.Generator
) -> Leaves:
    """Cut every leaf whose bracket is wider than ``width`` in two.

    ``halves[cell, heap, label]`` is the chance of the upper half.
    """
    is_wide = leaves.high - leaves.low > width
    parent = np.repeat(np.arange(len(is_wide)), 1 + is_wide)
    new = Leaves(
        leaves.counts[parent],
        leaves.mass[parent],
        leaves.cell[parent],
        leaves.heap[parent],
        leaves.low[parent],
        leaves.high[parent],
        leaves.mean[parent],
    )
    at, above = 0, 0
    for i in range(len(is_wide)):
        if not is_wide[i]:
            above += leaves.counts[i].sum()
            at += 1
            continue
        heap = leaves.heap[i]
        has_shares = 0 < heap < halves.shape[1]
        have_shares = has_shares and 2 * heap < halves.shape[1]
        new.heap[at], new.heap[at + 1] = (2 * heap, 2 * heap + 1) if have_shares else (0, 0)
        for y in range(leaves.counts.shape[1]):
            share = halves[leaves.cell[i], heap, y] if has_shares else 0.5
            upper = rng.binomial(leaves.counts[i, y], share) if leaves.counts[i, y] > 0 else 0
            new.counts[at, y], new.counts[at + 1, y] = upper, leaves.counts[i, y] - upper
            new.mass[at, y], new.mass[at + 1, y] = share * leaves.mass[i, y], (1 - share) * leaves.mass[i, y]
        for _ in range(2):
            new.low[at], new.high[at], new.mean[at] = bracket_of_leaf(table, new.counts[at], above)
            above += new.counts[at].sum()
            at += 1
    return new


@kernel
def one_by_one(table: MeasureTable, leaves: Leaves, rng: np.random.Generator) -> float:
    """Return DCG with the items of every leaf in a random order, which is drawn item by item and not kept."""
    near, far, start, length = table.tables
    result, above = 0.0, 0
    left = np.empty(leaves.counts.shape[1], np.int64)
    for i in range(len(leaves.cell)):
        total = leaves.counts[i].sum()
        if leaves.high[i] == leaves.low[i]:
            result += leaves.mean[i]
        else:
            for y in range(len(left)):
                left[y] = leaves.counts[i, y]
            before = cumulative(near, far, start, length, table.row, above)
            for j in range(min(total, table.cut - above)):
                after = cumulative(near, far, start, length, table.row, above + j + 1)
                place, y = rng.random() * (total - j), 0
                while place >= left[y] and y < len(left) - 1:
                    place -= left[y]
                    y += 1
                left[y] -= 1
                result += table.gains[y] * (after - before)
                before = after
        above += total
    return float(result)


@kernel
def open_items(leaves: Leaves) -> int:
    """Count the items in leaves whose part of DCG is open."""
    return int(leaves.counts[leaves.high > leaves.low].sum())


@kernel
def widest_allowed(a: Leaves, b: Leaves, total: float) -> float:
    """Return the width to which leaves have to be cut for brackets of about ``total`` together."""
    # Both halves of a leaf have about a quarter of its bracket, so cuts do not change the sum S of the roots.
    # m leaves of width w have S = m sqrt(w), and together they have m w = S sqrt(w).
    widths = np.concatenate((a.high - a.low, b.high - b.low))
    roots = np.sqrt(np.maximum(widths, 0.0)).sum()
    return float((total / max(roots, 1e-300)) ** 2)


def whole_cells(counts: Integers, mass: Floats) -> Leaves:
    """Return the base cells as leaves; arrays are (cell, label)."""
    cells = len(counts)
    blank = np.zeros(cells)
    cell, heap = np.arange(cells), np.ones(cells, np.int64)
    return Leaves(counts, mass, cell, heap, blank, blank.copy(), blank.copy())


@kernel
def decide_order(
    table: MeasureTable,
    most: float,
    a: Leaves,
    b: Leaves,
    halves_a: Floats,
    halves_b: Floats,
    rng: np.random.Generator,
    most_leaves: int,
    most_items: int,
) -> tuple[int, bool, Leaves, Leaves]:
    """Return 1, -1, 0 (a tie) or `UNKNOWN`, the sign of DCG_a - DCG_b; whether leaves decided; the leaves.

    ``most`` is the largest DCG there can be. Where more than ``most_leaves`` would be needed, up to
    ``most_items`` items are put in order one by one: as exact, but the leaves do not keep their order.
    """
    # no argument has a default: numba would find the types of all arguments anew in each call that uses it
    slack = _ROUNDING * most
    measure_all(table, a)
    measure_all(table, b)
    for _ in range(_ROUNDS):
        low, high = a.low.sum() - b.high.sum(), a.high.sum() - b.low.sum()
        gap = a.mean.sum() - b.mean.sum()
        if low > slack:
            return 1, True, a, b
        if high < -slack:
            return -1, True, a, b
        if high - low <= slack:
            return 0, True, a, b
        # brackets that together are narrower than the gap decide; 16 times narrower a round, at most
        aim = max(0.7 * abs(gap), (high - low) / 16)
        width = widest_allowed(a, b, aim)
        widest = max((a.high - a.low).max(), (b.high - b.low).max())
        # at least the widest leaf is cut, and no leaf whose bracket is lost in the rounding
        width = max(min(width, 0.999 * widest), slack / (len(a.cell) + len(b.cell)) / 4)
        if len(a.cell) + len(b.cell) > most_leaves:
            break
        a = cut_wide(table, a, halves_a, width, rng)
        b = cut_wide(table, b, halves_b, width, rng)
    if open_items(a) + open_items(b) > 2 * most_items:
        return UNKNOWN, False, a, b
    gap = one_by_one(table, a, rng) - one_by_one(table, b, rng)
    return (1 if gap > slack else -1 if gap < -slack else 0), False, a, b
