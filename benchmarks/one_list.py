"""One list of a million items: NDCG here, beside what one would write with numpy, and scikit-learn.

``python -m benchmarks.one_list``. Every line is a ratio of medians of five in one run.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np
from sklearn.metrics import ndcg_score

from ndcg_asymptotics.measures import Measure

ITEMS = 10**6


def seconds(action: Callable[[], object]) -> tuple[float, float]:
    """The median processor time of five, and how far the slowest is from the fastest."""
    taken = []
    for _ in range(5):
        start = time.process_time()
        action()
        taken.append(time.process_time() - start)
    return statistics.median(taken), max(taken) - min(taken)


def main() -> None:
    """Print the ratios."""
    rng = np.random.default_rng(1)
    scores, labels = rng.random(ITEMS), (rng.random(ITEMS) < 0.3).astype(float)
    weights = 1 / np.log2(np.arange(2, ITEMS + 2))

    def plain() -> float:
        order = np.argsort(-scores)
        return float(labels[order] @ weights / (np.sort(labels)[::-1] @ weights))

    yardstick, spread = seconds(plain)
    print(f"numpy argsort and two dots: {1e3 * yardstick:.0f} ms, spread {1e3 * spread:.0f} ms")
    for name, action in {
        "NDCG": lambda: Measure.parse("nDCG").evaluate(scores, labels),
        "NDCG, ties of two": lambda: Measure.parse("nDCG").evaluate(np.floor(scores * ITEMS / 2), labels),
        "NDCG@10": lambda: Measure.parse("nDCG@10").evaluate(scores, labels),
        "scikit-learn, ties averaged": lambda: ndcg_score(labels[None], scores[None]),
        "scikit-learn @10": lambda: ndcg_score(labels[None], scores[None], k=10),
    }.items():
        taken, spread = seconds(action)
        print(f"{name}: {taken / yardstick:.2f} of numpy's, spread {spread / yardstick:.2f}")


if __name__ == "__main__":
    main()
