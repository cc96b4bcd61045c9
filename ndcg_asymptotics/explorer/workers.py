"""A process that computes what the page of the explorer shows, while the page answers its visitors."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from typing import Any

from joblib.externals.loky.backend.context import get_context

from ndcg_asymptotics.sweep.worker import end_with_parent

Submit = Callable[..., Future[Any]]
"""Takes a function and its arguments, and returns the future of its value."""

_KEPT = 100  # values, of a dozen states


@contextmanager
def worker() -> Iterator[Submit]:
    """Start a process that ends with the context, and yield what submits computations to it.

    Equal computations share a future. Those of the state at the start are submitted here.
    """
    # joblib's context does not run the program again that starts the process
    pool = ProcessPoolExecutor(1, get_context("loky"), _prepare, (os.getpid(),))
    try:
        pool.submit(import_module, f"{__package__}.values")  # while it is imported here
        submit = lru_cache(_KEPT)(pool.submit)
        from ndcg_asymptotics.explorer.drawing import ranked_list
        from ndcg_asymptotics.explorer.state import State
        from ndcg_asymptotics.explorer.values import OTHERS, answer, curves, means

        for compute in (curves, answer, means, ranked_list, *OTHERS):
            submit(compute, State())
        yield submit
    finally:
        for process in pool._processes.values():
            process.terminate()
        pool.shutdown(cancel_futures=True)


def _prepare(parent: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the server, and with it this process
    end_with_parent(parent)
