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
from collections.abc import Callable, Generator, Iterable, Sequence
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
    """So many processes for each call, which gives blocks as they come; they end with what it gives.

    Raises
    ------
    TerminatedWorkerError
        If one of them is gone.
    """

    def __init__(self, jobs: int) -> None:
        self.n_jobs = jobs

    def __call__(self, work: Work, pieces: Iterable[Sequence[int]]) -> Generator[Block, None, None]:
        context = get_context("fork")
        lines: list[Connection] = []
        processes: list[BaseProcess] = []
        for _ in range(self.n_jobs):
            here, there = context.Pipe()
            lines.append(here)
            arguments = work, there, tuple(lines), os.getpid()
            processes.append(context.Process(target=_serve, args=arguments, daemon=True))
            with warnings.catch_warnings():
                # of Python 3.12: that there are other threads, which `can_fork` has looked at
                warnings.simplefilter("ignore", DeprecationWarning)
                processes[-1].start()
            there.close()
        return _results(lines, processes, pieces)


def _results(
    lines: list[Connection], processes: list[BaseProcess], pieces: Iterable[Sequence[int]]
) -> Generator[Block, None, None]:
    """Deal to whoever is idle: one that is sending a result reads nothing, so nothing is sent to it."""
    left = iter(pieces)
    busy: list[Connection] = []

    def deal(line: Connection) -> None:
        if (piece := next(left, None)) is not None:
            line.send(piece)
            busy.append(line)

    try:
        for line in lines:
            deal(line)
        while busy:
            for line in cast(list[Connection], wait(busy)):
                block: Block = line.recv()
                busy.remove(line)
                deal(line)  # before the block is written, so that nobody waits for that
                yield block
    except (EOFError, ConnectionError):
        raise TerminatedWorkerError from None
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.join()
        for line in lines:
            line.close()


def _serve(work: Work, line: Connection, of_parent: Iterable[Connection], parent: int) -> None:
    """Work until nobody wants more. Nothing is said: what is copied may hold a lock on the terminal."""
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        end_with(parent)
        for other in of_parent:  # or it would not be seen that the parent has closed them
            other.close()
        while True:
            line.send(work(line.recv()))
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
