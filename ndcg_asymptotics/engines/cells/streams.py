"""One scorer's stream: the items of its list counted in cells of depth, which are divided when needed.

Octave j < 70 is the depths [2^-(j+1), 2^-j], octave 70 is [0, 2^-70], where even a list of 9e18
items has none as a rule. Each octave is halved again and again: at level l its cells are
numbered from the top, i = 0 … 2^l - 1. The cells are the same for every study, so a scorer's
stream is one random object, which a study resolves as far as it needs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Bools, Floats, Integers
from ndcg_asymptotics.engines.cells.brackets import Task, Words, settle, split
from ndcg_asymptotics.engines.compiled import kernel
from ndcg_asymptotics.populations import Relevance

_Scalar = TypeVar("_Scalar", bound=np.generic)

OCTAVES = 70
DEEPEST = 51  # level at which a cell's middle is still a double of its own
_KEPT = 12  # level up to which the parts of cells are kept once computed
_BATCH = 2**22  # numbers held for the cells that are divided at a time


class CellMasses:
    """The masses of one scorer's cells, computed when they are needed."""

    def __init__(self, relevance: Relevance) -> None:
        self._relevance = relevance
        self._labels = len(relevance.gains) + 1
        self._kept: list[Floats] = []

    @cached_property
    def spine(self) -> Floats:
        """Return the part of each label's mass in [0, 2^-j] that is in [0, 2^-(j+1)], (octave, label)."""
        ends = np.exp2(-np.arange(float(OCTAVES)))
        return self._fraction(np.zeros(OCTAVES), ends / 2, ends)

    def fraction(self, octave: Integers, level: int, index: Integers) -> Floats:
        """Return the part of each label's mass in these cells that is in their upper half, (cell, label)."""
        if level > _KEPT:
            return self._halves(octave, level, index)
        while len(self._kept) <= level:
            shape = (OCTAVES + 1, 2 ** len(self._kept), self._labels)
            self._kept.append(np.full(shape, np.nan))
        cache = self._kept[level]
        missing = np.isnan(cache[octave, index, 0])
        if missing.any():
            cache[octave[missing], index[missing]] = self._halves(octave[missing], level, index[missing])
        return cache[octave, index]

    def _halves(self, octave: Integers, level: int, index: Integers) -> Floats:
        # octave j begins at its length 2^-(j+1), octave 70 at 0
        size = 2.0 ** -np.minimum(octave + 1.0, OCTAVES)
        start = np.where(octave < OCTAVES, size, 0.0)
        step = size * 2.0**-level
        return self._fraction(start + index * step, start + (index + 0.5) * step, start + (index + 1) * step)

    def _fraction(self, start: Floats, middle: Floats, end: Floats) -> Floats:
        # Given its label, an item of the cell is in the upper half with the ratio of the masses
        # int m_g(t) dt of the two; a cell without mass has no items, and any fraction will do.
        upper, lower = self._masses(start, middle), self._masses(middle, end)
        total = upper + lower
        return np.where(total > 0, upper / np.where(total > 0, total, 1.0), 0.5)

    def _masses(self, a: Floats, b: Floats) -> Floats:
        gains = np.stack([curve.integral(a, b) for curve in self._relevance.curves], axis=-1)
        irrelevant = np.maximum((b - a) - gains.sum(axis=-1), 0.0)
        return np.concatenate([gains, irrelevant[:, None]], axis=-1)


@lru_cache(maxsize=64)
def cell_masses(relevance: Relevance) -> CellMasses:
    """Return the cells of a scorer; their masses are computed once per process."""
    return CellMasses(relevance)


@dataclass(frozen=True)
class Cells:
    """Cells of one level with their items, from the top down; axes as in `brackets`.

    ``first`` and ``last`` are the smallest and the largest size that may be open.
    """

    level: int
    octave: Integers
    index: Integers
    counts: Integers
    above: Integers
    open: Bools
    first: Integers
    last: Integers

    def batches(self, size: int) -> Iterator[Cells]:
        """Yield these cells, at most ``size`` at a time."""
        for start in range(0, len(self.octave), size):
            part = slice(start, start + size)
            yield Cells(
                level=self.level,
                octave=self.octave[part],
                index=self.index[part],
                counts=self.counts[part],
                above=self.above[part],
                open=self.open[part],
                first=self.first[part],
                last=self.last[part],
            )


class CellStream:
    """One scorer's stream in one replicate: the cells of the whole list and their division.

    Parameters
    ----------
    relevance : Relevance
    key : (2,) 32-bit words
        The key of the counter-based generator.
    labels : (K, J + 1)
        The number of new items of each label at each step, in decreasing order of gain.
    """

    def __init__(self, relevance: Relevance, key: Words, labels: Integers) -> None:
        self.masses: CellMasses = cell_masses(relevance)
        self._key = key
        self._labels = labels

    def octaves(self, open: Bools) -> Cells:
        """Return the octaves of the list that hold items, at level 0."""
        counts, above = _spine(self._labels, self.masses.spine, self._key)
        octave = np.flatnonzero(counts.any(axis=(1, 2)))[::-1]  # the last octave is the top of the list
        all_open = np.repeat(open[None], len(octave), axis=0)
        zero = np.zeros(len(octave), np.int64)
        last = np.full(len(octave), len(open) - 1)
        return Cells(0, octave, zero, counts[octave], above[octave], all_open, zero.copy(), last)

    def halves(self, cells: Cells) -> Cells:
        """Return both halves of the cells with open sizes, at the steps up to the largest of these."""
        open_cells = np.flatnonzero(cells.last >= 0)
        steps = int(cells.last[open_cells].max()) + 1
        octave, index, last = cells.octave[open_cells], cells.index[open_cells], cells.last[open_cells]
        counts, above = _rows(cells.counts, open_cells, steps), _rows(cells.above, open_cells, steps)
        halves = np.zeros((2 * len(open_cells), *counts.shape[1:]), np.int64)
        above_halves = np.zeros((2 * len(open_cells), steps), np.int64)
        # numbers the cells of an octave over all levels, from 1, as in a binary heap
        heap = ((1 << cells.level) + index).astype(np.uint64)
        fraction = self.masses.fraction(octave, cells.level, index)
        split(counts, above, last, octave.astype(np.uint64), heap, fraction, self._key, halves, above_halves)
        index = np.repeat(2 * index, 2)
        index[1::2] += 1
        open = _rows(cells.open, np.repeat(open_cells, 2), steps)
        first, last = np.repeat(cells.first[open_cells], 2), np.repeat(last, 2)
        return Cells(cells.level + 1, np.repeat(octave, 2), index, halves, above_halves, open, first, last)

    def sums(self, task: Task, open: Bools) -> Integers:
        """Return the sums of `brackets.settle` over the whole list, (K, M, what)."""
        sums = np.zeros((*open.shape, 5), np.int64)  # ESTIMATE, LOW, HIGH, CELLS, MIXED of `brackets`
        numbers_per_cell = int(np.prod(open.shape)) + 2 * self._labels.size
        batch = max(_BATCH // numbers_per_cell, 64)
        stack = [self.octaves(open)]  # depth first, so that few cells wait
        while stack:
            cells = stack.pop()
            final = cells.level == DEEPEST
            settle(task, cells.counts, cells.above, cells.open, cells.first, cells.last, sums, final)
            if (cells.last >= 0).any():
                stack.extend(self.halves(cells).batches(batch))
        return sums


def _rows(array: NDArray[_Scalar], rows: Integers, steps: int) -> NDArray[_Scalar]:
    """Return ``array[rows, :steps]``; whole rows are copied faster, and all steps are wanted as a rule."""
    return np.ascontiguousarray(array.take(rows, axis=0)[:, :steps])


@kernel
def _spine(labels: Integers, fraction: Floats, key: Words) -> tuple[Integers, Integers]:
    """Return the counts of the octaves and the items above them: [0, 2^-j] is halved again and again."""
    octaves, steps = len(fraction), len(labels)
    # from the last to the first: each cut leaves [0, 2^-(j+1)] in the slot before octave j, its lower half
    counts = np.zeros((octaves + 1, steps, labels.shape[1]), np.int64)
    above, top = np.zeros((octaves + 1, steps), np.int64), np.zeros((1, steps), np.int64)
    remaining = labels.copy().reshape((1, steps, labels.shape[1]))
    last = np.full(1, steps - 1)
    octave, heap = np.zeros(1, np.uint64), np.zeros(1, np.uint64)  # heap 0: no cell of an octave
    for j in range(octaves):
        octave[0], slot = j, octaves - 1 - j
        pair = slice(slot, slot + 2)
        split(remaining, top, last, octave, heap, fraction[j : j + 1], key, counts[pair], above[pair])
        remaining = counts[slot : slot + 1].copy()
        if slot == 0 or not remaining.any():
            break
        counts[slot] = 0
    return counts[::-1], above[::-1]
