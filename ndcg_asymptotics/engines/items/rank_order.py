"""The rank order of i.i.d. items whose scores are independent given the label, without a sort.

Depth is cut into slices so narrow that the density of every grade is nearly constant within one.
That density is a mixture of the uniform one on the slice, with the weight of its lower bound, and a
small rest. How many items of each class and grade are uniform in each slice is multinomial, and
the order of a slice's uniform items is a uniformly random permutation. The few items of the rest
get their depths by rejection; how many uniform items come before each of them is multinomial
again, given the gaps. Every step is exact, for any curve: narrower slices only save time.

If the number of relevant items is fixed, their depths are drawn by inversion, and only irrelevant items are
uniform.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.engines.items.kernels import Codes, arrange
from ndcg_asymptotics.engines.shared import grades
from ndcg_asymptotics.engines.shared.inverse import quantile
from ndcg_asymptotics.populations import FixedCounts, Relevance

_SLICE = 4096  # items per slice: their codes stay in the first-level cache while they are shuffled
_FEWEST_SLICES = 64
_ROUNDING = 1e-14  # of a probability
_BLOCK = 1 << 16  # items handed over at a time


@dataclass(frozen=True)
class Slices:
    """The depths cut into slices for one scorer. Grades are its gains in decreasing order, then the gain 0.

    Attributes
    ----------
    edges : (C + 1,)
        Depths from 0 to 1.
    low, high : (J + 1, C)
        Bounds of the probability of each grade in each slice.
    uniform, rest : (J + 1, C)
        The two parts of the integral of that probability over each slice.
    """

    relevance: Relevance | FixedCounts
    edges: Floats
    low: Floats
    high: Floats
    uniform: Floats
    rest: Floats


@lru_cache(maxsize=64)
def slices(relevance: Relevance | FixedCounts, n: int) -> Slices:
    """Return the slices for lists of n items."""
    number = max(_FEWEST_SLICES, n // _SLICE)
    if isinstance(relevance, FixedCounts):
        return _of_fixed_counts(relevance, number)
    edges = np.union1d(np.linspace(0.0, 1.0, number + 1), relevance.breakpoints)
    a, b = edges[:-1], edges[1:]
    every = range(len(relevance.gains) + 1)
    mean = np.array([grades.mean(relevance, grade, a, b) for grade in every])
    bounds = np.array([grades.bounds(relevance, grade, a, b) for grade in every])
    low, high = np.minimum(bounds[:, 0], mean), np.maximum(bounds[:, 1], mean)
    low = np.where(high - low <= _ROUNDING, mean, low)  # nothing to reject where only rounding is left
    return Slices(relevance, edges, low, high, low * (b - a), (mean - low) * (b - a))


def _of_fixed_counts(model: FixedCounts, number: int) -> Slices:
    """Return slices in which irrelevant items are uniform, and of the few relevant ones none is."""
    shape = len(model.gains) + 1, number
    uniform, rest, nothing = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    uniform[-1], rest[:-1] = 1 / number, 1 / number
    return Slices(model, np.linspace(0.0, 1.0, number + 1), nothing, nothing, uniform, rest)


def blocks(relevance: Relevance | FixedCounts, labels: Integers, rng: np.random.Generator) -> Iterator[Codes]:
    """Draw the codes of all items in rank order, some slices at a time.

    Parameters
    ----------
    labels : (K, J + 1)
        How many items there are of each class and grade.
    """
    n = int(labels.sum())
    scorer = slices(relevance, n)
    counts, extra, piece, depth = _draw_counts(scorer, labels, rng)
    order = np.lexsort((depth, piece))
    extra, piece, depth = extra[order], piece[order], depth[order]
    first_extra = np.searchsorted(piece, np.arange(len(counts) + 1))
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
    """Return the bytes of the largest arrays of `blocks`: the counts of the slices, twice."""
    return (4 + 8) * codes * max(_FEWEST_SLICES, n // _SLICE)


def _draw_counts(
    scorer: Slices, labels: Integers, rng: np.random.Generator
) -> tuple[NDArray[np.int32], Codes, Integers, Floats]:
    """Draw counts (C, number of codes) of uniform items; code, slice and place in the slice of the others."""
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
        piece, place = _draw_rest(scorer, grade, len(extra[-1]), rng)
        where.append(piece)
        depth.append(place)
    flat = counts.reshape(number, sizes * width)
    return flat, np.concatenate(extra), np.concatenate(where), np.concatenate(depth)


def _draw_rest(scorer: Slices, grade: int, number: int, rng: np.random.Generator) -> tuple[Integers, Floats]:
    """Draw slices, and places in [0, 1) within them, of items from the rest of a grade's density."""
    if isinstance(scorer.relevance, FixedCounts):
        depth = quantile(scorer.relevance, grade, rng.random(number))
        piece = np.clip(np.searchsorted(scorer.edges, depth, side="right") - 1, 0, len(scorer.edges) - 2)
        left, right = scorer.edges[piece], scorer.edges[piece + 1]
        return piece, (depth - left) / (right - left)
    cumulative = np.cumsum(scorer.rest[grade])
    piece = np.searchsorted(cumulative, rng.random(number) * cumulative[-1], side="right")
    piece = np.minimum(piece, np.searchsorted(cumulative, cumulative[-1]))  # the last with a rest
    place = np.empty(number)
    pending = np.arange(number)
    while pending.size:
        at = piece[pending]
        left, right = scorer.edges[at], scorer.edges[at + 1]
        low, high = scorer.low[grade, at], scorer.high[grade, at]
        x = rng.random(pending.size)
        height = low + (high - low) * rng.random(pending.size)
        place[pending] = x
        pending = pending[height >= grades.value(scorer.relevance, grade, left + (right - left) * x)]
    return piece, place


def _items_before(
    uniform: Integers, first_extra: Integers, place: Floats, rng: np.random.Generator
) -> Integers:
    """Draw for each extra item the number of uniform items of its slice that come before it."""
    before = np.empty(len(place), np.int64)
    extras = np.diff(first_extra)
    for number in np.unique(extras[extras > 0]):
        piece = np.flatnonzero(extras == number)
        items = first_extra[piece][:, None] + np.arange(number)
        gaps = np.diff(place[items], axis=1, prepend=0.0, append=1.0)
        before[items] = np.cumsum(rng.multinomial(uniform[piece], gaps)[:, :-1], axis=1)
    return before
