"""Depths of an item, and how label counts and the number of items above it are correlated there."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.theory.rules.counts import DEVIATIONS, FURTHER
from ndcg_asymptotics.theory.rules.mesh import CurveDepths, Mesh, joined


@dataclass(frozen=True)
class Places:
    """Depths of items in lists of one length.

    Attributes
    ----------
    n, k : int
        The length of the list, and the cutoff, at most n.
    law : (J + 1,)
        The probabilities of the grades, the last one without gain.
    t : (T,)
        Depths in (0, 1).
    deviation : (J + 1, T)
        ``G_i(t) - t`` for each grade.
    gained : (J, T)
        The weights of the integral over depth, ``y_j n P(Y = y_j | t) dt`` for an item of each grade.
    degrees : (T,) whole numbers
        The highest degree of the expansion at each depth, below n; -1 for a Fourier series.
    """

    n: int
    k: int
    law: Floats
    t: Floats
    deviation: Floats
    gained: Floats
    degrees: Integers

    @classmethod
    def of(cls, mesh: Mesh, k: int, n: int, refine: float) -> Places:
        """Return the depths at which an item of a grade that occurs may gain, with degrees of 0."""
        depths = _depths(mesh, k, n, refine)
        occurs = mesh.law[:-1] > 0
        every = np.append(occurs, True)
        gains = np.array(mesh.relevance.gains)[occurs, None]
        gained = n * gains * depths.value[occurs] * depths.dt
        deviation = depths.above[every] - depths.t
        return cls(n, k, mesh.law[every], depths.t, deviation, gained, np.zeros(depths.t.size, int))

    def with_degrees(self, degrees: Integers) -> Places:
        """Return the same depths with other degrees."""
        return replace(self, degrees=degrees)

    @cached_property
    def directions(self) -> Floats:
        """The vectors ``sqrt(p_i) (G_i(t) - t) / sqrt(t (1 - t))``, (J + 1, T)."""
        return np.asarray(np.sqrt(self.law)[:, None] * self.deviation / np.sqrt(self.t * (1 - self.t)))

    @cached_property
    def correlation(self) -> Floats:
        """Their lengths, the correlation of the number of items above and the label counts, (T,)."""
        return np.asarray(np.sqrt((self.directions**2).sum(axis=0)))


def _depths(mesh: Mesh, k: int, n: int, refine: float) -> CurveDepths:
    """Return the depths at which items gain, on finer panels where the rank may be on either side of k."""
    if k >= n:
        return mesh.depths
    # an item above ``start`` is within the cutoff and one below ``stop`` is not, but for 1e-17
    deviation = math.sqrt(k * (1 - k / n))
    start = max((k - DEVIATIONS * deviation - FURTHER) / n, 0.0)
    stop = min((k + DEVIATIONS * deviation + 2 * FURTHER) / n, 1.0)
    # panels are three standard deviations wide
    count = math.ceil((stop - start) * n / (3.0 / refine * max(deviation, 3.0)))
    inner = mesh.edges[(mesh.edges > start) & (mesh.edges < stop)]
    around = mesh.between(np.union1d(np.linspace(start, stop, count + 1), inner))
    return joined([mesh.down_to(start), around])
