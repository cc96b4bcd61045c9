"""Training of linear rankers: 201 queries with 301 correlated features, a path of penalties."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.linear_model import Ridge

from benchmarks.line import Line, ratios, seconds
from ndcg_asymptotics.learning import Queries, train
from ndcg_asymptotics.learning.ranker import PENALTIES

QUERIES, FEATURES = 201, 301
FACTORS = 40  # skewed ones, of which each feature mixes about six
RIDGE = "scikit-learn: Ridge, the same penalties"
LOSSES = (
    "squared",
    "listnet",
    "listmle",
    'pairwise("logistic")',
    'pairwise("squared_hinge")',
    'pairwise("hinge")',
    "cosine_consistent",
    "lambdarank",
)


def queries() -> Queries:
    """Return queries whose features are as correlated as counts of the same words in several fields."""
    rng = np.random.default_rng(1)
    sizes = rng.integers(20, 120, QUERIES)
    factors = np.exp(rng.normal(size=(sizes.sum(), FACTORS)))
    mixture = rng.normal(size=(FACTORS, FEATURES)) * (rng.random((FACTORS, FEATURES)) < 0.15)
    x = factors @ mixture + np.logspace(0, -3, FEATURES) * rng.normal(size=(len(factors), FEATURES))
    score = (x / x.std(axis=0)) @ rng.normal(size=FEATURES) / FEATURES**0.5 + rng.normal(size=len(x))
    return Queries(x, np.digitize(score, np.quantile(score, [0.7, 0.85, 0.93, 0.98])), sizes)


def lines() -> Iterator[Line]:
    """Yield the times of training, by loss."""
    data = queries()
    gains = np.exp2(data.labels) - 1

    def ridge() -> None:
        for penalty in PENALTIES:
            Ridge(penalty * data.count / 2).fit(data.features, gains)

    for text in LOSSES:

        def ours(text: str = text) -> None:
            train(data, text, measure="nDCG@10", validation=data)  # one path, no folds

        if text == "squared":
            yield Line(f"`losses train`, {text}", RIDGE, ratios(ours, ridge), is_peer=True)
        yield Line(f"`losses train`, {text}", "a second", tuple(seconds(ours) for _ in range(3)))
