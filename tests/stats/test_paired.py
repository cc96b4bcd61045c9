"""Paired differences: intervals and tests against scipy, and rates where the truth is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cases import paired_difference, refused
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.paired import permutation_p
from scipy import stats

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.stats import paired
from ndcg_asymptotics.stats.paired import (
    alpha_of,
    fewest_queries,
    permutation_tests,
    student_test,
)
from ndcg_asymptotics.stats.power import paired_power, queries_for


def test_the_number_of_queries_is_the_smallest():
    for effect in (2.0, 0.7, 0.2, 0.03):
        for alpha, power in ((0.05, 0.8), (0.01, 0.95)):
            found = queries_for(effect, power, alpha)
            assert paired_power(effect, found, alpha) >= power > paired_power(effect, found - 1, alpha)
            normal = ((stats.norm.isf(alpha / 2) + stats.norm.ppf(power)) / effect) ** 2
            assert normal - 1 < found < normal + 7
    tiny = paired_difference(np.append(np.tile([1.0, -1.0], 50), 1e-3))
    assert tiny.queries == queries_for(tiny.effect, 0.8, 0.05) > 10**10
    for alpha, power in ((0.0, 0.8), (0.05, 0.04), (0.05, 1.0)):
        with pytest.raises(InputError):
            queries_for(0.5, power, alpha)


def test_the_permutation_interval_is_what_no_permutation_test_rejects():
    d = np.array([0.3, -0.1, 0.25, 0.4, 0.12, 0.05, 0.33, -0.02])
    for level in (0.8, 0.95):
        found, p = permutation_tests(d[:, None], 1 - level, 9999, np.random.default_rng(0))[0]
        assert p == permutation_p(d)
        for end in (found.low, found.high, 0.05, 0.2):
            for m in (end - 1e-6, end + 1e-6):
                assert (found.low <= m <= found.high) == (permutation_p(d - m) >= 1 - level)


def test_drawn_permutations_are_those_of_scipy():
    d = np.random.default_rng(3).normal(0.2, 0.5, 30)
    _, p = permutation_tests(d[:, None], 0.05, 20_000, np.random.default_rng(0))[0]
    theirs = stats.permutation_test(
        (d, 0 * d),
        lambda a, b, axis: (a - b).mean(axis=axis),
        permutation_type="samples",
        n_resamples=20_000,
        vectorized=True,
        rng=1,
    ).pvalue
    # two estimates of one p: apart by 5 standard errors with a probability of 6e-7
    error = math.sqrt(2 * theirs * (1 - theirs) / 20_000)
    assert abs(p - theirs) < 5 * error < 0.3 * theirs


def test_student_is_scipys():
    d = np.random.default_rng(1).normal(0.1, 0.5, 200)
    theirs = stats.ttest_1samp(d, 0)
    interval, p = student_test(d.mean(), d.std(ddof=1), 200, 0.05)
    assert p == pytest.approx(theirs.pvalue, rel=1e-12)
    ends = theirs.confidence_interval()
    assert (interval.low, interval.high) == pytest.approx((ends.low, ends.high), rel=1e-12)
    found = paired_difference(d)
    assert found.interval.low == pytest.approx(ends.low, abs=0.02)
    assert found.interval.low <= ends.low < ends.high <= found.interval.high
    assert found.p == pytest.approx(theirs.pvalue, abs=0.02)
    assert found.effect == pytest.approx(d.mean() / d.std(ddof=1))


@pytest.mark.slow
@given(
    st.lists(st.sampled_from([-1.0, -0.5, -0.1, 0.0, 0.0, 0.0, 0.2, 0.5, 1.0]), min_size=8, max_size=24),
    st.sampled_from([0.8, 0.9, 0.95, 0.99]),
)
@settings(max_examples=100, deadline=None, derandomize=True)
def test_an_interval_leaves_out_0_exactly_if_p_is_below_alpha(values, level):
    """Ties, zeros and few queries; permutations all taken, or drawn."""
    for resamples in (199, 999):
        found = paired_difference(np.array(values), level=level, resamples=resamples)
        assert (found.sign != 0) == (found.p < alpha_of(level))
        if found.identical:
            assert not any(values)
        else:
            assert found.interval.low <= found.mean <= found.interval.high
            assert found.sign in (0, math.copysign(1, found.mean))


def test_five_queries_cannot_reach_significance():
    """Five queries have 32 combinations of signs, so p is at least 1/16, whatever the differences."""
    five = np.array([0.1, 0.2, 0.05, 0.15, 0.3])
    assert permutation_p(five) == 0.0625
    refused(r"at level 0\.95 needs at least 6 common queries, there are 5", paired_difference, five)
    assert paired_difference(five, level=0.9).sign == 1
    assert paired_difference(np.append(five, 0.2)).sign == 1
    for level in (0.5, 0.8, 0.9, 0.95, 0.99, 0.999):
        fewest = fewest_queries(level)
        assert 2.0 ** -(fewest - 1) < 1 - level <= 2.0 ** -(fewest - 2)
        assert paired_difference(np.linspace(1, 1.1, fewest), level=level, power=0.9999).sign == 1
    with pytest.raises(InputError, match=r"^resamples: must exceed 19 at this level, got 18"):
        paired_difference(np.append(five, 0.2), resamples=18)


def test_no_difference_and_a_constant_one():
    same = paired_difference(np.array([0.0, 1e-16, -1e-16, 0.0, 0.0, 0.0, 1e-17]))
    assert same.identical
    assert (same.mean, same.p, same.queries, same.effect, same.sign) == (0.0, 1.0, None, 0.0, 0)
    constant = paired_difference(np.full(10, 0.1))
    assert constant.interval.low == pytest.approx(0.1)
    assert constant.interval.high == pytest.approx(0.1)
    assert (constant.effect, constant.p, constant.queries) == (math.inf, 2.0**-9, 2)
    for level in (0.0, 1.0, 1 - 1e-15):
        refused(r"^level: must lie inside \(0, 1\), got", paired_difference, np.ones(5), level=level)


@pytest.fixture
def _without_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the numbers of queries, which take most of the time of a comparison."""
    monkeypatch.setattr(paired, "replication", lambda *_: ())


@pytest.mark.slow
@pytest.mark.parametrize("queries", [6, 20, 50])
@pytest.mark.usefixtures("_without_sizes")
def test_intervals_cover(queries):
    """Dense differences are covered as often as stated, sparse ones if there are enough queries."""
    rng = np.random.default_rng(5)
    tried = 1000
    dense = rng.beta(2, 3, (tried, queries)) - rng.beta(0.5, 1.5, (tried, queries))
    kind = rng.choice([-1.0, 0.0, 1.0], p=[0.1, 0.65, 0.25], size=(tried, queries))  # as of nDCG@1
    for experiments, mean in ((dense, 0.15), (kind, 0.15)):
        found = [paired_difference(d, resamples=499, seed=i).interval for i, d in enumerate(experiments)]
        covered = sum(i.low <= mean <= i.high for i in found if i)
        least = 0.95 if experiments is dense or queries >= 20 else 0.9
        # below with a probability of 1e-4 if the coverage is the least allowed
        assert covered >= stats.binom.ppf(1e-4, tried, least)
    # intervals of half the length do not pass
    narrow = sum(i.low + (i.high - i.low) / 4 <= mean <= i.high - (i.high - i.low) / 4 for i in found if i)
    assert narrow < stats.binom.ppf(1e-4, tried, least)
