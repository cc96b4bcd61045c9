"""Preparations for a pair, a measure and a list length, before lists are drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.engines.rare.leaves import LEVELS, MeasureTable
from ndcg_asymptotics.engines.shared import grades
from ndcg_asymptotics.engines.shared.tables import build
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.orders import CELLS, Tilt, tilt


@dataclass(frozen=True, eq=False)
class LastSplit:
    """The split of one scorer's items of one label between the cells above a depth and those below.

    It is drawn last, given the rest of the list, close to where the order turns over.

    Attributes
    ----------
    side, label, cells : int
        Which scorer and label, and how many cells are above.
    share, true_share : float
        The probability of an item to be above, under the tilted and under the true law.
    """

    side: int
    label: int
    cells: int
    share: float
    true_share: float


@dataclass(frozen=True, eq=False)
class PairPlan:
    """The tilt, the splits of its cells by halves, and the discount's table.

    ``halves`` are (cell, heap, label), one array for each scorer; ``most`` is the largest DCG there can be.
    """

    n: int
    tilt: Tilt
    halves: tuple[Floats, Floats]
    table: MeasureTable
    most: float
    last_split: LastSplit


@lru_cache(maxsize=1024)
def make(
    a: Relevance, b: Relevance, measure: Measure, n: int, leader: int | None = None, cells: int = CELLS
) -> PairPlan:
    """Return the plan for a pair; ``leader`` and ``cells`` as in `theory.orders.tilt`."""
    pair_tilt = tilt(a, b, measure, n, cells, leader)
    table, most = measure_table(measure, n, (*a.gains, 0.0))
    halves = (_halves(a, pair_tilt.edges), _halves(b, pair_tilt.edges))
    return PairPlan(n, pair_tilt, halves, table, most, _last_split(pair_tilt))


@lru_cache(maxsize=1024)
def measure_table(measure: Measure, n: int, gains: tuple[float, ...]) -> tuple[MeasureTable, float]:
    """Return the measure's table at n, and the largest possible DCG."""
    cut = measure.cutoff(n)
    tables, rows = build((measure.discount,), (cut,), (n,))
    most = gains[0] * float(measure.discount.cumulative(float(cut), float(n)))
    return MeasureTable(tables, int(rows[0, 0]), cut, np.array(gains)), most


def _halves(relevance: Relevance, edges: Floats) -> Floats:
    """Return the probability of each upper half in `leaves.LEVELS` cuts of each cell, by label."""
    labels = len(relevance.gains) + 1
    shares = np.full((len(edges) - 1, 2**LEVELS, labels), 0.5)
    for level in range(LEVELS):
        parts = 2 ** (level + 1)
        ends = edges[:-1, None] + np.diff(edges)[:, None] * np.arange(parts + 1) / parts
        for label in range(labels):
            mean = grades.mean(relevance, label, ends[:, :-1], ends[:, 1:])
            upper, lower = mean[:, ::2], mean[:, 1::2]
            total = upper + lower
            share = np.divide(upper, total, out=np.full_like(total, 0.5), where=total > 0)
            shares[:, parts // 2 : parts, label] = share
    return shares


def _last_split(pair_tilt: Tilt) -> LastSplit:
    """Return the split that changes the difference of the DCGs most."""
    best, last_split = -1.0, LastSplit(0, 0, 0, 0.0, 0.0)
    for side, half in enumerate(pair_tilt.sides):
        for label, weight in enumerate(pair_tilt.tilted_law):
            law, h = half.tilted[label], half.influence[label]
            above, sums = np.cumsum(law), np.cumsum(law * h)
            inside = (above > 0) & (above < 1 - 1e-12)
            if not inside.any():
                continue
            # between the two parts: u (1 - u) (mean above - mean below)^2
            between = np.full_like(above, -1.0)
            u = above[inside]
            between[inside] = weight * (sums[inside] - u * sums[-1]) ** 2 / (u * (1 - u))
            cells = int(np.argmax(between))
            if between[cells] > best:
                best = float(between[cells])
                true = float(half.true[label, : cells + 1].sum())
                last_split = LastSplit(side, label, cells + 1, float(above[cells]), true)
    return last_split


def log_odds_ratio(last_split: LastSplit) -> float:
    """Return the log of the true over the tilted odds of being above."""
    with np.errstate(divide="ignore"):
        true = math.log(last_split.true_share) - math.log1p(-last_split.true_share)
        tilted = math.log(last_split.share) - math.log1p(-last_split.share)
    return true - tilted
