"""Adaptive cross approximation: a smooth matrix as a sum of few of its rows times few of its columns.

(Bebendorf 2000.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ndcg_asymptotics.core.arrays import Floats

_MOST = 200  # rows and columns


def cross(
    row: Callable[[int], Floats],
    column: Callable[[int], Floats],
    start: int,
    negligible: float,
    probes: Sequence[int] = (),
) -> tuple[Floats, Floats]:
    """Return a matrix as ``sum_k left_k right_k`` of few of its columns and rows, up to a negligible part.

    Where a part seems to be negligible the rows ``probes`` are tried before it is believed. Of a row that
    differs by a negligible part no column is computed.

    >>> x = np.arange(1.0, 6.0)
    >>> left, right = cross(lambda i: 1 / (x[i] + x), lambda j: 1 / (x + x[j]), 0, 1e-15)
    >>> bool(np.abs(left.T @ right - 1 / np.add.outer(x, x)).max() < 1e-14)
    True
    """
    first = row(start)
    left, right = np.empty((_MOST, first.size)), np.empty((_MOST, first.size))
    used: list[int] = []
    largest, i, left_to_try = 0.0, start, list(probes)
    while (count := len(used)) < _MOST:
        over = (row(i) if count else first) - left[:count, i] @ right[:count]
        j = int(np.argmax(np.abs(over)))
        if abs(over[j]) <= negligible * largest:
            left_to_try = [probe for probe in left_to_try if probe != i]
            if not left_to_try:
                break
            i = left_to_try.pop(0)
            continue
        used.append(i)
        down = column(j) - right[:count, j] @ left[:count]
        size = float(np.abs(down).max())
        largest = max(largest, size)
        left[count], right[count] = down / over[j], over
        if size <= negligible * largest:
            left_to_try = [probe for probe in left_to_try if probe not in used]
            if not left_to_try:
                return left[: count + 1], right[: count + 1]
            i = left_to_try.pop(0)
            continue
        free = np.abs(down)
        free[used] = -1.0
        i = int(np.argmax(free))
        if free[i] < 0:
            return left[: count + 1], right[: count + 1]
    return left[:count], right[:count]
