"""The exact mean: the time of a whole curve against one numpy.argsort of a million doubles."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np

from ndcg_asymptotics.measures import Measure, exponentials
from ndcg_asymptotics.measures.discounts import Discount
from ndcg_asymptotics.scorers import Relevance
from ndcg_asymptotics.theory.mean import expectation, expected_ndcg

RUNS = 5
CURVE = Relevance.parse("linear(0.1, 0.7)")
GRADED = Relevance.parse("graded(2=power(0, 0.3, 3), 1=linear(0.1, 0.3))")


def seconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def curve(relevance: Relevance, measure: str, count: int) -> Callable[[], object]:
    """The mean at ``count`` sizes from 10 to 1e18, nothing kept from earlier runs."""
    sizes = [int(n) for n in np.geomspace(10, 1e18, count)]

    def action() -> object:
        expectation.forget()
        return expected_ndcg(relevance, Measure.parse(measure), sizes)

    return action


def main() -> None:
    """Print the ratios."""
    values = np.random.default_rng(1).random(10**6)
    sort = statistics.median(seconds(lambda: np.argsort(values)) for _ in range(RUNS))
    asked = {("nDCG", 60): " (asked: <= 25)"}
    for measure, count in [
        ("nDCG", 60),
        ("nDCG(linear)", 60),
        ("nDCG@10", 20),
        ("nDCG@0.2n", 20),
        ("nDCG@0.4n", 20),
    ]:
        ratio = statistics.median(seconds(curve(CURVE, measure, count)) for _ in range(RUNS)) / sort
        print(
            f"{measure}, {CURVE}, {count} sizes / argsort(1e6): {ratio:.1f}{asked.get((measure, count), '')}"
        )
    for measure in ("nDCG", "nDCG@0.2n"):
        ratio = seconds(curve(GRADED, measure, 20)) / sort
        print(f"{measure}, {GRADED}, 20 sizes / argsort(1e6): {ratio:.1f}")
    discounts = [Discount.parse(text) for text in ("log", "power(0.5)", "zipf")]
    for largest in (1e6, 1e18):
        fit = exponentials.exponential_sum(discounts, largest)
        print(f"log, power(0.5), zipf on 1 ... {largest:g}: {fit.rates.size} rates, error {fit.error:.1e}")


if __name__ == "__main__":
    main()
