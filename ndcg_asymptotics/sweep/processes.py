"""Worker processes of this machine: how many, their interrupts, and what remains of them in shared memory."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any

from ndcg_asymptotics.core.progress import say

_SEMAPHORES = Path("/dev/shm")
_MANAGER = "ExecutorManagerThread"  # of loky: it hands out calls
_PATIENCE = 5.0  # seconds for a thread that has nothing left to do
_SAFE_PATH = "PYTHONSAFEPATH"
_environment = threading.Lock()
_values_before: list[str | None] = []  # of the variable, one for each body of `safe_paths`


def bounded(jobs: int | None, most: int, where: str) -> int:
    """Return the number of jobs, by default and at most ``most``; report if more were asked for."""
    if jobs is not None and jobs > most:
        say(f"jobs: {jobs} are more than the {most} cores of {where}; {most} are used")
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
    resource_tracker.ensure_running()  # at its start it would make SIGINT pass again
    pending: list[int] = []
    handlers = {
        number: signal.signal(number, lambda number, frame: pending.append(number))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # which new processes inherit
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if pending:
            signal.raise_signal(pending[0])


@contextmanager
def safe_paths() -> Iterator[None]:
    """Keep the current folder off the import path of Python processes that are started inside.

    Python puts it there for ``python -m`` and ``python -c``, as which workers and trackers of their resources
    start; they would run a ``random.py`` of the folder. The flag -P or PYTHONSAFEPATH prevents this.
    """
    with _environment:
        _values_before.append(os.environ.get(_SAFE_PATH))
        os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        with _environment:
            value = _values_before.pop()  # of any thread: only the last one removes the variable
            if value is None:
                os.environ.pop(_SAFE_PATH, None)
            else:
                os.environ[_SAFE_PATH] = value


@contextmanager
def threads_joined() -> Iterator[None]:
    """Wait for the threads of loky that end because calls are abandoned inside.

    The thread that hands out calls may meet one that it has just abandoned. It then ends with a KeyError,
    after it has ended the workers and before it has closed their queue. The thread that feeds the queue,
    if it were cut off by the end of this process, would leave a warning about a semaphore.
    """
    managers: list[Any] = [thread for thread in threading.enumerate() if thread.name == _MANAGER]
    feeders = [manager.call_queue._thread for manager in managers]
    printed = threading.excepthook

    def close_or_print(failed: threading.ExceptHookArgs) -> None:
        thread: Any = failed.thread
        if failed.exc_type is KeyError and thread in managers:
            thread.join_executor_internals()  # what it would have done next
        else:
            printed(failed)

    threading.excepthook = close_or_print
    try:
        yield
    finally:
        threading.excepthook = printed
        for manager, feeder in zip(managers, feeders, strict=True):
            if feeder is not None and not manager.is_alive():
                feeder.join(_PATIENCE)


@cache
def remove_semaphores_after(process: int) -> int | None:
    """Arrange that the semaphores of this process are removed when it ends, however it ends.

    They have its number in their names. Python's own trackers do the same, but a SIGKILL to the process
    group, as of a batch system, ends it too. The shell started here is in a session of its own and waits
    until the pipe from this process closes.

    Returns
    -------
    int or None
        The end of the pipe that stays open; None where semaphores are no files.
    """
    if not _SEMAPHORES.is_dir():
        return None
    reader, writer = os.pipe()
    names = f"sem.loky-{process}-*", f"joblib_memmapping_folder_{process}_*"
    files = " ".join(f"{_SEMAPHORES}/{name}" for name in names)
    wait_and_remove = f"exec 3<&0; (read _ <&3; rm -rf {files}) &"
    subprocess.run(
        ["/bin/sh", "-c", wait_and_remove],
        stdin=reader,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        check=False,
    )
    os.close(reader)
    return writer
