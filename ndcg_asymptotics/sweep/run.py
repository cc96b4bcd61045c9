"""Sweeps: the replicates of a study, in blocks, in parallel, into results that can be continued.

A replicate depends on the study's seed and its own index only, so neither the number of jobs nor
the backend, the blocks or an interruption changes a bit of the results.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from joblib import delayed
from joblib.externals.loky.process_executor import TerminatedWorkerError

from ndcg_asymptotics.engines import engine
from ndcg_asymptotics.errors import require
from ndcg_asymptotics.store.layout import holds_results
from ndcg_asymptotics.store.memory import Memory
from ndcg_asymptotics.store.results import Results, open_results
from ndcg_asymptotics.store.writer import Writer
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.studies.engines import ENGINES
from ndcg_asymptotics.sweep.block import Block, Failure, simulate
from ndcg_asymptotics.sweep.deal import Deal
from ndcg_asymptotics.sweep.pool import Backend, interrupts_ignored, pool
from ndcg_asymptotics.sweep.progress import Silent, for_python

_LOSSES_IN_A_ROW = 3

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
    """

    wanted: int = 0
    complete: int = 0
    failures: list[Failure] = field(default_factory=list)
    stopped: Stop | None = None


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
        ``block``, ``progress``.

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
    into = Memory(study) if folder is None else folder
    outcome = sweep(study, into, **{"progress": for_python()} | options)
    if outcome.stopped == "interrupted":
        raise KeyboardInterrupt
    if outcome.failures:
        first = outcome.failures[0]
        warnings.warn(
            f"{len(outcome.failures)} replicates failed, first {first.replicate}: {first.reason}",
            RuntimeWarning,
            stacklevel=2,
        )
    return into.results() if isinstance(into, Memory) else open_results(into)


def sweep(
    study: Study,
    into: str | Path | Memory,
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
    into : path or Memory
        A folder, made if it does not exist. Results of the same study in it are continued.
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
    require(count >= 1, f"must be at least 1, got {count}", "replicates")
    require(first >= 0, f"must be at least 0, got {first}", "first")
    require(block is None or block >= 1, f"must be at least 1, got {block}", "block")
    require(time_limit > 0, f"must be positive, got {time_limit:g}", "time_limit")
    asked = range(first, first + count)
    engine_ = engine.load(study.engine)
    engine_.check(study.design)
    progress = progress or Silent()
    with into if isinstance(into, Memory) else Writer(into, study) as writer:
        missing = writer.missing(asked)
        if len(writer.replicates) > count:
            progress.say(
                f"{into} is for {len(writer.replicates)} replicates, more than the {count} asked for: "
                "they stay"
            )
        outcome = Outcome()
        if missing:
            try:
                engine_.warm(study.design)  # here, before the workers do: they find what it compiled
                with progress, pool(backend, jobs, scheduler, progress) as parallel:
                    writer.extend(asked)
                    progress.begin(count, count - len(missing))
                    _Sweep(study, writer, progress, outcome).run(missing, block, deadline, parallel)
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
    require(replicate >= 0, f"must be at least 0, got {replicate}", "only")
    folder = Path(folder)
    engine_ = engine.load(study.engine)
    engine_.check(study.design)
    if holds_results(folder):
        wanted = open_results(folder).replicates
        there = f"it is for {wanted.min()} to {wanted.max()}"
        require(replicate in wanted, f"{folder} has no replicate {replicate}, {there}", "only")
    draw = engine_.simulate(study.design, replicate)
    with Writer(folder, study) as writer:
        if writer.missing([replicate]):
            writer.extend([replicate])
            writer.write([replicate], {name: values[None] for name, values in draw.items()})
            return "written"
    stored = open_results(folder).data.sel(replicate=replicate)
    same = all(np.array_equal(stored[name], values, equal_nan=True) for name, values in draw.items())
    return "same" if same else "different"


class _Sweep:
    """The missing replicates of some results, dealt out in blocks and written as they come back."""

    def __init__(self, study: Study, writer: Writer | Memory, progress: Silent, outcome: Outcome) -> None:
        self._module = ENGINES[study.engine]
        self._design = study.design
        self._writer = writer
        self._progress = progress
        self._outcome = outcome

    def run(self, missing: list[int], block: int | None, deadline: float, parallel: Any) -> None:
        """Deal, write, and deal again what lost workers had."""
        losses = 0
        while missing and self._outcome.stopped is None:
            deal = Deal(missing, parallel.n_jobs, block, deadline)
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
            seed = self._design.seed
            self._progress.say(f"replicate {failure.replicate} (seed {seed}) failed: {failure.reason}")
        self._outcome.failures += block.failures
        self._progress.advance(len(block.replicates), block.asked[0], block.asked[-1])
