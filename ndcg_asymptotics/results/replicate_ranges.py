"""Sets of replicates as ranges of consecutive indices, as files state them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ndcg_asymptotics.core.arrays import Integers
from ndcg_asymptotics.studies.study import MOST_REPLICATES

LAST_REPLICATE = 10**9
"""The greatest index of a replicate."""

BLOCK_BYTES = 2**24
"""The most bytes of a block of several replicates, in a file and in what a worker returns at once."""

# replicates in the ranges of a file: runs from several first replicates add up, but a damaged file
# must not fill the memory with indices
_MOST_STATED = 4 * MOST_REPLICATES


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


def members(ranges: Iterable[tuple[int, int]]) -> Integers:
    """Return the replicates in some ranges, each once and in order.

    Raises
    ------
    ValueError
        If an end is no index of a replicate, ends are in the wrong order, or there are too many replicates.

    >>> members([(0, 2), (7, 7), (2, 3)])
    array([0, 1, 2, 3, 7])
    """
    bounds = [(int(first), int(last)) for first, last in ranges]
    valid = all(0 <= first <= last <= LAST_REPLICATE for first, last in bounds)
    if not valid or sum(last - first + 1 for first, last in bounds) > _MOST_STATED:
        raise ValueError("no ranges of replicates")
    # the empty array is for no ranges, which `concatenate` refuses
    return np.unique(np.concatenate([np.arange(0), *(np.arange(a, b + 1) for a, b in bounds)]))
