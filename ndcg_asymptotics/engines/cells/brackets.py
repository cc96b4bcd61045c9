"""Kernels of the cells engine: brackets of NDCG from the counts of a cell, and its division in two.

A *cell* is a depth interval with, for every step of the stream from one list length to the next,
the number of its items with each label. Arrays over cells have the axes ``counts[cell, step,
label]`` (labels in decreasing order of gain, 0 last), ``above[cell, size]``, the items ranked
above the cell in the list of that size, and ``open[cell, size, measure]``, whether NDCG of that
size and measure still needs this cell. The bracket is equation (13) of docs/theory.md.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Bools, Floats, Integers
from ndcg_asymptotics.engines.cells.philox import binomial
from ndcg_asymptotics.engines.shared.tables import (
    FAR_ERROR,
    NEAR_ERROR,
    Tables,
    cell_weight,
    cumulative,
    slope,
)

Words = NDArray[np.uint64]

#: Sums of NDCG are kept in whole numbers of 2^-60, so that no order of summation shows in them.
UNIT = 2.0**60

#: What the last axis of the sums holds.
ESTIMATE, LOW, HIGH, CELLS, MIXED = range(5)

_TOO_WIDE = 1.3  # times the allowed width: a cell this wide is divided without computing its bracket
_CROSSING = 0.125  # share of the bracket reserved for the one cell that contains the cutoff


class Task(NamedTuple):
    """The measures to bracket, and how narrowly; all axes but that of ``gains`` are (size, measure)."""

    tables: Tables
    gains: Floats  # decreasing
    row: Integers  # which of the tables
    cut: Integers  # the cutoff k(n)
    total: Integers  # n
    scale: Floats  # 2^60 / IDCG
    cell_weight: Floats  # G(k(n))
    bracket: Floats  # the width wanted, in NDCG


@njit(cache=True)
def ideal(tables: Tables, row: int, cut: int, labels: Integers, gains: Floats) -> float:
    """Return IDCG from the label counts: the gains in decreasing order on ranks 1 … k."""
    near, far, start, length = tables
    result, position, before = 0.0, 0, 0.0
    for g in range(len(gains)):
        position += labels[g]
        after = cumulative(near, far, start, length, row, min(position, cut))
        result += gains[g] * (after - before)
        before = after
    return result


@njit(cache=True)
def settle(
    task: Task, counts: Integers, above: Integers, open: Bools, last: Integers, sums: Integers, final: bool
) -> None:
    """Close every (cell, size, measure) that is narrow enough (all if ``final``) and add it up.

    With R items above, C in the cell and P_g of each gain, the cell's part of DCG is highest with
    the gains in decreasing order at its top and lowest with them in increasing order at its bottom:
    for one gain ``F(R+C) - F(R+C-P) <= part <= F(R+P) - F(R)``, ranks capped at the cutoff, since
    D does not increase. The estimate is ``P/C (F(R+C) - F(R))``. The widths allowed add up to the
    bracket over any partition, because each is a share by G. Rounding widens both bounds.

    ``last[cell]`` becomes the largest size that is still open, -1 if none; ``sums[size, measure]``
    is added to.
    """
    # one by one: as members of a tuple they would be counted in and out in the loops
    near, far, start, length = task.tables
    gains, cuts, rows, scales, totals, weights = (
        task.gains, task.cut, task.row, task.scale, task.total, task.cell_weight
    )  # fmt: skip
    cells, sizes, labels = counts.shape
    grades, measures = labels - 1, open.shape[2]
    held = np.empty(labels, np.int64)
    allowed_of = task.bracket * UNIT / task.scale
    for i in range(cells):
        held[:] = 0
        last[i] = -1
        for k in range(sizes):
            count = 0
            for g in range(labels):
                held[g] += counts[i, k, g]
                count += held[g]
            R = above[i, k]
            width = -1.0
            for m in range(measures):
                if not open[i, k, m]:
                    continue
                cut = cuts[k, m]
                if count == held[grades] or cut <= R:  # nothing relevant, or nothing that counts
                    open[i, k, m] = False
                    continue
                row, scale = rows[k, m], scales[k, m]
                allowed = allowed_of[k, m]
                end = min(R + count, cut)
                if not final and R + count <= cut:
                    # a cell that is far too wide is recognised without its bracket
                    if width < 0.0:
                        width = _width_over_slope(held, gains, float(count))
                    if width * slope(near, far, start, length, row, end) * weights[k, m] > (
                        _TOO_WIDE * allowed * count
                    ):
                        last[i] = k
                        continue
                at_top = cumulative(near, far, start, length, row, R)
                at_end = cumulative(near, far, start, length, row, end)
                # upper end: gain y_g on the P_g ranks that follow those of the higher gains
                high, position, before = 0.0, R, at_top
                for g in range(grades):
                    position += held[g]
                    after = cumulative(near, far, start, length, row, min(position, cut))
                    high += gains[g] * (after - before)
                    before = after
                # lower end: gain y_g on the P_g ranks that precede those of the higher gains
                low, position, before = 0.0, R + count, at_end
                for g in range(grades):
                    position -= held[g]
                    after = cumulative(near, far, start, length, row, min(position, cut))
                    low += gains[g] * (before - after)
                    before = after
                mixed = high > low
                if mixed and not final:
                    share = cell_weight(near, far, start, length, row, end)
                    share -= cell_weight(near, far, start, length, row, R)
                    if share > 0.0:
                        share /= weights[k, m]
                    # one cell contains the cutoff, where D jumps to 0; it has its own share
                    if cut < totals[k, m]:
                        crossed = 1.0 if R + count > cut else 0.0
                        share = (1.0 - _CROSSING) * share + _CROSSING * crossed
                    # where D is constant, only rounding makes a cell's bounds differ, unless it is cut
                    if high - low > share * allowed and (share > 0.0 or R + count > cut):
                        last[i] = k
                        continue
                open[i, k, m] = False
                # the mean over all orders of the cell: the mean gain times the sum of its discounts
                middle = 0.0
                for g in range(grades):
                    middle += gains[g] * held[g]
                middle *= (at_end - at_top) / count
                # both ends of a telescoping sum over gains, and the rounding of each of its terms
                error = 2.0 * (NEAR_ERROR if end < length[row] else FAR_ERROR) + grades * NEAR_ERROR
                slack = error * gains[0] * at_end * scale
                sums[k, m, ESTIMATE] += math.floor(middle * scale + 0.5)
                sums[k, m, LOW] += math.floor(low * scale - slack)
                sums[k, m, HIGH] += math.ceil(high * scale + slack)
                sums[k, m, CELLS] += 1
                sums[k, m, MIXED] += 1 if mixed else 0


@njit(cache=True)
def _width_over_slope(held: Integers, gains: Floats, count: float) -> float:
    """Return the sum over pairs of labels of (y_g - y_h) P_g P_h, the width of a cell's bracket over |D'|."""
    result, higher = 0.0, 0.0
    for g in range(len(gains)):
        result += gains[g] * held[g] * (count - held[g] - 2.0 * higher)
        higher += held[g]
    return max(result, 0.0)


@njit(cache=True)
def split(
    counts: Integers,
    above: Integers,
    last: Integers,
    octave: Words,
    heap: Words,
    fraction: Floats,
    key: Words,
    halves: Integers,
    above_halves: Integers,
) -> None:
    """Cut cells into an upper and a lower half: ``halves[2 i]`` and ``halves[2 i + 1]``.

    Each label's items of each step go to the upper half binomially, with ``fraction[cell, label]``
    of the cell's mass. The counter is the cell, the label and the step: the same cell of the same
    scorer is always cut the same way. Steps beyond ``last[cell]`` are not needed and left out.
    """
    cells, _, labels = counts.shape
    for i in range(cells):
        c0, c1 = heap[i] & np.uint64(0xFFFFFFFF), heap[i] >> np.uint64(32)
        upper = 0
        for k in range(last[i] + 1):
            for g in range(labels):
                count = counts[i, k, g]
                c2 = octave[i] | (np.uint64(g) << np.uint64(8))
                taken = binomial(count, fraction[i, g], c0, c1, c2, np.uint64(k), key[0], key[1])
                halves[2 * i, k, g] = taken
                halves[2 * i + 1, k, g] = count - taken
                upper += taken
            above_halves[2 * i, k] = above[i, k]
            above_halves[2 * i + 1, k] = above[i, k] + upper
