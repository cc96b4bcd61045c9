"""Grades of items: their number in a stream, and their probabilities by depth.

A scorer's grades are its gains in decreasing order, then the gain 0.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.studies.design import Design


def draw_label_counts(design: Design, replicates: Sequence[int]) -> Integers:
    """Draw the number of items of each grade that arrive between list sizes.

    All scorers share them. The items and the cells engine draw the same; the every-n engine draws others.
    If the number of relevant items is fixed, they come first, and all that arrive later are irrelevant.

    Returns
    -------
    (replicates, K, J + 1) integers
        Row k: the items in S_{n_k} but not in S_{n_{k-1}}; the last column is the gain 0.
    """
    steps = np.diff(design.sizes, prepend=0)
    for model in design.population.fixed_counts.values():
        fixed = np.zeros((len(steps), len(model.counts) + 1), np.int64)
        fixed[0, :-1], fixed[:, -1] = model.counts, steps
        fixed[0, -1] -= model.least_n
        return np.repeat(fixed[None], len(replicates), axis=0)
    law = np.array(design.population.masses)
    law = np.append(law, max(1.0 - law.sum(), 0.0))
    law /= law.sum()
    return np.array([design.generator(r, "labels").multinomial(steps, law) for r in replicates], np.int64)


def grade_chance(relevance: Relevance, grade: int, t: Floats) -> Floats:
    """Return the probability of a grade at depth t."""
    curves = relevance.curves
    return curves[grade].value(t) if grade < len(curves) else _rest([curve.value(t) for curve in curves])


def mean(relevance: Relevance, grade: int, a: Floats, b: Floats) -> Floats:
    """Return the mean of the probability of a grade over the depths [a, b]."""
    curves = relevance.curves
    return curves[grade].mean(a, b) if grade < len(curves) else _rest([c.mean(a, b) for c in curves])


def bounds(relevance: Relevance, grade: int, a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return a lower and an upper bound of the probability of a grade over the depths [a, b]."""
    curves = relevance.curves
    if grade < len(curves):
        return curves[grade].bounds(a, b)
    low, high = zip(*(curve.bounds(a, b) for curve in curves), strict=True)
    return _rest(list(high)), _rest(list(low))


def _rest(parts: list[Floats]) -> Floats:
    return np.asarray(np.maximum(0.0, 1.0 - np.sum(parts, axis=0)))
