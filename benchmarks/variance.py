"""The exact standard deviation: 20 sizes of one curve against one numpy.argsort of a million doubles."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.expectation import BESIDE, CURVE, argsort
from benchmarks.line import Line, Work, ratios
from ndcg_asymptotics.core.caching import clear_caches
from ndcg_asymptotics.theory.fluctuations import ndcg_std

SIZES = [int(n) for n in np.geomspace(10, 1e6, 20)]


def curve(measure: str) -> Work:
    """The standard deviation at all sizes, nothing kept from earlier runs."""

    def work() -> object:
        clear_caches()
        return ndcg_std(CURVE, measure, SIZES)

    return work


def lines() -> Iterator[Line]:
    """The times of seven measures."""
    for measure in (
        "nDCG", "nDCG(power(0.5))", "nDCG(linear)", "nDCG(geometric(2))", "nDCG@10", "nDCG@0.2n", "nDCG@0.4n",
    ):  # fmt: skip
        yield Line(
            f"sd of {measure}, {CURVE}, 20 sizes to 1e6", BESIDE, ratios(curve(measure), argsort()), 100
        )
