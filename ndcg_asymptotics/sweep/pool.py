"""Where blocks of replicates are computed: in this process, its threads or children, or a dask cluster."""

from __future__ import annotations

import importlib
import logging
import os
import re
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Protocol, get_args

from joblib import Parallel, cpu_count, delayed, parallel_config

from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.progress import say
from ndcg_asymptotics.sweep.block import Block
from ndcg_asymptotics.sweep.forks import Forks, Work, can_fork, end_with

Backend = Literal["loky", "threading", "dask"]

_SECONDS_TO_CONNECT = 30
_SECONDS_IDLE = 20  # after which a process goes
_ADDRESS = re.compile(r"(tcp|tls|ucx|ws|wss)://\S+:\d+")


class Blocks(Protocol):
    """Blocks as they come.

    Raises
    ------
    TerminatedWorkerError
        If a process is gone.
    """

    def __iter__(self) -> Iterator[Block]: ...

    def close(self) -> None:
        """Abandon those that are not there yet."""


@dataclass(frozen=True)
class Pool:
    """What computes blocks, so many at a time."""

    jobs: int
    begin: Callable[[Work, Iterable[Sequence[int]]], Blocks]


@contextmanager
def pool(backend: Backend, jobs: int | None, scheduler: str | None) -> Iterator[Pool]:
    """What computes blocks, for the time being."""
    known = ", ".join(get_args(Backend))
    require(backend in get_args(Backend), f"must be one of {known}, got {backend!r}", "backend")
    require(scheduler is None or backend == "dask", "needs the backend dask", "scheduler")
    require(
        scheduler is None or _ADDRESS.fullmatch(scheduler) is not None,
        f"must be an address such as tcp://host:8786, got {scheduler!r}",
        "scheduler",
    )
    require(jobs is None or jobs >= 1, f"must be at least 1, got {jobs}", "jobs")
    with ExitStack() as stack:
        if backend == "dask":
            jobs = stack.enter_context(_dask(jobs, scheduler))
        count = jobs or cpu_count()
        if backend == "loky" and count > 1 and can_fork():
            yield Pool(count, partial(Forks, count))
            return
        if backend == "loky":
            options = {"initializer": end_with, "initargs": (os.getpid(),)}
            idle = {"idle_worker_timeout": _SECONDS_IDLE}
            stack.enter_context(parallel_config(backend="loky", **idle, **options))
        elif backend == "threading":
            stack.enter_context(parallel_config(backend=backend))
        # few tasks in advance: those that wait are lost in an interruption and delay a time limit
        parallel = Parallel(
            n_jobs=count, return_as="generator_unordered", batch_size=1, pre_dispatch=count + 1
        )
        yield Pool(count, lambda work, pieces: parallel(map(delayed(work), pieces)))


@contextmanager
def _dask(jobs: int | None, scheduler: str | None) -> Iterator[int]:
    """joblib's dask backend, on a scheduler or on a cluster of ``jobs`` processes for the time being.

    The number of jobs is how many blocks are out at a time.
    """
    try:
        distributed: Any = importlib.import_module("distributed")
        from ndcg_asymptotics.sweep.cluster import ClusterBackend, check_workers
    except ImportError:
        raise InputError(
            "dask needs the extra cluster: pip install 'ndcg-asymptotics[cluster]'", "backend"
        ) from None
    # what it has to tell is told here in one line
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    with ExitStack() as stack:
        if scheduler is None:
            with interrupts_ignored():
                cluster = distributed.LocalCluster(
                    n_workers=jobs or cpu_count(),
                    threads_per_worker=1,
                    dashboard_address=":0",
                    silence_logs=logging.CRITICAL,
                )
            stack.enter_context(cluster)
            scheduler = cluster.scheduler_address
        client = stack.enter_context(
            distributed.Client(scheduler, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
        )
        if not client.ncores():
            say(f"waiting for a worker to come to {scheduler}")
            client.wait_for_workers(1)
        check_workers(client)
        out_at_a_time = jobs or sum(client.ncores().values())
        stack.enter_context(parallel_config(backend=ClusterBackend(client, out_at_a_time)))
        yield out_at_a_time


@contextmanager
def interrupts_ignored() -> Iterator[None]:
    """Start processes that Ctrl-C, which reaches all that a terminal runs, leaves to their parent.

    SIGTERM waits until they have started: one that loses its parent half-way complains at length.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[int] = []
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    terminate = signal.signal(signal.SIGTERM, lambda number, frame: waiting.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        signal.signal(signal.SIGTERM, terminate)
        if waiting:
            signal.raise_signal(signal.SIGTERM)
