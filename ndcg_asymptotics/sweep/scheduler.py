"""Cuts the missing replicates of a sweep into blocks that take about two seconds each."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence

from ndcg_asymptotics.sweep.block import Block

_BLOCK_BYTES = 2**24  # 16 MiB: what comes back from a worker in one piece


class BlockScheduler:
    """Consecutive blocks of the missing replicates, until the deadline.

    A block takes about two seconds (longer for many workers, so that the writer keeps up), ends before
    the deadline, and holds at most half a worker's share of what is left, so that all workers finish
    together. The first blocks, whose cost is unknown, hold one replicate each.

    Attributes
    ----------
    late : bool
        Whether the deadline came before the last block.
    """

    def __init__(self, missing: Sequence[int], jobs: int, size: int | None, deadline: float) -> None:
        self._missing = missing
        self._jobs = jobs
        self._size = size
        self._deadline = deadline
        self._seconds = max(2.0, jobs / 4)
        self._largest, self._each = 1, 0.0
        self.late = False

    def learn(self, block: Block) -> None:
        """Update the cost of a replicate and its size in bytes from a finished block."""
        if not block.replicates:
            return
        self._each = max(block.seconds / len(block.asked), 1e-9)
        size = sum(values.nbytes for values in block.draws.values()) / len(block.replicates)
        largest = min(self._seconds / self._each, _BLOCK_BYTES / size)
        self._largest = max(self._largest, int(largest))

    def __iter__(self) -> Iterator[Sequence[int]]:
        start = 0
        while start < len(self._missing):
            seconds = self._deadline - time.monotonic()
            if seconds <= 0:
                self.late = True
                return
            left = len(self._missing) - start
            fair = left if self._jobs == 1 else math.ceil(left / (2 * self._jobs))
            if seconds < self._each * self._largest:
                fair = min(fair, math.ceil(seconds / self._each))
            size = self._size or min(self._largest, fair)
            yield self._missing[start : start + size]
            start += size
