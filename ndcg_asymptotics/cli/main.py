"""The entry point of the command line. Signals are handled before anything heavy is imported."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from types import FrameType
from typing import Any

# a second Ctrl-C within this time does not disturb the end of a sweep; a later one ends a process that hangs
_SECONDS_TO_WIND_DOWN = 5.0
_SECONDS_TO_LEAVE = 0.05  # a destructor, in which exceptions are lost


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its status; the arguments are those of the process by default."""
    # Matrices of theory are small: a second thread of the linear algebra library waits more than it computes.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # pyarrow's own pool keeps the memory of texts that are gone: 0.1 GB of the names in five million lines.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    repair_streams()
    with interruptible():
        try:
            from ndcg_asymptotics.cli.app import run_app

            # a copy, so that context variables set by a command end with it
            code = copy_context().run(run_app, arguments)
        except KeyboardInterrupt:  # while modules were being loaded
            print("ndcg-asymptotics: interrupted", file=sys.stderr)
            code = 130
        sys.exit(code)


class Interrupt(KeyboardInterrupt):
    """An interrupt of this program.

    If a KeyboardInterrupt itself goes through exec of a text, as dataclasses use it, CPython ends by SIGINT
    whatever the exit status is. It does not for a class derived from it.
    """


@contextmanager
def interruptible() -> Iterator[None]:
    """Make SIGTERM do what Ctrl-C does, and ignore repetitions of either for a few seconds.

    Python prints and forgets an exception that is raised in a destructor: an interrupt comes again after it.
    Once interrupted, threads and destructors that fail print nothing, as those do whose workers were killed.
    Afterwards both signals are ignored, because the process has nothing left to do but to end.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    last, interrupted = -_SECONDS_TO_WIND_DOWN, False

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal last, interrupted
        now, interrupted = time.monotonic(), True
        if now - last >= _SECONDS_TO_WIND_DOWN:
            last = now
            raise Interrupt

    print_lost, print_of_thread = sys.unraisablehook, threading.excepthook

    def of_thread(failed: threading.ExceptHookArgs) -> None:
        if not interrupted:
            print_of_thread(failed)

    def interrupt_again(lost: sys.UnraisableHookArgs) -> None:
        nonlocal last
        if isinstance(lost.exc_value, Interrupt):
            last = -_SECONDS_TO_WIND_DOWN
            # while processes start a SIGTERM is deferred, and a SIGINT ignored
            threading.Timer(_SECONDS_TO_LEAVE, os.kill, (os.getpid(), signal.SIGTERM)).start()
        elif not interrupted:
            print_lost(lost)

    sys.unraisablehook, threading.excepthook = interrupt_again, of_thread
    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        sys.unraisablehook, threading.excepthook = print_lost, print_of_thread
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


class QuietFile(io.FileIO):
    """A file that discards what is written once the reader has gone, as `head` does after some lines."""

    def write(self, data: Any, /) -> int:
        """Write some bytes, or discard them if there is no reader."""
        try:
            return super().write(data) or 0
        except BrokenPipeError:
            return memoryview(data).nbytes


def repair_streams() -> None:
    """Let stdout and stderr survive the loss of their reader, and replace characters they cannot encode.

    Python has None in the place of a stream that was closed before it started; the null device replaces it.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
        elif stream is getattr(sys, f"__{name}__"):
            file = io.BufferedWriter(QuietFile(stream.fileno(), "w", closefd=False))
            live = stream.line_buffering
            setattr(sys, name, io.TextIOWrapper(file, stream.encoding, "replace", line_buffering=live))
