"""Draws of the items engine as lists of gains, and distances of means in standard errors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.engines.items.orders import rank_orders
from ndcg_asymptotics.engines.shared.grades import draw_label_counts
from ndcg_asymptotics.studies import Design


def sequences(of: Design, replicate: int) -> list[list[list[float]]]:
    """For each scorer and list size, the gains in rank order."""
    gains = [*of.population.gains, 0.0]
    result = []
    for blocks in rank_orders(of, [replicate], draw_label_counts(of, [replicate])):
        codes = [divmod(code, len(gains)) for block in blocks for code in block.tolist()]
        result.append([[gains[g] for k, g in codes if k <= j] for j in range(len(of.sizes))])
    return result


def at_length(discount: Callable[[float, int], float], n: int) -> Callable[[int], float]:
    """A discount of the oracles at one list length, as a function of the rank."""
    return lambda rank: float(discount(rank, n))


def z_scores(values: Floats, mean: ArrayLike) -> Floats:
    """Distances of means from given ones in standard errors; of two samples if the other is one."""
    variance, mean = values.var(axis=0, ddof=1) / len(values), np.asarray(mean)
    if mean.ndim == values.ndim:
        variance, mean = variance + mean.var(axis=0, ddof=1) / len(mean), mean.mean(axis=0)
    return np.asarray((values.mean(axis=0) - mean) / np.sqrt(variance))
