"""Probabilities of all grades of a scorer: its gains in decreasing order, then the gain 0."""

from __future__ import annotations

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.populations import Relevance


def value(relevance: Relevance, grade: int, t: Floats) -> Floats:
    """The probability of a grade at depth t."""
    curves = relevance.curves
    return curves[grade].value(t) if grade < len(curves) else _rest([curve.value(t) for curve in curves])


def mean(relevance: Relevance, grade: int, a: Floats, b: Floats) -> Floats:
    """The mean of the probability of a grade over the depths [a, b]."""
    curves = relevance.curves
    return curves[grade].mean(a, b) if grade < len(curves) else _rest([c.mean(a, b) for c in curves])


def bounds(relevance: Relevance, grade: int, a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """A lower and an upper bound of the probability of a grade over the depths [a, b]."""
    curves = relevance.curves
    if grade < len(curves):
        return curves[grade].bounds(a, b)
    low, high = zip(*(curve.bounds(a, b) for curve in curves), strict=True)
    return _rest(list(high)), _rest(list(low))


def _rest(parts: list[Floats]) -> Floats:
    return np.asarray(np.maximum(0.0, 1.0 - np.sum(parts, axis=0)))
