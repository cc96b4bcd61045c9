"""Designs for the tests of the items engine, and the rank orders it draws for them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ndcg_asymptotics.design import Design
from ndcg_asymptotics.engines import items
from ndcg_asymptotics.engines.labels import label_counts
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.population import Population

DISCOUNTS: dict[str, Callable[[int, int], float]] = {
    "log": lambda r, n: 1 / math.log(1 + r),
    "power(0.5)": lambda r, n: 1 / math.sqrt(r),
    "zipf": lambda r, n: 1 / r,
    "geometric(2)": lambda r, n: 2.0**-r,
    "linear": lambda r, n: float(n - r),
}

LINEAR = "linear(0.1, 0.7)"
GRADED = "graded(3=polynomial(0.5, -0.4), 1=polynomial(0.1, 0.2))"


def design(
    scorers: dict[str, str] | str,
    sizes: Sequence[int],
    measures: Sequence[str] = ("nDCG",),
    coupling: str = "independent",
    seed: int = 1,
    pairs: Sequence[tuple[str, str]] = (),
) -> Design:
    named = {"a": scorers} if isinstance(scorers, str) else scorers
    parsed = tuple(Measure.parse(text) for text in measures)
    return Design(Population.of(named, coupling), parsed, tuple(sizes), seed, tuple(pairs))


def sequences(a_design: Design, replicate: int) -> list[list[list[float]]]:
    """For each scorer and list size, the gains in rank order."""
    gains = [*a_design.population.gains, 0.0]
    labels = label_counts(a_design, replicate)
    result = []
    for blocks in items.rank_orders(a_design, replicate, labels):
        codes = [divmod(code, len(gains)) for block in blocks for code in block.tolist()]
        result.append([[gains[g] for k, g in codes if k <= j] for j in range(len(a_design.sizes))])
    return result


def ndcgs(a_design: Design, replicates: int) -> np.ndarray:
    return np.array([items.simulate(a_design, r)["ndcg"] for r in range(replicates)])
