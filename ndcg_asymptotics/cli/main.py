"""The entry point of the command line. Signals are handled before anything heavy is imported."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import copy_context
from types import FrameType
from typing import TextIO, cast

_SECONDS_TO_WIND_DOWN = 5.0


def main() -> None:
    """Run the command line."""
    with interruptible(), standard_streams():
        try:
            from ndcg_asymptotics.cli.app import run_app

            # what a command sets in context variables ends with it
            code = copy_context().run(run_app)
        except KeyboardInterrupt:  # while modules were being loaded
            print("ndcg-asymptotics: interrupted", file=sys.stderr)
            code = 130
        sys.exit(code)


@contextmanager
def interruptible() -> Iterator[None]:
    """Make SIGTERM do what Ctrl-C does, and ignore more of either for a few seconds.

    So an impatient user does not interrupt the winding down, but can end a process that hangs. Afterwards
    both are ignored, as the process has nothing left to do but to end.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    last = -_SECONDS_TO_WIND_DOWN

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _SECONDS_TO_WIND_DOWN:
            last = now
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


class QuietPipe:
    """A stream whose reader may go away, as `head` does: further output is discarded."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write, or discard if there is no reader."""
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            self._close()
            return len(text)

    def flush(self) -> None:
        """Flush if there is still a reader."""
        try:
            self._stream.flush()
        except BrokenPipeError:
            self._close()

    def _close(self) -> None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


@contextmanager
def standard_streams() -> Iterator[None]:
    """Let stdout and stderr go on without a reader, and replace characters their encoding does not have."""
    streams = sys.stdout, sys.stderr
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    sys.stdout, sys.stderr = (cast(TextIO, QuietPipe(stream)) for stream in streams)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        sys.stdout, sys.stderr = streams
