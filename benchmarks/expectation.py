"""The exact mean: the time of a whole curve against one numpy.argsort of a million doubles."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.line import Line, Work, ratios
from ndcg_asymptotics.core.caching import clear_caches
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.mean import expected_ndcg

BESIDE = "argsort of 1e6"
CURVE = Relevance.parse("linear(0.1, 0.7)")
GRADED = Relevance.parse("graded(2=power(0, 0.3, 3), 1=linear(0.1, 0.3))")


def argsort() -> Work:
    """The yardstick."""
    values = np.random.default_rng(1).random(10**6)
    return lambda: np.argsort(values)


def curve(relevance: Relevance, measure: str, count: int) -> Work:
    """The mean at ``count`` sizes from 10 to 1e18, nothing kept from earlier runs."""
    sizes = [int(n) for n in np.geomspace(10, 1e18, count)]

    def work() -> object:
        clear_caches()
        return expected_ndcg(relevance, Measure.parse(measure), sizes)

    return work


def lines() -> Iterator[Line]:
    """The times of some curves."""
    for relevance, measure, count, asked in [
        (CURVE, "nDCG", 60, 25),
        (CURVE, "nDCG(linear)", 60, None),
        (CURVE, "nDCG@10", 20, None),
        (CURVE, "nDCG@0.2n", 20, None),
        (CURVE, "nDCG@0.4n", 20, None),
        (GRADED, "nDCG", 20, None),
        (GRADED, "nDCG@0.2n", 20, None),
    ]:
        what = f"{measure}, {'two grades' if relevance == GRADED else CURVE}, {count} sizes to 1e18"
        yield Line(what, BESIDE, ratios(curve(relevance, measure, count), argsort()), asked)
