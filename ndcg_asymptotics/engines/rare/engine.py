"""Probabilities of wrong orders too small for plain simulation, by importance sampling.

For each pair, measure and list length a replicate draws one list of each scorer under the law by which the
wrong order is reached most cheaply (`theory.orders.tilt`), decides their order by NDCG, which
is that by DCG, and keeps log dP/dQ, the exact weight of the draw (`draw_pair`). Then

    P(wrong at n)  =  the mean of exp(log_weight) over the draws whose order is wrong,

down to 1e-100 and less. From a wrong order at n the stream is drawn on, under its true law, to the larger
sizes of the study. A stream that is wrong at some size of a grid is wrong at a last one, so

    P(wrong at some grid n >= N)  =  the sum over the grid n >= N of the mean of exp(log_weight) over the
    draws that are wrong at n and right at all larger sizes.

The estimates are unbiased for every tilt, so theory affects their variance only (section 1 of
docs/orders.md).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.engines.engine import UNDECIDED, Draw, check_for_counts
from ndcg_asymptotics.engines.rare.draw import DrawnPair, draw_pair
from ndcg_asymptotics.engines.rare.leaves import ITEMS, LEAVES, decide_order
from ndcg_asymptotics.engines.rare.plan import PairPlan, make, measure_table
from ndcg_asymptotics.engines.shared.long_counts import multinomial_counts
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.studies.design import Design
from ndcg_asymptotics.theory.orders import tilt

LARGEST_COST = 300.0  #: nats; nothing is drawn where a wrong order is less likely than exp(-300) = 1e-130

UNSETTLED = -1  #: value of ``last`` where it is not known whether this wrong order is the last one


def simulate(design: Design, replicate: int) -> Draw:
    """Draw one pair of lists for each pair, measure and list length.

    Returns
    -------
    dict of arrays
        (pairs, measures, sizes) each: ``order``, 1, -1, 0 for a tie or `UNDECIDED` (beyond 1e7 items, or
        where the cost exceeds `LARGEST_COST` and nothing is drawn); ``log_weight``, log dP/dQ; ``last``,
        1 where the order is wrong and is right at all larger sizes, -1 where that is not known, else 0.

    >>> from ndcg_asymptotics.populations import Population
    >>> population = Population.of({"a": "linear(0.1, 0.5)", "b": "linear(0.2, 0.4)"})
    >>> design = Design(population, (Measure(),), (100, 10_000), seed=1, pairs=(("a", "b"),))
    >>> [simulate(design, 0)[name].shape for name in ("order", "log_weight", "last")]
    [(1, 1, 2), (1, 1, 2), (1, 1, 2)]
    """
    shape = (len(design.pairs), len(design.measures), len(design.sizes))
    order, log_weight = np.zeros(shape, np.int8), np.zeros(shape)
    last = np.zeros(shape, np.int8)
    for p, pair in enumerate(design.pairs):
        a, b = (design.population.models[name] for name in pair)
        for m, measure in enumerate(design.measures):
            leader = tilt(a, b, measure, design.sizes[-1]).leader
            for k, n in enumerate(design.sizes):
                names = ("rare", *pair, measure.stored, str(n))
                if tilt(a, b, measure, n, leader=leader).cost > LARGEST_COST:
                    order[p, m, k], last[p, m, k] = UNDECIDED, UNSETTLED
                    continue
                plan = make(a, b, measure, n, leader)
                sample = draw_pair(plan, design.generator(replicate, *names))
                order[p, m, k], log_weight[p, m, k] = sample.order, sample.log_weight
                if sample.order != leader:
                    rng = design.generator(replicate, *names, "later")
                    last[p, m, k] = _is_last(plan, sample, measure, design.sizes[k + 1 :], rng)
    return {"order": order, "log_weight": log_weight, "last": last}


def _is_last(
    plan: PairPlan, sample: DrawnPair, measure: Measure, later: tuple[int, ...], rng: np.random.Generator
) -> int:
    """Continue a stream with a wrong order: 1 if it is right at all later sizes, 0 if not."""
    if later and (sample.order == UNDECIDED or not sample.in_leaves):
        return UNSETTLED
    # New items have the true label law, and given the label the true law of cells: ``leaves.mass``.
    lists, before = sample.lists, plan.n
    gains = tuple(plan.table.gains)
    for n in later:
        labels = multinomial_counts(rng, n - before, plan.tilt.law)
        for leaves in lists:
            for y, items in enumerate(labels):
                leaves.counts[:, y] += multinomial_counts(rng, int(items), leaves.mass[:, y])
        table, most = measure_table(measure, n, gains)
        order, in_leaves, first, second = decide_order(table, most, *lists, *plan.halves, rng, LEAVES, ITEMS)
        if order != plan.tilt.leader:
            return UNSETTLED if order == UNDECIDED else 0
        if not in_leaves and n < later[-1]:
            return UNSETTLED
        lists, before = (first, second), n
    return 1


def memory(design: Design) -> int:
    """Return the bytes of orders, weights and the cells of a draw, some thousand per label and scorer."""
    values = 10 * len(design.pairs) * len(design.measures) * len(design.sizes)
    return 2 * values + 8 * 4 * 20_000


def check(design: Design) -> None:
    """Refuse a design that this engine cannot simulate.

    Raises
    ------
    InputError
        Without pairs; for a coupling other than independence given the label; for a pair of equal curves,
        or with equal means, whose order is never wrong; for a custom discount that does not reach the cutoff.
    """
    require(
        len(design.pairs) > 0, 'the rare engine draws orders of pairs; add for example pairs = [["a", "b"]]'
    )
    require(
        design.population.iid,
        "the rare engine draws i.i.d. labels; with a fixed number of relevant items wrong orders are not "
        "rare: use items or cells",
    )
    check_for_counts("rare", design)
    for measure in design.measures:
        for pair in design.pairs:
            a, b = (design.population.models[name] for name in pair)
            leader = tilt(a, b, measure, design.sizes[-1]).leader
            tilt(a, b, measure, design.sizes[0], leader=leader)


def warm(design: Design) -> None:
    """Compile the kernels, on short lists."""
    simulate(replace(design, measures=design.measures[:1], sizes=design.sizes[:1], pairs=design.pairs[:1]), 0)
