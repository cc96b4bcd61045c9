"""Executors on a dask cluster, through `distributed.Client.get_executor`."""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from contextlib import contextmanager
from itertools import islice
from typing import Any

from distributed import Client, KilledWorker, rpc
from distributed.security import Security
from distributed.utils import LoopRunner

from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.progress import say
from ndcg_asymptotics.results.layout import versions_here
from ndcg_asymptotics.sweep.block import Block
from ndcg_asymptotics.sweep.processes import bounded


@contextmanager
def client_of(
    jobs: int | None, scheduler: str, seconds_to_connect: float = 10
) -> Iterator[tuple[Client, int]]:
    """Yield a client of the scheduler and the number of blocks that its workers compute at a time.

    Parameters
    ----------
    jobs : int, optional
        By default as many as the workers have threads.
    scheduler : str
        The address of the scheduler.
    seconds_to_connect : float
        How long to wait for the scheduler's answer.

    Raises
    ------
    InputError
        If no scheduler answers, or a worker does not have this package.
    BrokenExecutor
        If workers died again and again in the body.
    ConnectionError
        If the scheduler is gone.
    """
    # problems that matter are raised here and reported in one line
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    check_scheduler(scheduler, seconds_to_connect)
    with Client(scheduler, timeout=seconds_to_connect, set_as_default=False) as client:
        if not client.ncores():
            say(f"waiting for a worker to come to {scheduler}")
            client.wait_for_workers(1)
        check_workers(client)
        threads = bounded(jobs, sum(client.ncores().values()), "the cluster")
        try:
            yield client, threads
        except KilledWorker as error:
            raise BrokenExecutor("workers died again and again") from error
        except CancelledError:
            raise ConnectionError("the dask scheduler is gone") from None


def computed(
    client: Client,
    threads: int,
    work: Callable[[Sequence[int]], Block],
    pieces: Iterator[Sequence[int]],
    seconds_without_workers: float = 300,
) -> Generator[Block]:
    """Yield the blocks of some pieces as they are computed, as `sweep.executor.Computed`.

    joblib has a dask backend too, which waits forever for the result of a lost worker.

    Raises
    ------
    BrokenExecutor
        If there has been no worker for too long.
    """
    executor = client.get_executor(pure=False)  # not pure: a block is computed again if its result was lost
    waiting: set[Future[Block]] = {executor.submit(work, piece) for piece in islice(pieces, threads + 1)}
    try:
        while waiting:
            ready, waiting = wait(waiting, seconds_without_workers, FIRST_COMPLETED)
            if not ready:
                try:
                    client.wait_for_workers(1, seconds_without_workers)
                except TimeoutError:
                    raise BrokenExecutor("no worker is left") from None
            for future in ready:
                block = future.result()
                waiting |= {executor.submit(work, piece) for piece in islice(pieces, 1)}
                yield block
    finally:
        for future in waiting:
            future.cancel()


def check_scheduler(address: str, seconds: float) -> None:
    """Refuse an address where no dask scheduler answers in time; a `Client` might wait for ever.

    Raises
    ------
    InputError
        Naming the address.
    """

    async def identity() -> Any:
        async with rpc(address, connection_args=Security().get_connection_args("client")) as server:
            return await server.identity()

    try:
        answer = LoopRunner().run_sync(identity, callback_timeout=seconds)
    except Exception:  # any, as whatever answers instead is read as numbers and names
        answer = {}
    remedy = "`dask scheduler` starts one"
    require("workers" in answer, f"no dask scheduler answers at {address}; {remedy}", "scheduler")


def check_workers(client: Client) -> None:
    """Refuse workers without this package; report which have other versions than this process.

    Raises
    ------
    InputError
        Naming the worker, which would die of a block without an explanation.
    """
    package = __name__.partition(".")[0]
    # workers that die meanwhile give errors
    for worker, spec in client.run(importlib.util.find_spec, package, on_error="ignore").items():
        if spec is None:
            raise InputError(f"the worker {worker} has no package {package}", "scheduler")
    versions = versions_here()
    for worker, worker_versions in client.run(versions_here, on_error="ignore").items():
        if differing := versions.items() - worker_versions.items():
            names = ", ".join(sorted(name for name, _ in differing))
            say(f"the worker {worker} has another {names} than this process: its bits may differ")
