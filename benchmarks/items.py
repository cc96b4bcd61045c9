"""The items engine: time of a full nested path next to one argsort, and memory of two scorers.

Run as ``python -m benchmarks.items``.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable

import numpy as np

from ndcg_asymptotics.engines import items
from ndcg_asymptotics.engines.items.engine import discount_table
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.scorers import Population
from ndcg_asymptotics.studies import Design

MEASURES = ("nDCG(log)", "nDCG(power(0.25))", "nDCG(power(0.5))", "nDCG(power(0.75))", "nDCG(zipf)")
CUT = ("nDCG(log)@0.2n", "nDCG(power(0.5))@0.2n", "nDCG(zipf)@n^0.5", "nDCG@10", "nDCG(geometric(2))")
SIZES = tuple(round(10 ** (3 + i / 10)) for i in range(41))
ROUNDS = 5


def design(
    measures: tuple[str, ...] = MEASURES,
    scorers: int = 1,
    sizes: tuple[int, ...] = SIZES,
    coupling: str = "independent",
) -> Design:
    """A study of the asked size."""
    population = Population.of({f"scorer {i}": "linear(0.1, 0.7)" for i in range(scorers)}, coupling)
    return Design(population, tuple(Measure.parse(text) for text in measures), SIZES, 2013)


def seconds(task: Callable[[], object]) -> float:
    """The processor time of a task; all of them have one thread."""
    start = time.process_time()
    task()
    return time.process_time() - start


def interleaved(*tasks: Callable[[], object]) -> list[float]:
    """The median time of each task, all run in turn so that they share the machine's moods."""
    times = [[seconds(task) for task in tasks] for _ in range(ROUNDS)]
    return [float(np.median(column)) for column in zip(*times, strict=True)]


def megabytes() -> float:
    """The peak memory of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def path_over_argsort(study: Design) -> tuple[float, float]:
    """Time of one replicate, and of its tables, over the time of one argsort."""
    numbers = np.random.default_rng(0).random(study.sizes[-1])

    def tables() -> None:
        discount_table.cache_clear()
        items.warm(study)

    tables()
    argsort, path, table = interleaved(lambda: np.argsort(numbers), lambda: items.simulate(study, 1), tables)
    return path / argsort, table / argsort


def main() -> None:
    """Print the ratios."""
    two = design(scorers=2)
    items.warm(two)
    items.simulate(two, 0)
    print(f"peak memory, 1e7 items, 5 measures, 2 scorers: {megabytes():.0f} MB (asked: <= 1000)")

    path, tables = path_over_argsort(design())
    print(f"nested path of 41 sizes to 1e7, 5 smooth measures / argsort: {path:.2f} (asked: <= 0.7)")
    print(f"the same with its tables made anew / argsort: {path + tables:.2f} (tables: once per process)")
    print(f"with 5 measures with cutoffs added / argsort: {path_over_argsort(design(MEASURES + CUT))[0]:.2f}")
    print(f"one measure / argsort: {path_over_argsort(design(MEASURES[:1]))[0]:.2f}")

    coupled = design(scorers=2, coupling="gaussian(0.5)")
    items.warm(coupled)
    time_of_two = seconds(lambda: items.simulate(coupled, 0))
    print(f"1e7 items, 2 scorers, Gaussian coupling: {time_of_two:.1f} s, peak memory {megabytes():.0f} MB")


if __name__ == "__main__":
    main()
