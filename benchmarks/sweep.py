"""Sweeps of the standard study: one job relative to a bare loop and to two jobs.

Two cores of a shared machine are rarely twice as fast as one; two bare loops side by side show the gain.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stderr
from io import StringIO
from multiprocessing import get_context
from pathlib import Path

from benchmarks.line import RUNS, Line, seconds
from ndcg_asymptotics.core.progress import show_progress
from ndcg_asymptotics.engines import items
from ndcg_asymptotics.studies import Study, load
from ndcg_asymptotics.sweep.sweep import sweep

STUDY = Path(__file__).parents[1] / "experiments" / "wang2013.toml"
REPLICATES = 400


def swept(study: Study, replicates: int, jobs: int) -> float:
    """Return the time of a whole sweep into a new folder, with workers, files and progress."""
    with tempfile.TemporaryDirectory() as folder, redirect_stderr(StringIO()), show_progress():
        return seconds(lambda: sweep(study, folder, replicates=replicates, jobs=jobs), time.perf_counter)


def loop_over(study: Study, replicates: range) -> None:
    """Simulate replicates in a loop that keeps nothing."""
    design = study.design
    for replicate in replicates:
        items.simulate(design, replicate)


def side_by_side(study: Study, replicates: int) -> float:
    """Return the time of the two halves of the same loop, each in a process that has started before."""
    half = replicates // 2
    with ProcessPoolExecutor(2, get_context("spawn")) as executor:

        def run(*parts: range) -> None:
            list(executor.map(loop_over, [study, study], parts))

        run(range(1), range(1))
        return seconds(lambda: run(range(half), range(half, replicates)), time.perf_counter)


def lines() -> Iterator[Line]:
    """Yield both ratios, the gain from a second core, and the cost of a sweep besides its replicates."""
    study = load(STUDY)
    items.warm(study.design)
    swept(study, 2, 1), swept(study, 2, 2)  # everything is imported, the workers too
    rounds: list[tuple[float, ...]] = []
    begun: list[tuple[float, float]] = []
    for _ in range(RUNS):
        loop = seconds(lambda: loop_over(study, range(REPLICATES)), time.perf_counter)
        one, two = swept(study, REPLICATES, 1), swept(study, REPLICATES, 2)
        rounds.append((loop, side_by_side(study, REPLICATES), one, two))
        begun.append((swept(study, 1, 1) - loop / REPLICATES, swept(study, 2, 2) - loop / REPLICATES))
    each = f"standard study, {REPLICATES} replicates: "
    yield Line(each + "one job", "a bare loop", tuple(one / loop for loop, _, one, _ in rounds))
    yield Line(each + "one job", "two jobs", tuple(one / two for _, _, one, two in rounds))
    yield Line(
        each + "a bare loop", "its halves side by side", tuple(loop / both for loop, both, *_ in rounds)
    )
    yield Line(each + "two jobs", "two bare halves", tuple(two / both for _, both, _, two in rounds))
    for jobs, what in enumerate(("one job", "two jobs")):
        yield Line(f"{what}: without its replicates", "s", tuple(times[jobs] for times in begun))
