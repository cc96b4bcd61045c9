"""Depth cut in halves: the cells of a scorer's list, and how each label's mass divides in them.

Octave j < 70 is the depths [2^-(j+1), 2^-j], octave 70 is [0, 2^-70], where even a list of 9e18
items has none as a rule. Each octave is halved again and again: at level l its cells are
numbered from the top, i = 0 … 2^l - 1. The cells are the same for every study, so a scorer's
stream is one random object, which a study looks at as closely as it needs.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.populations import Relevance

OCTAVES = 70
DEEPEST = 51  # level at which a cell's middle is still a double of its own
_KEPT = 12  # levels whose masses are kept once computed


class Depths:
    """The masses of one scorer's cells."""

    def __init__(self, relevance: Relevance) -> None:
        self._relevance = relevance
        self._labels = len(relevance.gains) + 1
        self._kept: list[Floats] = []

    def spine(self) -> Floats:
        """The part of each label's mass in [0, 2^-j] that is in [0, 2^-(j+1)], (octave, label)."""
        ends = np.exp2(-np.arange(float(OCTAVES)))
        return self._fraction(np.zeros(OCTAVES), ends / 2, ends)

    def fraction(self, octave: Integers, level: int, index: Integers) -> Floats:
        """The part of each label's mass in these cells that is in their upper half, (cell, label)."""
        if level > _KEPT:
            return self._halves(octave, level, index)
        while len(self._kept) <= level:
            shape = (OCTAVES + 1, 2 ** len(self._kept), self._labels)
            self._kept.append(np.full(shape, np.nan))
        kept = self._kept[level]
        missing = np.isnan(kept[octave, index, 0])
        if missing.any():
            kept[octave[missing], index[missing]] = self._halves(octave[missing], level, index[missing])
        return kept[octave, index]

    def _halves(self, octave: Integers, level: int, index: Integers) -> Floats:
        size = 2.0 ** -np.minimum(octave + 1.0, OCTAVES)
        start = np.where(octave < OCTAVES, size, 0.0)
        step = size * 2.0**-level
        return self._fraction(start + index * step, start + (index + 0.5) * step, start + (index + 1) * step)

    def _fraction(self, start: Floats, middle: Floats, end: Floats) -> Floats:
        upper, lower = self._masses(start, middle), self._masses(middle, end)
        total = upper + lower
        return np.where(total > 0, upper / np.where(total > 0, total, 1.0), 0.5)

    def _masses(self, a: Floats, b: Floats) -> Floats:
        gains = np.stack([curve.integral(a, b) for curve in self._relevance.curves], axis=-1)
        rest = np.maximum((b - a) - gains.sum(axis=-1), 0.0)
        return np.concatenate([gains, rest[:, None]], axis=-1)


@lru_cache(maxsize=64)
def depths(relevance: Relevance) -> Depths:
    """The cells of a scorer; their masses are computed once per process."""
    return Depths(relevance)
