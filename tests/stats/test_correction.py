"""Corrections for the number of tests: by hand, by brute force, and error rates where the truth is known."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from cases import paired_difference
from scipy import stats

from ndcg_asymptotics.stats.correction import DESCRIPTIONS, MultipleTests, holm, max_t


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]


def adjusted(p: list[float]) -> list[float]:
    return MultipleTests(correction="bh").corrected(p, np.empty((0, len(p))))


def test_benjamini_hochberg_by_hand():
    assert adjusted([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.02, 0.04, 0.04, 0.02])
    assert adjusted([0.3]) == [0.3]
    assert adjusted([]) == []


def by_definition(d: np.ndarray) -> list[float]:
    """Step-down max-T over all changes of signs, with Student's t itself as the statistic."""
    signs = np.array(list(itertools.product([-1, 1], repeat=len(d))))
    changed = signs[:, :, None] * d
    t = np.abs(changed.mean(axis=1)) / (changed.std(axis=1, ddof=1) / np.sqrt(len(d)))
    observed = np.abs(d.mean(axis=0)) / (d.std(axis=0, ddof=1) / np.sqrt(len(d)))
    found, previous, left = np.empty(d.shape[1]), 0.0, list(range(d.shape[1]))
    for test in np.argsort(-observed):
        largest = t[:, left].max(axis=1)
        previous = max(previous, float(np.mean(largest >= observed[test] * (1 - 1e-9))))
        found[test] = previous
        left.remove(test)
    return found.tolist()


@pytest.mark.parametrize("seed", range(5))
def test_max_t_is_brute_force_over_all_signs(seed):
    rng = np.random.default_rng(seed)
    runs = rng.normal([0.0, 0.0, 0.5, 1.5], 1.0, (8, 4)).round(1)
    d = np.column_stack([runs[:, a] - runs[:, b] for a, b in itertools.combinations(range(4), 2)])
    found = max_t(d)
    assert found == by_definition(d)
    # one step for all tests is another procedure
    signs = np.array(list(itertools.product([-1, 1], repeat=len(d))))
    u = np.abs(signs @ d) / np.sqrt((d * d).sum(axis=0))
    observed = np.abs(d.sum(axis=0)) / np.sqrt((d * d).sum(axis=0))
    one_step = [float(np.mean(u.max(axis=1) >= x - 1e-9)) for x in observed]
    assert all(p <= q for p, q in zip(found, one_step, strict=True))
    assert found != one_step


def test_one_test_is_the_permutation_test_and_no_p_is_below_the_uncorrected_one():
    d = np.random.default_rng(3).normal(0.15, 1.0, (40, 6))
    p = [paired_difference(column, resamples=999).p for column in d.T]
    assert MultipleTests(correction="maxt", resamples=999).corrected(p[:1], d[:, :1]) == p[:1]
    for correction in DESCRIPTIONS:
        found = MultipleTests(correction=correction, resamples=999).corrected(p, d)
        assert all(q >= one for q, one in zip(found, p, strict=True))


def test_identical_runs_have_p_1():
    d = np.random.default_rng(4).normal(1.0, 1.0, (20, 3))
    d[:, 1] = 1e-16
    found = max_t(d)
    assert found[1] == 1.0
    assert max(found[0], found[2]) < 0.05


@pytest.mark.slow
@pytest.mark.parametrize("better", [0.0, 3.0])
def test_the_family_wise_error_rate(better):
    """Six runs of one quality and one that is equal or far better: 21 pairs, two measures, 30 queries."""
    tried, pairs = 400, list(itertools.combinations(range(7), 2))
    null = np.array([a > 0 or not better for a, _ in pairs] * 2)
    rng, alarms, uncorrected = np.random.default_rng(11), 0, 0
    for seed in range(tried):
        first = rng.normal(size=(30, 7))
        second = 0.7 * first + rng.normal(size=(30, 7))  # a measure that agrees in part
        values = [x + better * (np.arange(7) == 0) for x in (first, second)]
        d = np.column_stack([x[:, a] - x[:, b] for x in values for a, b in pairs])
        alarms += bool((np.array(max_t(d, 999, seed))[null] < 0.05).any())
        uncorrected += bool((stats.ttest_1samp(d[:, null], 0).pvalue < 0.05).any())
    # normal differences are symmetric, so the rate is 0.049 (p is a multiple of 1/1000) where all runs are
    # alike, and at most that otherwise; outside with a probability of 1e-4 on each side
    assert alarms <= stats.binom.ppf(1 - 1e-4, tried, 0.049)
    assert better or alarms >= stats.binom.ppf(1e-4, tried, 0.049)
    assert uncorrected > stats.binom.ppf(1 - 1e-4, tried, 0.049)


def test_limits_of_a_correction_are_stated():
    by_holm, by_bh = MultipleTests(correction="holm"), MultipleTests(correction="bh")
    assert MultipleTests(correction="maxt").limitation(1000, 100) is None
    assert by_holm.limitation(499, 100) is None
    assert by_holm.limitation(500, 100) == (
        "With 9999 permutations no p-value is below 0.0001, so Holm's correction for 500 tests can reject "
        "nothing"
    )
    assert by_bh.limitation(6, 8) is None
    said = by_bh.limitation(12, 6)
    assert said.startswith("With 6 queries no p-value is below 0.031")
    assert said.endswith("can reject only 8 or more of them together")
    # that is so: 12 p-values at the floor, or 7 of them
    for count, rejected in ((7, 0), (8, 8)):
        p = [1 / 32] * count + [1.0] * (12 - count)
        assert sum(q < 0.05 for q in adjusted(p)) == rejected
    assert [q < 0.05 for q in holm([1e-4] * 499)] == [True] * 499
    assert not any(q < 0.05 for q in holm([1e-4] * 500))
