"""Growth of cost: exponents fitted to each engine."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from benchmarks.every_n import MEASURES as EVERY_N
from benchmarks.every_n import nanoseconds
from benchmarks.items import MEASURES, design
from benchmarks.line import RUNS, Line, seconds
from ndcg_asymptotics.engines import cells, items
from ndcg_asymptotics.studies import Design


def of_lengths(name: str, last: int) -> Design:
    """Return a study of list lengths over the decade up to ``last``."""
    sizes = tuple(round(last * 10 ** (-i / 10)) for i in range(10, -1, -1))
    measures = tuple(str(measure) for measure in EVERY_N) if name == "every_n" else MEASURES
    return design(measures, sizes=sizes)


Scale = Callable[[int], float]


def exponent(what: str, cost: Scale, at: tuple[int, ...], scale: Scale) -> Line:
    """Return the slope of log cost against log scale, in each of `RUNS` rounds through some points."""
    for point in at:
        cost(point)
    where = np.log([scale(point) for point in at])
    slopes = (np.polyfit(where, np.log([cost(point) for point in at]), 1)[0] for _ in range(RUNS))
    return Line(what, "exponent", tuple(float(slope) for slope in slopes))


def lines() -> Iterator[Line]:
    """Yield the exponents."""
    one = of_lengths("items", 10**5)
    decades = {last: replace(one, sizes=tuple(10**k for k in range(6, last + 1))) for last in (9, 12, 18)}
    measured = {k: replace(one, measures=one.measures[:k]) for k in (1, 2, 3, 5)}

    def repeated(design: Design, replicates: int) -> float:
        return seconds(lambda: [items.simulate(design, r) for r in range(replicates)])

    def path(n: int) -> float:
        return seconds(lambda: items.simulate(of_lengths("items", n), 1))

    def to_decade(last: int) -> float:
        return seconds(lambda: cells.simulate(decades[last], 0))

    yield exponent("items: cost against n", path, (10**5, 10**6, 4 * 10**6), float)
    yield exponent(
        "every n: cost against n log n",
        lambda n: n * nanoseconds(n),
        (10**4, 10**5, 10**6),
        lambda n: n * math.log(n),
    )
    # a size for each decade, and the cells that a size takes grow like log n at most
    yield exponent("cells: cost against decades, from 1e6", to_decade, tuple(decades), lambda k: k - 5.0)
    yield exponent("items: cost against replicates", lambda k: repeated(one, k), (5, 20, 80), float)
    yield exponent("items: cost against measures", lambda k: repeated(measured[k], 20), (1, 2, 3, 5), float)
