"""The cells engine against the stream it draws, against items drawn one by one, and against exact means."""

from __future__ import annotations

import itertools
import math

import mpmath
import naive
import numpy as np
import pytest
from scipy import stats

from ndcg_asymptotics.design import UNDECIDED, Design
from ndcg_asymptotics.discounts import Discount
from ndcg_asymptotics.engines import cells, philox, streams, tables
from ndcg_asymptotics.engines.labels import label_counts
from ndcg_asymptotics.errors import InputError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.population import Population

BINARY = {"good": "linear(0.1, 0.7)"}
GRADED = {"good": "graded(3=linear(0, 0.4), 1=power(0.1, 0.4, 3))"}
PAIR = {"good": "linear(0.1, 0.7)", "bad": "linear(0.5, 0.3)"}
MEASURES = (
    "nDCG", "nDCG(power(0.5))", "nDCG(zipf)", "nDCG(linear)", "nDCG(geometric(2))", "nDCG(power(2))",
    'nDCG(custom("numpy:reciprocal", 10000))', "nDCG@10", "nDCG@0.2n", "nDCG(power(0.5))@0.2n",
    "nDCG(linear)@0.5n", "nDCG(zipf)@n^0.5", "nDCG@5log(n)", 'nDCG(custom("numpy:ones_like", 2000))@0.2n',
)  # fmt: skip


def design(scorers, measures, sizes, seed=7, **options):
    measures = tuple(map(Measure.parse, measures))
    return Design(Population.of(scorers), measures, tuple(sizes), seed=seed, **options)


def revealed(what, replicate, name):
    """The drawn stream item by item: (step, label) in rank order, from cells that hold one item each."""
    relevance = what.population.scorers[name]
    arrivals = label_counts(what, replicate)
    stream = streams.Stream(relevance, cells._key(what, replicate, name), arrivals)
    found, stack = [], [stream.octaves(np.ones((len(what.sizes), 1), bool))]
    while stack:
        batch = stack.pop()
        held = batch.counts.sum(axis=(1, 2))
        for i in np.flatnonzero(held == 1):
            step, label = (int(x[0]) for x in np.nonzero(batch.counts[i]))
            depth = (batch.octave[i], -(batch.index[i] + 0.5) / 2.0**batch.level)
            found.append((depth, step, label))
        last = np.where(held > 1, len(what.sizes) - 1, -1)
        if (last >= 0).any():
            assert batch.level < 50
            stack.append(stream.halves(batch, last))
    found.sort(key=lambda item: item[0], reverse=True)
    steps = np.array([step for _, step, _ in found])
    gains = np.array([*relevance.gains, 0.0])[[label for *_, label in found]]
    assert np.array_equal(np.bincount(steps, minlength=len(what.sizes)), arrivals.sum(axis=1))
    return steps, gains


def exact(what, replicate, name):
    """NDCG of the revealed stream's prefixes, (measures, sizes)."""
    steps, gains = revealed(what, replicate, name)
    return np.array([
        [naive.ndcg(gains[steps <= k], _discount(m, n), m.cutoff(n)) for k, n in enumerate(what.sizes)]
        for m in what.measures
    ])  # fmt: skip


def _discount(measure, n):
    text = str(measure.discount)
    if text == "log":
        return lambda r: 1 / math.log(1 + r)
    if text == "linear":
        return lambda r: n - r
    if text == "geometric(2)":
        return lambda r: 2.0**-r
    if "ones" in text:
        return lambda r: 1.0
    exponent = {"power(0.5)": 0.5, "power(2)": 2.0}.get(text, 1.0)
    return lambda r: r**-exponent


# Random variates


@pytest.mark.parametrize(
    ("counter", "key", "expected"),
    [
        ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_philox_known_answers(counter, key, expected):
    # the published vectors of Random123
    assert philox.philox(*map(np.uint64, counter + key)) == expected


def draws(n, p, count, key=1):
    words = [np.uint64(w) for w in (0, 5, 3, key, 99)]
    return np.array([philox.binomial(n, p, np.uint64(i), *words) for i in range(count)], np.int64)


@pytest.mark.parametrize(
    ("n", "p"),
    [(1, 0.3), (2, 0.6), (7, 0.5), (38, 0.5), (60, 0.97), (100, 0.5), (300, 0.2), (5000, 0.01), (10**6, 0.7)],
)
def test_binomial_law(n, p):
    # False alarms 1e-5 for each of 9 cases.
    count, law = 20000, stats.binom(n, p)
    x = draws(n, p, count)
    assert x.min() >= 0
    assert x.max() <= n
    edges = np.unique(law.ppf(np.linspace(0, 1, 31)[1:-1]))
    seen = np.bincount(np.searchsorted(edges, x), minlength=len(edges) + 1)

    def p_value(law):
        expected = count * np.diff(np.concatenate(([0.0], law.cdf(edges), [1.0])))
        kept = expected > 0
        return stats.chisquare(seen[kept], expected[kept] * (count / expected[kept].sum())).pvalue

    assert p_value(law) > 1e-5
    shift = 0.1 * math.sqrt(p * (1 - p) / n)  # a tenth of a standard deviation is seen
    assert p_value(stats.binom(n, p - shift if p > 0.5 else p + shift)) < 1e-5


@pytest.mark.parametrize("n", [10**12, 10**18, 9 * 10**18])
@pytest.mark.parametrize("p", [0.5, 0.7, 1e-6])
def test_binomial_of_many_is_gaussian(n, p):
    # False alarms 1e-5 for each of 9 cases. Numbers are whole, not multiples of what a double holds.
    x = draws(n, p, 20000)
    z = np.array([int(v) - round(n * mpmath.mpf(p)) for v in x], float) / math.sqrt(n * p * (1 - p))
    assert stats.kstest(z, "norm").pvalue > 1e-5
    assert stats.kstest(z + 0.05, "norm").pvalue < 1e-5
    assert x.min() >= 0
    assert (x % 2).std() > 0.49


@pytest.mark.parametrize("n", [50, 10**6, 10**18])
def test_log_binomial(n):
    p, mean = 0.37, round(0.37 * n)
    for offset in (-2, 0, 3, math.isqrt(n) // 2, -math.isqrt(n)):
        x = mean + offset
        with mpmath.workdps(50):
            exactly = mpmath.loggamma(n + 1) - mpmath.loggamma(x + 1) - mpmath.loggamma(n - x + 1)
            exactly += x * mpmath.log(mpmath.mpf(p)) + (n - x) * mpmath.log(1 - mpmath.mpf(p))
        # the mean n p as a double is off by up to 64 of 5e8 standard deviations
        assert philox.log_binomial(x, n, p) == pytest.approx(float(exactly), abs=2e-6 if n > 1e9 else 1e-11)


# Tables


@pytest.mark.parametrize(
    "text",
    ["log", "power(0.5)", "power(0.9999)", "zipf", "power(2)", "geometric(2)", "geometric(1.0001)", "linear"],
)
def test_tables_hold_the_sums(text):
    discount, n = Discount.parse(text), 9 * 10**18
    near, far, start, length = tables.build((discount,), (n,), (n,))[0]
    rng = np.random.default_rng(3)
    ranks = np.concatenate([np.arange(5000), (10 ** rng.uniform(3, 18.95, 20000)).astype(np.int64), [n]])
    found = [tables.cumulative(near, far, start, length, 0, k) for k in ranks]
    worth = [tables.worth(near, far, start, length, 0, k) for k in np.sort(ranks)]
    expected = discount.cumulative(ranks, n)
    allowed = np.where(ranks <= 4096, tables.NEAR_ERROR, tables.FAR_ERROR - 1e-13)
    assert np.all(np.abs(found - expected) <= allowed * expected)
    assert np.all(np.diff(worth) >= 0)


def test_far_sums_against_mpmath():
    near, far, start, length = tables.build((Discount.parse("log"),), (10**18,), (10**18,))[0]
    for k in (5000, 123_456_789, 10**18):
        with mpmath.workdps(40):
            exactly = mpmath.nsum(lambda r: 1 / mpmath.log(1 + r), [1, 60])
            exactly += mpmath.sumem(lambda r: 1 / mpmath.log(1 + r), [61, k], tol=mpmath.mpf(10) ** -25)
        found = tables.cumulative(near, far, start, length, 0, k)
        assert abs(found / exactly - 1) < tables.FAR_ERROR


# The bracket


@pytest.mark.parametrize("scorers", [BINARY, GRADED, {"good": "step(0.01, 0.9, 0.95)"}])
@pytest.mark.parametrize("bracket", [1e-2, 1e-4, 1e-9])
def test_bracket_contains_the_drawn_streams_exact_ndcg(scorers, bracket):
    what = design(scorers, MEASURES, (1, 2, 10, 100, 1000, 3000), bracket=bracket)
    for replicate in range(3):
        truth = exact(what, replicate, "good")
        draw = cells.simulate(what, replicate)
        low, high, estimate = draw["low"][0], draw["high"][0], draw["ndcg"][0]
        digits = 1e-14  # of the oracle itself
        assert np.all(low <= truth + digits)
        assert np.all(truth <= high + digits)
        assert np.all(high - low <= max(bracket, 1e-7))
        assert np.all((low <= estimate) & (estimate <= high))
        assert np.max(np.abs(truth - estimate)) <= bracket + 1e-7


def test_bracket_at_ten_thousand():
    what = design(BINARY, MEASURES, (10_000,))
    truth, draw = exact(what, 0, "good"), cells.simulate(what, 0)
    assert np.all((draw["low"][0] <= truth + 1e-14) & (truth <= draw["high"][0] + 1e-14))
    assert np.max(draw["high"] - draw["low"]) <= 1e-4
    other = exact(what, 1, "good")  # another stream is not contained
    assert np.all((other < draw["low"][0]) | (other > draw["high"][0]), axis=1)[[0, 1, 2, 3]].all()


@pytest.mark.parametrize(
    "scorers", [BINARY, GRADED, {"good": "binormal(0.1, 1)"}, {"good": "linear(0, 0.000002)"}]
)
def test_narrow_brackets_lie_in_wide_ones_at_any_size(scorers):
    measures = [m for m in MEASURES if "custom" not in m and "zipf" not in m]
    sizes = (10**7, 10**12, 9 * 10**18)
    wide, narrow = (
        cells.simulate(design(scorers, measures, sizes, bracket=bracket), 0) for bracket in (1e-2, 1e-3)
    )
    slack = 1e-6  # both are widened for rounding
    assert np.all(wide["low"] <= narrow["low"] + slack)
    assert np.all(narrow["high"] <= wide["high"] + slack)
    assert np.all(wide["high"] - wide["low"] <= 1e-2)
    assert np.all(narrow["high"] - narrow["low"] <= 1e-3)
    assert np.all((wide["low"] >= 0) & (wide["high"] <= 1))


# The law


def independent_items(rng, n, curve):
    """Labels in rank order of n i.i.d. items, from the definition."""
    depth = np.sort(rng.random(n))
    return (rng.random(n) < curve(depth)).astype(float)


SIZES = (10, 100, 1000)
REPLICATES = 1500


@pytest.fixture(scope="module")
def sampled():
    what = design(BINARY, ("nDCG", "nDCG(power(0.5))", "nDCG(zipf)", "nDCG(zipf)@0.2n"), SIZES, bracket=1e-7)
    return what, np.stack([cells.simulate(what, r)["ndcg"][0] for r in range(REPLICATES)])


def test_law_of_items_drawn_one_by_one(sampled):
    what, ours = sampled
    rng = np.random.default_rng(11)

    def theirs(curve):
        result = np.empty_like(ours)
        for k, n in enumerate(SIZES):
            lists = [independent_items(rng, n, curve) for _ in range(REPLICATES)]
            for m, measure in enumerate(what.measures):
                weight = np.array([_discount(measure, n)(r) for r in range(1, n + 1)])
                weight[measure.cutoff(n) :] = 0
                ideal = np.concatenate(([np.inf], np.cumsum(weight)))
                result[:, m, k] = [y @ weight / ideal[int(y.sum())] for y in lists]
        return result

    def p_values(other):
        # 36 tests: means by z, variances by Levene's test, whole laws by Kolmogorov-Smirnov
        for m, k in itertools.product(range(ours.shape[1]), range(len(SIZES))):
            a, b = ours[:, m, k].round(6), other[:, m, k].round(6)
            yield stats.ttest_ind(a, b, equal_var=False).pvalue
            yield stats.levene(a, b).pvalue
            yield stats.ks_2samp(a, b, method="asymp").pvalue

    # False alarms 36e-6; a curve with the same prevalence and a slightly different slope is rejected.
    assert min(p_values(theirs(lambda t: 0.7 - 0.6 * t))) > 1e-6
    assert min(p_values(theirs(lambda t: 0.65 - 0.5 * t))) < 1e-6


def test_exact_mean_at_1000(sampled):
    # E NDCG of log, r^-1/2 and 1/r by quadrature; |z| < 5 has false alarms 6e-7 each.
    _, ours = sampled
    mean, error = ours[:, :3, 2].mean(axis=0), ours[:, :3, 2].std(axis=0) / math.sqrt(REPLICATES)
    assert np.all(np.abs(mean - [0.90313918, 0.79382871, 0.70631867]) < 5 * error)
    assert np.all((np.abs(mean - [0.84210544, 0.80466887, 0.71220179]) > 5 * error)[:2])  # those at n = 50


def test_prefixes_of_one_stream_are_correlated(sampled):
    # NDCG at 100 and at 1000 share a tenth of their items: independent sizes would give correlation 0
    # (standard error 1/sqrt(1500) = 0.026, 6 sigma = 0.155: false alarms 2e-9).
    _, ours = sampled
    assert np.corrcoef(ours[:, 0, 1], ours[:, 0, 2])[0, 1] > 0.155


def test_law_of_graded_items():
    # Means by z and variances by Levene's test at two sizes: false alarms 4e-6.
    what = design(GRADED, ("nDCG",), (20, 200), bracket=1e-7)
    ours = np.stack([cells.simulate(what, r)["ndcg"][0, 0] for r in range(REPLICATES)])
    rng = np.random.default_rng(12)

    def one(n, top):
        t, u = np.sort(rng.random(n)), rng.random(n)
        high, low = top * (1 - t), 0.1 + 0.3 * (1 - t) ** 3
        gains = np.where(u < high, 3.0, np.where(u < high + low, 1.0, 0.0))
        weight = 1 / np.log(np.arange(2.0, n + 2))
        ideal = np.sort(gains)[::-1] @ weight
        return gains @ weight / ideal if ideal else 0.0

    def p_values(top):
        for k, n in enumerate(what.sizes):
            other = [one(n, top) for _ in range(REPLICATES)]
            yield stats.ttest_ind(ours[:, k], other, equal_var=False).pvalue
            yield stats.levene(ours[:, k], other).pvalue

    assert min(p_values(0.4)) > 1e-6
    assert min(p_values(0.3)) < 1e-6


def limit_integral(discount, n, depth=1.0):
    """E NDCG up to O(n^-1/2): a list of n items at ranks n t, m(t) = 0.7 - 0.6 t, the cutoff at n depth."""

    def integral(weight, end):
        ends = [-60, -30, -10, -3, mpmath.log(end)]
        return mpmath.quad(lambda x: weight(mpmath.e**x) * discount(n * mpmath.e**x) * mpmath.e**x, ends)

    return float(integral(lambda t: 0.7 - 0.6 * t, depth) / integral(lambda t: 1, min(depth, 0.4)))


def test_mean_at_1e18():
    what = design(BINARY, ("nDCG", "nDCG(power(0.5))", "nDCG@0.2n"), (10**18,))
    draws = [cells.simulate(what, r) for r in range(5)]
    n = mpmath.mpf(10) ** 18

    def log(r):
        return 1 / mpmath.log(1 + r)

    expected = limit_integral(log, n), 0.5 * (0.7 * 2 - 0.6 * 2 / 3) / 0.4**0.5, limit_integral(log, n, 0.2)
    wrong = limit_integral(log, n / 10), 0.7906, limit_integral(log, n / 10, 0.2)
    assert round(expected[0], 5) == 0.98662
    for draw in draws:  # the standard deviations, below 1e-8, do not show in the bracket
        low, high, estimate = (draw[name][0, :, 0] for name in ("low", "high", "ndcg"))
        assert np.all((low <= expected) & (expected <= high))
        assert np.all(np.abs(estimate - expected) < 1e-6)
        assert np.all(np.abs(estimate - wrong) > 1e-5)
    assert np.ptp([draw["ndcg"][0, 0, 0] for draw in draws]) > 0


def test_law_of_top_heavy_measures_at_1e18():
    # sum_r D(r) Y_r over F(k) or F(np), Y_r Bernoulli(0.7 - 0.6 r/n): means by z, |z| < 5 has false
    # alarms 6e-7 each; variances within 5 of their standard errors, at most 0.1 of them for N = 400.
    what = design(BINARY, ("nDCG(zipf)", "nDCG(geometric(2))", "nDCG(power(2))@3"), (10**18,), bracket=1e-2)
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


# What does not change what


def test_measures_and_scorers_do_not_change_each_other():
    sizes = (10, 1000, 10**6, 10**12)
    measures = [m for m in MEASURES if "custom" not in m]
    every = cells.simulate(design(PAIR, measures, sizes, bracket=1e-3, pairs=(("bad", "good"),)), 5)
    for m, measure in enumerate(measures):
        alone = cells.simulate(design(PAIR, (measure,), sizes, bracket=1e-3, pairs=(("bad", "good"),)), 5)
        for name in ("ndcg", "low", "high", "order"):
            assert np.array_equal(alone[name][:, 0], every[name][:, m]), measure
    single = cells.simulate(design({"bad": PAIR["bad"]}, measures, sizes, bracket=1e-3), 5)
    for name in ("ndcg", "low", "high"):
        assert np.array_equal(single[name][0], every[name][1])
    assert not np.array_equal(every["ndcg"][0], every["ndcg"][1])


def test_batches_do_not_show(monkeypatch):
    what = design(GRADED, MEASURES[:5], (100, 10**9), bracket=1e-3)
    whole = cells.simulate(what, 2)
    monkeypatch.setattr(streams, "_BATCH", 1)
    parts = cells.simulate(what, 2)
    assert all(np.array_equal(whole[name], parts[name]) for name in whole)


def test_replicates_differ_and_repeat():
    what = design(BINARY, ("nDCG",), (1000,))
    first, again, other = (cells.simulate(what, r)["ndcg"] for r in (0, 0, 1))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


# Pairs


def test_order_is_that_of_the_exact_values():
    what = design(PAIR, MEASURES, (1, 2, 5, 30, 1000), pairs=(("good", "bad"), ("bad", "good")))
    ties = 0
    for replicate in range(10):
        order = cells.simulate(what, replicate)["order"]
        a, b = (exact(what, replicate, name) for name in ("good", "bad"))
        truth = np.where(np.abs(a - b) < 1e-12, 0, np.sign(a - b))
        assert np.array_equal(order[0], truth)
        assert np.array_equal(order[1], -truth)
        ties += int((truth == 0).sum())
    assert ties > 50


def test_order_is_found_where_brackets_overlap():
    what = design(PAIR, MEASURES, (300, 3000), pairs=(("good", "bad"),), bracket=0.9)
    draw = cells.simulate(what, 0)
    a, b = (exact(what, 0, name) for name in ("good", "bad"))
    overlap = (draw["low"][0] <= draw["high"][1]) & (draw["high"][0] >= draw["low"][1])
    assert overlap.sum() > 5
    assert np.array_equal(draw["order"][0], np.where(np.abs(a - b) < 1e-12, 0, np.sign(a - b)))


def test_order_at_large_sizes():
    scorers = {**PAIR, "twin": PAIR["good"]}
    measures = ("nDCG", "nDCG(geometric(2))", "nDCG@10")
    what = design(scorers, measures, (10**9, 10**18), pairs=(("good", "bad"), ("good", "twin")))
    draw = cells.simulate(what, 0)
    assert np.all(draw["order"][0, 0] == 1)
    # equal curves differ by about 1e-10 at n = 1e18: more cells than a pair may take
    assert draw["order"][1, 0, 1] == UNDECIDED
    assert np.all(draw["order"][1, 1:] != UNDECIDED)
    for (i, j), order in zip(((0, 1), (0, 2)), draw["order"], strict=True):
        apart = (draw["low"][i] > draw["high"][j]) | (draw["high"][i] < draw["low"][j])
        assert np.array_equal(order[apart], np.sign(draw["ndcg"][i] - draw["ndcg"][j])[apart])


def test_pairs_do_not_change_values():
    options = {"scorers": PAIR, "measures": ("nDCG", "nDCG(zipf)@10"), "sizes": (100, 10**6)}
    without, paired = (cells.simulate(design(**options, pairs=p), 0) for p in ((), (("good", "bad"),)))
    assert all(np.array_equal(without[name], paired[name]) for name in without)


# Edges


def test_no_relevant_item_and_nothing_else():
    rare = cells.simulate(design({"a": "linear(0, 0.0000002)"}, MEASURES, (1, 5)), 0)
    assert all(np.all(values == 0) for values in rare.values())
    full = cells.simulate(design({"a": "constant(1)"}, MEASURES[:3], (1, 5, 10**18)), 0)
    assert np.all(full["ndcg"] > 1 - 1e-12)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sizes": (10, 9_100_000_000_000_000_000)}, "9e18"),
        ({"measures": ('nDCG(custom("numpy:reciprocal", 1000))',)}, "known up to 1000"),
        ({"bracket": 0.0}, "positive"),
        ({"bracket": 1e-12}, "wider bracket"),
    ],
)
def test_check_refuses(changes, words):
    options = {"scorers": BINARY, "measures": ("nDCG",), "sizes": (10, 10**18), **changes}
    with pytest.raises(InputError, match=words) as error:
        cells.check(design(**options))
    assert "\n" not in str(error.value)


def test_check_refuses_a_coupling_and_names_the_engine():
    population = Population.of(PAIR, "gaussian(0.5)")
    with pytest.raises(InputError, match=r"gaussian\(0.5\): use items"):
        cells.check(Design(population, (Measure(),), (10,), seed=1))


def test_check_accepts():
    cells.check(design(PAIR, [m for m in MEASURES if "custom" not in m], (1, 9 * 10**18)))
    cells.check(design(PAIR, ('nDCG(custom("numpy:reciprocal", 1000))@1000',), (10, 10**18)))
