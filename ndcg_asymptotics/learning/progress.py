"""How a long computation tells where it is: a line rewritten on a terminal, now and then one elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Say = Callable[[str], None]

_PATIENCE = 2.0  # seconds before the first word
_BETWEEN = {True: 0.2, False: 10.0}  # seconds between words, on a terminal and elsewhere


def silent(line: str) -> None:
    """Say nothing."""


def within(say: Say, where: str) -> Say:
    """Say each line after the words that tell where it belongs."""
    return lambda line: say(f"{where}, {line}")


@contextmanager
def on_stderr() -> Iterator[Say]:
    """Say where it is on stderr, once it takes longer than two seconds."""
    terminal = sys.stderr.isatty()
    due = time.monotonic() + _PATIENCE
    said = False

    def say(line: str) -> None:
        nonlocal due, said
        if time.monotonic() < due:
            return
        due, said = time.monotonic() + _BETWEEN[terminal], True
        print(
            f"\r\033[K{line}" if terminal else line, end="" if terminal else "\n", file=sys.stderr, flush=True
        )

    try:
        yield say
    finally:
        if said and terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
