"""The rank order of i.i.d. items whose scores are independent given the label, without a sort.

Depth is cut into cells so narrow that the density of every grade is nearly constant within one.
That density is a mixture of the uniform one on the cell, with the weight of its lower bound, and a
small rest. How many items of each class and grade are uniform in each cell is multinomial, and
the order of a cell's uniform items is a uniformly random permutation. The few items of the rest
get their depths by rejection; how many uniform items come before each of them is multinomial
again, given the gaps. Every step is exact, for any curve: narrower cells only save time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.engines import grades
from ndcg_asymptotics.engines.kernels import Codes, Floats, Integers, arrange
from ndcg_asymptotics.relevance import Relevance

_CELL = 4096  # items per cell: their codes stay in the first-level cache while they are shuffled
_FEWEST_CELLS = 64
_ROUNDING = 1e-14  # of a probability
_BLOCK = 1 << 16  # items handed over at a time


@dataclass(frozen=True)
class Cells:
    """The cells of one scorer. Grades are its gains in decreasing order, then the gain 0.

    Attributes
    ----------
    edges : (C + 1,)
        Depths from 0 to 1.
    low, high : (J + 1, C)
        Bounds of the probability of each grade in each cell.
    uniform, rest : (J + 1, C)
        The two parts of the integral of that probability over each cell.
    """

    relevance: Relevance
    edges: Floats
    low: Floats
    high: Floats
    uniform: Floats
    rest: Floats


@lru_cache(maxsize=64)
def cells(relevance: Relevance, n: int) -> Cells:
    """Cells for lists of n items."""
    number = max(_FEWEST_CELLS, n // _CELL)
    edges = np.union1d(np.linspace(0.0, 1.0, number + 1), relevance.breakpoints)
    a, b = edges[:-1], edges[1:]
    every = range(len(relevance.gains) + 1)
    mean = np.array([grades.mean(relevance, grade, a, b) for grade in every])
    bounds = np.array([grades.bounds(relevance, grade, a, b) for grade in every])
    low, high = np.minimum(bounds[:, 0], mean), np.maximum(bounds[:, 1], mean)
    low = np.where(high - low <= _ROUNDING, mean, low)  # nothing to reject where only rounding is left
    return Cells(relevance, edges, low, high, low * (b - a), (mean - low) * (b - a))


def blocks(relevance: Relevance, labels: Integers, rng: np.random.Generator) -> Iterator[Codes]:
    """Draw the codes of all items in rank order, some cells at a time.

    Parameters
    ----------
    labels : (K, J + 1)
        How many items there are of each class and grade.
    """
    n = int(labels.sum())
    scorer = cells(relevance, n)
    counts, extra, cell, depth = _draw_cells(scorer, labels, rng)
    order = np.lexsort((depth, cell))
    extra, cell, depth = extra[order], cell[order], depth[order]
    first_extra = np.searchsorted(cell, np.arange(len(counts) + 1))
    before = _items_before(counts.sum(axis=1), first_extra, depth, rng)
    ends = np.cumsum(counts.sum(axis=1) + np.diff(first_extra))
    start, done = 0, 0
    while start < len(counts):
        stop = int(np.searchsorted(ends, done + _BLOCK)) + 1
        block = counts[start:stop]
        codes = np.empty(ends[min(stop, len(ends)) - 1] - done, np.int32)
        words = rng.bit_generator.random_raw(len(codes) // 2 + len(block)).view(np.int64)
        arrange(block, extra, before, first_extra[start : stop + 1], words, rng, codes)
        yield codes
        start, done = stop, done + len(codes)


def memory(n: int, codes: int) -> int:
    """Bytes that the largest arrays of `blocks` take: the counts of the cells, twice when drawn."""
    return (4 + 8) * codes * max(_FEWEST_CELLS, n // _CELL)


def _draw_cells(
    scorer: Cells, labels: Integers, rng: np.random.Generator
) -> tuple[NDArray[np.int32], Codes, Integers, Floats]:
    """Counts (C, number of codes) of uniform items; code, cell and place in the cell of the others."""
    sizes, width = labels.shape
    number = len(scorer.edges) - 1
    counts = np.empty((number, sizes, width), np.int32)
    extra, where, depth = [], [], []
    for grade in range(width):
        masses = np.append(scorer.uniform[grade], scorer.rest[grade].sum())
        share = masses / max(masses.sum(), np.finfo(float).tiny)
        drawn = rng.multinomial(labels[:, grade], share)
        counts[:, :, grade] = drawn[:, :-1].T
        codes = np.arange(sizes, dtype=np.int32) * width + grade
        extra.append(np.repeat(codes, drawn[:, -1]))
        cell, place = _draw_rest(scorer, grade, len(extra[-1]), rng)
        where.append(cell)
        depth.append(place)
    flat = counts.reshape(number, sizes * width)
    return flat, np.concatenate(extra), np.concatenate(where), np.concatenate(depth)


def _draw_rest(scorer: Cells, grade: int, number: int, rng: np.random.Generator) -> tuple[Integers, Floats]:
    """Cells, and places in [0, 1) within them, of items from the rest of a grade's density."""
    cumulative = np.cumsum(scorer.rest[grade])
    cell = np.searchsorted(cumulative, rng.random(number) * cumulative[-1], side="right")
    cell = np.minimum(cell, np.searchsorted(cumulative, cumulative[-1]))  # the last with a rest
    place = np.empty(number)
    pending = np.arange(number)
    while pending.size:
        at = cell[pending]
        left, right = scorer.edges[at], scorer.edges[at + 1]
        low, high = scorer.low[grade, at], scorer.high[grade, at]
        x = rng.random(pending.size)
        height = low + (high - low) * rng.random(pending.size)
        place[pending] = x
        pending = pending[height >= grades.value(scorer.relevance, grade, left + (right - left) * x)]
    return cell, place


def _items_before(
    uniform: Integers, first_extra: Integers, place: Floats, rng: np.random.Generator
) -> Integers:
    """For each extra item, how many of the uniform items of its cell come before it."""
    before = np.empty(len(place), np.int64)
    extras = np.diff(first_extra)
    for number in np.unique(extras[extras > 0]):
        cell = np.flatnonzero(extras == number)
        items = first_extra[cell][:, None] + np.arange(number)
        gaps = np.diff(place[items], axis=1, prepend=0.0, append=1.0)
        before[items] = np.cumsum(rng.multinomial(uniform[cell], gaps)[:, :-1], axis=1)
    return before
