"""Sweeps: the replicates of a study, in blocks, in parallel, into results that can be continued.

A replicate depends on the study's seed and its own index only, so neither the number of jobs nor
the backend, the blocks or an interruption changes a bit of the results.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal, TypedDict

import numpy as np

from ndcg_asymptotics.core.arrays import brief, is_number, require_fraction, whole_number
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.progress import say, task
from ndcg_asymptotics.core.text import bytes_text
from ndcg_asymptotics.engines import engine
from ndcg_asymptotics.engines.shared.machine import available
from ndcg_asymptotics.results.layout import bytes_per_replicate
from ndcg_asymptotics.results.record import Results
from ndcg_asymptotics.results.replicate_ranges import BLOCK_BYTES, LAST_REPLICATE
from ndcg_asymptotics.results.sinks import FolderSink, MemorySink
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.studies.design import ENGINES
from ndcg_asymptotics.studies.study import MOST_REPLICATES
from ndcg_asymptotics.sweep.block import BlockScheduler, prepared, run_block
from ndcg_asymptotics.sweep.executor import Backend, Cores
from ndcg_asymptotics.sweep.precision import Precision, interim_sizes, precision_of

_LOSSES_IN_A_ROW = 3  # of workers, after which the sweep ends

Stop = Literal["time limit", "interrupted", "workers lost"]


class SweepOptions(TypedDict, total=False):
    """The options of `sweep`, which functions around it hand on."""

    replicates: int | None
    first: int
    jobs: int | None
    backend: Backend
    scheduler: str | None
    time_limit: float
    block: int | None
    precision: float | None


@dataclass
class Outcome:
    """The outcome of a sweep.

    Attributes
    ----------
    sink : MemorySink
        Where the replicates are.
    wanted, complete : int
        The numbers of replicates that are wanted and that are complete.
    stopped : {"time limit", "interrupted", "workers lost"}, optional
        Why the sweep ended before its last block.
    precision : Precision, optional
        The precision of the means, if one was asked for.
    """

    sink: MemorySink
    wanted: int = 0
    stopped: Stop | None = None
    precision: Precision | None = None

    @property
    def complete(self) -> int:
        """The number of replicates that are complete."""
        return len(self.sink.done)

    def results(self) -> Results:
        """Return the results, complete or not."""
        return self.sink.results()


def sweep(
    study: Study,
    folder: str | Path | None = None,
    *,
    replicates: int | None = None,
    first: int = 0,
    jobs: int | None = None,
    backend: Backend = "loky",
    scheduler: str | None = None,
    time_limit: float = math.inf,
    block: int | None = None,
    precision: float | None = None,
) -> Outcome:
    """Simulate the replicates of a study that are missing in a folder of results, or in memory.

    Parameters
    ----------
    study : Study
    folder : path, optional
        A folder, made if it does not exist. Results of the same study in it are continued. Without it results
        are kept in memory.
    replicates : int, optional
        The number of replicates, by default that of the study.
    first : int
        The index of the first one (for the parts of a study that are merged later).
    jobs : int, optional
        Processes or threads; by default, and at most, as many as there are cores. For a scheduler, how many
        blocks are computed at a time; by default, and at most, as many as its workers have threads.
    backend : {"loky", "threading"}
        Processes or threads.
    scheduler : str, optional
        The address of the scheduler of a dask cluster, whose workers compute instead.
    time_limit : float
        Seconds after which no further block is begun.
    block : int, optional
        Replicates per block, at most 16 MB of them; by default blocks take about two seconds.
    precision : float, optional
        The standard error at which the sweep ends, once every mean has reached it (`sweep.precision`), by
        default that of the study; ``replicates`` is then the greatest number. It has no effect on parts,
        whose ``first`` is not 0.

    Raises
    ------
    InputError
        If the engine cannot do the study, or the folder holds another one.
    OSError
        If the folder cannot be written to; what was complete stays so.
    """
    positive = is_number(time_limit) and time_limit > 0
    require(positive, f"must be a number above 0, got {brief(time_limit)}", "time_limit")
    deadline = time.monotonic() + time_limit
    precision = study.precision if precision is None else precision
    if precision is not None:
        require_fraction(precision, "precision")
    count = study.replicates if replicates is None else replicates
    count = whole_number(count, "replicates", 1, MOST_REPLICATES)
    first = whole_number(first, "first", 0, LAST_REPLICATE - count)
    cores = Cores(backend, jobs, scheduler)
    bytes_each = bytes_per_replicate(study)
    if block is not None:
        block = min(whole_number(block, "block", 1, None), max(BLOCK_BYTES // bytes_each, 1))
    engine_ = engine.load_engine(study.engine)
    engine_.check(study.design)
    sizes: Sequence[int] = [count]
    if precision is not None and first == 0:
        require(count > 1, "one replicate has no standard error", "precision")
        draws_ndcg = "ndcg" in engine_.VARIABLES
        require(
            draws_ndcg, f"is of means of NDCG, the {study.engine} engine draws orders of pairs", "precision"
        )
        sizes = list(interim_sizes(count))
    if folder is None:
        _require_memory(count * bytes_each, f"{count} replicates", "replicates")
    sink = MemorySink(study) if folder is None else FolderSink(folder, study)
    outcome = Outcome(sink)
    with sink:
        if precision is None and len(sink.replicates) > count:
            excess = f"more than the {count} asked for; all are kept"
            say(f"{folder} is for {len(sink.replicates)} replicates, {excess}")
        for size in sizes:  # of a sweep to a precision: the numbers at which it is looked at
            indices = range(first, first + size)
            try:
                if missing := sink.missing(indices):
                    _compute(study, indices, missing, outcome, cores, block, deadline)
            except KeyboardInterrupt:
                outcome.stopped = "interrupted"
            except BrokenExecutor:
                outcome.stopped = "workers lost"
            # interrupted, the sink may not know of all these yet
            outcome.wanted = len(np.union1d(sink.replicates, indices))
            if outcome.stopped or precision is None or first > 0:
                break
            outcome.precision = precision_of(sink.results(), precision, size)
            if outcome.precision.enough:
                break
    return outcome


def _compute(
    study: Study,
    indices: range,
    missing: list[int],
    outcome: Outcome,
    cores: Cores,
    block: int | None,
    deadline: float,
) -> None:
    """Compute the missing replicates and write them; compute again what was lost with a worker."""
    sink = outcome.sink
    if cores.jobs is not None and cores.scheduler is None:  # a cluster has memory of its own
        jobs = min(cores.jobs, len(missing))
        bytes_each = engine.load_engine(study.engine).memory(study.design)
        _require_memory(jobs * bytes_each, f"{jobs} processes", "jobs", bytes_each)
        cores = replace(cores, jobs=jobs)
    module = ENGINES[study.engine]
    with cores.workers() as compute:
        prepared(module, study.design)  # here first: workers load what this process has compiled
        sink.want(indices)
        work = partial(run_block, module, study.design)
        already, losses = len(indices) - len(missing), 0
        with task("replicates", len(indices), already) as bar:
            while missing and outcome.stopped is None:
                pieces = BlockScheduler(missing, block, deadline)
                try:
                    with closing(compute(work, iter(pieces))) as blocks:
                        for result in blocks:
                            if bar.n == already:
                                bar.unpause()  # the time that workers take to start says nothing
                            pieces.learn(result)
                            sink.add(result.replicates, result.draws)
                            bar.update(len(result.replicates))
                            losses = 0  # a worker that dies now and then ends nothing
                except BrokenExecutor:
                    losses += 1
                    if losses == _LOSSES_IN_A_ROW:
                        raise
                    say("a worker was lost; its blocks are computed again")
                missing = sink.missing(missing)
                if pieces.late:
                    outcome.stopped = "time limit"


def _require_memory(size: int, subject: str, argument: str, bytes_each: int = 0) -> None:
    """Refuse what takes more bytes than are free; the message says how many of ``bytes_each`` would fit."""
    free = available()
    fit = f": at most {max(free // bytes_each, 1)} fit" if bytes_each else ""
    too_large = f"{subject} take {bytes_text(size)}, {bytes_text(free)} are available{fit}"
    require(size <= free, too_large, argument)
