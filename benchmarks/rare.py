"""A weighted draw at n = 1e5 and a tilt, relative to one DCG of 1e5 items in numpy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.line import Line, ratios
from ndcg_asymptotics.engines import rare
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Population
from ndcg_asymptotics.studies import Design
from ndcg_asymptotics.theory.orders import CELLS, tilt

N, DRAWS = 10**5, 20


def lines() -> Iterator[Line]:
    """Yield the times of a draw and of a tilt, for five measures."""
    population = Population.of({"a": "linear(0.1, 0.5)", "b": "linear(0.2, 0.4)"})
    a, b = population.scorers.values()
    rng = np.random.default_rng(1)
    scores, labels = rng.random(N), (rng.random(N) < 0.3).astype(float)
    weights = 1 / np.log(np.arange(2.0, N + 2))

    def one() -> float:
        return float(labels[np.argsort(-scores)] @ weights)

    for text in ("nDCG", "nDCG(power(0.7))", "nDCG(zipf)", "nDCG@0.2n", "nDCG@n^0.5"):
        measure = Measure.parse(text)
        design = Design(population, (measure,), (N,), seed=1, pairs=(("a", "b"),))
        rare.simulate(design, 0)
        what, one_dcg = f"a draw at n = 1e5, {text}", "numpy: one DCG of 1e5"
        replicates, sizes = iter(range(1, 10**6)), iter(range(N, 2 * N))

        def draws(design: Design = design, replicates: Iterator[int] = replicates) -> None:
            for _ in range(DRAWS):
                rare.simulate(design, next(replicates))

        yield Line(what, one_dcg, ratios(draws, lambda: [one() for _ in range(DRAWS)]))
        # another n each time, as tilts are cached
        taken = ratios(lambda m=measure, sizes=sizes: tilt(a.model, b.model, m, next(sizes), CELLS), one)  # type: ignore[misc]
        yield Line(f"a tilt, {text}", one_dcg, taken)
