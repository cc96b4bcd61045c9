"""NDCG of one list of a million items, relative to plain numpy and to scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.metrics import ndcg_score

from benchmarks.line import Line, ratios
from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.measures import Measure

ITEMS = 10**6
NUMPY = "numpy: argsort, sort and two dot products"


def lines() -> Iterator[Line]:
    """Yield the times of one NDCG."""
    rng = np.random.default_rng(1)
    scores, labels = rng.random(ITEMS), (rng.random(ITEMS) < 0.3).astype(float)
    tied = np.floor(scores * ITEMS / 2)
    weights = 1 / np.log2(np.arange(2, ITEMS + 2))

    def plain() -> float:
        order = np.argsort(-scores)
        return float(labels[order] @ weights / (np.sort(labels)[::-1] @ weights))

    for text, k in (("nDCG", None), ("nDCG@10", 10)):
        what, measure = f"{text} of 1e6 items", Measure.parse(text)

        def ours(scores: Floats = scores, measure: Measure = measure) -> float:
            return float(measure.evaluate(labels, scores))

        def theirs(k: int | None = k) -> float:
            return float(ndcg_score([labels], [scores], k=k))

        yield Line(what, NUMPY, ratios(ours, plain, 9), is_peer=True)
        yield Line(what, "scikit-learn: ndcg_score", ratios(ours, theirs), is_peer=True)
        if k is None:
            yield Line(f"{what}, each score twice", NUMPY, ratios(lambda: ours(tied), plain))
