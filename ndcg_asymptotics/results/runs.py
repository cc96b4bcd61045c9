"""Sets of replicates as ranges of consecutive ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Integers
from ndcg_asymptotics.core.files import UnreadableError

LAST_REPLICATE = 10**9
"""The greatest index of a replicate."""

BLOCK_BYTES = 2**24
"""The largest block of replicates, of a file and of what a worker returns at once, single ones aside."""

Runs = list[tuple[int, int]]
"""Disjoint increasing ranges of whole numbers, each as its first and its last one."""

_MOST_SPANS = 4  # ranges in a message


def merged_runs(runs: Iterable[tuple[int, int]]) -> Runs:
    """Return the union of ranges as disjoint increasing ranges.

    >>> merged_runs([(5, 9), (0, 2), (3, 4), (20, 30), (22, 25)])
    [(0, 9), (20, 30)]
    """
    found: Runs = []
    for first, last in sorted(runs):
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(found[-1][1], last)
        else:
            found.append((first, last))
    return found


def replicate_runs(numbers: Iterable[int] | Integers) -> Runs:
    """Return whole numbers as ranges of consecutive ones.

    >>> replicate_runs([7, 0, 1, 2])
    [(0, 2), (7, 7)]
    """
    if isinstance(numbers, range) and numbers.step == 1:
        return [(numbers[0], numbers[-1])] if numbers else []
    ordered = np.unique(np.fromiter(numbers, np.int64))
    if not len(ordered):
        return []
    ends = np.flatnonzero(np.diff(ordered) != 1)
    firsts, lasts = ordered[np.append(0, ends + 1)], ordered[np.append(ends, -1)]
    return list(zip(firsts.tolist(), lasts.tolist(), strict=True))


def spans(numbers: Iterable[int] | Integers) -> str:
    """Return whole numbers as ranges of consecutive ones, for a message.

    >>> spans([3, 0, 1, 2, 7]), spans([])
    ('0 to 3, 7', 'none')
    """
    runs = replicate_runs(numbers)
    texts = [f"{first}" if first == last else f"{first} to {last}" for first, last in runs[:_MOST_SPANS]]
    return ", ".join(texts or ["none"]) + ", …" * (len(runs) > _MOST_SPANS)


def members(runs: Runs) -> Integers:
    """Return the numbers in some ranges, in order.

    >>> members([(0, 2), (7, 7)])
    array([0, 1, 2, 7])
    """
    return np.concatenate([np.arange(0), *(np.arange(first, last + 1) for first, last in runs)])


def count_of(runs: Runs) -> int:
    """Return the number of members of some ranges."""
    return sum(last - first + 1 for first, last in runs)


def in_runs(numbers: Integers, runs: Runs) -> NDArray[np.bool_]:
    """Return for each number whether it is in one of the ranges.

    >>> in_runs(np.array([3, 1, 7]), [(0, 2), (7, 7)]).tolist()
    [False, True, True]
    """
    if not runs:
        return np.zeros(len(numbers), np.bool_)
    firsts, lasts = np.array(runs).T
    place = np.searchsorted(firsts, numbers, side="right") - 1
    return np.asarray((place >= 0) & (numbers <= lasts[place]))


def runs_given(value: Any) -> Runs:
    """Return the ranges that a file states.

    Raises
    ------
    UnreadableError
        If the value is not a list of ranges of replicates.
    """
    try:
        runs = [(int(first), int(last)) for first, last in value]
    except (TypeError, ValueError, OverflowError):
        raise UnreadableError("is damaged (it states no ranges of replicates)") from None
    if not all(0 <= first <= last <= LAST_REPLICATE for first, last in runs):
        raise UnreadableError("is damaged (it states no ranges of replicates)")
    return merged_runs(runs)
