"""Sweeps: the replicates of a study, in blocks, in parallel, into results that can be continued.

A replicate depends on the study's seed and its own index only, so neither the number of jobs nor
the backend, the blocks or an interruption changes a bit of the results.
"""

from __future__ import annotations

import math
import time
import warnings
from concurrent.futures import BrokenExecutor
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.progress import say, task
from ndcg_asymptotics.engines import engine
from ndcg_asymptotics.results.blocks import LAST_REPLICATE
from ndcg_asymptotics.results.folder import results_in
from ndcg_asymptotics.results.record import Results
from ndcg_asymptotics.results.sinks import FolderSink, MemorySink, Sink
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.studies.engines import ENGINES
from ndcg_asymptotics.studies.study import MOST_REPLICATES
from ndcg_asymptotics.sweep.block import Block, Failure, simulate
from ndcg_asymptotics.sweep.estimate import Estimate
from ndcg_asymptotics.sweep.executor import Backend, Workers, check_backend, local_jobs, workers
from ndcg_asymptotics.sweep.precision import Precision, interim_sizes, precision_of
from ndcg_asymptotics.sweep.resources import require_memory_for, require_room
from ndcg_asymptotics.sweep.scheduler import BlockScheduler

_LOSSES_IN_A_ROW = 3
_MOST_DAMAGES_TOLD = 10

Stop = Literal["time limit", "interrupted", "workers lost"]


@dataclass
class Outcome:
    """What a sweep has come to.

    Attributes
    ----------
    wanted, complete : int
        Replicates the results are for, and those of them that are complete.
    failures : list of Failure
        Replicates that raised in this sweep.
    stopped : {"time limit", "interrupted", "workers lost"}, optional
        Why the sweep ended before its last block.
    precision : Precision, optional
        How precise the means are, if that was asked for.
    """

    wanted: int = 0
    complete: int = 0
    failures: list[Failure] = field(default_factory=list)
    stopped: Stop | None = None
    precision: Precision | None = None


def run(study: Study, folder: str | Path | None = None, **options: Any) -> Results:
    """Simulate a study and return its results.

    Parameters
    ----------
    study : Study
    folder : path, optional
        Where the results are kept, and continued if they are of the same study; without it they are
        kept in memory.
    **options
        As in `sweep`: ``replicates``, ``first``, ``jobs``, ``backend``, ``scheduler``, ``time_limit``,
        ``block``, ``precision``.

    Raises
    ------
    InputError
        If the engine cannot do the study, or the folder holds another one.
    OSError
        If the folder cannot be written to; what was complete stays so.
    KeyboardInterrupt
        If it was interrupted; what was complete stays in the folder.

    >>> from ndcg_asymptotics.studies import Study
    >>> study = Study(scorers={"good": "linear(0.1, 0.7)"}, measures="nDCG", n=[10, 100], replicates=3)
    >>> run(study, jobs=1).data["ndcg"].shape
    (3, 1, 1, 2)
    """
    into = MemorySink(study) if folder is None else folder
    outcome = sweep(study, into, **options)
    if outcome.stopped == "interrupted":
        raise KeyboardInterrupt
    if outcome.failures:
        first = outcome.failures[0]
        warnings.warn(
            f"{len(outcome.failures)} replicates failed, first {first.replicate}: {first.reason}",
            RuntimeWarning,
            stacklevel=2,
        )
    return into.results() if isinstance(into, MemorySink) else results_in(into, study)


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
    """Simulate the replicates of a study that a folder of results does not hold yet.

    Parameters
    ----------
    study : Study
    into : path or MemorySink
        A folder, made if it does not exist. Results of the same study in it are continued.
    replicates : int, optional
        How many replicates, if not as many as the study says.
    first : int
        The index of the first one (for the parts of a study that are merged later).
    jobs : int, optional
        Processes or threads; by default, and at most, as many as there are cores. For a scheduler, how many
        blocks are computed at a time; by default, and at most, as many as its workers have threads.
    backend : {"loky", "threading", "dask"}
        Processes, threads, or the workers of a dask cluster.
    scheduler : str, optional
        The address of the cluster's scheduler; without one a local cluster is started.
    time_limit : float
        Seconds after which no further block is begun.
    block : int, optional
        Replicates per block; by default as many as take about two seconds.
    precision : float, optional
        The standard error that every mean is to have (`sweep.precision`), if not as the study says; then
        ``replicates`` is the most there may be. Not for parts, whose ``first`` is not 0.
    durable : bool
        Whether every file is flushed to the disk at once, as in `results.sinks.FolderSink`.

    Raises
    ------
    InputError
        If the engine cannot do the study, or the folder holds another one.
    OSError
        If the folder cannot be written to; what was complete stays so.
    """
    deadline = time.monotonic() + time_limit
    precision = study.precision if precision is None else precision
    require(precision is None or 0 < precision < 1, f"must be between 0 and 1, got {precision}", "precision")
    count = study.replicates if replicates is None else replicates
    require(count >= 1, f"must be at least 1, got {count}", "replicates")
    require(count <= MOST_REPLICATES, f"must be at most {MOST_REPLICATES:g}, got {count}", "replicates")
    require(jobs is None or jobs >= 1, f"must be at least 1, got {jobs}", "jobs")
    check_backend(backend, scheduler)
    if scheduler is None:
        jobs = local_jobs(jobs)
    require_room(study, count, None if isinstance(into, MemorySink) else Path(into))
    require(first >= 0, f"must be at least 0, got {first}", "first")
    last = LAST_REPLICATE - count
    require(first <= last, f"must be at most {last} for {count} replicates, got {first}", "first")
    require(block is None or block >= 1, f"must be at least 1, got {block}", "block")
    require(time_limit > 0, f"must be positive, got {time_limit:g}", "time_limit")
    engine_ = engine.load(study.engine)
    engine.check(engine_, study.design)
    estimate = Estimate(count, at_most=precision is not None)
    one = _Options(jobs, backend, scheduler, deadline, block, precision is not None, durable, estimate)
    if precision is None or first > 0:
        return _sweep(study, into, range(first, first + count), one)
    require(count > 1, "one replicate has no standard error", "precision")
    drawn = "ndcg" in engine_.VARIABLES
    require(drawn, f"is of means of NDCG, the {study.engine} engine draws orders of pairs", "precision")
    failures: list[Failure] = []
    for size in interim_sizes(count):
        outcome = _sweep(study, into, range(size), one)
        failures = outcome.failures = failures + outcome.failures
        if outcome.stopped or failures:
            break
        results = into.results() if isinstance(into, MemorySink) else results_in(into, study)
        outcome.precision = precision_of(results, precision, size)
        if outcome.precision.enough:
            break
    return outcome


class _Options(NamedTuple):
    """How replicates are computed."""

    jobs: int | None
    backend: Backend
    scheduler: str | None
    deadline: float
    block: int | None
    looking: bool
    durable: bool
    estimate: Estimate


def _sweep(study: Study, into: str | Path | MemorySink, asked: range, options: _Options) -> Outcome:
    """`sweep` for these replicates, all of them."""
    jobs, backend, scheduler, deadline, block, looking, durable, estimate = options
    engine_, count = engine.load(study.engine), len(asked)
    sink: Sink = into if isinstance(into, MemorySink) else FolderSink(into, study, durable=durable)
    with sink as writer:
        missing = writer.missing(asked)
        for damage in writer.damages[:_MOST_DAMAGES_TOLD]:
            say(f"{into}: damaged, and left out: {damage}")
        if len(writer.damages) > _MOST_DAMAGES_TOLD:
            say(f"{into}: and {len(writer.damages) - _MOST_DAMAGES_TOLD} more damages")
        if writer.wanted > count and not looking:
            say(f"{into} is for {writer.wanted} replicates, more than the {count} asked for: they stay")
        outcome = Outcome()
        if missing:
            try:
                # in this process first: the workers load what it has compiled from numba's cache
                engine_.warm(study.design.parts()[0])
                if jobs is not None and scheduler is None:
                    jobs = min(jobs, len(missing))
                    require_memory_for(study, jobs)
                with workers(backend, jobs, scheduler) as started:
                    _Sweep(study, writer, outcome, estimate).run(asked, missing, block, deadline, started)
            except KeyboardInterrupt:
                outcome.stopped = "interrupted"
            except BrokenExecutor:
                outcome.stopped = "workers lost"
        outcome.wanted, outcome.complete = writer.wanted_with(asked), writer.complete
    return outcome


class _Sweep:
    """The missing replicates of some results: computed in blocks and written as these come back."""

    def __init__(self, study: Study, writer: Sink, outcome: Outcome, estimate: Estimate) -> None:
        self._design = study.design
        self._work = partial(simulate, ENGINES[study.engine], self._design)
        self._writer = writer
        self._outcome = outcome
        self._estimate = estimate

    def run(
        self, asked: range, missing: list[int], size: int | None, deadline: float, workers: Workers
    ) -> None:
        """Compute and write; compute again what was lost with a worker."""
        losses, count = 0, len(asked)
        already = count - len(missing)
        self._writer.want(asked)
        with task("replicates", count, already) as bar:
            while missing and self._outcome.stopped is None:
                pieces = BlockScheduler(missing, workers.jobs, size, deadline)
                try:
                    with closing(workers.computed(self._work, iter(pieces))) as blocks:
                        for block in blocks:
                            pieces.learn(block)
                            self._estimate.learn(block, already, workers.jobs)
                            self._keep(block)
                            bar.set_postfix_str(f"block {block.asked[0]}-{block.asked[-1]}", refresh=False)
                            bar.update(len(block.replicates))
                            losses = 0
                except BrokenExecutor:
                    losses += 1
                    if losses == _LOSSES_IN_A_ROW:
                        raise
                    say("a worker was lost; starting again from what is complete")
                failed = {failure.replicate for failure in self._outcome.failures}
                missing = [r for r in self._writer.missing(missing) if r not in failed]
                if pieces.late:
                    self._outcome.stopped = "time limit"

    def _keep(self, block: Block) -> None:
        if block.replicates:
            self._writer.add(block.replicates, block.draws)
        for failure in block.failures:
            seed = self._design.seed
            say(f"replicate {failure.replicate} (seed {seed}) failed: {failure.reason}")
        self._outcome.failures += block.failures
