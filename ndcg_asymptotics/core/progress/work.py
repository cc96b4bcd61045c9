"""Work says how far it is, to whoever listens."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol, TypeVar

_T = TypeVar("_T")
_numbers = itertools.count()


class Listener(Protocol):
    """Who is told. ``task`` tells apart what goes on at the same time."""

    def begin(self, task: int, what: str, total: int | None, done: int) -> None:
        """``total`` pieces of work (None: nobody knows) are to be had, ``done`` of them are there."""

    def advance(self, task: int, count: int, note: str) -> None:
        """So many more are done; the note says which, if that is worth a word."""

    def end(self, task: int) -> None:
        """No more is coming."""

    def say(self, line: str) -> None:
        """Something that is not progress."""


_listener: ContextVar[Listener | None] = ContextVar("listener")


@contextmanager
def listening(listener: Listener | None) -> Iterator[None]:
    """Tell this listener of all work inside; None for nobody."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def _whoever() -> Listener | None:
    """The listener that was put in place; without one a notebook gets its own, and others have none."""
    try:
        return _listener.get()
    except LookupError:
        shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
        if not hasattr(shell, "kernel"):
            return None
        from ndcg_asymptotics.core.progress.listeners import in_notebook

        return in_notebook()


@dataclass(frozen=True)
class Task:
    """A piece of work that is under way."""

    listener: Listener | None
    number: int

    def advance(self, count: int = 1, note: str = "") -> None:
        """So many more are done."""
        if self.listener is not None:
            self.listener.advance(self.number, count, note)


@contextmanager
def task(what: str, total: int | None = None, done: int = 0) -> Iterator[Task]:
    """Work of ``total`` pieces, ``done`` of which are there already.

    >>> with task("steps", 3) as steps:
    ...     steps.advance(2)
    """
    under_way = Task(_whoever(), next(_numbers))
    if under_way.listener is None:
        yield under_way
        return
    under_way.listener.begin(under_way.number, what, total, done)
    try:
        yield under_way
    finally:
        under_way.listener.end(under_way.number)


def tracked(pieces: Iterable[_T], what: str) -> Iterator[_T]:
    """The pieces one by one; the listener is told when each is done.

    >>> [x for x in tracked("ab", "letters")]
    ['a', 'b']
    """
    listed = list(pieces)
    with task(what, len(listed)) as under_way:
        for piece in listed:
            yield piece
            under_way.advance()


def say(line: str) -> None:
    """Tell something that is not progress, such as that a worker was lost."""
    listener = _whoever()
    if listener is not None:
        listener.say(line)
