"""Items of lists with given label counts: their labels by depth, in the depth in which items are uniform.

With a_j = c_j/n, the share of items of grade j in a list, g_j the density of their depths t and G_j its
distribution function, all items have the distribution function R, and u = R(t) is uniform::

    R(t) = sum_j a_j G_j(t),        f_j(u) = P(Y = y_j | u) = a_j g_j(t) / R'(t).                        (2)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.populations import Curve, Relevance
from ndcg_asymptotics.theory.rules.quadrature import HALVINGS

_BESIDE = 1e-12  # relative distance from a break at which the values on its sides are taken
_JUMP = 1e3 * _BESIDE  # a smaller difference of the two is that of a slope


@dataclass(frozen=True)
class ItemsGivenCounts:
    """The items of C lists with given label counts, which need not be whole numbers.

    Attributes
    ----------
    curves : (J,)
        The relevance curve of each grade that occurs.
    complement : Curve or None
        The curve of the items without gain, where it is known to its last digit.
    ratios : (J + 1, C, 1)
        The share of each grade in a list over its probability.
    """

    curves: tuple[Curve, ...]
    complement: Curve | None
    ratios: Floats

    @classmethod
    def of(cls, scorer: Relevance, n: int, counts: Floats) -> ItemsGivenCounts:
        """Return the items of lists with label counts (C, J)."""
        complement = scorer.curves[0].complement if len(scorer.curves) == 1 else None
        without = complement.mass if complement is not None else max(1.0 - sum(scorer.masses), 0.0)
        masses = np.array([*scorer.masses, without])
        shares = np.column_stack([counts / n, 1 - counts.sum(axis=1) / n]).T
        ratios = np.divide(shares, masses[:, None], out=np.zeros_like(shares), where=masses[:, None] > 0)
        return cls(scorer.curves, complement, ratios[:, :, None])

    def labels(self, t: Floats) -> tuple[Floats, Floats]:
        """Return the label law (J + 1, C, T) at depths (C, T), and R'(t)."""
        values = [curve.value(t) for curve in self.curves]
        without = np.maximum(1 - sum(values), 0.0) if self.complement is None else self.complement.value(t)
        parts = self.ratios * np.array([*values, without])
        slope = np.maximum(parts.sum(axis=0), 1e-300)
        return parts / slope, slope

    def uniform_depth(self, t: Floats) -> Floats:
        """Return R(t), (C, T)."""
        above = [curve.integral(0.0, t) for curve in self.curves]
        return np.asarray((self.ratios * np.array([*above, t - sum(above)])).sum(axis=0))

    def labels_at(self, u: Floats) -> Floats:
        """Return f_j(u), (J + 1, C, T), from R(t) = u by Newton's method within a bracket."""
        t, low, high = u, np.zeros_like(u), np.ones_like(u)
        law, slope = self.labels(t)
        for _ in range(HALVINGS):  # a smooth curve needs four steps
            off = self.uniform_depth(t) - u
            low, high = np.where(off <= 0, t, low), np.where(off >= 0, t, high)
            new = t - off / slope
            new = np.where((new >= low) & (new <= high), new, (low + high) / 2)
            settled = np.abs(new - t) <= 1e-14 * t
            t = new
            law, slope = self.labels(t)
            if settled.all():
                break
        return law


def functions_of(law: Floats) -> Floats:
    """Return f_1, …, f_J and Cov(1[Y = y_i], 1[Y = y_j]), i <= j, of a label law (J + 1, …): (Q, …).

    >>> functions_of(np.array([0.2, 0.8])).round(12)
    array([0.2 , 0.16])
    """
    grades = len(law) - 1
    # not 1 - f, which has no digits where f is near 1
    complements = np.tensordot(1 - np.eye(grades + 1), law, 1)
    pairs = [
        law[i] * complements[i] if i == j else -law[i] * law[j]
        for i in range(grades)
        for j in range(i, grades)
    ]
    return np.array([*law[:-1], *pairs])


def pair_places(grades: int) -> Integers:
    """Return the places (J, J) of the covariances in `functions_of`."""
    places = np.zeros((grades, grades), int)
    places[np.triu_indices(grades)] = grades + np.arange(grades * (grades + 1) // 2)
    return np.maximum(places, places.T)


@dataclass(frozen=True)
class Jumps:
    """The breaks of the curves, in the depth in which items are uniform.

    Attributes
    ----------
    u : (C, S)
    size : (Q, C, S)
        By how much the functions of `functions_of` jump there; 0 at a kink.
    steps : tuple of int
        The breaks that are jumps.
    """

    u: Floats
    size: Floats
    steps: tuple[int, ...]

    @classmethod
    def of(cls, items: ItemsGivenCounts, breaks: Floats) -> Jumps:
        """Return the breaks at depths (S,)."""
        t = np.tile(breaks, (items.ratios.shape[1], 1))
        left, right = (functions_of(items.labels(t * side)[0]) for side in (1 - _BESIDE, 1 + _BESIDE))
        size = right - left
        largest = np.abs(size[: len(items.curves)]).max(axis=(0, 1), initial=0.0)
        return cls(items.uniform_depth(t), size, tuple(np.flatnonzero(largest > _JUMP).tolist()))
