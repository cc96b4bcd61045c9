"""The steps of the cells engine, each against its definition; quick as plain Python too."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from cases import design
from engines_cases import fits, orders, part
from oracles import label_orders, naive
from oracles.discounts import formula
from scipy import stats

from ndcg_asymptotics.engines import cells
from ndcg_asymptotics.engines.cells import brackets, engine, philox, ranks, streams
from ndcg_asymptotics.engines.shared.grades import draw_label_counts
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import FixedCounts, Relevance

MEASURES = ("nDCG", "nDCG@4", "nDCG(zipf)@6", "nDCG(linear)")
LINEAR = Relevance.of("linear(0.1, 0.7)")


# --- brackets ------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", MEASURES)
@pytest.mark.parametrize("above", [0, 3])
def test_a_cell_has_the_least_greatest_and_mean_dcg_of_its_orders(text: str, above: int) -> None:
    """A list of 12 items with two of each gain: the cell holds some of them, below ``above`` others."""
    n, labels = 12, np.array([2, 2, 8])
    what = design("graded(3=constant(0.2), 1=constant(0.2))", (n,), text)
    task = engine._task(what, labels[None])
    ideal = part([3, 3, 1, 1], 0, text, n)
    assert brackets.UNIT / task.scale[0, 0] == pytest.approx(ideal, rel=1e-13)
    for counts in ([1, 0, 0], [1, 1, 2], [2, 1, 1], [0, 2, 3], [1, 2, 0]):
        sums = np.zeros((1, 1, 5), np.int64)
        first, last = np.zeros(1, np.int64), np.zeros(1, np.int64)
        held, open_ = np.array([[counts]]), np.ones((1, 1, 1), bool)
        brackets.settle(task, held, np.array([[above]]), open_, first, last, sums, True)
        every = [part(gains, above, text, n) for gains in orders(counts, (3.0, 1.0, 0.0))]
        expected = np.array([sum(every) / len(every), min(every), max(every)]) / ideal
        found = sums[0, 0, :3] / brackets.UNIT
        assert found == pytest.approx(expected, abs=1e-12)
        assert found[1] <= expected[1]
        assert expected[2] <= found[2]
        assert last[0] == -1


def test_wide_cells_stay_open_and_narrow_ones_do_not() -> None:
    what = design(LINEAR.keyword + "(0.1, 0.7)", (40,), "nDCG", bracket=0.05)
    task = engine._task(what, np.array([[16, 24]]))
    counts, above = np.array([[[10, 10]], [[1, 1]], [[0, 18]]]), np.array([[0], [20], [22]])
    sums, first, last = np.zeros((1, 1, 5), np.int64), np.zeros(3, np.int64), np.zeros(3, np.int64)
    brackets.settle(task, counts, above, np.ones((3, 1, 1), bool), first, last, sums, False)
    assert last.tolist() == [0, -1, -1]
    assert sums[0, 0, brackets.HIGH] - sums[0, 0, brackets.LOW] <= 0.05 * brackets.UNIT


def test_dcg_is_ndcg_times_the_ideal_dcg() -> None:
    what = design("graded(3=constant(0.2), 1=constant(0.3))", (25,), ("nDCG", "DCG"))
    for replicate in range(3):
        counts = draw_label_counts(what, [replicate])[0, 0, :2]
        drawn = cells.simulate(what, replicate)
        best = naive.dcg([3.0] * counts[0] + [1.0] * counts[1], lambda r: 1 / math.log(1 + r))
        for name in ("ndcg", "low", "high"):
            ndcg, dcg = drawn[name][0, :, 0]
            assert dcg == pytest.approx(ndcg * best, rel=1e-10)


# --- cells and variates ----------------------------------------------------------------------------


def test_cells_have_the_masses_of_their_depths() -> None:
    depths = streams.CellMasses(LINEAR)
    octave, level, index = np.array([0, 3, 69]), 2, np.array([1, 3, 0])
    start = 2.0 ** -(octave + 1.0) * (1 + index / 4)
    middle, end = start + 2.0 ** -(octave + 1.0) / 8, start + 2.0 ** -(octave + 1.0) / 4

    def masses(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        relevant = 0.7 * (b - a) - 0.3 * (b**2 - a**2)
        return np.column_stack([relevant, (b - a) - relevant])

    expected = masses(start, middle) / masses(start, end)
    np.testing.assert_allclose(depths.fraction(octave, level, index), expected, rtol=1e-9)
    ends = 2.0 ** -np.arange(float(streams.OCTAVES))
    np.testing.assert_allclose(depths.spine, masses(0 * ends, ends / 2) / masses(0 * ends, ends), rtol=1e-9)


def test_the_items_of_a_stream_stand_where_their_labels_say() -> None:
    """Octaves and their halves: 1e6 items of each label in each of two steps.

    60 counts, one of which is beyond six standard deviations with probability 1e-7.
    """
    labels = np.array([[10**6, 10**6], [10**6, 10**6]])
    stream = streams.CellStream(LINEAR, np.array([5, 6], np.uint64), labels)
    octaves = stream.octaves(np.ones((2, 1), bool))
    assert np.array_equal(octaves.counts.sum(axis=0), labels)
    halves = stream.halves(octaves)
    p = np.array([0.4, 0.6])
    for cell in (octaves, halves):
        size = 2.0 ** -(cell.octave + 1.0 + cell.level)
        a = 2.0 ** -(cell.octave + 1.0) + cell.index * size
        b = a + size
        relevant = 0.7 * size - 0.3 * (b**2 - a**2)
        mean = 1e6 * (np.column_stack([relevant, size - relevant]) / p)[:, None, :]
        some = mean[:, 0, 0] > 100
        assert some.sum() >= 12
        assert np.all(np.abs(cell.counts - mean)[some] < 6 * np.sqrt(mean[some]))
        order = np.lexsort((cell.index, -cell.octave))
        assert np.array_equal(order, np.arange(len(order)))  # from the top down
        above = np.cumsum(cell.counts.sum(axis=2).cumsum(axis=1), axis=0)
        assert np.array_equal(cell.above[1:], above[:-1])
    assert not halves.above[0].any()


def test_inversion_gives_the_quantiles() -> None:
    for n, p in ((1, 0.3), (5, 0.5), (60, 0.2), (300, 0.04)):
        for u in np.linspace(0.001, 0.999, 37):
            # of one item, which is there for the small u
            expected = float(u < p) if n == 1 else stats.binom.ppf(u, n, p)
            assert philox.inverted(n, p, u) == expected


def test_a_few_steps_from_the_mode_probabilities_are_products() -> None:
    for n, p in ((60, 0.4), (3000, 0.01), (10**9, 1e-7), (10**15, 0.5)):
        mode = math.floor(n * p + p)
        for x in (mode - 20, mode - 1, mode, mode + 3, mode + 20):
            terms = [(mpmath.mpf(n) - i + 1) * p / (i * (1 - mpmath.mpf(p))) for i in range(mode + 1, x + 1)]
            terms += [i * (1 - mpmath.mpf(p)) / ((mpmath.mpf(n) - i + 1) * p) for i in range(x + 1, mode + 1)]
            exact = float(mpmath.fprod(terms))
            assert philox._ratio(x, mode, n, n * p, p) == pytest.approx(exact, rel=1e-13)


# --- few relevant items ------------------------------------------------------------------------------


UNIFORM = label_orders.power(Fraction(1))
ONE = "relevant(1, roc_power(0.6))", 14, [label_orders.power(Fraction(3, 5)), UNIFORM]
TWO = (
    "relevant(3=1, 1=1, graded(3=roc_power(0.6), 1=roc_power(1)))",
    6,
    [label_orders.power(Fraction(3, 5)), UNIFORM, UNIFORM],
)


@pytest.mark.parametrize(
    ("case", "text"), [(ONE, "nDCG@10"), (ONE, "nDCG(zipf)@5"), (ONE, "nDCG"), (TWO, "DCG@4")]
)
def test_few_relevant_items_have_the_law_of_all_orders(case: tuple[Any, ...], text: str) -> None:
    """Streams, and separate lists. Chi-square tests, which a true law fails with probability 1e-6."""
    (scorer, n, densities), size = case, 2000
    model, (discount, k) = FixedCounts.parse(scorer), formula(text, n)
    gains = [*model.gains, 0.0]
    law: Counter[float] = Counter()
    for grades, chance in label_orders.sequence_law(densities, [*model.counts, n - sum(model.counts)]):
        labels = [gains[grade] for grade in grades]
        value = (naive.ndcg if text.startswith("n") else naive.dcg)(labels, discount, k)
        law[round(value, 11)] += chance
    what = design(scorer, (3, n), text)
    streamed = np.array([cells.simulate(what, r)["ndcg"][0, 0, 1] for r in range(size)])
    (separate,) = ranks.draw_values_of_ranks([model], Measure.parse(text), n, size, seed=3)
    turned = dict(zip(law, np.roll([*law.values()], 1), strict=True))
    for drawn in (streamed, separate):
        rounded = np.round(drawn, 11).tolist()
        assert fits(rounded, law)
        assert not fits(rounded, turned)
