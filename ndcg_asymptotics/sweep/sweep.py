"""Sweeps: the replicates of a study, in blocks, in parallel, into results that can be continued.

A replicate depends on the study's seed and its own index only, so neither the number of jobs nor
the backend, the blocks or an interruption changes a bit of the results.
"""

from __future__ import annotations

import math
import shutil
import time
import warnings
from concurrent.futures import BrokenExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Literal, TypedDict, Unpack

import numpy as np

from ndcg_asymptotics.core.arrays import brief, is_number, require_fraction, whole_number
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.files import path_of
from ndcg_asymptotics.core.progress import say, task
from ndcg_asymptotics.engines import engine
from ndcg_asymptotics.engines.shared.machine import available
from ndcg_asymptotics.results.folder import results_in
from ndcg_asymptotics.results.layout import Layout
from ndcg_asymptotics.results.record import Results
from ndcg_asymptotics.results.runs import BLOCK_BYTES, LAST_REPLICATE
from ndcg_asymptotics.results.sinks import FolderSink, MemorySink, Sink
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.studies.design import ENGINES
from ndcg_asymptotics.studies.study import MOST_REPLICATES
from ndcg_asymptotics.sweep.block import Block, BlockScheduler, Failure, prepared, run_block
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
    durable: bool


@dataclass
class Outcome:
    """The outcome of a sweep.

    Attributes
    ----------
    wanted, complete : int
        The numbers of replicates that are wanted and that are complete.
    failures : list of Failure
        Replicates that raised in this sweep.
    stopped : {"time limit", "interrupted", "workers lost"}, optional
        Why the sweep ended before its last block.
    precision : Precision, optional
        The precision of the means, if one was asked for.
    """

    wanted: int = 0
    complete: int = 0
    failures: list[Failure] = field(default_factory=list)
    stopped: Stop | None = None
    precision: Precision | None = None


def run_study(study: Study, folder: str | Path | None, **options: Unpack[SweepOptions]) -> Results:
    """Simulate a study, in memory without a folder, and return its results; see `running.run`."""
    into = MemorySink(study) if folder is None else path_of(folder, "out")
    outcome = sweep(study, into, **options)
    if outcome.stopped == "interrupted":
        raise KeyboardInterrupt
    if outcome.failures:
        first = outcome.failures[0]
        warnings.warn(
            f"{len(outcome.failures)} replicates failed, first {first.replicate}: {first.reason}",
            RuntimeWarning,
            stacklevel=3,
        )
    return _results(study, into)


def sweep(
    study: Study,
    into: str | Path | MemorySink,
    *,
    replicates: int | None = None,
    first: int = 0,
    jobs: int | None = None,
    backend: Backend = "loky",
    scheduler: str | None = None,
    time_limit: float = math.inf,
    block: int | None = None,
    precision: float | None = None,
    durable: bool = True,
) -> Outcome:
    """Simulate the replicates of a study that are missing in a folder of results.

    Parameters
    ----------
    study : Study
    into : path or MemorySink
        A folder, made if it does not exist. Results of the same study in it are continued.
    replicates : int, optional
        The number of replicates, by default that of the study.
    first : int
        The index of the first one (for the parts of a study that are merged later).
    jobs : int, optional
        Processes or threads; by default, and at most, as many as there are cores. For a scheduler, how many
        blocks are computed at a time; by default, and at most, as many as its workers have threads.
    backend : {"loky", "threading", "dask"}
        Processes, threads, or the workers of a dask cluster.
    scheduler : str, optional
        The address of the cluster's scheduler, for the backend "dask".
    time_limit : float
        Seconds after which no further block is begun.
    block : int, optional
        Replicates per block, at most 16 MB of them; by default blocks take about two seconds.
    precision : float, optional
        The standard error at which the sweep ends, once every mean has reached it (`sweep.precision`), by
        default that of the study; ``replicates`` is then the greatest number. It has no effect on parts,
        whose ``first`` is not 0.
    durable : bool
        Whether every file is flushed to the disk at once, as in `results.sinks.FolderSink`.

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
    cores = Cores(backend, jobs, scheduler)
    _require_room(study, count, None if isinstance(into, MemorySink) else Path(into))
    first = whole_number(first, "first", 0, None)
    last = LAST_REPLICATE - count
    require(first <= last, f"must be at most {last} for {count} replicates, got {first}", "first")
    if block is not None:
        most = max(BLOCK_BYTES // Layout.of(study).bytes_per_replicate, 1)
        block = min(whole_number(block, "block", 1, None), most)
    engine_ = engine.load_engine(study.engine)
    engine_.check(study.design)
    sweep_ = _Sweep(study, into, cores, block, durable, deadline)
    if precision is None or first > 0:
        return sweep_.run(range(first, first + count), fewer_is_said=precision is None)
    require(count > 1, "one replicate has no standard error", "precision")
    drawn = "ndcg" in engine_.VARIABLES
    require(drawn, f"is of means of NDCG, the {study.engine} engine draws orders of pairs", "precision")
    failures: list[Failure] = []
    for size in interim_sizes(count):
        outcome = sweep_.run(range(size), fewer_is_said=False)
        failures = outcome.failures = failures + outcome.failures
        if outcome.stopped or failures:
            break
        outcome.precision = precision_of(_results(study, into), precision, size)
        if outcome.precision.enough:
            break
    return outcome


@dataclass
class _Sweep:
    """Computes the missing replicates of a study in blocks and writes them as they come back."""

    study: Study
    into: str | Path | MemorySink
    cores: Cores
    block: int | None
    durable: bool
    deadline: float

    def run(self, asked: range, *, fewer_is_said: bool) -> Outcome:
        """Compute those of the replicates that are missing.

        With ``fewer_is_said``, a line says if the results are for more replicates.
        """
        into, outcome = self.into, Outcome()
        sink = into if isinstance(into, MemorySink) else FolderSink(into, self.study, durable=self.durable)
        with sink:
            if fewer_is_said and sink.wanted > len(asked):
                more = f"more than the {len(asked)} asked for; all are kept"
                say(f"{into} is for {sink.wanted} replicates, {more}")
            if missing := sink.missing(asked):
                try:
                    self._compute(asked, missing, sink, outcome)
                except KeyboardInterrupt:
                    outcome.stopped = "interrupted"
                except BrokenExecutor:
                    outcome.stopped = "workers lost"
            outcome.wanted = len(np.union1d(sink.replicates, asked))  # interrupted, it may not be wanted yet
            outcome.complete = sink.complete
        return outcome

    def _compute(self, asked: range, missing: list[int], sink: Sink, outcome: Outcome) -> None:
        """Compute and write; compute again what was lost with a worker."""
        study, cores = self.study, self.cores
        if cores.jobs is not None and cores.scheduler is None:
            jobs = min(cores.jobs, len(missing))
            _require_memory(study, jobs)
            cores = replace(cores, jobs=jobs)
        module = ENGINES[study.engine]
        with cores.workers() as computed:
            prepared(module, study.design)  # here first: workers load what this process has compiled
            sink.want(asked)
            work = partial(run_block, module, study.design)
            already, losses = len(asked) - len(missing), 0
            with task("replicates", len(asked), already) as bar:
                while missing and outcome.stopped is None:
                    pieces = BlockScheduler(missing, self.block, self.deadline)
                    try:
                        with closing(computed(work, iter(pieces))) as blocks:
                            for block in blocks:
                                if bar.n == already:
                                    bar.unpause()  # the time that workers take to start says nothing
                                pieces.learn(block)
                                self._keep(block, sink, outcome)
                                bar.update(len(block.replicates))
                                losses = 0
                    except BrokenExecutor:
                        losses += 1
                        if losses == _LOSSES_IN_A_ROW:
                            raise
                        say("a worker was lost; its blocks are computed again")
                    failed = {failure.replicate for failure in outcome.failures}
                    missing = [r for r in sink.missing(missing) if r not in failed]
                    if pieces.late:
                        outcome.stopped = "time limit"

    def _keep(self, block: Block, sink: Sink, outcome: Outcome) -> None:
        if block.replicates:
            sink.add(block.replicates, block.draws)
        for failure in block.failures:
            say(f"replicate {failure.replicate} (seed {self.study.seed}) failed: {failure.reason}")
        outcome.failures += block.failures


def _require_room(study: Study, replicates: int, folder: Path | None) -> None:
    """Refuse results larger than memory, or than the free space of the folder's disk."""
    needed = replicates * Layout.of(study).bytes_per_replicate
    if folder is None:
        there, what = available(), "memory"
    else:
        above = next(part for part in (folder.absolute(), *folder.absolute().parents) if part.exists())
        # twice the free space, because the disk may already hold half of the results of a continued sweep
        there, what = 2 * shutil.disk_usage(above).free, "the disk"
    require(
        needed <= there,
        f"{replicates} replicates take {needed:.3g} bytes of results, more than {what} holds",
        "replicates",
    )


def _require_memory(study: Study, jobs: int) -> None:
    """Refuse more processes than fit into memory."""
    module = engine.load_engine(study.engine)
    each, there = module.memory(study.design), available()
    require(
        jobs * each <= there,
        f"{jobs} processes take {jobs * each:.3g} bytes at n = {study.n[-1]:g}, {there:.3g} are available: "
        f"at most {max(there // max(each, 1), 1)} fit",
        "jobs",
    )


def _results(study: Study, into: str | Path | MemorySink) -> Results:
    return into.results() if isinstance(into, MemorySink) else results_in(into, study)
