"""Sums over growing lists, whole and up to a cutoff, against their definition rank by rank."""

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from ndcg_asymptotics.engines.every_n.arrivals import arrive
from ndcg_asymptotics.engines.every_n.paths import dcg, method_of
from ndcg_asymptotics.measures import Measure

ITEMS = 60_000
TEXTS = "nDCG", "nDCG(zipf)", "nDCG(power(2))", "nDCG(geometric(1.001))"
CUT = "nDCG@0.2n", "nDCG(zipf)@0.7n", "nDCG(power(0.5))@n^0.9", "nDCG@3000", "nDCG@300log(n)"
EXPONENTIALS = [Measure.parse(text) for text in (*TEXTS, *CUT)]
LINEAR = [Measure.parse(f"nDCG(linear){cutoff}") for cutoff in ("", "@0.3n", "@2000")]
TIMES = (1, 2, 9, 512, 4096, 4097, 8192, 8193, 20_000, 45_001, ITEMS)
GAINS = np.array([2.0, 1.0, 0.0])


def keys(order: str) -> NDArray[np.float64]:
    """Scores of a stream in random order, and in extreme ones."""
    uniform = np.random.default_rng(7).random(ITEMS)
    match order:
        case "random":
            return uniform
        case "each last":
            return np.arange(float(ITEMS))
        case "each first":
            return -np.arange(float(ITEMS))
    # after half of the items have come from all places, the rest come into one
    return np.where(np.arange(ITEMS) < ITEMS // 2, uniform, 0.7 + 1e-6 * uniform)


@cache
def fitted(measure: Measure) -> NDArray[np.float64]:
    """The discounts of all ranks, as sums of exponentials."""
    fit = method_of(measure, ITEMS).fit
    assert fit is not None
    discounts: NDArray[np.float64] = np.exp(-np.outer(np.arange(1.0, ITEMS + 1), fit.rates)) @ fit.weights[0]
    return discounts


@pytest.mark.slow
@pytest.mark.parametrize("order", ["random", "each last", "each first", "burst"])
def test_sums_are_over_the_ranks_up_to_the_cutoff(order: str) -> None:
    key = keys(order)
    grade = np.random.default_rng(8).integers(0, 3, ITEMS).astype(np.uint8)
    found = dcg(arrive(key, grade, GAINS), [*EXPONENTIALS, *LINEAR])
    ranked = np.argsort(key)
    for n in TIMES:
        gains = GAINS[grade[ranked[ranked < n]]]
        for row, measure in zip(found, EXPONENTIALS, strict=False):
            k = min(measure.cutoff(n), n)
            expected = float(gains[:k] @ fitted(measure)[:k])
            assert row[n - 1] == pytest.approx(expected, rel=3e-13), (str(measure), n)  # rounding: 1e-14
        for row, measure in zip(found[len(EXPONENTIALS) :], LINEAR, strict=True):
            k = measure.cutoff(n)
            assert row[n - 1] == gains[:k] @ (n - np.arange(1.0, k + 1)), (str(measure), n)
