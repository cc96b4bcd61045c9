"""joblib's dask backend, made to notice what goes wrong on a cluster."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from typing import Any

from distributed import Client, KilledWorker
from distributed.client import FutureCancelledError
from joblib._dask import DaskDistributedBackend

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.progress import say
from ndcg_asymptotics.core.versions import differing_makers
from ndcg_asymptotics.results.layout import versions_here


def check_workers(client: Client) -> None:
    """Refuse workers without this package; tell of versions that are not those here.

    Raises
    ------
    InputError
        Naming the worker. (Given a block, it would die without a word.)
    """
    package = __name__.partition(".")[0]
    for worker, found in client.run(importlib.util.find_spec, package).items():
        if found is None:
            raise InputError(f"the worker {worker} has no package {package}", "scheduler")
    here = versions_here()
    for worker, there in client.run(versions_here).items():
        if differing := differing_makers(here, there):
            say(f"the worker {worker} has {'; '.join(differing)}: its bits may differ")


class ClusterBackend(DaskDistributedBackend):  # type: ignore[misc]  # joblib has no types
    """Blocks to the workers of a dask cluster.

    joblib's own backend counts the threads there are when it begins, and works in this process if
    that is one; and it waits for ever for a task that ended in an error of the cluster's.
    """

    def __init__(self, client: Client, jobs: int) -> None:
        super().__init__(client=client)
        self._jobs = jobs

    def effective_n_jobs(self, n_jobs: int) -> int:
        return max(self._jobs, 2)

    def submit(self, func: Any, callback: Callable[[object], None] | None = None) -> Any:
        future = super().submit(func, callback)

        def tell(ended: Any) -> None:
            if callback is not None and ended.exception() is not None:
                callback(ended.exception())

        future.add_done_callback(tell)
        return future

    def retrieve_result_callback(self, out: object) -> Any:
        if isinstance(out, KilledWorker):
            raise BrokenExecutor("workers died again and again") from out
        if out is None or isinstance(out, FutureCancelledError):
            raise ConnectionError("the dask scheduler is gone") from None
        if isinstance(out, Exception):
            raise out
        return super().retrieve_result_callback(out)
