"""The steps of the rare engine, each against its definition; quick as plain Python too."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from engines_cases import fits, orders, part
from scipy import stats

from ndcg_asymptotics.engines.rare import draw as draws
from ndcg_asymptotics.engines.rare import engine
from ndcg_asymptotics.engines.rare.leaves import (
    ITEMS,
    LEAVES,
    LEVELS,
    Leaves,
    MeasureTable,
    bracket_of_leaf,
    cut_wide,
    decide_order,
    mean_dcg,
    measure_all,
    one_by_one,
    open_items,
    whole_cells,
)
from ndcg_asymptotics.engines.rare.plan import make, measure_table
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance

GAINS = (3.0, 1.0, 0.0)
RISING, FALLING = Relevance.parse("linear(0.2, 0.6)"), Relevance.parse("linear(0.45, 0.35)")
STEEP, FLAT = Relevance.parse("power(0, 0.9, 8)"), Relevance.parse("constant(0.1)")


def table_of(text: str, n: int, gains: tuple[float, ...] = GAINS) -> MeasureTable:
    return measure_table(Measure.parse(text), n, gains)[0]


def leaves_of(counts: list[list[int]]) -> Leaves:
    numbers = np.array(counts, np.int64)
    return whole_cells(numbers, np.full(numbers.shape, 1 / len(counts)))


MEASURES = ("nDCG", "nDCG@4", "nDCG(zipf)@6", "nDCG(linear)")


@pytest.mark.parametrize("text", MEASURES)
@pytest.mark.parametrize("above", [0, 2, 4])
def test_a_leaf_has_the_least_greatest_and_mean_dcg_of_its_orders(text: str, above: int) -> None:
    n = 16
    for counts in ([1, 0, 0], [1, 1, 2], [2, 1, 1], [0, 2, 3], [0, 0, 4], [1, 2, 0]):
        found = bracket_of_leaf(table_of(text, n), np.array(counts), above)
        every = [part(gains, above, text, n) for gains in orders(counts, GAINS)]
        mean = sum(every) / len(every)
        assert found == pytest.approx((min(every), max(every), mean), abs=1e-13)
        # also of a list in which the leaf is the second one
        assert mean_dcg(table_of(text, n), np.array([[0, 0, above], counts])) == pytest.approx(
            mean, abs=1e-13
        )


@pytest.mark.parametrize("text", MEASURES)
def test_items_one_by_one_have_the_dcg_of_their_order(text: str) -> None:
    """Of two leaves that are open with a closed one between, every draw is the DCG of one of the orders.

    All orders are equally likely: a chi-square test, which a true law fails with probability 1e-6.
    """
    counts, n = [[1, 1, 1], [0, 2, 0], [1, 0, 1]], 7
    table, leaves = table_of(text, n), leaves_of(counts)
    measure_all(table, leaves)
    law = Counter(
        round(part(first, 0, text, n) + part((1.0, 1.0), 3, text, n) + part(last, 5, text, n), 11)
        for first, last in itertools.product(orders(counts[0], GAINS), orders(counts[2], GAINS))
    )
    rng, size = np.random.Generator(np.random.SFC64(5)), 1200
    drawn = [round(one_by_one(table, leaves, rng), 11) for _ in range(size)]
    chances = {value: count / sum(law.values()) for value, count in law.items()}
    assert fits(drawn, chances)
    assert len({*law.values()}) == 1 or not fits(drawn, dict.fromkeys(law, 1 / len(law)))
    assert open_items(leaves) == sum(
        sum(leaf) for leaf, low, high in zip(counts, leaves.low, leaves.high, strict=True) if low < high
    )


def test_cut_leaves_have_the_masses_of_their_depths() -> None:
    """After k cuts of every leaf, leaf i of a cell is its i-th part in 2^k; below, both halves have half."""
    plan = make(RISING, FALLING, Measure("log"), 1000, cells=3)
    items, rng = 10**6, np.random.Generator(np.random.SFC64(2))
    cells = len(plan.tilt.edges) - 1
    for relevance, halves, side in zip((RISING, FALLING), plan.halves, plan.tilt.sides, strict=True):
        (curve,), p = relevance.curves, relevance.masses[0]
        leaves = whole_cells(np.full((cells, 2), items), side.true.T.copy())
        for level in range(1, LEVELS + 2):
            leaves = cut_wide(plan.table, leaves, halves, -1.0, rng)
            parts = 2 ** min(level, LEVELS)
            ends = (
                plan.tilt.edges[:-1, None] + np.diff(plan.tilt.edges)[:, None] * np.arange(parts + 1) / parts
            )
            relevant = curve.integral(ends[:, :-1], ends[:, 1:]).ravel()
            mass = np.column_stack([relevant / p, (np.diff(ends).ravel() - relevant) / (1 - p)])
            if level > LEVELS:
                mass = np.repeat(mass, 2, axis=0) / 2
            np.testing.assert_allclose(leaves.mass, mass, rtol=1e-12)
            share = mass / np.repeat(side.true.T, 2**level, axis=0)
            # at most 400 counts at once: one is beyond six standard deviations with probability 1e-6
            assert np.all(np.abs(leaves.counts - items * share) <= 6 * np.sqrt(items * share))
            assert leaves.counts.reshape(cells, -1, 2).sum(axis=1) == pytest.approx(items)
            if level < LEVELS:  # and the halves are not alike
                even = items * 0.5**level
                assert np.abs(leaves.counts - even).max() > 6 * math.sqrt(even)


def test_only_wide_leaves_are_cut() -> None:
    table = table_of("nDCG", 9)
    leaves = leaves_of([[2, 2, 1], [0, 0, 3], [0, 1, 0]])
    measure_all(table, leaves)
    halves = np.full((3, 2**LEVELS, 3), 0.5)
    found = cut_wide(table, leaves, halves, 1e-9, np.random.Generator(np.random.SFC64(1)))
    assert found.cell.tolist() == [0, 0, 1, 2]
    assert found.heap.tolist() == [2, 3, 1, 1]
    again = leaves_of(found.counts.tolist())
    measure_all(table, again)
    for name in ("low", "high", "mean"):
        np.testing.assert_allclose(getattr(found, name), getattr(again, name), atol=1e-15)


def test_the_law_of_a_split_is_binomial() -> None:
    for first, last, items, share in ((0, 30, 30, 0.3), (10, 45, 60, 0.4)):
        k = np.arange(first, last + 1)
        exact = stats.binom.pmf(k, items, share)
        np.testing.assert_allclose(
            draws._binomial(first, last, items, share), exact / exact.sum(), rtol=1e-10
        )


@pytest.mark.parametrize(
    ("a", "b", "text", "n", "cells"),
    [
        (RISING, FALLING, "nDCG", 60, 4),
        (FALLING, RISING, "nDCG", 60, 4),
        (STEEP, FLAT, "nDCG(linear)", 10, 8),  # fewer relevant items under the tilted law
    ],
)
def test_weighted_draws_have_the_true_law(a: Relevance, b: Relevance, text: str, n: int, cells: int) -> None:
    """The mean number of items of each label in each cell, which is n p_y P(cell | y).

    Some thirty weighted means, one of which is beyond five standard errors with probability 2e-5, as far as
    they are normal. Without the weights they are those of the tilted law.
    """
    size = 1500
    plan = make(a, b, Measure.parse(text), n, cells=cells)
    rng = np.random.Generator(np.random.SFC64(4))
    found, log_weights = zip(*(draws._counts(plan, rng) for _ in range(size)), strict=True)
    weights = np.exp(log_weights)
    assert all(side.sum() == n for counts in found for side in counts)
    assert all(np.array_equal(first.sum(axis=0), second.sum(axis=0)) for first, second in found)
    assert abs(weights.mean() - 1) < 5 * weights.std(ddof=1) / math.sqrt(size)
    law = np.array([a.masses[0], 1 - a.masses[0]])
    surplus = [
        np.array([counts[s] for counts in found]) - n * law * side.true.T
        for s, side in enumerate(plan.tilt.sides)
    ]
    for weight, far in ((weights, False), (np.ones(size), True)):
        values = np.concatenate(
            [(weight[:, None, None] * part).reshape(size, -1) for part in surplus], axis=1
        )
        values = values[:, values.std(axis=0) > 0]
        scores = values.mean(axis=0) / values.std(axis=0, ddof=1) * math.sqrt(size)
        assert (np.abs(scores).max() > 5) == far


@pytest.mark.slow
def test_the_order_of_two_lists_is_that_of_their_dcg() -> None:
    """Of leaves that show it, of equal lists, and of items put in order one by one.

    With 60 relevant items of 100 and with 40, in one leaf each, the first list is ahead nearly always.
    """
    table, most = measure_table(Measure("log"), 100, (1.0, 0.0))
    rng = np.random.Generator(np.random.SFC64(3))
    halves = np.full((2, 2**LEVELS, 2), 0.5)
    good, bad = ([[40, 10], [0, 50]], [[0, 50], [40, 10]])

    def order(
        a: list[list[int]], b: list[list[int]], most_leaves: int = LEAVES, most_items: int = ITEMS
    ) -> tuple[int, bool]:
        lists = leaves_of(a), leaves_of(b)
        return decide_order(table, most, *lists, halves, halves, rng, most_leaves, most_items)[:2]

    assert order(good, bad) == (1, True)
    assert order(bad, good) == (-1, True)
    assert order([[5, 0], [0, 5]], [[5, 0], [0, 5]]) == (0, True)
    many, few = [[60, 40]], [[40, 60]]
    for a, b, sign in ((many, few, 1), (few, many, -1)):
        found = [order(a, b, most_leaves=1) for _ in range(40)]
        assert sum(one == (sign, False) for one in found) >= 36
    assert order(many, few, most_leaves=1, most_items=10) == (127, False)


def test_a_stream_goes_on_under_its_true_law() -> None:
    """From a wrong order at n = 10: later items are relevant with p, each where its curve says."""
    plan = make(STEEP, FLAT, Measure("log"), 10, cells=4)
    rng, later = np.random.Generator(np.random.SFC64(8)), 400_010
    counts = [np.zeros(side.true.T.shape, np.int64) for side in plan.tilt.sides]
    lists = tuple(whole_cells(c, side.true.T.copy()) for c, side in zip(counts, plan.tilt.sides, strict=True))
    drawn = draws.DrawnPair(-plan.tilt.leader, 0.0, (lists[0], lists[1]), in_leaves=True)
    assert engine._is_last(plan, drawn, Measure("log"), (later,), rng) == 1
    for c, side in zip(counts, plan.tilt.sides, strict=True):
        items = c.sum()
        assert items == later - 10
        # |z| < 5 for ten counts: 1e-5; under the tilted law a share is half of it or less
        law = np.array([0.1, 0.9]) * side.true.T
        assert np.all(np.abs(c - items * law) <= 5 * np.sqrt(items * law * (1 - law)) + 1e-9)
    tilted = plan.tilt.tilted_law[0]
    assert abs(counts[0][:, 0].sum() - tilted * items) > 5 * math.sqrt(0.1 * items)
    # a stream whose order is wrong again is not at its last wrong order
    back = make(FLAT, STEEP, Measure("log"), 10, leader=plan.tilt.leader, cells=4)
    lists = tuple(
        whole_cells(np.zeros(side.true.T.shape, np.int64), side.true.T.copy()) for side in back.tilt.sides
    )
    drawn = draws.DrawnPair(-back.tilt.leader, 0.0, (lists[0], lists[1]), in_leaves=True)
    assert engine._is_last(back, drawn, Measure("log"), (later,), rng) == 0
