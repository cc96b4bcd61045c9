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
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Bools, Floats, Integers
from ndcg_asymptotics.engines.cells.philox import (
    ATTEMPT_BITS,
    INVERSION,
    accepted,
    inverted,
    proposed,
    rejection,
    uniforms,
)
from ndcg_asymptotics.engines.compiled import kernel
from ndcg_asymptotics.engines.shared.tables import (
    FAR_ERROR,
    NEAR_ERROR,
    Tables,
    cell_weight,
    cumulative,
    greatest_dcg,
    root_slope,
)

Words = NDArray[np.uint64]

#: Sums of NDCG are kept in whole numbers of 2^-60, so that no order of summation shows in them.
UNIT = 2.0**60

#: What the last axis of the sums holds.
ESTIMATE, LOW, HIGH, CELLS, MIXED = range(5)

_TOO_WIDE = 1.3  # times the allowed width: a cell this wide is divided without computing its bracket
_ROW = 1024  # counts divided at a time
_CELL_BIT, _STEP_BIT = 36, 16  # cell, step and label in one number
_STEPS, _LABELS = (1 << (_CELL_BIT - _STEP_BIT)) - 1, (1 << _STEP_BIT) - 1
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


@kernel(error_model="numpy")
def settle(
    task: Task,
    counts: Integers,
    above: Integers,
    open: Bools,
    first: Integers,
    last: Integers,
    sums: Integers,
    final: bool,
) -> None:
    """Close every (cell, size, measure) that is narrow enough (all if ``final``) and add it up.

    With R items above, C in the cell and P_g of each gain, the cell's part of DCG is highest with
    the gains in decreasing order at its top and lowest with them in increasing order at its bottom:
    for one gain ``F(R+C) - F(R+C-P) <= part <= F(R+P) - F(R)``, ranks capped at the cutoff, since
    D does not increase. The estimate is ``P/C (F(R+C) - F(R))``. The widths allowed add up to the
    bracket over any partition, because each is a share by G. Rounding widens both bounds.

    Sizes beyond ``first[cell]`` and ``last[cell]`` are closed; these become the smallest and largest that are
    still open, or ``last`` -1 if there is none. ``sums[size, measure]`` is added to.
    """
    # one by one: as members of a tuple they would be counted in and out in the loops
    near, far, start, length = task.tables
    gains, cuts, rows = task.gains, task.cut, task.row
    scales, totals, weights = task.scale, task.total, task.cell_weight
    cells, _, labels = counts.shape
    grades, measures = labels - 1, open.shape[2]
    P = np.empty(labels, np.int64)
    tolerances = task.bracket * UNIT / task.scale
    for i in range(cells):
        P[:] = 0
        begin, end_of_sizes = first[i], last[i] + 1
        last[i] = -1
        for k in range(begin):
            for g in range(labels):
                P[g] += counts[i, k, g]
        for k in range(begin, end_of_sizes):
            count, is_open = 0, False
            for g in range(labels):
                P[g] += counts[i, k, g]
                count += P[g]
            R = above[i, k]
            width = -1.0
            for m in range(measures):
                if not open[i, k, m]:
                    continue
                cut = cuts[k, m]
                if count == P[grades] or cut <= R:  # nothing relevant, or nothing that counts
                    open[i, k, m] = False
                    continue
                row, scale = rows[k, m], scales[k, m]
                tolerance = tolerances[k, m]
                end = min(R + count, cut)
                if not final and R + count <= cut:
                    # a cell that is far too wide is recognised without its bracket: its width against its
                    # share of it, both over |D'|^(1/2)
                    if width < 0.0:
                        width = _width_over_slope(P, gains, float(count))
                    if width * root_slope(near, far, start, length, row, end) * weights[k, m] > (
                        _TOO_WIDE * tolerance * count
                    ):
                        is_open = True
                        continue
                at_top = cumulative(near, far, start, length, row, R)
                at_end = cumulative(near, far, start, length, row, end)
                # equation (13); upper end: gain y_g on the P_g ranks that follow those of the higher gains
                high = greatest_dcg(near, far, start, length, row, cut, gains, P, R, at_top)
                # lower end: gain y_g on the P_g ranks that precede those of the higher gains
                low, position, before = 0.0, R + count, at_end
                for g in range(grades):
                    position -= P[g]
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
                    if high - low > share * tolerance and (share > 0.0 or R + count > cut):
                        is_open = True
                        continue
                open[i, k, m] = False
                # the mean over all orders of the cell: the mean gain times the sum of its discounts
                middle = 0.0
                for g in range(grades):
                    middle += gains[g] * P[g]
                middle *= (at_end - at_top) / count
                # both ends of a telescoping sum over gains, and the rounding of each of its terms
                error = 2.0 * (NEAR_ERROR if end < length[row] else FAR_ERROR) + grades * NEAR_ERROR
                slack = error * gains[0] * at_end * scale
                sums[k, m, ESTIMATE] += math.floor(middle * scale + 0.5)
                sums[k, m, LOW] += math.floor(low * scale - slack)
                sums[k, m, HIGH] += math.ceil(high * scale + slack)
                sums[k, m, CELLS] += 1
                sums[k, m, MIXED] += 1 if mixed else 0
            if is_open:
                first[i], last[i] = (k if last[i] < 0 else first[i]), k


@kernel
def _width_over_slope(P: Integers, gains: Floats, count: float) -> float:
    """Return the sum over pairs of labels of (y_g - y_h) P_g P_h, the width of a cell's bracket over |D'|."""
    result, higher = 0.0, 0.0
    for g in range(len(gains)):
        result += gains[g] * P[g] * (count - P[g] - 2.0 * higher)
        higher += P[g]
    return max(result, 0.0)


@kernel
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
    ``halves`` are 0 before.
    """
    cells, _, labels = counts.shape
    entries = np.empty(_ROW, np.int64)  # of the counts that are not 0: cell, step and label
    words, numbers, whole = np.empty(4 * _ROW, np.uint64), np.empty(3 * _ROW), np.empty(4 * _ROW, np.int64)
    filled = 0
    for i in range(cells):
        for k in range(last[i] + 1):
            for g in range(labels):
                if filled == _ROW:
                    _draw(entries, filled, counts, octave, heap, fraction, key, words, numbers, whole, halves)
                    filled = 0
                entries[filled] = i << _CELL_BIT | k << _STEP_BIT | g
                filled += counts[i, k, g] > 0
    _draw(entries, filled, counts, octave, heap, fraction, key, words, numbers, whole, halves)
    for i in range(cells):
        upper = 0
        for k in range(last[i] + 1):
            for g in range(labels):
                upper += halves[2 * i, k, g]
            above_halves[2 * i, k] = above[i, k]
            above_halves[2 * i + 1, k] = above[i, k] + upper


@kernel(error_model="numpy")
def _draw(
    entries: Integers,
    count: int,
    counts: Integers,
    octave: Words,
    heap: Words,
    fraction: Floats,
    key: Words,
    words: Words,
    numbers: Floats,
    whole: Integers,
    halves: Integers,
) -> None:
    """Draw how many items of each of some counts are in the upper half: `philox.binomial`, for all at once.

    Of the loops without branches LLVM makes vector instructions, if rows of one array are a fixed distance
    apart. What these leave undecided, a third, is drawn one by one.

    Parameters
    ----------
    which : (_ROW,)
        Cell, step and label of the first ``count``.
    words : (4 _ROW,), numbers : (3 _ROW,), whole : (4 _ROW,)
        Work space: counters; p <= 1/2 and two uniform numbers; n, the variates, and which are to be
        inverted and which are unsure.
    """
    u, v, x, small, unsure = _ROW, 2 * _ROW, _ROW, 2 * _ROW, 3 * _ROW
    for j in range(count):
        i, k, g = entries[j] >> _CELL_BIT, entries[j] >> _STEP_BIT & _STEPS, entries[j] & _LABELS
        whole[j], p = counts[i, k, g], fraction[i, g]
        numbers[j] = min(p, 1.0 - p)
        words[j], words[_ROW + j] = heap[i] & np.uint64(0xFFFFFFFF), heap[i] >> np.uint64(32)
        words[2 * _ROW + j] = octave[i] | (np.uint64(g) << np.uint64(8))
        words[3 * _ROW + j] = np.uint64(k) << ATTEMPT_BITS
    k0, k1 = key[0], key[1]
    for j in range(count):
        c0, c1, c2, c3 = words[j], words[_ROW + j], words[2 * _ROW + j], words[3 * _ROW + j]
        numbers[u + j], numbers[v + j] = uniforms(c0, c1, c2, c3, k0, k1)
    for j in range(count):
        n, p = whole[j], numbers[j]
        whole[x + j], is_sure = proposed(n, p, numbers[u + j], numbers[v + j])
        is_small = n * p < INVERSION
        whole[small + j], whole[unsure + j] = is_small, (not is_sure) & (not is_small)
    smalls = unsures = 0
    for j in range(count):
        is_small, is_unsure = whole[small + j], whole[unsure + j]
        whole[small + smalls], whole[unsure + unsures] = j, j
        smalls, unsures = smalls + is_small, unsures + is_unsure
    for at in range(small, small + smalls):
        j = whole[at]
        whole[x + j] = inverted(whole[j], numbers[j], numbers[u + j])
    for at in range(unsure, unsure + unsures):
        j = whole[at]
        n, p = whole[j], numbers[j]
        if not accepted(n, p, numbers[u + j], numbers[v + j], whole[x + j]):
            c0, c1, c2, c3 = words[j], words[_ROW + j], words[2 * _ROW + j], words[3 * _ROW + j]
            whole[x + j] = rejection(n, p, 1, c0, c1, c2, c3, k0, k1)
    for j in range(count):
        i, k, g = entries[j] >> _CELL_BIT, entries[j] >> _STEP_BIT & _STEPS, entries[j] & _LABELS
        upper = whole[j] - whole[x + j] if fraction[i, g] > 0.5 else whole[x + j]
        halves[2 * i, k, g] = upper
        halves[2 * i + 1, k, g] = whole[j] - upper
