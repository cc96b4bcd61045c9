"""Compute blocks of replicates in worker processes or threads (joblib), or on a dask cluster."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Literal, get_args

from joblib import Parallel, cpu_count, delayed, parallel_config

from ndcg_asymptotics.core.arrays import require_choice, whole_number
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.sweep.block import Block
from ndcg_asymptotics.sweep.processes import bounded, interrupts_deferred, safe_paths
from ndcg_asymptotics.sweep.worker import end_with_parent

Backend = Literal["loky", "threading"]
Work = Callable[[Sequence[int]], Block]

Computed = Callable[[Work, Iterator[Sequence[int]]], Generator[Block]]
"""Takes the work and its pieces and yields the blocks in the order in which they are completed.

If closed before the last one, it ends the work that is under way. It raises BrokenExecutor if a worker
process died; called again, it starts new ones."""


@dataclass(frozen=True)
class Cores:
    """Where blocks are computed; the attributes are parameters of `sweep.sweep.sweep`.

    Raises
    ------
    InputError
        For an unknown backend, and no job.
    """

    backend: Backend = "loky"
    jobs: int | None = None
    scheduler: str | None = None

    def __post_init__(self) -> None:
        if self.jobs is not None:
            whole_number(self.jobs, "jobs", 1, None)
        require_choice(self.backend, get_args(Backend), "backend")
        if self.scheduler is None:
            object.__setattr__(self, "jobs", bounded(self.jobs, cpu_count(), "this machine"))

    @contextmanager
    def workers(self) -> Iterator[Computed]:
        """Yield the function by which workers compute blocks."""
        if self.scheduler is not None:
            try:
                from ndcg_asymptotics.sweep.cluster import client_of, computed
            except ImportError:
                install = "dask.distributed is not installed: pip install 'dask[distributed]'"
                raise InputError(install, "scheduler") from None
            with client_of(self.jobs, self.scheduler) as (client, threads):
                yield partial(computed, client, threads)
        elif self.jobs is None or self.jobs == 1:
            yield lambda work, pieces: (work(piece) for piece in pieces)  # in this thread
        else:
            with safe_paths():
                yield partial(_computed, self.backend, self.jobs)


def _computed(backend: Backend, jobs: int, work: Work, pieces: Iterator[Sequence[int]]) -> Generator[Block]:
    """Yield blocks as joblib's processes or threads compute them; processes stay for the next sweep.

    One piece more than there are jobs is under way, so that no worker waits while a block is written.
    Pieces further ahead would be lost in an interruption and would delay a time limit.
    """
    options: dict[str, object] = {}
    if backend == "loky":
        options = {
            "inner_max_num_threads": 1,  # of the libraries in a worker
            "initializer": end_with_parent,
            "initargs": (os.getpid(),),
        }
    blocks: Generator[Block] | None = None
    try:
        with parallel_config(backend, **options):
            parallel = Parallel(
                jobs, return_as="generator_unordered", batch_size=1, pre_dispatch=jobs + 1, max_nbytes=None
            )
            # the first calls start the processes
            with interrupts_deferred() if backend == "loky" else nullcontext():
                blocks = parallel(delayed(work)(piece) for piece in pieces)
        for block in blocks:  # noqa: UP028 (yield from would close them before the warning is silenced)
            yield block
    finally:
        if blocks is not None:
            with warnings.catch_warnings():
                # joblib warns if not all results were taken, which a caller who ends early intends
                warnings.simplefilter("ignore", UserWarning)
                blocks.close()
