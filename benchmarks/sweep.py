"""Sweeps on the standard study: two jobs against one, and one job against a bare loop.

Two cores of a shared machine are rarely worth two: two bare loops side by side show what they are worth.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path

from ndcg_asymptotics.engines import items
from ndcg_asymptotics.progress import listening
from ndcg_asymptotics.progress.listeners import Lines
from ndcg_asymptotics.studies import Study, load
from ndcg_asymptotics.sweep.run import sweep

STUDY = Path(__file__).parents[1] / "experiments" / "wang2013.toml"
ROUNDS = 2


def seconds(action: Callable[[], object]) -> float:
    """The time of one action."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def swept(study: Study, replicates: int, jobs: int) -> float:
    """The time of a whole sweep into a new folder, with workers, store and progress."""
    nowhere = StringIO()
    with tempfile.TemporaryDirectory() as folder, redirect_stderr(nowhere), listening(Lines()):
        return seconds(lambda: sweep(study, folder, replicates=replicates, jobs=jobs))


def loop_over(study: Study, replicates: range) -> None:
    """The replicates in a loop that keeps nothing."""
    design = study.design
    for replicate in replicates:
        items.simulate(design, replicate)


def side_by_side(study: Study, replicates: int, executor: Executor) -> None:
    """The same loop cut in two halves, one per process."""
    half = replicates // 2
    parts = range(half), range(half, replicates)
    list(executor.map(loop_over, [study, study], parts))


def main() -> None:
    """Print both ratios; the smallest time of interleaved rounds stands for each side."""
    study = load(STUDY)
    replicates = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    items.warm(study.design)
    swept(study, 2, 1), swept(study, 2, 2)  # everything is imported, the workers too
    loop, halves, one, two = [], [], [], []
    with ProcessPoolExecutor(2) as executor:
        side_by_side(study, 2, executor)
        for _ in range(ROUNDS):
            loop.append(seconds(lambda: loop_over(study, range(replicates))))
            halves.append(seconds(lambda: side_by_side(study, replicates, executor)))
            one.append(swept(study, replicates, 1))
            two.append(swept(study, replicates, 2))
    print(f"standard study, {replicates} replicates, {min(loop) / replicates * 1e3:.1f} ms each")
    print(f"sweep in one job / bare loop: {min(one) / min(loop):.3f} (asked: <= 1.05)")
    print(f"one job / two jobs: {min(one) / min(two):.2f} (asked: >= 1.8)")
    print(
        f"bare loop / its two halves side by side: {min(loop) / min(halves):.2f} (what two cores give here)"
    )
    print(f"two jobs / two bare halves: {min(two) / min(halves):.3f}")


if __name__ == "__main__":
    main()
