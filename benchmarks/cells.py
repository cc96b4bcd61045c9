"""The cells engine: cost of one path against drawing its variates alone, and against list length."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.engines import cells
from ndcg_asymptotics.engines.cells.streams import Cells, Stream
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.scorers import Population
from ndcg_asymptotics.studies import Design

RUNS = 7
MEASURES = ("nDCG", "nDCG(power(0.5))", "nDCG(zipf)", "nDCG@0.2n", "nDCG@n^0.5")


def design(sizes: tuple[int, ...], measures: tuple[str, ...] = MEASURES) -> Design:
    population = Population.of({"good": "linear(0.1, 0.7)"})
    return Design(population, tuple(map(Measure.parse, measures)), sizes, seed=2013)


def seconds(action: Callable[[], object]) -> float:
    """Processor time of an action, which runs on one core."""
    start = time.process_time()
    action()
    return time.process_time() - start


def ratio(action: Callable[[], object], other: Callable[[], object]) -> float:
    """The median over interleaved runs of the time of one action over that of another."""
    return statistics.median(seconds(action) / seconds(other) for _ in range(RUNS))


def variates(what: Design) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The parameters (n, p) of every binomial variate that one path draws, those of n = 0 left out."""
    counts, fractions = [], []
    halves = Stream.halves

    def record(self: Stream, cells: Cells, last: NDArray[np.int64]) -> Cells:
        children = halves(self, cells, last)
        n = children.counts[0::2] + children.counts[1::2]
        chosen = last >= 0
        p = self.depths.fraction(cells.octave[chosen], cells.level, cells.index[chosen])
        counts.append(n[n > 0])
        fractions.append(np.broadcast_to(p[:, None], n.shape)[n > 0])
        return children

    Stream.halves = record  # type: ignore[method-assign]
    try:
        cells.simulate(what, 0)
    finally:
        Stream.halves = halves  # type: ignore[method-assign]
    return np.concatenate(counts), np.concatenate(fractions)


def against_drawing(measures: tuple[str, ...]) -> tuple[float, int, float]:
    """Time of a path over that of its variates in numpy, how many there are, the widest bracket."""
    path = design(tuple(10**k for k in range(3, 19)), measures)
    cells.warm(path)
    n, p = variates(path)
    rng = np.random.default_rng(1)
    draw = cells.simulate(path, 0)
    width = float(np.max(draw["high"].astype(float) - draw["low"].astype(float)))
    return ratio(lambda: cells.simulate(path, 0), lambda: rng.binomial(n, p)), n.size, width


def growth(measures: tuple[str, ...], start: int) -> float:
    """Cost to 1e18 over cost to 1e9, for lists of each decade from 10^start on."""
    paths = [design(tuple(10**k for k in range(min(start, end), end + 1)), measures) for end in (9, 18)]
    for path in paths:
        cells.simulate(path, 0)
    return ratio(lambda: cells.simulate(paths[1], 0), lambda: cells.simulate(paths[0], 0))


def main() -> None:
    for measures in (MEASURES, *((text,) for text in MEASURES)):
        cost, number, width = against_drawing(measures)
        print(
            f"{', '.join(measures)}: one path to 1e18 / its {number} binomials in numpy: {cost:.2f} "
            f"(asked: <= 3), widest bracket {width:.1e} (asked: <= 1e-4)"
        )
    for measures in (MEASURES, *((text,) for text in MEASURES)):
        single, path = growth(measures, 18), growth(measures, 3)
        print(
            f"{', '.join(measures)}: cost at 1e18 / 1e9: {single:.2f} (asked: <= 2.5), "
            f"per size of a path from 1e3: {path * 7 / 16:.2f}"
        )


if __name__ == "__main__":
    main()
