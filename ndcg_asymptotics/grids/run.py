"""A grid simulated: its points one after another, each into a folder of its own."""

from __future__ import annotations

import math
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ndcg_asymptotics.core.progress import say, tracked
from ndcg_asymptotics.engines import engine
from ndcg_asymptotics.grids.grid import Grid
from ndcg_asymptotics.grids.results import GridResults, grid_in, point_folder, write_grid
from ndcg_asymptotics.sweep.sweep import Outcome, run, sweep

_TRIED = 4  # points that are timed to estimate the cost


@dataclass
class GridOutcome:
    """What became of every point that was begun."""

    wanted: int
    points: dict[str, Outcome] = field(default_factory=dict)

    @property
    def complete(self) -> int:
        """How many points are complete."""
        return sum(outcome.complete == outcome.wanted for outcome in self.points.values())

    @property
    def stopped(self) -> str | None:
        """Why it ended before the last point."""
        return next((outcome.stopped for outcome in self.points.values() if outcome.stopped), None)


def estimate(grid: Grid, jobs: int | None = None) -> float:
    """Return the estimated seconds that a grid takes, from one replicate at a few of its points."""
    studies = list(grid.studies.values())
    step = max(1, len(studies) // _TRIED)
    seconds = []
    for study in studies[step // 2 :: step]:
        engine_ = engine.load(study.engine)
        engine_.warm(study.design.parts()[0])
        start = time.perf_counter()
        engine.draw(engine_, study.design, 0)
        seconds.append((time.perf_counter() - start) * study.replicates)
    return sum(seconds) / len(seconds) * len(studies) / (jobs or os.cpu_count() or 1)


def sweep_grid(grid: Grid, folder: Path, *, jobs: int | None = None, **options: Any) -> GridOutcome:
    """Simulate the points of a grid that the folder does not hold yet; options are those of `sweep`."""
    for study in grid.studies.values():
        engine.check(engine.load(study.engine), study.design)
    count, seconds = len(grid.studies), estimate(grid, jobs)
    write_grid(folder, grid.axes)
    say(f"{count} points, about {seconds:.0f} s in all")
    outcome = GridOutcome(count)
    deadline = time.monotonic() + options.pop("time_limit", math.inf)
    for values, study in tracked(grid.studies.items(), "points"):
        name = grid.axes.name(values)
        left = max(deadline - time.monotonic(), 1e-9)
        into = point_folder(folder, grid.axes, values)
        outcome.points[name] = sweep(study, into, jobs=jobs, time_limit=left, **options)
        if outcome.points[name].stopped:
            break
    return outcome


def run_grid(grid: Grid, folder: str | Path | None = None, **options: Any) -> GridResults:
    """Simulate a grid and return its results; options are those of `run`.

    Without a folder they are kept in memory.

    Raises
    ------
    InputError
        If an engine cannot do a point, or the folder holds another grid.

    >>> from ndcg_asymptotics.grids.grid import grid_of
    >>> fields = {"scorers": {"a": "constant($p)"}, "measures": ["nDCG"], "n": [10, 20], "replicates": 5}
    >>> dict(run_grid(grid_of({"p": [0.1, 0.3]}, fields), jobs=1).data["ndcg"].sizes)
    {'p': 2, 'replicate': 5, 'scorer': 1, 'measure': 1, 'n': 2}
    """
    if folder is None:
        return GridResults(
            grid.axes, {values: run(study, **options) for values, study in grid.studies.items()}
        )
    if sweep_grid(grid, Path(folder), **options).stopped == "interrupted":
        raise KeyboardInterrupt
    return grid_in(folder, grid)
