"""Lists with a fixed number of relevant items, drawn item by item as the model reads.

A sampler takes a generator and a shape and returns depths. Nothing is shared with the package.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from scipy import stats

from oracles.discounts import DISCOUNTS

Sampler = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]


def uniform(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return rng.random(shape)


def power(kappa: float) -> Sampler:
    """The ROC curve t^kappa."""
    return lambda rng, shape: rng.random(shape) ** (1 / kappa)


def binormal(separation: float) -> Sampler:
    """Scores N(separation, 1) among N(0, 1): the depth is the share of N(0, 1) above the score."""
    return lambda rng, shape: stats.norm.sf(separation + rng.standard_normal(shape))


def rejection(density: Callable[[np.ndarray], np.ndarray]) -> Sampler:
    """Depths with a density proportional to a function with values in [0, 1]."""

    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
        depth = np.empty(shape)
        pending = np.ones(shape, bool)
        while pending.any():
            t = rng.random(int(pending.sum()))
            kept = rng.random(t.size) < density(t)
            places = np.argwhere(pending)[kept]
            depth[tuple(places.T)] = t[kept]
            pending[tuple(places.T)] = False
        return depth

    return draw


def draws(
    relevant: Mapping[float, tuple[int, Sampler]],
    irrelevant: Sampler,
    n: int,
    discounts: Sequence[str],
    lists: int,
    seed: int,
) -> np.ndarray:
    """NDCG of whole lists of n items, (lists, discounts); ``relevant`` has a number and a sampler by gain."""
    rng = np.random.default_rng(seed)
    gains, depths = [], []
    for gain, (count, sampler) in relevant.items():
        gains += [gain] * count
        depths.append(sampler(rng, (lists, count)))
    depths.append(irrelevant(rng, (lists, n - len(gains))))
    order = np.argsort(np.concatenate(depths, axis=1), axis=1)
    labels = np.array(gains + [0.0] * (n - len(gains)))
    weights = np.array([DISCOUNTS[text](np.arange(1, n + 1), n) for text in discounts]).T
    return (labels[order] @ weights) / (np.sort(labels)[::-1] @ weights)
