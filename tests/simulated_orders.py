"""Orders of two scorers in lists that are drawn item by item, without the engines."""

from __future__ import annotations

import numpy as np

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Curve, Relevance


def wrong(pair: tuple[str, str], measure: str, n: int, lists: int, seed: int) -> float:
    """The share of lists in which the first scorer is not ahead: labels first, then depths of each.

    The depth given the label is drawn by rejection from the curve; nothing is shared with the engines.
    """
    rng, asked = np.random.default_rng(seed), Measure.parse(measure)
    k = asked.cutoff(n)
    discounts = asked.discount(np.arange(1.0, k + 1), float(n))
    curves = [Relevance.parse(text).curves[0] for text in pair]
    count = 0
    for _ in range(lists):
        relevant = rng.binomial(n, curves[0].mass)
        dcg = []
        for curve in curves:
            depths = [_depths(rng, curve, relevant, True), _depths(rng, curve, n - relevant, False)]
            labels = np.repeat([1.0, 0.0], [relevant, n - relevant])[np.argsort(np.concatenate(depths))]
            dcg.append(float(labels[:k] @ discounts))
        count += dcg[0] <= dcg[1]
    return count / lists


def _depths(rng: np.random.Generator, curve: Curve, count: int, relevant: bool) -> np.ndarray:
    found = np.empty(0)
    while len(found) < count:
        t = rng.random(2 * count + 50)
        chance = curve.value(t) if relevant else 1 - curve.value(t)
        found = np.concatenate([found, t[rng.random(len(t)) < chance]])
    return found[:count]
