"""The items engine: a nested path to 1e7 items, relative to one argsort and to its physical limits."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from benchmarks.line import RUNS, Line, ratios, seconds
from ndcg_asymptotics.engines import items
from ndcg_asymptotics.engines.items.engine import discount_table
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Population
from ndcg_asymptotics.studies import Design

MEASURES = ("nDCG", "nDCG(power(0.25))", "nDCG(power(0.5))", "nDCG(power(0.75))", "nDCG(zipf)")
CUT = ("nDCG@0.2n", "nDCG(power(0.5))@0.2n", "nDCG(zipf)@n^0.5", "nDCG@10", "nDCG(geometric(2))")
SIZES = tuple(round(10 ** (3 + i / 10)) for i in range(41))
ARGSORT = "numpy: one argsort of 1e7"


def design(measures: tuple[str, ...] = MEASURES, sizes: tuple[int, ...] = SIZES) -> Design:
    """Return a study of one scorer."""
    population = Population.of({"good": "linear(0.1, 0.7)"})
    return Design(population, tuple(Measure.parse(text) for text in measures), sizes, 2013)


def lines() -> Iterator[Line]:
    """Yield the times of one replicate."""
    numbers = np.random.default_rng(0).random(SIZES[-1])
    rng = np.random.default_rng(1)

    def argsort() -> object:
        return np.argsort(numbers)

    for what, measures in (
        ("path of 41 sizes to 1e7, five measures", MEASURES),
        ("the same and five measures with cutoffs", MEASURES + CUT),
        ("the same, one measure", MEASURES[:1]),
    ):
        study = design(measures)
        items.warm(study)
        yield Line(what, ARGSORT, ratios(partial(items.simulate, study, 1), argsort))
    study = design()

    def tables() -> None:
        discount_table.cache_clear()
        items.warm(study)

    yield Line("tables of five discounts, once per process", ARGSORT, ratios(tables, argsort))

    def least() -> None:  # half a random word an item, and five discounts read once
        rng.bit_generator.random_raw(numbers.size // 2)
        for _ in MEASURES:
            numbers.sum()

    path = partial(items.simulate, study, 1)
    yield Line(
        "path of 41 sizes to 1e7, five measures", "its random words and its discounts", ratios(path, least)
    )
    yield Line("the path", "ns an item", tuple(seconds(path) / numbers.size * 1e9 for _ in range(RUNS)))
