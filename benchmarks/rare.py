"""A weighted draw at n = 1e5 against a DCG of 1e5 items, sorted and summed in numpy; seconds for a tilt."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from ndcg_asymptotics.engines import rare
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.scorers import Population
from ndcg_asymptotics.studies import Design
from ndcg_asymptotics.theory.rare import CELLS, tilt

N, DRAWS = 10**5, 40


def seconds(run: Callable[[int], object], count: int) -> float:
    """The processor time of one call."""
    run(0)
    start = time.process_time()
    for i in range(1, count + 1):
        run(i)
    return (time.process_time() - start) / count


def main() -> None:
    """Print a line per measure."""
    population = Population.of({"a": "linear(0.1, 0.5)", "b": "linear(0.2, 0.4)"})
    a, b = population.scorers.values()
    rng = np.random.default_rng(1)
    scores, labels = rng.random(N), (rng.random(N) < 0.3).astype(float)
    for text in ("nDCG", "nDCG(power(0.7))", "nDCG(zipf)", "nDCG@0.2n", "nDCG@n^0.5"):
        measure = Measure.parse(text)
        weights = measure.discount(np.arange(1.0, N + 1))

        def one(_: int, weights: np.ndarray = weights) -> float:
            return float(labels[np.argsort(-scores)] @ weights)

        design = Design(population, (measure,), (N,), seed=1, pairs=(("a", "b"),))
        draw = seconds(lambda r, design=design: rare.simulate(design, r), DRAWS)  # type: ignore[misc]
        found = seconds(lambda i, m=measure: tilt(a, b, m, N + i, CELLS), 5)  # type: ignore[misc]
        ratio = draw / seconds(one, DRAWS)
        print(f"{text:18} a draw takes {ratio:5.2f} DCGs of {N:g} items; a tilt {found:.3f} s")


if __name__ == "__main__":
    main()
