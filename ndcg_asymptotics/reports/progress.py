"""Progress of work that takes more than two seconds: bars on a terminal or in a notebook, lines in a log."""

from __future__ import annotations

import sys
import time

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

_PATIENCE = 2.0  # seconds that nobody needs an explanation for
_BETWEEN_LINES = 10.0


class Bars:
    """A bar for each piece of work, from the third second on; it is gone when the work is done."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._shown = False
        self._tasks: dict[int, tuple[str, int, int]] = {}
        self._bars: dict[int, int] = {}
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )

    def begin(self, task: int, what: str, total: int) -> None:
        self._tasks[task] = what, 0, total
        self._show()

    def advance(self, task: int) -> None:
        what, done, total = self._tasks[task]
        self._tasks[task] = what, done + 1, total
        self._show()

    def end(self, task: int) -> None:
        self._tasks.pop(task, None)
        if task in self._bars:
            self._progress.remove_task(self._bars.pop(task))  # type: ignore[arg-type]
        if not self._tasks and self._shown:
            self._progress.stop()
            self._shown = False

    def _show(self) -> None:
        if time.monotonic() - self._start < _PATIENCE:
            return
        if not self._shown:
            self._progress.start()
            self._shown = True
        for task, (what, done, total) in self._tasks.items():
            if task not in self._bars:
                self._bars[task] = self._progress.add_task(what, total=total)
            self._progress.update(self._bars[task], completed=done)  # type: ignore[arg-type]


class Lines:
    """A line every ten seconds, for logs."""

    def __init__(self) -> None:
        self._last = time.monotonic()
        self._tasks: dict[int, tuple[str, int, int]] = {}

    def begin(self, task: int, what: str, total: int) -> None:
        self._tasks[task] = what, 0, total

    def advance(self, task: int) -> None:
        what, done, total = self._tasks[task]
        self._tasks[task] = what, done + 1, total
        if time.monotonic() - self._last >= _BETWEEN_LINES:
            self._last = time.monotonic()
            print(f"{what}: {done + 1} of {total}", file=sys.stderr, flush=True)

    def end(self, task: int) -> None:
        self._tasks.pop(task, None)


def for_stderr() -> Bars | Lines:
    """Bars if stderr is a terminal, else lines."""
    return Bars() if sys.stderr.isatty() else Lines()
