"""A line of `make bench`: the cost of something as a ratio to something else in the same run.

A module of lines has a function ``lines`` that yields them. ``python -m benchmarks`` runs all modules, or
those that are named, each in a process of its own.
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
    """Something that was measured several times.

    Attributes
    ----------
    what, relative_to : str
        What is measured, and what it is divided by: other work, or a unit.
    values : tuple of float
        One for each time it was measured.
    is_peer : bool
        Whether ``relative_to`` is what a user would use instead. The figure shows these lines.
    """

    what: str
    relative_to: str
    values: tuple[float, ...]
    is_peer: bool = False

    @property
    def median(self) -> float:
        """The median of the values."""
        return statistics.median(self.values)

    def row(self) -> tuple[str, ...]:
        """Return the cells of a table's row."""
        low, high = min(self.values), max(self.values)
        return self.what, self.relative_to, f"{self.median:.3g}", f"{low:.3g} to {high:.3g}"

    def plain(self) -> dict[str, Any]:
        """Return the line as JSON values."""
        return asdict(self)


def seconds(work: Work, clock: Callable[[], float] = time.process_time) -> float:
    """Return the time of one call, in processor seconds unless another clock is given."""
    start = clock()
    work()
    return clock() - start


def ratios(
    work: Work, other: Work, runs: int = RUNS, clock: Callable[[], float] = time.process_time
) -> tuple[float, ...]:
    """Return the time of one call over that of another, measured in turn so that both meet the same load."""
    return tuple(seconds(work, clock) / seconds(other, clock) for _ in range(runs))
