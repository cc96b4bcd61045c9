"""Orders of two scorers in lists that are drawn item by item, without the engines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Curve, Relevance

AT_ONCE = 400_000
"""Items that are drawn together."""


def wrong(pair: tuple[str, str], measures: Sequence[str], n: int, lists: int, seed: int) -> list[float]:
    """The share of lists in which the first scorer is not ahead: labels first, then depths of each.

    The lists are the same under every measure. The depth given the label is drawn by rejection from the
    curve; nothing is shared with the engines.
    """
    rng = np.random.default_rng(seed)
    parsed = [Measure.parse(measure) for measure in measures]
    discounts = [asked.discount(np.arange(1.0, asked.cutoff(n) + 1), float(n)) for asked in parsed]
    curves = [Relevance.parse(text).curves[0] for text in pair]
    counts = np.zeros(len(measures))
    for size in np.diff(np.linspace(0, lists, -(-lists * n // AT_ONCE) + 1).astype(int)):
        labels = rng.random((size, n)) < curves[0].mass
        ranked = [_ranked(rng, curve, labels, max(map(len, discounts))) for curve in curves]
        ahead = ranked[0].astype(float) - ranked[1]
        counts += [np.count_nonzero(ahead[:, : len(d)] @ d <= 1e-12) for d in discounts]
    return [float(count) / lists for count in counts]


def _ranked(rng: np.random.Generator, curve: Curve, labels: np.ndarray, k: int) -> np.ndarray:
    """Return the labels of the first k ranks, a row per list."""
    depths, pending = np.empty(labels.size), np.arange(labels.size)
    while pending.size:
        t = rng.random(pending.size)
        chance = curve.value(t)
        kept = rng.random(pending.size) < np.where(labels.ravel()[pending], chance, 1 - chance)
        depths[pending[kept]], pending = t[kept], pending[~kept]
    depth = depths.reshape(labels.shape)
    if k < labels.shape[1]:
        first = np.argpartition(depth, k, axis=1)[:, :k]
        labels, depth = (np.take_along_axis(of, first, axis=1) for of in (labels, depth))
    return np.asarray(np.take_along_axis(labels, np.argsort(depth, axis=1), axis=1))
