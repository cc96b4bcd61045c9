"""Sweeps: the replicates of a study, in blocks, in parallel, into a store that can be continued.

A replicate depends on the study's seed and its own index only, so neither the number of jobs nor
the backend, the blocks or an interruption changes a bit of the results.
"""

from __future__ import annotations

import importlib
import math
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import numpy as np
from joblib import delayed
from joblib.externals.loky.process_executor import TerminatedWorkerError

from ndcg_asymptotics.design import Design
from ndcg_asymptotics.progress import Silent
from ndcg_asymptotics.specs import require
from ndcg_asymptotics.store import holds_results, open_results
from ndcg_asymptotics.study import Study
from ndcg_asymptotics.workers import (
    Backend,
    Block,
    Failure,
    interrupts_ignored,
    pool,
    simulate,
)
from ndcg_asymptotics.writer import Writer

ENGINES = {
    "items": "ndcg_asymptotics.engines.items",
    "every-n": "ndcg_asymptotics.engines.every_n",
    "cells": "ndcg_asymptotics.engines.cells",
}
"""The module of each engine."""

_LOSSES_IN_A_ROW = 3
_BLOCK_BYTES = 2**24

Stop = Literal["time limit", "interrupted", "workers lost"]


@dataclass
class Outcome:
    """What a sweep has come to.

    Attributes
    ----------
    wanted, complete : int
        Replicates the store is for, and those of them that are complete.
    failures : list of Failure
        Replicates that raised in this sweep.
    stopped : {"time limit", "interrupted", "workers lost"}, optional
        Why the sweep ended before its last block.
    """

    wanted: int = 0
    complete: int = 0
    failures: list[Failure] = field(default_factory=list)
    stopped: Stop | None = None


def run(
    study: Study,
    folder: str | Path,
    *,
    replicates: int | None = None,
    first: int = 0,
    jobs: int | None = None,
    backend: Backend = "loky",
    scheduler: str | None = None,
    time_limit: float = math.inf,
    block: int | None = None,
    progress: Silent | None = None,
) -> Outcome:
    """Simulate the replicates of a study that a folder of results does not hold yet.

    Parameters
    ----------
    study : Study
    folder : path
        Made if it does not exist. Results of the same study in it are continued.
    replicates : int, optional
        How many replicates, if not as many as the study says.
    first : int
        The index of the first one (for the parts of a study that are merged later).
    jobs : int, optional
        Processes or threads; as many as there are cores by default. For a scheduler, how many
        blocks are out at a time; by default as many as its workers have threads.
    backend : {"loky", "threading", "dask"}
        Processes, threads, or the workers of a dask cluster.
    scheduler : str, optional
        The address of the cluster's scheduler; without one a local cluster is started.
    time_limit : float
        Seconds after which no further block is begun.
    block : int, optional
        Replicates per block; by default as many as take about two seconds.
    progress : Silent, optional
        Whom to tell.

    Raises
    ------
    InputError
        If the engine cannot do the study, or the folder holds another one.
    OSError
        If the folder cannot be written to; what was complete stays so.
    """
    deadline = time.monotonic() + time_limit
    count = study.replicates if replicates is None else replicates
    require(count >= 1, f"--replicates must be at least 1, got {count}")
    require(first >= 0, f"--first must be at least 0, got {first}")
    require(block is None or block >= 1, f"a block must hold at least 1 replicate, got {block}")
    require(time_limit > 0, f"--time-limit must be positive, got {time_limit:g}")
    asked = range(first, first + count)
    design = study.design()
    engine = _engine(study, design)
    progress = progress or Silent()
    with Writer(folder, study) as writer:
        missing = writer.missing(asked)
        if len(writer.replicates) > count:
            progress.say(
                f"{folder} is for {len(writer.replicates)} replicates, more than the {count} asked for: "
                "they stay"
            )
        outcome = Outcome()
        if missing:
            try:
                engine.warm(design)  # here, before the workers do: they find what it compiled
                with progress, pool(backend, jobs, scheduler, progress) as parallel:
                    writer.extend(asked)
                    progress.begin(count, count - len(missing))
                    _Sweep(study, design, writer, progress, outcome).run(missing, block, deadline, parallel)
            except KeyboardInterrupt:
                outcome.stopped = "interrupted"
            except BrokenExecutor:
                outcome.stopped = "workers lost"
        outcome.wanted, outcome.complete = len(writer.replicates), writer.complete
    return outcome


def replay(study: Study, folder: str | Path, replicate: int) -> Literal["written", "same", "different"]:
    """Simulate one replicate in this process, whatever it raises.

    Its values are written if the folder does not hold them yet, and compared with those it holds.

    Raises
    ------
    InputError
        If the folder's results are of another study, or do not want this replicate.
    Exception
        Whatever the engine raises.
    """
    require(replicate >= 0, f"--only must be at least 0, got {replicate}")
    folder = Path(folder)
    design = study.design()
    engine = _engine(study, design)
    if holds_results(folder):
        wanted = open_results(folder).replicates
        require(
            replicate in wanted,
            f"--only: {folder} has no replicate {replicate}, it is for {wanted.min()} to {wanted.max()}",
        )
    draw = engine.simulate(design, replicate)
    with Writer(folder, study) as writer:
        if writer.missing([replicate]):
            writer.extend([replicate])
            writer.write([replicate], {name: values[None] for name, values in draw.items()})
            return "written"
    stored = open_results(folder).data.sel(replicate=replicate)
    same = all(np.array_equal(stored[name], values, equal_nan=True) for name, values in draw.items())
    return "same" if same else "different"


def _engine(study: Study, design: Design) -> ModuleType:
    engine = importlib.import_module(ENGINES[study.engine])
    engine.check(design)
    return engine


class _Sweep:
    """The missing replicates of one store, dealt out in blocks and written as they come back."""

    def __init__(
        self, study: Study, design: Design, writer: Writer, progress: Silent, outcome: Outcome
    ) -> None:
        self._module = ENGINES[study.engine]
        self._design = design
        self._seed = study.seed
        self._writer = writer
        self._progress = progress
        self._outcome = outcome

    def run(self, missing: list[int], block: int | None, deadline: float, parallel: Any) -> None:
        """Deal, write, and deal again what lost workers had."""
        losses = 0
        while missing and self._outcome.stopped is None:
            deal = _Deal(missing, parallel.n_jobs, block, deadline)
            with interrupts_ignored():
                blocks = parallel(map(self._task, deal))
            try:
                for result in blocks:
                    deal.learn(result)
                    self._keep(result)
                    losses = 0
            except TerminatedWorkerError:
                losses += 1
                if losses == _LOSSES_IN_A_ROW:
                    raise
                self._progress.say("a worker was lost; starting again from what is complete")
            finally:
                blocks.close()
            failed = {failure.replicate for failure in self._outcome.failures}
            missing = [r for r in self._writer.missing(missing) if r not in failed]
            if deal.late:
                self._outcome.stopped = "time limit"

    def _task(
        self, replicates: Sequence[int]
    ) -> tuple[Callable[..., Block], tuple[Any, ...], dict[str, Any]]:
        task: tuple[Callable[..., Block], tuple[Any, ...], dict[str, Any]] = delayed(simulate)(
            self._module, self._design, replicates
        )
        return task

    def _keep(self, block: Block) -> None:
        if block.replicates:
            self._writer.write(block.replicates, block.draws)
        for failure in block.failures:
            self._progress.say(f"replicate {failure.replicate} (seed {self._seed}) failed: {failure.reason}")
        self._outcome.failures += block.failures
        self._progress.advance(len(block.replicates), block.asked[0], block.asked[-1])


class _Deal:
    """Consecutive blocks of the missing replicates, until the deadline.

    A block is meant to take about two seconds (longer for many workers, so that the writer keeps
    up), and no more than a fair part of what is left. The first ones, of unknown cost, hold one
    replicate each.
    """

    def __init__(self, missing: Sequence[int], jobs: int, size: int | None, deadline: float) -> None:
        self._missing = missing
        self._jobs = jobs
        self._size = size
        self._deadline = deadline
        self._seconds = max(2.0, jobs / 4)
        self._largest = 1
        self.late = False

    def learn(self, block: Block) -> None:
        """Take the cost of a replicate from a block."""
        if not block.replicates:
            return
        each = block.seconds / len(block.asked)
        size = sum(values.nbytes for values in block.draws.values()) / len(block.replicates)
        largest = min(self._seconds / max(each, 1e-9), _BLOCK_BYTES / size)
        self._largest = max(self._largest, int(largest))

    def __iter__(self) -> Iterator[Sequence[int]]:
        start = 0
        while start < len(self._missing):
            if time.monotonic() >= self._deadline:
                self.late = True
                return
            left = len(self._missing) - start
            size = self._size or min(self._largest, math.ceil(left / (2 * self._jobs)))
            yield self._missing[start : start + size]
            start += size
