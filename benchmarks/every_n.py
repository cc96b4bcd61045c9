"""NDCG at every list length: cost against one evaluation, and how cost and memory grow.

``python -m benchmarks.every_n``
"""

from __future__ import annotations

import math
import resource
import sys
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import ndcg_score

from ndcg_asymptotics.engines.every_n import evaluate_every_n
from ndcg_asymptotics.engines.every_n.paths import way
from ndcg_asymptotics.measures import Measure

Floats = NDArray[np.float64]

MEASURES = [Measure.parse(text) for text in ("nDCG", "nDCG(power(0.5))", "nDCG(zipf)")]


def stream(items: int) -> tuple[Floats, Floats]:
    """Scores and binary labels of ybar(s) = 0.1 + 0.6 s."""
    rng = np.random.default_rng(items)
    scores = rng.random(items)
    return scores, (rng.random(items) < 0.1 + 0.6 * scores).astype(np.float64)


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """The shortest processor time of a few calls."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def one_evaluation(scores: Floats, labels: Floats, discount: Floats) -> float:
    """NDCG of the whole list, once: argsort, gather, dot."""
    return float(labels[np.argsort(-scores)] @ discount)


def compare(items: int) -> None:
    """All n against one evaluation, against scikit-learn at every n, and the error at random n."""
    scores, labels = stream(items)
    discount = MEASURES[0].discount(np.arange(1.0, items + 1))
    found = evaluate_every_n(scores, labels, MEASURES)
    once = seconds(lambda: one_evaluation(scores, labels, discount), 7)
    every = seconds(lambda: evaluate_every_n(scores, labels, MEASURES))
    print(f"every n to {items:g}, three discounts, one evaluation = 1: {every / once:.1f} (asked: <= 10)")
    sizes = np.array([300, 1000, 3000, 10_000, 30_000])
    costs = [seconds(lambda n=n: ndcg_score([labels[:n]], [scores[:n]])) for n in sizes]  # type: ignore[misc]
    n = np.arange(1, items + 1)
    total = float(np.interp(n, sizes, costs).sum())
    total += float(np.maximum(n - sizes[-1], 0).sum() * costs[-1] / sizes[-1])
    print(
        f"scikit-learn's ndcg_score at every n, one discount, EXTRAPOLATED from n <= {sizes[-1]}: "
        f"{total / 3600:.0f} hours, {total / every:.0f} times as long"
    )
    order, worst = np.argsort(-scores), 0.0
    for n in np.random.default_rng(1).integers(1, items + 1, 40):
        ranked = labels[order[order < n]]
        for m, measure in enumerate(MEASURES):
            weights = measure.discount(np.arange(1.0, n + 1))
            direct = ranked @ weights / (np.sort(ranked)[::-1] @ weights)
            worst = max(worst, abs(float(found[m, n - 1] - direct)))
    print(f"largest error at 40 random n: {worst:.1e} (asked: <= 1e-10)")


def growth() -> None:
    """Nanoseconds per item from 1e4 to 1e7, and the slope against log n; peak memory at the end.

    Beside it the same of one argsort, which takes n log n steps as well: caches run out for both.
    """
    sizes = [10**4, 10**5, 10**6, 10**7]
    costs, sorts = [], []
    for items in sizes:
        scores, labels = stream(items)
        for measure in MEASURES:
            way(measure, items)
        repeats = 1 if items > 10**6 else 3
        cost = seconds(lambda s=scores, y=labels: evaluate_every_n(s, y, MEASURES), repeats)  # type: ignore[misc]
        costs.append(cost / items * 1e9)
        sorts.append(seconds(lambda s=scores: np.argsort(s), repeats) / items * 1e9)  # type: ignore[misc]
        print(
            f"n = {items:g}: {costs[-1]:.0f} ns per item, {costs[-1] / math.log(items):.1f} ns x log n; "
            f"one argsort {sorts[-1]:.0f} ns per item"
        )
    slope, of_sort = (np.polyfit(np.log(np.log(sizes)), np.log(found), 1)[0] for found in (costs, sorts))
    print(f"cost per item grows like (log n)^{slope:.2f} (asked: about 1), of one argsort like {of_sort:.2f}")
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**30
    print(f"peak memory at n = {sizes[-1]:g}: {peak:.2f} GiB (asked: <= 4)")


def main() -> None:
    """Print the numbers."""
    compare(10**6)
    growth()


if __name__ == "__main__":
    main()
