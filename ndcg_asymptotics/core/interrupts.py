"""Interrupts that wait until something is done that they must not cut in two."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def signals_deferred() -> Iterator[None]:
    """Let a SIGINT or SIGTERM take effect at the end; in other threads than the main one do nothing.

    >>> try:
    ...     with signals_deferred():
    ...         signal.raise_signal(signal.SIGINT)
    ...         print("done")
    ... except KeyboardInterrupt:
    ...     print("interrupted")
    done
    interrupted
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pending: list[int] = []
    handlers = {
        number: signal.signal(number, lambda number, frame: pending.append(number))
        for number in (signal.SIGINT, signal.SIGTERM)
        if signal.getsignal(number) is not None  # a handler that is not Python's could not be put back
    }
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if pending:
            signal.raise_signal(pending[0])
