"""The items engine: a nested path to 1e7 items beside one argsort of so many, and beside what bounds it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.line import RUNS, Line, ratios, seconds
from ndcg_asymptotics.engines import items
from ndcg_asymptotics.engines.items.engine import discount_table
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Population
from ndcg_asymptotics.studies import Design

MEASURES = ("nDCG(log)", "nDCG(power(0.25))", "nDCG(power(0.5))", "nDCG(power(0.75))", "nDCG(zipf)")
CUT = ("nDCG(log)@0.2n", "nDCG(power(0.5))@0.2n", "nDCG(zipf)@n^0.5", "nDCG@10", "nDCG(geometric(2))")
SIZES = tuple(round(10 ** (3 + i / 10)) for i in range(41))
BESIDE = "argsort of 1e7"


def design(measures: tuple[str, ...] = MEASURES, sizes: tuple[int, ...] = SIZES) -> Design:
    """A study of one scorer."""
    population = Population.of({"good": "linear(0.1, 0.7)"})
    return Design(population, tuple(Measure.parse(text) for text in measures), sizes, 2013)


def lines() -> Iterator[Line]:
    """The times of one replicate."""
    numbers = np.random.default_rng(0).random(SIZES[-1])
    rng = np.random.default_rng(1)

    def argsort() -> object:
        return np.argsort(numbers)

    for what, measures, asked in (
        ("path of 41 sizes to 1e7, five smooth measures", MEASURES, 0.3),
        ("the same and five measures with cutoffs", MEASURES + CUT, None),
        ("one measure", MEASURES[:1], None),
    ):
        study = design(measures)
        items.warm(study)
        yield Line(what, BESIDE, ratios(lambda study=study: items.simulate(study, 1), argsort), asked)  # type: ignore[misc]
    study = design()

    def tables() -> None:
        discount_table.cache_clear()
        items.warm(study)

    yield Line("tables of five discounts, once per process", BESIDE, ratios(tables, argsort))
    for what, work in {
        "the path": lambda: items.simulate(study, 1),
        "argsort of 1e7": argsort,
        "limit: random words, half of one an item": lambda: rng.bit_generator.random_raw(numbers.size // 2),
        "limit: five discounts read once": lambda: [numbers.sum() for _ in MEASURES],
    }.items():
        yield Line(what, "ns an item", tuple(seconds(work) / numbers.size * 1e9 for _ in range(RUNS)))
