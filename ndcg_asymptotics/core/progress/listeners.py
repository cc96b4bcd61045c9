"""Those who listen: bars on a terminal, lines in a log, bars in a notebook. None speaks of what is quick."""

from __future__ import annotations

import html
import importlib
import sys
import threading
import time
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.text import Text

from ndcg_asymptotics.core.progress.work import Listener
from ndcg_asymptotics.core.text import visible

_PATIENCE = 2.0  # seconds that nobody needs an explanation for
_BETWEEN_LINES = 10.0
_BETWEEN_LOOKS = 0.2  # of a notebook's reader


@dataclass
class _Work:
    """What is known of a task."""

    what: str
    total: int | None
    done: int
    note: str = ""
    begun: float = field(default_factory=lambda: time.monotonic())

    def __post_init__(self) -> None:
        self._there = self.done

    @property
    def rate(self) -> float:
        """Pieces per second."""
        return (self.done - self._there) / max(time.monotonic() - self.begun, 1e-9)

    def __str__(self) -> str:
        known = f"{self.done}" if self.total is None else f"{self.done} of {self.total}"
        left = f", {(self.total - self.done) / self.rate:.0f} s left" if self.total and self.rate else ""
        note = f", {self.note}" if self.note else ""
        return f"{self.what}: {known}, {self.rate:.3g}/s{left}{note}"


class Lines:
    """A line every ten seconds, for logs."""

    def __init__(self) -> None:
        self._last = time.monotonic()
        self._works: dict[int, _Work] = {}

    def begin(self, task: int, what: str, total: int | None, done: int) -> None:
        self._works[task] = _Work(what, total, done)
        if done:
            self.say(f"{what}: {done} of {total} are there")

    def advance(self, task: int, count: int, note: str) -> None:
        work = self._works[task]
        work.done, work.note = work.done + count, note
        if time.monotonic() - self._last >= _BETWEEN_LINES:
            self._last = time.monotonic()
            self.say(str(work))

    def end(self, task: int) -> None:
        self._works.pop(task, None)

    def say(self, line: str) -> None:
        print(visible(line), file=sys.stderr, flush=True)


class Bars:
    """A bar for each piece of work, from the third second on; all are gone when the work is done."""

    def __init__(self) -> None:
        self._since = time.monotonic()
        self._works: dict[int, _Work] = {}
        self._bars: dict[int, TaskID] = {}
        self._lock = threading.RLock()
        self._progress: Progress | None = None
        self._waiting: threading.Timer | None = None

    def begin(self, task: int, what: str, total: int | None, done: int) -> None:
        with self._lock:
            self._works[task] = _Work(what, total, done)
            if self._progress is not None:
                self._draw(task)
            elif self._waiting is None:
                # a single long piece of work is to be seen, too, so nobody waits for its end
                left = max(0.0, self._since + _PATIENCE - time.monotonic())
                self._waiting = threading.Timer(left, self._appear)
                self._waiting.daemon = True
                self._waiting.start()

    def advance(self, task: int, count: int, note: str) -> None:
        with self._lock:
            work = self._works[task]
            work.done, work.note = work.done + count, note
            if self._progress is not None:
                self._draw(task)

    def end(self, task: int) -> None:
        with self._lock:
            self._works.pop(task, None)
            if self._progress is not None and task in self._bars:
                self._progress.remove_task(self._bars.pop(task))
            if self._works:
                return
            if self._waiting is not None:
                self._waiting.cancel()
                self._waiting = None
            if self._progress is not None:
                self._progress.stop()
                self._progress = None

    def say(self, line: str) -> None:
        with self._lock:
            console = self._progress.console if self._progress is not None else Console(stderr=True)
            console.print(Text(visible(line)), highlight=False, soft_wrap=True)

    def _appear(self) -> None:
        with self._lock:
            if not self._works or self._progress is not None:
                return
            self._progress = Progress(
                TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(),
                TextColumn("{task.fields[rate]}"), TimeRemainingColumn(),
                TextColumn("{task.fields[note]}", markup=False), console=Console(stderr=True), transient=True,
            )  # fmt: skip
            for task in self._works:
                self._draw(task)
            self._progress.start()

    def _draw(self, task: int) -> None:
        assert self._progress is not None
        work = self._works[task]
        said: dict[str, Any] = {"rate": f"{work.rate:.3g}/s" if work.rate else "", "note": visible(work.note)}
        if task not in self._bars:
            name = visible(work.what)
            self._bars[task] = self._progress.add_task(name, total=work.total, completed=work.done, **said)
        self._progress.update(self._bars[task], completed=work.done, **said)


class Notebook:
    """A bar for each piece of work below the cell, from the third second on; it needs no widgets."""

    def __init__(self) -> None:
        self._works: dict[int, _Work] = {}
        self._shown: Any = None
        self._next = 0.0

    def begin(self, task: int, what: str, total: int | None, done: int) -> None:
        if not self._works:
            self._next = time.monotonic() + _PATIENCE
        self._works[task] = _Work(what, total, done)
        self._draw()

    def advance(self, task: int, count: int, note: str) -> None:
        work = self._works[task]
        work.done, work.note = work.done + count, note
        self._draw()

    def end(self, task: int) -> None:
        self._works.pop(task, None)
        if not self._works and self._shown is not None:
            self._show("")
            self._shown = None

    def say(self, line: str) -> None:
        print(visible(line), file=sys.stderr, flush=True)

    def _draw(self) -> None:
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _BETWEEN_LOOKS
        self._show("<br>".join(_bar(work) for work in self._works.values()))

    def _show(self, text: str) -> None:
        display: Any = importlib.import_module("IPython.display")
        if self._shown is None:
            self._shown = display.display(display.HTML(text), display_id=True)
        else:
            self._shown.update(display.HTML(text))


def _bar(work: _Work) -> str:
    value = f' value="{work.done}" max="{work.total}"' if work.total else ""
    return f"<progress{value}></progress> {html.escape(visible(str(work)))}"


def for_stderr() -> Listener:
    """Bars if stderr is a terminal, else lines."""
    return Bars() if sys.stderr.isatty() else Lines()


@cache
def in_notebook() -> Listener:
    """The bars of this notebook."""
    return Notebook()
