"""The cells engine: cost of one path against drawing its variates alone, and against list length."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from benchmarks.line import RUNS, Line, ratios, seconds
from ndcg_asymptotics.engines import cells
from ndcg_asymptotics.engines.cells import streams
from ndcg_asymptotics.engines.cells.streams import Cells, CellStream
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Population
from ndcg_asymptotics.studies import Design

MEASURES = ("nDCG", "nDCG(power(0.5))", "nDCG(zipf)", "nDCG@0.2n", "nDCG@n^0.5")


def design(sizes: tuple[int, ...], measures: tuple[str, ...] = MEASURES) -> Design:
    """Return a design of one scorer with these list lengths and measures."""
    population = Population.of({"good": "linear(0.1, 0.7)"})
    return Design(population, tuple(map(Measure.parse, measures)), sizes, seed=2013)


def variates(what: Design) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the parameters (n, p) of every binomial variate that one path draws, without those of n = 0."""
    counts, fractions = [], []
    halves = CellStream.halves

    def record(self: CellStream, cells: Cells) -> Cells:
        children = halves(self, cells)
        n = children.counts[0::2] + children.counts[1::2]
        chosen = cells.last >= 0
        p = self.masses.fraction(cells.octave[chosen], cells.level, cells.index[chosen])
        counts.append(n[n > 0])
        fractions.append(np.broadcast_to(p[:, None], n.shape)[n > 0])
        return children

    CellStream.halves = record  # type: ignore[method-assign]
    try:
        cells.simulate(what, 0)
    finally:
        CellStream.halves = halves  # type: ignore[method-assign]
    return np.concatenate(counts), np.concatenate(fractions)


def lines() -> Iterator[Line]:
    """Yield the times of one path, and how they grow."""
    for measures in (MEASURES, *((text,) for text in MEASURES)):
        path = design(tuple(10**k for k in range(3, 19)), measures)
        cells.warm(path)
        work, n, p = partial(cells.simulate, path, 0), *variates(path)
        what = f"path 1e3 … 1e18, {'five measures' if measures == MEASURES else measures[0]}"
        draw = partial(np.random.default_rng(1).binomial, n, p)
        yield Line(what, "numpy: its binomials alone", ratios(work, draw, 7))
        if measures == MEASURES:
            found = work()
            width = float(np.max(found["high"].astype(float) - found["low"].astype(float)))
            yield Line("its widest bracket", "1e-4", (width / 1e-4,))
            yield from shares(path, n, p)
        near, far = (partial(cells.simulate, design((10**k,), measures), 0) for k in (9, 18))
        near(), far()
        yield Line(what.replace("path 1e3 … 1e18", "n = 1e18"), "n = 1e9", ratios(far, near, 7))


def shares(path: Design, n: NDArray[np.int64], p: NDArray[np.float64]) -> Iterator[Line]:
    """Yield the parts of a path's time, per binomial variate."""
    rng = np.random.default_rng(1)
    spent: dict[str, list[float]] = defaultdict(list)
    for _ in range(RUNS):
        spent["numpy's binomials"].append(seconds(lambda: rng.binomial(n, p)))
        spent["a path"].append(seconds(lambda: cells.simulate(path, 0)))
        for name in ("split", "settle"):
            with patch.object(streams, name, Stopwatch(getattr(streams, name))) as watch:
                cells.simulate(path, 0)
            spent[f"of it: {name}"].append(watch.total)
    for what, times in spent.items():
        yield Line(what, "ns a variate", tuple(t / n.size * 1e9 for t in times))


class Stopwatch:
    """A function that adds up the time of its calls."""

    def __init__(self, function: Callable[..., object]) -> None:
        self._function, self.total = function, 0.0

    def __call__(self, *arguments: object) -> None:
        self.total += seconds(lambda: self._function(*arguments))
