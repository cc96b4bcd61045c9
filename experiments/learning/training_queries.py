"""Regret of the trained ranker against the number of training queries, on `TwoReaders`.

The best linear ranker of the population is known, and so is the limit of every loss: 0 for the consistent
losses, and a positive regret for the others. The regret is that of the exact expected NDCG, averaged over
20,000 lists. There are 200 training sets of up to 1000 queries, and fewer larger ones, at least 20.
"""

from __future__ import annotations

import numpy as np
from keeping import keep
from numpy.typing import NDArray
from two_readers import TwoReaders

from ndcg_asymptotics.core.progress import show_progress, tracked
from ndcg_asymptotics.learning import train
from ndcg_asymptotics.learning.losses import Listwise, Loss
from ndcg_asymptotics.learning.utilities import Discounted
from ndcg_asymptotics.measures import Measure

CONSISTENT = (
    "squared_consistent",
    "cosine_consistent",
    "listnet_consistent",
    "pnorm(1.5)",
    "pnorm_normalised(1.5)",
    'bregman("hyperbolic")',
    "order_preserving",
)
INCONSISTENT = ("squared", "cosine", "listnet", 'pairwise("squared_hinge")', 'margin("logistic")', "duchi")
SIZES = (100, 300, 1000, 3000, 10_000, 30_000, 100_000)
TEST_LISTS = 20_000


def main() -> None:
    """Train, and write the regrets of every training set."""
    population, utility = TwoReaders(), Discounted("exp2", Measure("log"))
    features = population.features(TEST_LISTS, np.random.default_rng(0))
    value = features @ population.best_weights(utility)
    discounts = utility.weights(population.items)
    best = np.sort(value, axis=1)[:, ::-1] @ discounts

    def regret(weights: NDArray[np.float64]) -> float:
        order = np.argsort(-(features[..., : len(weights)] @ weights), axis=1)
        return float((best - np.take_along_axis(value, order, axis=1) @ discounts).mean())

    texts = (*CONSISTENT, *INCONSISTENT)
    regrets: dict[str, list[list[float]]] = {text: [] for text in texts}
    with show_progress():
        for size in SIZES:
            replicates = max(20, min(200, 200_000 // size))
            found: dict[str, list[float]] = {text: [] for text in texts}
            for replicate in tracked(range(replicates), f"{size} queries: training sets"):
                queries = population.draw(size, np.random.SeedSequence([11, size, replicate]))
                for text in texts:
                    ranker = train(queries, text, measure=utility, penalties=[0.0]).ranker
                    found[text].append(regret(ranker.weights))
            for text in texts:
                regrets[text].append(found[text])
    limits = {}
    for text in texts:
        loss = Loss.parse(text)
        if isinstance(loss, Listwise):
            limits[text] = regret(population.slopes(loss.target(population.labels(), utility)))
    keep(
        "training_queries",
        {
            "sizes": SIZES,
            "consistent": CONSISTENT,
            "inconsistent": INCONSISTENT,
            "regrets": regrets,
            "limits": limits,
            "value": float(best.mean()),
        },
    )


if __name__ == "__main__":
    main()
