"""Blocks of replicates: the scheduler that cuts them and the function that a worker runs."""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from ndcg_asymptotics.engines.engine import Draw, Engine, draw_block
from ndcg_asymptotics.results.replicate_ranges import BLOCK_BYTES
from ndcg_asymptotics.studies import Design

_SECONDS = 2.0  # of work in a block


@dataclass(frozen=True)
class Block:
    """The result of a block: its replicates, their stacked values, and the seconds that these took."""

    replicates: Sequence[int]
    draws: Draw
    seconds: float


_prepared: list[tuple[str, Design]] = []  # the last engine and design of this process


def prepared(engine: str, design: Design) -> Engine:
    """Return the module of an engine, its kernels loaded and its tables made for a design."""
    module = cast(Engine, importlib.import_module(engine))
    if _prepared != [(engine, design)]:
        module.warm(design)
        _prepared[:] = [(engine, design)]
    return module


def run_block(engine: str, design: Design, replicates: Sequence[int]) -> Block:
    """Run one block; ``engine`` names a module. The time is that of the replicates, without `prepared`."""
    module = prepared(engine, design)
    start = time.perf_counter()
    draws = draw_block(module, design, replicates)
    return Block(replicates, draws, time.perf_counter() - start)


class BlockScheduler:
    """An iterator of consecutive blocks of the missing replicates, until the deadline.

    A block takes about two seconds and 16 MB; the first ones, whose cost is unknown, hold one replicate each.

    Attributes
    ----------
    late : bool
        Whether the deadline came before the last block.
    """

    def __init__(self, missing: Sequence[int], size: int | None, deadline: float) -> None:
        self._missing = missing
        self._fixed = size
        self._size = 1
        self._deadline = deadline
        self.late = False

    def learn(self, block: Block) -> None:
        """Update the size of blocks from the cost of a finished one."""
        each = max(block.seconds, 1e-9) / len(block.replicates)
        bytes_each = sum(values.nbytes for values in block.draws.values()) / len(block.replicates)
        self._size = max(self._size, int(min(_SECONDS / each, BLOCK_BYTES / bytes_each)))

    def __iter__(self) -> Iterator[Sequence[int]]:
        start = 0
        while start < len(self._missing):
            if time.monotonic() >= self._deadline:
                self.late = True
                return
            size = self._fixed or self._size
            yield self._missing[start : start + size]
            start += size
