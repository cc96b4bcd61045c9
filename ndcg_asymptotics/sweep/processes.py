"""Worker processes of this machine: how many, their signals, and what they import."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker

from joblib.externals.loky.backend import resource_tracker as loky_tracker

from ndcg_asymptotics.core.interrupts import signals_deferred
from ndcg_asymptotics.core.progress import say

_SAFE_PATH = "PYTHONSAFEPATH"


def bounded(jobs: int | None, most: int, place: str) -> int:
    """Return the number of jobs, by default and at most ``most``; report if more were asked for."""
    if jobs is not None and jobs > most:
        say(f"jobs: {jobs} are more than the {most} cores of {place}; {most} are used")
    return min(jobs or most, most)


@contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Make processes that are started inside never see Ctrl-C, which this process handles for them.

    A SIGINT or SIGTERM meanwhile takes effect at the end: processes that lose their parent while they
    start print tracebacks.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # An interrupt may come between the removal of a semaphore and the message to its tracker, which would
    # warn of it at the end.
    silent = ",".join(filter(None, (os.environ.get("PYTHONWARNINGS"), "ignore:resource_tracker")))
    with _variable("PYTHONWARNINGS", silent):
        for tracker in (resource_tracker, loky_tracker):  # at their start they may make SIGINT pass again
            tracker.ensure_running()
    with signals_deferred():
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # which new processes inherit
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


@contextmanager
def safe_paths() -> Iterator[None]:
    """Keep the current folder off the import path of Python processes that are started inside.

    Python puts it there for ``python -m`` and ``python -c``, as which workers and trackers of their resources
    start; they would run a ``random.py`` of the folder. The flag -P or PYTHONSAFEPATH prevents this.
    """
    if os.environ.get(_SAFE_PATH):  # it is set already, also by a sweep in another thread, which removes it
        yield
        return
    with _variable(_SAFE_PATH, "1"):
        yield


@contextmanager
def _variable(name: str, value: str) -> Iterator[None]:
    """Set a variable of the environment, of which processes that are started inside get a copy."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
