"""A population of queries whose best linear ranker is known, and is not the one every loss leads to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.learning.queries import Queries
from ndcg_asymptotics.learning.utilities import Utility, utility_of


@dataclass(frozen=True)
class TwoReaders:
    """Lists that are judged by a harsh or by a generous reader, who prefer different items.

    Every item has two features (a, b), drawn uniformly from the disc of radius 1/2 and centred within the
    list, so that their law does not change under a rotation, and the constant 1. With probability ``harsh``
    the harsh reader judges the list: one item, i with probability (1 + a_i)/m, gets the label 1 and all
    others 0. Otherwise the generous one does: one item, i with probability (1 + b_i)/m, gets the label 4 and
    all others 3. The norm ||G||_D depends on the reader only, so that for every standardisation T that
    depends on the labels only through their order and the reader,

        E[T_i | features] = constant + α a_i + β b_i.

    Least squares, ListNet, the cosine and pairwise losses have other weights (α, β) than NDCG. A loss that is
    convex in the weights w of a linear scorer has a minimiser in the direction (α, β): the reflection about
    that direction changes neither the law of the features nor E[T], so w and its mirror image have the same
    risk, and their mean, which lies in that direction, has no greater one.

    Parameters
    ----------
    items : int
        The number of items of a list, at least 2.
    harsh : float
        The probability of the harsh reader, inside (0, 1).
    """

    items: int = 8
    harsh: float = 0.5

    def __post_init__(self) -> None:
        require(self.items >= 2, f"must be at least 2, got {self.items}", "items")
        require(0 < self.harsh < 1, f"must lie inside (0, 1), got {self.harsh}", "harsh")

    def features(self, count: int, rng: np.random.Generator) -> Floats:
        """Return the features (a, b, 1) of ``count`` lists, (count, items, 3)."""
        radius = np.sqrt(rng.random((count, self.items))) / 2
        angle = 2 * np.pi * rng.random((count, self.items))
        points = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1)
        points -= points.mean(axis=1, keepdims=True)
        return np.concatenate([points, np.ones((count, self.items, 1))], axis=-1)

    def draw(self, count: int, seed: int | np.random.SeedSequence = 0) -> Queries:
        """Draw ``count`` queries with their labels."""
        require(count >= 1, f"must be at least 1, got {count}", "count")
        rng = np.random.default_rng(seed)
        features = self.features(count, rng)
        harsh = rng.random(count) < self.harsh
        liking = np.where(harsh[:, None], features[:, :, 0], features[:, :, 1])
        below = np.cumsum((1 + liking) / self.items, axis=1)[:, :-1]
        chosen = (rng.random(count)[:, None] >= below).sum(axis=1)
        labels = np.repeat(np.where(harsh, 0.0, 3.0)[:, None], self.items, axis=1)
        labels[np.arange(count), chosen] += 1
        flat = features.reshape(-1, 3)
        return Queries(flat, labels.reshape(-1), np.full(count, self.items))

    def slopes(self, targets: ArrayLike) -> Floats:
        """Return (α, β, constant) of E[T_i | features].

        Parameters
        ----------
        targets : (2, items)
            T of a list whose first item was chosen, by the harsh and by the generous reader.
        """
        t = np.asarray(targets, np.float64)
        rise: Floats = (t[:, 0] - t[:, 1]) / self.items
        share: Floats = np.array([self.harsh, 1 - self.harsh])
        return np.append(share * rise, float(share @ (t[:, 1] + rise)))

    def labels(self) -> Floats:
        """Return the labels of a list whose first item was chosen, for the harsh and the generous reader."""
        labels = np.repeat([[0.0], [3.0]], self.items, axis=1)
        labels[:, 0] += 1
        return labels

    def best_weights(self, measure: Utility | str = "nDCG") -> Floats:
        """Return the weights of the features by which sorting is optimal for every list."""
        return self.slopes(utility_of(measure).standardised(self.labels()))
