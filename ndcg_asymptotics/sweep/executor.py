"""Compute blocks of replicates in worker processes or threads (joblib), or on a dask cluster."""

from __future__ import annotations

import importlib
import os
import re
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Literal, get_args

from joblib import Parallel, cpu_count, delayed, parallel_config

from ndcg_asymptotics.core.arrays import require_choice
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.sweep.block import Block
from ndcg_asymptotics.sweep.processes import bounded, interrupts_deferred, remove_semaphores_after
from ndcg_asymptotics.sweep.worker import end_with_parent

Backend = Literal["loky", "threading", "dask"]
Work = Callable[[Sequence[int]], Block]

_ADDRESS = re.compile(r"(tcp|tls|ucx|ws|wss)://\S+:\d+")


@dataclass(frozen=True)
class Workers:
    """The workers of a backend.

    Attributes
    ----------
    jobs : int
        The number of blocks that are computed at a time.
    computed : function
        Takes the work and its pieces and yields the blocks in the order in which they are completed. If
        closed before the last one, it ends the work that is under way. It raises BrokenExecutor if a
        worker process died; called again, it starts new ones.
    """

    jobs: int
    computed: Callable[[Work, Iterator[Sequence[int]]], Generator[Block]]


def check_backend(backend: str, scheduler: str | None) -> None:
    """Refuse an unknown backend, and a scheduler's address that is malformed or not used.

    Raises
    ------
    InputError
        Naming the argument.
    """
    require_choice(backend, get_args(Backend), "backend")
    require(scheduler is None or backend == "dask", "needs the backend dask", "scheduler")
    require(
        scheduler is None or _ADDRESS.fullmatch(scheduler) is not None,
        f"must be an address such as tcp://host:8786, got {scheduler!r}",
        "scheduler",
    )


def local_jobs(jobs: int | None) -> int:
    """Return the number of jobs on this machine, by default and at most one per core."""
    return bounded(jobs, cpu_count(), "this machine")


@contextmanager
def scheduler_of(backend: Backend, jobs: int | None, scheduler: str | None) -> Iterator[str | None]:
    """Yield the address of the scheduler of the backend dask; None for the other backends.

    Without an address a cluster of ``jobs`` processes on this machine is started for the body.
    """
    if backend != "dask" or scheduler is not None:
        yield scheduler
        return
    with _cluster_module().local(jobs) as address:
        yield address


def _cluster_module() -> ModuleType:
    try:
        return importlib.import_module("ndcg_asymptotics.sweep.cluster")
    except ImportError:
        raise InputError(
            "dask.distributed is not installed: pip install 'dask[distributed]'", "backend"
        ) from None


@contextmanager
def workers(backend: Backend, jobs: int | None, scheduler: str | None = None) -> Iterator[Workers]:
    """Yield the workers of a backend. If the body raises, what they compute is abandoned.

    Parameters
    ----------
    backend : {"loky", "threading", "dask"}
    jobs : int, optional
        How many; by default as many as there are cores, here or in the cluster.
    scheduler : str, optional
        As in `scheduler_of`.
    """
    if backend == "dask":
        with scheduler_of(backend, jobs, scheduler) as address:
            cluster = _cluster_module()
            with cluster.client_of(jobs, address) as (client, threads):
                yield Workers(threads, partial(cluster.computed, client, threads))
        return
    jobs = local_jobs(jobs)
    yield Workers(jobs, _computed_here if jobs == 1 else partial(_computed, backend, jobs))


def _computed_here(work: Work, pieces: Iterator[Sequence[int]]) -> Generator[Block]:
    """Yield the blocks of some pieces, computed in this thread."""
    yield from map(work, pieces)


def _computed(backend: Backend, jobs: int, work: Work, pieces: Iterator[Sequence[int]]) -> Generator[Block]:
    """Yield blocks as joblib's worker processes or threads compute them; processes stay for the next sweep.

    One piece more than there are jobs is under way, so that no worker waits while a block is written.
    Pieces further ahead would be lost in an interruption and would delay a time limit.
    """
    options: dict[str, object] = {}
    if backend == "loky":
        remove_semaphores_after(os.getpid())
        options = {
            "inner_max_num_threads": 1,  # of the libraries in a worker
            "initializer": end_with_parent,
            "initargs": (os.getpid(),),
        }
    with parallel_config(backend, **options):
        parallel = Parallel(
            jobs, return_as="generator_unordered", batch_size=1, pre_dispatch=jobs + 1, max_nbytes=None
        )
        with interrupts_deferred():  # the first pieces start the processes
            blocks = parallel(delayed(work)(piece) for piece in pieces)
    try:
        for block in blocks:  # noqa: UP028 (yield from would close them before the warning is silenced)
            yield block
    finally:
        with warnings.catch_warnings():
            # joblib warns if not all blocks were computed, which a caller who ends early intends
            warnings.simplefilter("ignore", UserWarning)
            blocks.close()
