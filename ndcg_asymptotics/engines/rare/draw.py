"""One list of each scorer under the tilted law, the order of the pair, and the exact weight of the draw.

Labels, then the cells of the items of each label, are multinomial under the tilted law, and the
likelihood ratio of the counts, ``prod (p_y / pi_y)^{N_y} prod (P_yj / Q_yj)^{N_yj}``, is exact whatever
the mesh. That alone leaves a relative variance of about 1.25 times the standard deviation of ``theta
(DCG_A - DCG_B)``: half of the draws have the right order, and most of the others lie far beyond the turning
point, where their weights are negligible. So one number is drawn last, the split of one class of items
between above and below some depth (`plan.LastSplit`). The turning point of the order is known by then, and
the split is drawn from a mixture: its true law beyond the turning point, at three distances, and its tilted
law. The density of this mixture is known, so the weight stays exact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.engines.compiled import kernel
from ndcg_asymptotics.engines.rare.leaves import (
    ITEMS,
    LEAVES,
    Leaves,
    MeasureTable,
    decide_order,
    mean_dcg,
    whole_cells,
    width_of_order,
)
from ndcg_asymptotics.engines.rare.plan import PairPlan, log_odds_ratio
from ndcg_asymptotics.engines.shared.long_counts import multinomial_counts

_REACH = 9.0  # standard deviations of the split that are considered
_LONGEST = 4_000_000  # splits that are considered, at most; with more the tilted law is used
_DISTANCES = (0.0, 1.0, 3.0)  # from the turning point, in standard deviations of the order within cells
_CHANCES = (0.4, 0.3, 0.2, 0.1)  # of each distance, and of the tilted law


class DrawnPair(NamedTuple):
    """A pair of lists, its order (1, -1, 0 or `UNDECIDED`) and log dP/dQ.

    ``in_leaves`` says whether the leaves show the order that was decided.
    """

    order: int
    log_weight: float
    lists: tuple[Leaves, Leaves]
    in_leaves: bool


def draw_pair(plan: PairPlan, rng: np.random.Generator) -> DrawnPair:
    """Draw one pair of lists of n items."""
    counts, log_weight = _counts(plan, rng)
    a, b = (whole_cells(c, side.true.T.copy()) for c, side in zip(counts, plan.tilt.sides, strict=True))
    order, in_leaves, a, b = decide_order(plan.table, plan.most, a, b, *plan.halves, rng, LEAVES, ITEMS)
    return DrawnPair(order, log_weight, (a, b), in_leaves)


def _counts(plan: PairPlan, rng: np.random.Generator) -> tuple[list[Integers], float]:
    """Draw the counts (cell, label) of both scorers, and return the log of their likelihood ratio, too."""
    tilt, last_split = plan.tilt, plan.last_split
    labels = multinomial_counts(rng, plan.n, tilt.tilted_law)
    turned = tilt.theta > 0 and last_split.cells > 0
    # log dP/dQ = sum_y N_y log(p_y / pi_y) + sum_(y,cell) N_(y,cell) log(P_y(cell) / Q_y(cell)):
    # docs/orders.md, section 3
    pair_counts, log_weight = [], float(labels @ tilt.log_ratio)
    for s, side in enumerate(tilt.sides):
        counts = np.zeros(side.true.T.shape, np.int64)
        for y, items in enumerate(labels):
            if not (turned and (s, y) == (last_split.side, last_split.label)):
                counts[:, y] = multinomial_counts(rng, int(items), side.tilted[y])
        pair_counts.append(counts)
    if turned:
        log_weight += _draw_last_split(plan, rng, int(labels[last_split.label]), pair_counts)
    for side, counts in zip(tilt.sides, pair_counts, strict=True):
        log_weight += float(np.sum(counts * side.log_ratio.T))
    return pair_counts, log_weight


def _draw_last_split(
    plan: PairPlan, rng: np.random.Generator, items: int, pair_counts: list[Integers]
) -> float:
    """Add the items of the last split to ``pair_counts``; return the log of tilted law over proposal."""
    last_split, tilt = plan.last_split, plan.tilt
    law = tilt.sides[last_split.side].tilted[last_split.label]
    mean, std = items * last_split.share, (items * last_split.share * (1 - last_split.share)) ** 0.5
    first = max(int(mean - _REACH * std - 10), 0)
    last = min(int(mean + _REACH * std + 10), items)
    counts = pair_counts[last_split.side]
    if last - first > _LONGEST or first == last:
        counts[:, last_split.label] = multinomial_counts(rng, items, law)
        return 0.0
    # items that are above, or below, in any case, and the others in the order in which they may join them
    upper, lower = law.copy(), law.copy()
    upper[last_split.cells :], lower[: last_split.cells] = 0.0, 0.0
    counts[:, last_split.label] = multinomial_counts(rng, first, upper) + multinomial_counts(
        rng, items - last, lower
    )
    ups, downs = (_places(rng, part, last - first) for part in (upper, lower))
    other_dcg = mean_dcg(plan.table, pair_counts[1 - last_split.side])
    sign = tilt.leader * (1 if last_split.side == 0 else -1)  # of the leader's lead in this scorer's DCG
    turn, rising, noise = _turning_point(plan.table, counts, last_split.label, ups, downs, other_dcg, sign)
    # Given the rest of the list, the number of items above is binomial. The tilted and the true law differ in
    # the odds of a single item, so their log ratio is linear in that number.
    splits = np.arange(last - first + 1)
    tilted = _binomial(first, last, items, last_split.share)
    log_true = np.log(np.maximum(tilted, 1e-300)) + log_odds_ratio(last_split) * splits
    true = np.exp(log_true - log_true.max())
    # The proposal mixes the true law beyond the turning point, at each distance, with the tilted law, whose
    # share 0.1 bounds tilted/proposal by 10.
    proposal = _CHANCES[-1] * tilted
    for distance, chance in zip(_DISTANCES, _CHANCES, strict=False):
        edge = turn - distance * noise if rising else turn + distance * noise
        part = np.where(splits >= edge if rising else splits <= edge, true, 0.0)
        total = part.sum()
        proposal += chance * (part / total if total > 0 else tilted)
    split = int(min(np.searchsorted(np.cumsum(proposal), rng.random() * proposal.sum()), last - first))
    _add(counts, last_split.label, ups[:split])
    _add(counts, last_split.label, downs[: last - first - split])
    return float(np.log(tilted[split] / (proposal[split] / proposal.sum())))


def _places(rng: np.random.Generator, law: Floats, size: int) -> Integers:
    ends = np.cumsum(law)
    places = np.searchsorted(ends, rng.random(size) * ends[-1], side="right")
    return np.asarray(np.minimum(places, len(law) - 1), np.int64)


def _binomial(first: int, last: int, items: int, share: float) -> Floats:
    """Return binomial probabilities from ``first`` to ``last``, a range of all but 1e-17 of the law."""
    k = np.arange(first, last, dtype=np.float64)
    steps = np.log((items - k) / (k + 1)) + np.log(share) - np.log1p(-share)
    log_law = np.concatenate(([0.0], np.cumsum(steps)))
    law = np.exp(log_law - log_law.max())
    return np.asarray(law / law.sum())


@kernel
def _add(counts: Integers, label: int, places: Integers) -> None:
    for place in places:
        counts[place, label] += 1


@kernel
def _move(counts: Integers, label: int, ups: Integers, downs: Integers, before: int, after: int) -> None:
    """Move items so that ``after`` of them are above, where ``before`` are."""
    last, by = len(ups) - 1, 1 if after > before else -1
    for i in range(min(before, after), max(before, after)):
        counts[ups[i], label] += by
        counts[downs[last - i], label] -= by


@kernel
def _turning_point(
    table: MeasureTable,
    counts: Integers,
    label: int,
    ups: Integers,
    downs: Integers,
    other_dcg: float,
    sign: int,
) -> tuple[int, bool, float]:
    """Return where the mean order turns as items move up, whether it is wrong beyond, and the noise there."""
    size, trial = len(ups), counts.copy()
    _add(trial, label, downs)

    def lead(before: int, after: int) -> float:
        _move(trial, label, ups, downs, before, after)
        return sign * (mean_dcg(table, trial) - other_dcg)

    at_low, at_high = lead(0, 0), lead(0, size)
    rising = at_high < at_low  # wrong beyond the turn
    slope = abs(at_high - at_low) / size
    low, high, split = 0, size, size
    while high - low > 1:
        middle = (low + high) // 2
        if (lead(split, middle) <= 0) == rising:
            high = middle
        else:
            low = middle
        split = middle
    turn = high if rising else low
    if rising and at_low <= 0:
        turn = 0
    if not rising and at_high <= 0:
        turn = size
    _move(trial, label, ups, downs, split, turn)
    return turn, rising, width_of_order(table, trial) / max(slope, 1e-300) + 1.0
