"""Orders of two scorers in lists that are drawn item by item, without the engines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Curve, Relevance


def wrong(pair: tuple[str, str], measures: Sequence[str], n: int, lists: int, seed: int) -> list[float]:
    """The share of lists in which the first scorer is not ahead: labels first, then depths of each.

    The lists are the same under every measure. The depth given the label is drawn by rejection from the
    curve; nothing is shared with the engines.
    """
    rng = np.random.default_rng(seed)
    parsed = [Measure.parse(measure) for measure in measures]
    discounts = [asked.discount(np.arange(1.0, asked.cutoff(n) + 1), float(n)) for asked in parsed]
    k = max(map(len, discounts))
    curves = [Relevance.parse(text).curves[0] for text in pair]
    counts = np.zeros(len(measures))
    for _ in range(lists):
        relevant = rng.binomial(n, curves[0].mass)
        dcg = []
        for curve in curves:
            parts = _depths(rng, curve, relevant, True), _depths(rng, curve, n - relevant, False)
            depths = np.concatenate(parts)
            first = np.argpartition(depths, k)[:k] if k < n else np.arange(n)
            labels = (first[np.argsort(depths[first])] < relevant).astype(float)
            dcg.append([labels[: len(d)] @ d for d in discounts])
        counts += np.array(dcg[0]) <= dcg[1]
    return [float(count) / lists for count in counts]


def _depths(rng: np.random.Generator, curve: Curve, count: int, relevant: bool) -> np.ndarray:
    found = np.empty(0)
    while len(found) < count:
        t = rng.random(2 * count + 50)
        chance = curve.value(t) if relevant else 1 - curve.value(t)
        found = np.concatenate([found, t[rng.random(len(t)) < chance]])
    return found[:count]
