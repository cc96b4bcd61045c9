"""The exact standard deviation: 20 sizes of one curve against one numpy.argsort of a million doubles."""

from __future__ import annotations

import statistics

import numpy as np

from benchmarks.expectation import CURVE, RUNS, seconds
from ndcg_asymptotics.theory.fluctuations import ndcg_spread

SIZES = [int(n) for n in np.geomspace(10, 1e6, 20)]


def main() -> None:
    """Print the ratios."""
    values = np.random.default_rng(1).random(10**6)
    sort = statistics.median(seconds(lambda: np.argsort(values)) for _ in range(RUNS))
    for measure in ("nDCG", "nDCG(power(0.5))", "nDCG(linear)", "nDCG(geometric(2))"):
        ratio = seconds(lambda measure=measure: ndcg_spread(CURVE, measure, SIZES)) / sort  # type: ignore[misc]
        print(f"sd of {measure}, {CURVE}, {len(SIZES)} sizes / argsort(1e6): {ratio:.0f} (asked: <= 100)")


if __name__ == "__main__":
    main()
