"""Paired differences: intervals and tests against scipy, and rates where the truth is known."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from ndcg_asymptotics.analysis.power import paired_power
from ndcg_asymptotics.analysis.runs.paired import holm, paired_difference, queries_needed
from ndcg_asymptotics.core.errors import InputError


def test_power_is_that_of_the_noncentral_t():
    for effect, queries, alpha in ((0.5, 34, 0.05), (0.1, 500, 0.01), (1.5, 6, 0.05), (0.0, 20, 0.05)):
        threshold = stats.t.isf(alpha / 2, queries - 1)
        shift = effect * math.sqrt(queries)
        exact = stats.nct.sf(threshold, queries - 1, shift) + stats.nct.cdf(-threshold, queries - 1, shift)
        assert paired_power(effect, queries, alpha) == pytest.approx(exact, abs=2e-6)
        assert paired_power(-effect, queries, alpha) == paired_power(effect, queries, alpha)


def test_queries_needed_are_the_fewest():
    for effect in (2.0, 0.7, 0.2, 0.03):
        for alpha, power in ((0.05, 0.8), (0.01, 0.95)):
            found = queries_needed(effect, alpha, power)
            assert paired_power(effect, found, alpha) >= power > paired_power(effect, found - 1, alpha)
            normal = ((stats.norm.isf(alpha / 2) + stats.norm.ppf(power)) / effect) ** 2
            assert normal - 1 < found < normal + 7
    assert queries_needed(1e-4) is None
    for alpha, power in ((0.0, 0.8), (0.05, 0.04), (0.05, 1.0)):
        with pytest.raises(InputError):
            queries_needed(0.5, alpha, power)


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]


def test_the_permutation_interval_is_what_no_permutation_test_rejects():
    """Against its definition: shifts m for which the exact test of d - m is not rejected."""
    d = np.array([0.3, -0.1, 0.25, 0.4, 0.12, 0.05, 0.33, -0.02])
    signs = np.array(list(itertools.product([-1, 1], repeat=d.size)))

    def p(shift: float) -> float:
        moved = d - shift
        return float(np.mean(np.abs(signs @ moved) >= abs(moved.sum()) - 1e-12))

    found = paired_difference(d, resamples=40_000).permutation
    outside = [p(found.low - 0.02), p(found.high + 0.02)]
    inside = [p(found.low + 0.02), p(found.high - 0.02)]
    assert max(outside) <= 0.05 < min(inside)


def test_intervals_are_those_of_scipy_and_of_student():
    d = np.random.default_rng(1).normal(0.1, 0.5, 200)
    found = paired_difference(d)
    student = stats.ttest_1samp(d, 0).confidence_interval()
    bca = stats.bootstrap((d,), np.mean, n_resamples=20_000, rng=5).confidence_interval
    width = student.high - student.low
    for interval in (found.bootstrap, found.permutation):
        assert abs(interval.low - student.low) < 0.06 * width
        assert abs(interval.high - student.high) < 0.06 * width
    assert abs(found.bootstrap.low - bca.low) < 0.03 * width
    assert found.p == pytest.approx(stats.ttest_1samp(d, 0).pvalue, abs=0.02)
    assert found.effect == pytest.approx(d.mean() / d.std(ddof=1))


def test_no_difference_and_a_constant_one():
    same = paired_difference(np.zeros(10))
    assert (same.mean, same.p, same.queries, same.effect) == (0.0, 1.0, None, 0.0)
    constant = paired_difference(np.full(10, 0.1))
    assert (constant.bootstrap.low, constant.effect) == (0.1, math.inf)
    assert constant.p < 0.01
    with pytest.raises(InputError, match="at least 5 common queries, there are 4"):
        paired_difference(np.ones(4))
    with pytest.raises(InputError, match=r"^level: must lie inside \(0, 1\), got 1"):
        paired_difference(np.ones(5), level=1.0)


MEASURES = ("nDCG", "nDCG@10")
SLOPES = {"good": 0.4, "same": 0.4, "bad": 0.3}  # ybar(s) = 1/4 + slope (s - 1/2): one label law
LISTS, ITEMS = 24_000, 60


@pytest.fixture(scope="module")
def simulated() -> dict[tuple[str, str], np.ndarray]:
    """Differences of NDCG of many lists: of two scorers with one curve, and of two with two curves."""
    rng = np.random.default_rng(8)
    labels = (rng.random((LISTS, ITEMS)) < 0.25).astype(float)
    ideal = -np.sort(-labels, axis=1)
    values = {}
    for name, slope in SLOPES.items():
        # the depth given the label, by rejection: its density is proportional to m(t), or to 1 - m(t)
        depth, pending = np.zeros(labels.shape), np.ones(labels.shape, bool)
        while pending.any():
            t, u = rng.random((2, *labels.shape))
            relevant = 0.25 + slope * (0.5 - t)
            accept = pending & (u < np.where(labels > 0, relevant, 1 - relevant))
            depth[accept], pending = t[accept], pending & ~accept
        ranked = np.take_along_axis(labels, np.argsort(depth, axis=1), axis=1)
        for measure, k in zip(MEASURES, (ITEMS, 10), strict=True):
            discount = 1 / np.log1p(np.arange(1, k + 1))
            best = ideal[:, :k] @ discount
            values[name, measure] = ranked[:, :k] @ discount / np.where(best > 0, best, 1)
    return {
        (other, measure): values["good", measure] - values[other, measure]
        for other in ("same", "bad")
        for measure in MEASURES
    }


@pytest.mark.slow
@pytest.mark.parametrize("measure", MEASURES)
def test_false_alarms_come_at_their_rate(simulated, measure):
    """Two scorers with one curve, 40 queries each time: p < 0.05 in one of twenty comparisons."""
    experiments = simulated["same", measure][: 300 * 40].reshape(-1, 40)
    found = [paired_difference(d, resamples=499, seed=i) for i, d in enumerate(experiments)]
    # 300 experiments: outside with probability 1e-4
    low, high = stats.binom.interval(1 - 1e-4, len(found), 0.05)
    assert low <= sum(one.p < 0.05 for one in found) <= high
    assert sum(one.p < 0.15 for one in found) > high  # a test three times too ready would be seen
    for name, most in (("permutation", 0.055), ("bootstrap", 0.075)):  # 40 queries are few for a bootstrap
        missed = sum(getattr(one, name).sign != 0 for one in found)
        assert missed <= stats.binom.ppf(1 - 1e-4, len(found), most)


@pytest.mark.slow
@pytest.mark.parametrize("measure", MEASURES)
def test_power_is_as_required(simulated, measure):
    """As many queries as the true effect asks for: the difference is seen in 80% of the comparisons."""
    d = simulated["bad", measure]
    effect = float(d.mean() / d.std())
    queries = queries_needed(effect)
    for size in (queries, queries // 2):
        expected = paired_power(effect, size, 0.05)
        experiments = d[: len(d) // size * size].reshape(-1, size)[:200]
        seen = sum(
            paired_difference(one, resamples=499, seed=i).p < 0.05 for i, one in enumerate(experiments)
        )
        # outside with probability 1e-4, and 3% for the permutations that stand in for Student's t
        low, high = stats.binom.interval(1 - 1e-4, len(experiments), expected)
        assert low - 0.03 * len(experiments) <= seen <= high + 0.03 * len(experiments)
        if size < queries:  # half as many queries have not that power
            assert seen < stats.binom.ppf(1e-3, len(experiments), 0.8)
