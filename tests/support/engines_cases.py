"""Draws of the items engine as lists of gains; sums of gains; whether draws fit a law."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from oracles import naive
from oracles.discounts import formula
from scipy import stats

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


def fits(drawn: Iterable[Hashable], law: Mapping[Any, float], level: float = 1e-6) -> bool:
    """A chi-square test of draws, that a true law fails with probability ``level``; rare outcomes are one."""
    found = Counter(drawn)
    size = sum(found.values())
    keys = [key for key, chance in law.items() if chance * size > 5]
    observed = np.array([*(found[key] for key in keys), size - sum(found[key] for key in keys)])
    expected = size * np.array([*(law[key] for key in keys), 1 - sum(law[key] for key in keys)])
    kept = expected > 1e-9 * size
    if observed[~kept].any():
        return False
    expected *= size / expected[kept].sum()
    return bool(kept.sum() < 2 or stats.chisquare(observed[kept], expected[kept]).pvalue > level)


def orders(counts: Sequence[int], gains: Sequence[float]) -> list[tuple[float, ...]]:
    """Every order of so many items of each gain, each as often as it occurs among all orders of the items."""
    return list(itertools.permutations(np.repeat(gains[: len(counts)], counts).tolist()))


def part(gains: Sequence[float], above: int, text: str, n: int) -> float:
    """The DCG of gains on the ranks after ``above``, from its definition."""
    discount, k = formula(text, n)
    return naive.dcg([0.0] * above + list(gains), discount, k)
