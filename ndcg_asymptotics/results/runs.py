"""Replicates as ranges of consecutive ones, as files and messages state them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ndcg_asymptotics.core.arrays import Integers
from ndcg_asymptotics.studies.study import MOST_REPLICATES

LAST_REPLICATE = 10**9
"""The greatest index of a replicate."""

BLOCK_BYTES = 2**24
"""The largest block of replicates, of a file and of what a worker returns at once, single ones aside."""

_MOST_STATED = 4 * MOST_REPLICATES  # replicates that a file may ask for
_MOST_SPANS = 4  # ranges in a message


def ranges(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Return whole numbers as disjoint increasing ranges, each as its first and its last one.

    >>> ranges([7, 0, 1, 2])
    [(0, 2), (7, 7)]
    """
    ordered = np.unique(np.fromiter(numbers, np.int64))
    if not len(ordered):
        return []
    ends = np.flatnonzero(np.diff(ordered) != 1)
    firsts, lasts = ordered[np.append(0, ends + 1)], ordered[np.append(ends, -1)]
    return list(zip(firsts.tolist(), lasts.tolist(), strict=True))


def spans(numbers: Iterable[int]) -> str:
    """Return whole numbers as ranges of consecutive ones, for a message.

    >>> spans([3, 0, 1, 2, 7]), spans([])
    ('0 to 3, 7', 'none')
    """
    intervals = ranges(numbers)
    texts = [f"{first}" if first == last else f"{first} to {last}" for first, last in intervals[:_MOST_SPANS]]
    return ", ".join(texts or ["none"]) + ", …" * (len(intervals) > _MOST_SPANS)


def members(ranges: Iterable[tuple[int, int]]) -> Integers:
    """Return the replicates in some ranges, each once and in order.

    Raises
    ------
    ValueError
        If a range is none of replicates, or there are too many.

    >>> members([(0, 2), (7, 7), (2, 3)])
    array([0, 1, 2, 3, 7])
    """
    bounds = [(int(first), int(last)) for first, last in ranges]
    good = all(0 <= first <= last <= LAST_REPLICATE for first, last in bounds)
    if not good or sum(last - first + 1 for first, last in bounds) > _MOST_STATED:
        raise ValueError("no ranges of replicates")
    return np.unique(np.concatenate([np.arange(0), *(np.arange(a, b + 1) for a, b in bounds)]))
