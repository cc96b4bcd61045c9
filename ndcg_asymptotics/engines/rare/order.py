"""The order of a pair by DCG, from counts: cells are cut until their brackets are apart."""

from __future__ import annotations

import numpy as np
from numba import njit

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.engines.engine import UNDECIDED
from ndcg_asymptotics.engines.rare.leaves import (
    Leaves,
    Ruler,
    cut_wide,
    measure_all,
    one_by_one,
    open_items,
    widest_allowed,
)

UNKNOWN = int(UNDECIDED)
LEAVES = 2**16  #: of both scorers, at most
ITEMS = 10**7  #: items that are put in order one by one where leaves do not do
_ROUNDING = 1e-12  # of the largest DCG there can be
_ROUNDS = 200


@njit(cache=True)
def decide(
    ruler: Ruler, most: float, a: Leaves, b: Leaves, halves_a: Floats, halves_b: Floats,
    rng: np.random.Generator,
) -> tuple[int, bool, Leaves, Leaves]:  # fmt: skip
    """1 if the first DCG is greater, -1 if less, 0 for a tie, `UNKNOWN`; whether leaves did, and the leaves.

    ``most`` is the largest DCG there can be. Where more than `LEAVES` would be needed, up to `ITEMS`
    items are put in order one by one: as exact, but the leaves do not keep their order.
    """
    slack = _ROUNDING * most
    measure_all(ruler, a)
    measure_all(ruler, b)
    for _ in range(_ROUNDS):
        low, high = a.low.sum() - b.high.sum(), a.high.sum() - b.low.sum()
        gap = a.mean.sum() - b.mean.sum()
        if low > slack:
            return 1, True, a, b
        if high < -slack:
            return -1, True, a, b
        if high - low <= slack:
            return 0, True, a, b
        aim = max(0.7 * abs(gap), (high - low) / 16)
        width = widest_allowed(a, b, aim)
        widest = max((a.high - a.low).max(), (b.high - b.low).max())
        width = max(min(width, 0.999 * widest), slack / (len(a.cell) + len(b.cell)) / 4)
        if len(a.cell) + len(b.cell) > LEAVES:
            break
        a = cut_wide(ruler, a, halves_a, width, rng)
        b = cut_wide(ruler, b, halves_b, width, rng)
    if open_items(a) + open_items(b) > 2 * ITEMS:
        return UNKNOWN, False, a, b
    gap = one_by_one(ruler, a, rng) - one_by_one(ruler, b, rng)
    return (1 if gap > slack else -1 if gap < -slack else 0), False, a, b
