"""Workers that are forked.

Modules, compiled kernels and tables, which a new process takes a second for, are there at once.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import cast

from joblib.externals.loky.process_executor import TerminatedWorkerError

from ndcg_asymptotics.sweep.block import Block

Work = Callable[[Sequence[int]], Block]

_SECONDS_ALONE = 2.0  # within which a process notices that its parent is gone
_IDLE = ("zarr_io", "asyncio_")  # threads of zarr, which wait when no file is being written


def can_fork() -> bool:
    """Whether a fork is a whole process: it has a copy of this thread alone, and of locks that others hold.

    Libraries of other systems than Linux do not bear it.
    """
    here = threading.current_thread()
    others = [thread for thread in threading.enumerate() if thread is not here]
    return (
        sys.platform == "linux"
        and here is threading.main_thread()
        and all(thread.name.startswith(_IDLE) for thread in others)
    )


class Forks:
    """So many processes, which compute from the beginning; the blocks as they come.

    What is raised there is raised here.

    Raises
    ------
    TerminatedWorkerError
        If one of them is gone.
    """

    def __init__(self, jobs: int, work: Work, pieces: Iterable[Sequence[int]]) -> None:
        self._left = iter(pieces)
        self._lines: list[Connection] = []
        self._busy: list[Connection] = []
        self._processes: list[BaseProcess] = []
        context = get_context("fork")
        for _ in range(jobs):
            here, there = context.Pipe()
            self._lines.append(here)
            arguments = work, there, tuple(self._lines), os.getpid()
            self._processes.append(context.Process(target=_serve, args=arguments, daemon=True))
            with warnings.catch_warnings():
                # of Python 3.12: that there are other threads, which `can_fork` has looked at
                warnings.simplefilter("ignore", DeprecationWarning)
                self._processes[-1].start()
            there.close()
            self._deal(here)

    def __iter__(self) -> Iterator[Block]:
        while self._busy:
            for line in cast(list[Connection], wait(self._busy)):
                try:
                    found: Block | Exception = line.recv()
                except (EOFError, ConnectionError):
                    raise TerminatedWorkerError from None
                if isinstance(found, Exception):
                    raise found
                self._busy.remove(line)
                self._deal(line)  # before the block is written, so that nobody waits for that
                yield found

    def _deal(self, line: Connection) -> None:
        """To one who is idle: one that is sending a block reads nothing."""
        if (piece := next(self._left, None)) is not None:
            self._busy.append(line)
            with suppress(ConnectionError):  # one who is gone is missed when its block is
                line.send(piece)

    def close(self) -> None:
        """End them, whatever they do."""
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.join()
        for line in self._lines:
            line.close()


def _serve(work: Work, line: Connection, of_parent: Iterable[Connection], parent: int) -> None:
    """Work until nobody wants more. Nothing is said: what is copied may hold a lock on the terminal."""
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        end_with(parent)
        for other in of_parent:  # or it would not be seen that the parent has closed them
            other.close()
        while True:
            piece = line.recv()
            try:
                found: Block | Exception = work(piece)
            except Exception as error:
                found = error
            line.send(found)
    finally:
        os._exit(0)


def end_with(parent: int) -> None:
    """Have this process end when its parent does, however that ends.

    A process that computes does not look, and one of joblib's that waits for work holds both ends of the
    pipe it waits at.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_SECONDS_ALONE)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
