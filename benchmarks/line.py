"""A line of `make bench`: what something takes, as ratios to something else in the same run.

A module of lines has a function ``lines`` that yields them; ``python -m benchmarks`` runs them all, or those
that are named, each in a process of its own.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

RUNS = 5

Work = Callable[[], object]


@dataclass(frozen=True)
class Line:
    """Something that was measured a few times, and what is asked of its median.

    Attributes
    ----------
    what, beside : str
        What is measured, and in units of what.
    values : tuple of float
        One for each time it was measured.
    asked : float, optional
        What the median should be at most, or at least.
    at_least : bool
        Which of the two.
    """

    what: str
    beside: str
    values: tuple[float, ...]
    asked: float | None = None
    at_least: bool = False

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def reached(self) -> bool | None:
        """Whether the median is what is asked, to the digits that are printed."""
        if self.asked is None:
            return None
        found = float(f"{self.median:.3g}")
        return found >= self.asked if self.at_least else found <= self.asked

    def row(self) -> tuple[str, ...]:
        """What a table shows."""
        sign = "≥" if self.at_least else "≤"
        return (
            self.what,
            self.beside,
            f"{self.median:.3g}",
            f"{min(self.values):.3g} to {max(self.values):.3g}",
            "" if self.asked is None else f"{sign} {self.asked:g}",
            {None: "", True: "yes", False: "no"}[self.reached],
        )

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "median": self.median, "reached": self.reached}


def seconds(work: Work, clock: Callable[[], float] = time.process_time) -> float:
    """What one call takes, on the processor unless the clock is another."""
    start = clock()
    work()
    return clock() - start


def ratios(
    work: Work, beside: Work, runs: int = RUNS, clock: Callable[[], float] = time.process_time
) -> tuple[float, ...]:
    """The time of one thing over that of another, taken in turn so that both meet the machine's moods."""
    return tuple(seconds(work, clock) / seconds(beside, clock) for _ in range(runs))
