"""How a sweep tells its user where it is: a bar on a terminal, plain lines anywhere else."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from ndcg_asymptotics.texts import visible

_SECONDS_BETWEEN_LINES = 10.0


class Silent:
    """Says nothing; what the others are, too."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def begin(self, total: int, done: int) -> None:
        """There are ``total`` replicates to have, and ``done`` are there."""

    def advance(self, count: int, first: int, last: int) -> None:
        """A block of ``count`` replicates, within first … last, has been written."""

    def say(self, line: str) -> None:
        """Tell something that is not progress."""

    def close(self) -> None:
        """No more is coming."""


class Lines(Silent):
    """A line now and then, for logs."""

    def begin(self, total: int, done: int) -> None:
        self._total, self._begun, self._done = total, done, done
        self._start = self._last = time.monotonic()
        self.say(f"{done} of {total} replicates are complete")

    def advance(self, count: int, first: int, last: int) -> None:
        self._done += count
        now = time.monotonic()
        if now - self._last < _SECONDS_BETWEEN_LINES and self._done < self._total:
            return
        self._last = now
        rate = (self._done - self._begun) / max(now - self._start, 1e-9)
        left = (self._total - self._done) / rate if rate else float("inf")
        self.say(
            f"{self._done} of {self._total} replicates, {rate:.3g}/s, {left:.0f} s left, "
            f"last block {first}-{last}"
        )

    def say(self, line: str) -> None:
        print(visible(line), file=sys.stderr, flush=True)


class Bar(Silent):
    """A progress bar with replicates per second, time left and the last block."""

    def __init__(self) -> None:
        self._progress = Progress(
            TextColumn("replicates"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[block]}"),
            console=Console(stderr=True),
        )

    def begin(self, total: int, done: int) -> None:
        self._begun, self._start = done, time.monotonic()
        self._task = self._progress.add_task("", total=total, completed=done, rate="", block="")
        self._progress.start()

    def advance(self, count: int, first: int, last: int) -> None:
        self._progress.advance(self._task, count)
        seconds = max(time.monotonic() - self._start, 1e-9)
        done = self._progress.tasks[self._task].completed - self._begun
        self._progress.update(self._task, rate=f"{done / seconds:.3g}/s", block=f"block {first}-{last}")

    def say(self, line: str) -> None:
        self._progress.console.print(Text(visible(line)), highlight=False, soft_wrap=True)

    def close(self) -> None:
        self._progress.stop()


def for_python() -> Silent:
    """A bar in a notebook, else nobody is told: a program has its own output."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return Bar() if type(shell).__name__ == "ZMQInteractiveShell" else Silent()


def for_stderr() -> Silent:
    """A bar if stderr is a terminal, else lines."""
    return Bar() if sys.stderr.isatty() else Lines()
