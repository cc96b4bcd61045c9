"""An estimate of how long a sweep will take, written once its first replicates show what they cost."""

from __future__ import annotations

from ndcg_asymptotics.core.progress import say
from ndcg_asymptotics.sweep.block import Block

WORTH_SAYING = 30.0
"""Seconds from which on an estimate is written."""

_SECONDS_OF_WORK = 1.0  # that are measured before a replicate's cost is taken to be known


def announce(what: str, seconds: float, at_most: bool) -> None:
    """Write how long ``what`` will take, if that is long enough to be worth a line.

    Parameters
    ----------
    what : str
        The work, in the plural: "200 replicates".
    seconds : float
        The estimate.
    at_most : bool
        Whether the work ends earlier if its results are precise enough.
    """
    if seconds >= WORTH_SAYING:
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


class Estimate:
    """The duration of a sweep, announced as soon as a second of work has been measured.

    Parameters
    ----------
    replicates : int
        How many the sweep wants.
    at_most : bool
        Whether it may end before the last of them.
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
