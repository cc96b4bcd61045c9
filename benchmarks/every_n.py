"""NDCG at every list length up to 1e6, and where the time goes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from sklearn.metrics import ndcg_score

from benchmarks.line import RUNS, Line, ratios, seconds
from ndcg_asymptotics.core.arrays import Floats, stable_order
from ndcg_asymptotics.engines.every_n import evaluate_every_n
from ndcg_asymptotics.engines.every_n.arrivals import arrive
from ndcg_asymptotics.engines.every_n.paths import dcg, ideal_path
from ndcg_asymptotics.measures import Measure

ITEMS = 10**6
MEASURES = [Measure.parse(text) for text in ("nDCG", "nDCG(power(0.5))", "nDCG(zipf)")]


def stream(items: int) -> tuple[Floats, Floats]:
    """Return scores and binary labels with relevance 0.1 + 0.6 s."""
    rng = np.random.default_rng(items)
    scores = rng.random(items)
    return scores, (rng.random(items) < 0.1 + 0.6 * scores).astype(np.float64)


def nanoseconds(items: int) -> float:
    """Return the processor time of all list lengths, per item."""
    scores, labels = stream(items)
    return seconds(lambda: evaluate_every_n(scores, labels, MEASURES)) / items * 1e9


def lines() -> Iterator[Line]:
    """Yield the times of all list lengths together."""
    scores, labels = stream(ITEMS)
    discount = MEASURES[0].discount(np.arange(1.0, ITEMS + 1))
    cut = [Measure.parse(f"{measure}@0.2n") for measure in MEASURES]
    found = evaluate_every_n(scores, labels, MEASURES)

    def one_length() -> float:
        return float(labels[np.argsort(-scores)] @ discount)

    yield Line("nDCG at every n to 3000", "scikit-learn: ndcg_score at each n", _peer(), is_peer=True)
    for what, measures in (
        ("nDCG at every n to 1e6", MEASURES[:1]),
        ("three discounts at every n to 1e6", MEASURES),
        ("three discounts with k = 0.2 n", cut),
    ):
        every = partial(evaluate_every_n, scores, labels, measures)
        yield Line(what, "numpy: one DCG of 1e6", ratios(every, one_length))
        yield Line(what, "ns an item", tuple(seconds(every) / ITEMS * 1e9 for _ in range(RUNS)))
    grade, gains = (labels < 1).astype(np.uint8), np.array([1.0, 0.0])
    ranked = arrive(-scores, grade, gains)
    for part, work in {
        "the order of the scores": lambda: stable_order(-scores),
        "three DCGs": lambda: dcg(ranked, MEASURES),
        "three ideal DCGs": lambda: [ideal_path(grade, gains, measure) for measure in MEASURES],
    }.items():
        yield Line(f"of it: {part}", "ns an item", tuple(seconds(work) / ITEMS * 1e9 for _ in range(RUNS)))
    yield Line("largest error at 40 random n", "1e-10", (_largest_error(scores, labels, found) / 1e-10,))


def _largest_error(scores: Floats, labels: Floats, found: Floats) -> float:
    order, worst = np.argsort(-scores), 0.0
    for n in np.random.default_rng(1).integers(1, scores.size + 1, 40):
        ranked = labels[order[order < n]]
        for row, measure in zip(found, MEASURES, strict=True):
            weights = measure.discount(np.arange(1.0, n + 1))
            direct = ranked @ weights / (np.sort(ranked)[::-1] @ weights)
            worst = max(worst, abs(float(row[n - 1] - direct)))
    return worst


def _peer() -> tuple[float, ...]:
    """Return our time at every length over that of scikit-learn, extrapolated from every 100th length."""
    scores, labels = stream(3000)
    evaluate_every_n(scores, labels, MEASURES[:1])
    sizes = np.arange(50, 3001, 100)

    def theirs() -> None:
        for n in sizes:
            ndcg_score([labels[:n]], [scores[:n]])

    return tuple(r / 100 for r in ratios(partial(evaluate_every_n, scores, labels, MEASURES[:1]), theirs))
