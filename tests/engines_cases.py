"""Draws of the items engine, as lists of gains and as NDCG."""

from __future__ import annotations

import numpy as np

from ndcg_asymptotics.engines import items
from ndcg_asymptotics.engines.items.engine import rank_orders
from ndcg_asymptotics.engines.shared.grades import label_counts
from ndcg_asymptotics.studies import Design


def sequences(of: Design, replicate: int) -> list[list[list[float]]]:
    """For each scorer and list size, the gains in rank order."""
    gains = [*of.population.gains, 0.0]
    labels = label_counts(of, replicate)
    result = []
    for blocks in rank_orders(of, replicate, labels):
        codes = [divmod(code, len(gains)) for block in blocks for code in block.tolist()]
        result.append([[gains[g] for k, g in codes if k <= j] for j in range(len(of.sizes))])
    return result


def ndcgs(of: Design, replicates: int) -> np.ndarray:
    """NDCG of the replicates 0, 1, …: (replicate, scorer, measure, n)."""
    return np.array([items.simulate(of, r)["ndcg"] for r in range(replicates)])
