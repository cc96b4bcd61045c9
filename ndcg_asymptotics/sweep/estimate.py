"""Estimates of the duration of a sweep, written once its first replicates have been timed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import copy_context
from threading import Timer

from ndcg_asymptotics.core.progress import say
from ndcg_asymptotics.sweep.block import Block

SHORTEST_ANNOUNCED = 30.0
"""The shortest duration in seconds that is announced."""

_SECONDS_OF_WORK = 2.0  # that are timed before the estimate


def announce(what: str, seconds: float, at_most: bool) -> None:
    """Write how long ``what`` will take, unless that is less than `SHORTEST_ANNOUNCED`.

    Parameters
    ----------
    what : str
        The work, in the plural: "200 replicates".
    seconds : float
        The estimate.
    at_most : bool
        Whether the work ends earlier if its results are precise enough.
    """
    if seconds >= SHORTEST_ANNOUNCED:
        say(f"{what} will take {'at most ' if at_most else ''}about {duration(seconds)}")


def duration(seconds: float) -> str:
    """Return a duration in words, to the precision of an estimate.

    >>> [duration(s) for s in (29, 95, 960, 1e4, 1e6)]
    ['30 seconds', '2 minutes', '16 minutes', '3 hours', '12 days']
    """
    for unit, length in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 1.5 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{max(10, round(seconds, -1)):.0f} seconds"


@contextmanager
def said_if_slow(line: str) -> Iterator[None]:
    """Write a line if what is done in this context takes longer than a second."""
    timer = Timer(1.0, copy_context().run, (say, line))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


class TimeEstimate:
    """The estimated duration of a sweep, announced as soon as two seconds of work have been timed.

    Parameters
    ----------
    replicates : int
        The number of replicates of the sweep.
    at_most : bool
        Whether the sweep may end before the last one.
    """

    def __init__(self, replicates: int, at_most: bool) -> None:
        self._replicates = replicates
        self._at_most = at_most
        self._measured = 0
        self._seconds = 0.0
        self._announced = False

    def learn(self, block: Block, already: int, jobs: int) -> None:
        """Take the cost of a block into account.

        Parameters
        ----------
        block : Block
        already : int
            Replicates that were complete before this sweep began.
        jobs : int
            How many blocks are computed at the same time.
        """
        self._measured += len(block.asked)
        self._seconds += block.seconds
        if self._announced or self._seconds < _SECONDS_OF_WORK:
            return
        self._announced = True
        left = self._replicates - already
        announce(f"{left} replicates", self._seconds / self._measured * left / jobs, self._at_most)
