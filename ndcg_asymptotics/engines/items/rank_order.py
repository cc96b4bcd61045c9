"""The rank order of i.i.d. items whose scores are independent given the label, without a sort.

Depth is cut into slices so narrow that the density of every grade is nearly constant within one.
That density is a mixture of the uniform one on the slice, with the weight of its lower bound, and a
small excess. How many items of each class and grade are uniform in each slice is multinomial, and
the order of a slice's uniform items is a uniformly random permutation. The few items of the excess
get their depths by rejection; how many uniform items come before each of them is multinomial
again, given the gaps. Every step is exact, for any curve: narrower slices only save time.

If the number of relevant items is fixed, their depths are drawn by inversion, and only irrelevant items are
uniform.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.engines.items.kernels import Codes, arrange
from ndcg_asymptotics.engines.shared import grades
from ndcg_asymptotics.engines.shared.inverse import depth_of_grade
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
    shares : (J + 1, C + 1)
        The probability that an item of a grade is a uniform one of each slice; last that it is none.
    excess : (J + 1, C)
        What the uniform part leaves of the integral of each probability, summed up to each slice.
    """

    relevance: Relevance | FixedCounts
    edges: Floats
    low: Floats
    high: Floats
    shares: Floats
    excess: Floats


@lru_cache(maxsize=64)
def slices(relevance: Relevance | FixedCounts, n: int) -> Slices:
    """Return the slices for lists of n items."""
    number = max(_FEWEST_SLICES, n // _SLICE)
    edges = np.linspace(0.0, 1.0, number + 1)
    if isinstance(relevance, FixedCounts):
        # irrelevant items are uniform, and of the few relevant ones none is
        low = high = np.zeros((len(relevance.gains) + 1, number))
        uniform, excess = low.copy(), low.copy()
        uniform[-1], excess[:-1] = 1 / number, 1 / number
    else:
        edges = np.union1d(edges, relevance.breakpoints)
        a, b = edges[:-1], edges[1:]
        all_grades = range(len(relevance.gains) + 1)
        mean = np.array([grades.mean(relevance, grade, a, b) for grade in all_grades])
        bounds = np.array([grades.bounds(relevance, grade, a, b) for grade in all_grades])
        low, high = np.minimum(bounds[:, 0], mean), np.maximum(bounds[:, 1], mean)
        low = np.where(high - low <= _ROUNDING, mean, low)  # nothing to reject where only rounding is left
        uniform, excess = low * (b - a), (mean - low) * (b - a)
    masses = np.column_stack([uniform, excess.sum(axis=1)])
    shares = masses / np.maximum(masses.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    return Slices(relevance, edges, low, high, shares, np.cumsum(excess, axis=1))


def independent_blocks(scorer: Slices, labels: Integers, rng: np.random.Generator) -> Iterator[Codes]:
    """Draw the codes of all items in rank order, some slices at a time.

    Parameters
    ----------
    scorer : Slices
    labels : (K, J + 1)
        How many items there are of each class and grade.
    """
    counts, other_items = _draw_counts(scorer, labels, rng)
    uniform = counts.sum(axis=1)
    first_other = np.searchsorted(other_items.piece, np.arange(len(counts) + 1))
    before = _items_before(uniform, first_other, other_items.place, rng)
    ends = np.cumsum(uniform + np.diff(first_other))
    start, first_item = 0, 0
    while start < len(counts):
        stop = int(np.searchsorted(ends, first_item + _BLOCK)) + 1
        block = counts[start:stop]
        codes = np.empty(ends[min(stop, len(ends)) - 1] - first_item, np.int32)
        words, spare = _words(rng, len(codes) // 2 + len(block)), _NO_WORDS
        first = first_other[start : stop + 1]
        while (spares := arrange(block, other_items.codes, before, first, words, spare, codes)) > len(spare):
            spare = np.append(spare, _words(rng, spares - len(spare)))
        yield codes
        start, first_item = stop, first_item + len(codes)


def _words(rng: np.random.Generator, number: int) -> Integers:
    return np.asarray(rng.bit_generator.random_raw(number), np.uint64).view(np.int64)


def memory_of_counts(n: int, codes: int) -> int:
    """Return the bytes of the largest arrays of `independent_blocks`: the counts of the slices, twice."""
    return (4 + 8) * codes * max(_FEWEST_SLICES, n // _SLICE)


class _Others(NamedTuple):
    """The items that are not uniform in their slices, from the top down: slice, and place in it in [0, 1)."""

    codes: Codes
    piece: Integers
    place: Floats


_NO_WORDS = np.empty(0, np.int64)
_NO_OTHERS = _Others(np.empty(0, np.int32), np.empty(0, np.int64), np.empty(0))


def _draw_counts(
    scorer: Slices, labels: Integers, rng: np.random.Generator
) -> tuple[NDArray[np.int32], _Others]:
    """Draw the counts of uniform items in each slice, (C, number of codes), and the other items."""
    sizes, width = labels.shape
    number = len(scorer.edges) - 1
    counts = np.empty((number, sizes, width), np.int32)
    other_items = [_NO_OTHERS]
    for grade in range(width):
        # numpy takes a single number four times as fast as an array of one
        items = labels[:, grade] if sizes > 1 else int(labels[0, grade])
        numbers = rng.multinomial(items, scorer.shares[grade]).reshape(sizes, number + 1)
        counts[:, :, grade] = numbers[:, :-1].T
        if numbers[:, -1].any():
            codes = np.repeat(np.arange(sizes, dtype=np.int32) * width + grade, numbers[:, -1])
            other_items.append(_Others(codes, *_draw_excess(scorer, grade, len(codes), rng)))
    flat = counts.reshape(number, sizes * width)
    if len(other_items) == 1:
        return flat, _NO_OTHERS
    codes, piece, place = (np.concatenate(parts) for parts in zip(*other_items, strict=True))
    order = np.lexsort((place, piece))
    return flat, _Others(codes[order], piece[order], place[order])


def _draw_excess(
    scorer: Slices, grade: int, number: int, rng: np.random.Generator
) -> tuple[Integers, Floats]:
    """Draw slices, and places in [0, 1) within them, of items from the excess of a grade's density."""
    if isinstance(scorer.relevance, FixedCounts):
        depth = depth_of_grade(scorer.relevance, grade, rng.random(number))
        piece = np.clip(np.searchsorted(scorer.edges, depth, side="right") - 1, 0, len(scorer.edges) - 2)
        left, right = scorer.edges[piece], scorer.edges[piece + 1]
        return piece, (depth - left) / (right - left)
    excess = scorer.excess[grade]
    piece = np.searchsorted(excess, rng.random(number) * excess[-1], side="right")
    piece = np.minimum(piece, np.searchsorted(excess, excess[-1]))  # the last with an excess
    place = np.empty(number)
    pending = np.arange(number)
    while pending.size:
        at = piece[pending]
        left, right = scorer.edges[at], scorer.edges[at + 1]
        low, high = scorer.low[grade, at], scorer.high[grade, at]
        x = rng.random(pending.size)
        height = low + (high - low) * rng.random(pending.size)
        place[pending] = x
        pending = pending[height >= grades.grade_chance(scorer.relevance, grade, left + (right - left) * x)]
    return piece, place


def _items_before(
    uniform: Integers, first_other: Integers, place: Floats, rng: np.random.Generator
) -> Integers:
    """Draw for each other item the number of uniform items of its slice that come before it."""
    before = np.empty(len(place), np.int64)
    if not place.size:
        return before
    other_counts = np.diff(first_other)
    for number in np.unique(other_counts[other_counts > 0]):
        piece = np.flatnonzero(other_counts == number)
        items = first_other[piece][:, None] + np.arange(number)
        gaps = np.diff(place[items], axis=1, prepend=0.0, append=1.0)
        before[items] = np.cumsum(rng.multinomial(uniform[piece], gaps)[:, :-1], axis=1)
    return before
