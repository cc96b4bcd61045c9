"""Simulation of grids: their points one after another, each in a folder of its own."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Unpack

from ndcg_asymptotics.core.files import path_of
from ndcg_asymptotics.core.progress import tracked
from ndcg_asymptotics.engines import engine
from ndcg_asymptotics.results.grid import GridResults, grid_in, write_grid
from ndcg_asymptotics.results.kinds import POINTS
from ndcg_asymptotics.studies.grid import Grid
from ndcg_asymptotics.sweep.executor import Cores
from ndcg_asymptotics.sweep.sweep import Outcome, Stop, SweepOptions, sweep

_SECONDS_OF_A_SMALL_POINT = 0.2  # after which the next is simulated in this process: others take longer


@dataclass
class GridOutcome:
    """The outcome of a sweep over a grid, with those of the points that were begun.

    ``stopped`` says why it ended before the last point.
    """

    grid: Grid
    folder: Path | None
    points: dict[str, Outcome] = field(default_factory=dict)
    stopped: Stop | None = None

    @property
    def wanted(self) -> int:
        """The number of points."""
        return len(self.grid.studies)

    @property
    def complete(self) -> int:
        """The number of points that are complete."""
        return sum(outcome.complete == outcome.wanted for outcome in self.points.values())

    def results(self) -> GridResults:
        """Return the results, complete or not."""
        if self.folder is not None:
            return grid_in(self.folder, self.grid)
        points = zip(self.grid.studies, self.points.values(), strict=False)  # up to a time limit
        return GridResults(self.grid.axes, {values: outcome.results() for values, outcome in points})


def sweep_grid(grid: Grid, folder: str | Path | None = None, **options: Unpack[SweepOptions]) -> GridOutcome:
    """Simulate the points of a grid that are missing in a folder or in memory; options as of `sweep`."""
    folder = None if folder is None else path_of(folder, "folder")
    # here, so that too many jobs are reported once, not for every point
    cores = Cores(options.get("backend", "loky"), options.get("jobs"), options.get("scheduler"))
    for study in grid.studies.values():
        engine.load_engine(study.engine).check(study.design)
    if folder is not None:
        write_grid(folder, grid)
    outcome = GridOutcome(grid, folder)
    seconds = math.inf  # that the point before took
    deadline = time.monotonic() + options.get("time_limit", math.inf)
    try:
        for values, study in tracked(grid.studies.items(), "points"):
            name = grid.axes.name(values)
            begun = time.monotonic()
            jobs = 1 if seconds < _SECONDS_OF_A_SMALL_POINT and cores.scheduler is None else cores.jobs
            options.update({"jobs": jobs, "time_limit": max(deadline - begun, 1e-9)})
            place = None if folder is None else folder / POINTS / name
            outcome.points[name] = sweep(study, place, **options)
            seconds = time.monotonic() - begun
            if outcome.points[name].stopped:
                outcome.stopped = outcome.points[name].stopped
                break
    except KeyboardInterrupt:  # between the blocks of replicates
        outcome.stopped = "interrupted"
    return outcome
