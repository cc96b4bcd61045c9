"""Progress of long loops: bars of tqdm, which a file gets every ten seconds.

    for cell in tracked(cells, "exact means"):
        ...
    with task("replicates", total=1000) as bar:
        bar.update(50)
    say("a worker was lost")

A program shows nothing unless it asks for it: ``with show_progress(): ...``. The command line does, unless it
is given ``--quiet``. Notebooks always show progress. Loops that take less than two seconds show nothing.
"""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from tqdm import TqdmWarning, std

from ndcg_asymptotics.core.text import visible

_T = TypeVar("_T")

_DELAY = 2.0  # seconds before a bar appears
_SECONDS_IN_A_LOG = 10.0  # between two states of a bar

_shown: ContextVar[bool | None] = ContextVar("shown", default=None)

# tqdm's own lock is a semaphore of the operating system, which outlives a process that is killed
std.tqdm.set_lock(threading.RLock())


@contextmanager
def show_progress(enabled: bool = True) -> Iterator[None]:
    """Show the progress of all loops inside, on stderr; with False, show none."""
    token = _shown.set(enabled)
    try:
        yield
    finally:
        _shown.reset(token)


def set_shown(enabled: bool) -> None:
    """Show progress, or show none, until the end of the current context (`contextvars.Context`)."""
    _shown.set(enabled)


def _in_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")


def _is_shown() -> bool:
    setting = _shown.get()
    return _in_notebook() if setting is None else setting


def task(label: str, total: int | None = None, initial: int = 0) -> Any:
    """Return a tqdm bar, a context manager, for work of ``total`` pieces, of which ``initial`` are done.

    It appears after two seconds.

    >>> with task("steps", 3) as bar:
    ...     _ = bar.update(2)
    """
    with warnings.catch_warnings():
        # in a notebook without ipywidgets tqdm warns and draws its text bar, which serves as well
        warnings.simplefilter("ignore", TqdmWarning)
        from tqdm import auto
    live = _in_notebook() or sys.stderr.isatty()
    return auto.tqdm(
        total=total,
        initial=initial,
        desc=visible(label),
        delay=_DELAY,
        mininterval=0.1 if live else _SECONDS_IN_A_LOG,
        maxinterval=_SECONDS_IN_A_LOG,
        leave=False,
        dynamic_ncols=True,
        disable=not _is_shown(),
        file=sys.stderr,
    )


def tracked(pieces: Iterable[_T], label: str) -> Iterator[_T]:
    """Yield the pieces one by one and show how many are done.

    >>> list(tracked("ab", "letters"))
    ['a', 'b']
    """
    items: Collection[_T] = pieces if isinstance(pieces, Collection) else list(pieces)
    with task(label, len(items)) as bar:
        for piece in items:
            yield piece
            bar.update()


def say(line: str) -> None:
    """Write a line to stderr, above any bars, wherever progress is shown."""
    if _is_shown():
        std.tqdm.write(visible(line), file=sys.stderr)
