"""Work that takes a while says how far it is; who listens, if anybody, is decided outside.

    for cell in tracked(cells, "exact means"):
        ...

tells the listener that `listening` has put in place: a bar on a terminal or in a notebook, lines in a
log, or nobody.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, TypeVar

_T = TypeVar("_T")


class Listener(Protocol):
    """Who is told. ``task`` tells apart what goes on at the same time."""

    def begin(self, task: int, what: str, total: int) -> None:
        """``total`` pieces of work are to be done."""

    def advance(self, task: int) -> None:
        """One of them is done."""

    def end(self, task: int) -> None:
        """No more is coming."""


_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener | None) -> Iterator[None]:
    """Tell this listener of all work inside."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def tracked(pieces: Iterable[_T], what: str) -> Iterator[_T]:
    """The pieces one by one; the listener is told when each is done.

    >>> [x for x in tracked("ab", "letters")]
    ['a', 'b']
    """
    listener = _listener.get()
    if listener is None:
        yield from pieces
        return
    listed = list(pieces)
    task = id(listed)
    listener.begin(task, what, len(listed))
    try:
        for piece in listed:
            yield piece
            listener.advance(task)
    finally:
        listener.end(task)
