"""Where the command line begins: nothing heavy is imported before signals are taken care of."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TextIO, cast

_SECONDS_TO_WIND_DOWN = 5.0


def main() -> None:
    """Run the command line."""
    with interruptible(), outlets():
        try:
            from ndcg_asymptotics.cli.app import app

            app()
        except KeyboardInterrupt:  # while modules were being loaded
            print("ndcg-asymptotics: interrupted", file=sys.stderr)
            sys.exit(130)


@contextmanager
def interruptible() -> Iterator[None]:
    """SIGTERM does what Ctrl-C does, and more of either within a few seconds do nothing.

    What is being wound down is not interrupted by an impatient user; what hangs can be. Afterwards
    neither does anything: all that is left for the process to do is to end.
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


class Outlet:
    """A stream whose reader may go away, as `head` does: what is said from then on goes nowhere."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write, or do as if."""
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            self._close()
            return len(text)

    def flush(self) -> None:
        """Flush, if there is still somebody to read."""
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
def outlets() -> Iterator[None]:
    """Stdout and stderr that do not mind a reader who goes away."""
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast(TextIO, Outlet(stream)) for stream in streams)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        sys.stdout, sys.stderr = streams
