"""One list of a million items: NDCG here, beside what one would write with numpy, and scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.metrics import ndcg_score

from benchmarks.line import Line, ratios
from ndcg_asymptotics.measures import Measure

ITEMS = 10**6
BESIDE = "numpy's argsort, sort and two dots"


def lines() -> Iterator[Line]:
    """The times of one NDCG."""
    rng = np.random.default_rng(1)
    scores, labels = rng.random(ITEMS), (rng.random(ITEMS) < 0.3).astype(float)
    tied = np.floor(scores * ITEMS / 2)
    weights = 1 / np.log2(np.arange(2, ITEMS + 2))

    def plain() -> float:
        order = np.argsort(-scores)
        return float(labels[order] @ weights / (np.sort(labels)[::-1] @ weights))

    whole, top = Measure.parse("nDCG"), Measure.parse("nDCG@10")
    yield Line("NDCG of 1e6", BESIDE, ratios(lambda: whole.evaluate(scores, labels), plain, 9), 1.0)
    yield Line(
        "every score twice, ties averaged", BESIDE, ratios(lambda: whole.evaluate(tied, labels), plain)
    )
    yield Line("NDCG@10 of 1e6", BESIDE, ratios(lambda: top.evaluate(scores, labels), plain, 9), 0.2)
    theirs, cut = ndcg_score, {"k": 10}
    yield Line("scikit-learn's ndcg_score", BESIDE, ratios(lambda: theirs([labels], [scores]), plain))
    yield Line(
        "scikit-learn's ndcg_score(k=10)", BESIDE, ratios(lambda: theirs([labels], [scores], **cut), plain)
    )
