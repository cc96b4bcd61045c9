"""The cells engine against the stream it draws, and in lists of 1e18 items against exact means and laws."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from cases import design
from oracles import naive
from oracles.discounts import DISCOUNTS
from scipy import stats

from ndcg_asymptotics.engines import cells
from ndcg_asymptotics.engines.cells import ranks, streams
from ndcg_asymptotics.engines.engine import UNDECIDED
from ndcg_asymptotics.engines.shared.grades import draw_label_counts
from ndcg_asymptotics.theory.mean import expected_ndcg

BINARY = {"good": "linear(0.1, 0.7)"}
GRADED = {"good": "graded(3=linear(0, 0.4), 1=power(0.1, 0.4, 3))"}

PAIR = {"good": "linear(0.1, 0.7)", "bad": "linear(0.5, 0.3)"}
MEASURES = (
    "nDCG",
    "nDCG(power(0.5))",
    "nDCG(zipf)",
    "nDCG(linear)",
    "nDCG(geometric(2))",
    "nDCG(power(2))",
    'nDCG(custom("numpy:reciprocal", 10000))',
    "nDCG@10",
    "nDCG@0.2n",
    "nDCG(power(0.5))@0.2n",
    "nDCG(linear)@0.5n",
    "nDCG(zipf)@n^0.5",
    "nDCG@5log(n)",
    'nDCG(custom("numpy:ones_like", 2000))@0.2n',
    "nDCG(constant)@0.2n",
)


def revealed(what, replicate, name):
    """The drawn stream item by item: (step, label) in rank order, from cells that hold one item each."""
    relevance = what.population.scorers[name]
    (arrivals,) = draw_label_counts(what, [replicate])
    key = ranks.draw_key(what.generator(replicate, "scorer", name))
    stream = streams.CellStream(relevance, key, arrivals)
    found, stack = [], [stream.octaves(np.ones((len(what.sizes), 1), bool))]
    while stack:
        batch = stack.pop()
        held = batch.counts.sum(axis=(1, 2))
        for i in np.flatnonzero(held == 1):
            step, label = (int(x[0]) for x in np.nonzero(batch.counts[i]))
            depth = (batch.octave[i], -(batch.index[i] + 0.5) / 2.0**batch.level)
            found.append((depth, step, label))
        batch.last[:] = np.where(held > 1, len(what.sizes) - 1, -1)
        if (batch.last >= 0).any():
            assert batch.level < 50
            stack.append(stream.halves(batch))
    found.sort(key=lambda item: item[0], reverse=True)
    steps = np.array([step for _, step, _ in found])
    gains = np.array([*relevance.gains, 0.0])[[label for *_, label in found]]
    assert np.array_equal(np.bincount(steps, minlength=len(what.sizes)), arrivals.sum(axis=1))
    return steps, gains


def exact(what, replicate, name):
    """NDCG of the revealed stream's prefixes, (measures, sizes)."""
    steps, gains = revealed(what, replicate, name)

    def of_prefix(m, k, n):
        return naive.ndcg(gains[steps <= k], lambda r: DISCOUNTS[str(m.discount)](r, n), m.cutoff(n))

    return np.array([[of_prefix(m, k, n) for k, n in enumerate(what.sizes)] for m in what.measures])


# The bracket


@pytest.mark.slow
@pytest.mark.parametrize("scorers", [BINARY, GRADED, {"good": "step(0.01, 0.9, 0.95)"}])
def test_bracket_contains_the_drawn_streams_exact_ndcg(scorers):
    wide, narrow = (
        design(scorers, (1, 2, 10, 100, 1000, 3000), MEASURES, seed=7, bracket=bracket)
        for bracket in (1e-2, 1e-9)
    )
    *truths, other = (exact(wide, replicate, "good") for replicate in range(4))
    for what, (replicate, truth) in itertools.product((wide, narrow), enumerate(truths)):
        draw = cells.simulate(what, replicate)
        low, high, estimate = draw["low"][0], draw["high"][0], draw["ndcg"][0]
        digits = 1e-14  # of the oracle itself
        assert np.all(low <= truth + digits)
        assert np.all(truth <= high + digits)
        assert np.all(high - low <= max(what.bracket, 1e-7))
        assert np.all((low <= estimate) & (estimate <= high))
        assert np.max(np.abs(truth - estimate)) <= what.bracket + 1e-7
        assert np.any((other < low) | (other > high))  # another stream is not contained


# What does not change what


def test_batches_do_not_change_values(monkeypatch):
    what = design(GRADED, (100, 10**9), MEASURES[:5], seed=7, bracket=1e-3)
    whole = cells.simulate(what, 2)
    monkeypatch.setattr(streams, "_BATCH", 1)
    parts = cells.simulate(what, 2)
    assert all(np.array_equal(whole[name], parts[name]) for name in whole)


# Pairs


@pytest.mark.slow
def test_order_is_that_of_the_exact_values():
    what = design(PAIR, (1, 2, 5, 30, 1000), MEASURES, seed=7, pairs=(("good", "bad"), ("bad", "good")))
    ties = 0
    for replicate in range(10):
        order = cells.simulate(what, replicate)["order"]
        a, b = (exact(what, replicate, name) for name in ("good", "bad"))
        truth = np.where(np.abs(a - b) < 1e-12, 0, np.sign(a - b))
        assert np.array_equal(order[0], truth)
        assert np.array_equal(order[1], -truth)
        ties += int((truth == 0).sum())
    assert ties > 50


def test_order_at_large_sizes():
    scorers = {**PAIR, "twin": PAIR["good"]}
    measures = ("nDCG", "nDCG(geometric(2))", "nDCG@10")
    what = design(scorers, (10**9, 10**18), measures, seed=7, pairs=(("good", "bad"), ("good", "twin")))
    draw = cells.simulate(what, 0)
    assert np.all(draw["order"][0, 0] == 1)
    # equal curves differ by about 1e-10 at n = 1e18: more cells than a pair may take
    assert draw["order"][1, 0, 1] == UNDECIDED
    assert np.all(draw["order"][1, 1:] != UNDECIDED)
    for (i, j), order in zip(((0, 1), (0, 2)), draw["order"], strict=True):
        apart = (draw["low"][i] > draw["high"][j]) | (draw["high"][i] < draw["low"][j])
        assert np.array_equal(order[apart], np.sign(draw["ndcg"][i] - draw["ndcg"][j])[apart])


# Edges


def test_no_relevant_item_and_nothing_else():
    rare = cells.simulate(design({"a": "linear(0, 0.0000002)"}, (1, 5), MEASURES, seed=7), 0)
    assert all(np.all(values == 0) for values in rare.values())
    full = cells.simulate(design({"a": "constant(1)"}, (1, 5, 10**18), MEASURES[:3], seed=7), 0)
    assert np.all(full["ndcg"] > 1 - 1e-12)


def test_check_accepts():
    cells.check(design(PAIR, (1, 9 * 10**18), [m for m in MEASURES if "custom" not in m], seed=7))
    cells.check(design(PAIR, (10, 10**18), ('nDCG(custom("numpy:reciprocal", 1000))@1000',), seed=7))


# Lists of 1e18 items


def test_mean_at_1e18():
    texts = ("nDCG", "nDCG(power(0.5))", "nDCG@0.2n")
    draws = [cells.simulate(design(BINARY, (10**18,), texts, seed=7), r) for r in range(5)]
    expected, wrong = (
        np.array([expected_ndcg(BINARY["good"], text, [n]).value[0] for text in texts])
        for n in (10**18, 10**16)
    )
    # sum_r (0.7 - 0.6 r/n) r^-1/2 by the sum of the first 0.4 n of r^-1/2
    assert expected[1] == pytest.approx(0.5 * (0.7 * 2 - 0.6 * 2 / 3) / 0.4**0.5, abs=1e-8)
    for draw in draws:  # the standard deviations, below 1e-8, do not show in the bracket
        low, high, estimate = (draw[name][0, :, 0] for name in ("low", "high", "ndcg"))
        assert np.all((low <= expected) & (expected <= high))
        assert np.all(np.abs(estimate - expected) < 1e-6)
        assert np.all(np.abs(estimate - wrong)[[0, 2]] > 1e-5)
    assert np.ptp([draw["ndcg"][0, 0, 0] for draw in draws]) > 0


def test_law_of_top_heavy_measures_at_1e18():
    # sum_r D(r) Y_r over F(k) or F(np), Y_r Bernoulli(0.7 - 0.6 r/n): means by z, |z| < 5 has false
    # alarms 6e-7 each; variances within 5 of their standard errors, at most 0.1 of them for N = 400.
    what = design(
        BINARY, (10**18,), ("nDCG(zipf)", "nDCG(geometric(2))", "nDCG(power(2))@3"), seed=7, bracket=1e-2
    )
    count, zipf_sum = 400, math.log(0.4e18) + np.euler_gamma
    x = np.stack([cells.simulate(what, r)["ndcg"][0, :, 0] for r in range(count)])
    mean = np.array([(0.7 * (18 * math.log(10) + np.euler_gamma) - 0.6) / zipf_sum, 0.7, 0.7])
    squares = np.array([math.pi**2 / 6 / zipf_sum**2, 1 / 3, (1 + 2**-4 + 3**-4) / (1 + 1 / 4 + 1 / 9) ** 2])
    variance = 0.7 * 0.3 * squares
    error = np.sqrt(variance / count)
    assert np.all(np.abs(x.mean(axis=0) - mean) < 5 * error)
    in_full = mean[0] * zipf_sum / (zipf_sum - math.log(0.4))  # the ideal list taken to have n relevant items
    assert np.abs(x[:, 0].mean() - in_full) > 5 * error[0]
    assert np.all(np.abs(x.var(axis=0) / variance - 1) < 0.5)
    assert np.abs(x.var(axis=0)[0] / (variance[0] / 0.7) - 1) > 0.15
    # 2^-r: the first three labels decide the octave, 8 cases with their exact probabilities
    seen = np.bincount(np.minimum(8 * x[:, 1], 7).astype(int), minlength=8)
    law = np.array([0.7 ** k.bit_count() * 0.3 ** (3 - k.bit_count()) for k in range(8)])
    assert stats.chisquare(seen, count * law).pvalue > 1e-6
    assert stats.chisquare(seen, count * law[::-1]).pvalue < 1e-6
