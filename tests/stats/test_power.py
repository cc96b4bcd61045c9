"""The power of tests and the sizes of samples, against integration and simulation."""

import mpmath
import numpy as np
import pytest
from cases import refused
from oracles.paired import t_beyond
from scipy import special, stats

from ndcg_asymptotics.stats.power import detectable_effect, paired_power, sd_interval


def exact_power(effect: float, lists: int, alpha: float) -> float:
    """The power of the paired t test; a double is too coarse for its threshold at levels such as 1e-12."""
    with mpmath.workdps(25):
        freedom = mpmath.mpf(lists - 1)

        def level(t: mpmath.mpf) -> mpmath.mpf:
            return mpmath.betainc(freedom / 2, 0.5, 0, freedom / (freedom + t * t), regularized=True) - alpha

        threshold = mpmath.findroot(level, float(-special.stdtrit(lists - 1, alpha / 2)))
        return t_beyond(threshold, lists, effect) + t_beyond(threshold, lists, -effect)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("effect", "lists", "alpha"),
    [
        (0.5, 34, 0.05),
        (3.0, 2, 0.05),
        (1e4, 2, 1e-4),
        (30.0, 4, 1e-5),
        (0.05, 20_000, 1e-9),
        (0.2, 2500, 1e-12),
    ],
)
def test_power_is_exact_for_any_level_and_number(effect: float, lists: int, alpha: float) -> None:
    exact = exact_power(effect, lists, alpha)
    assert paired_power(effect, lists, alpha) == pytest.approx(exact, abs=2e-9)
    assert abs(paired_power(effect * 1.001, lists, alpha) - exact) > 2e-9


def test_an_effect_is_detected_with_the_power() -> None:
    for lists in (2, 5, 50, 10**6):
        effect = detectable_effect(lists, 0.8, 0.05)
        assert paired_power(effect, lists, 0.05) == pytest.approx(0.8, abs=1e-9)
    refused("queries: must be at least 2, got 1", detectable_effect, 1, 0.8, 0.05)


def test_the_interval_of_a_standard_deviation_covers_it() -> None:
    sds = np.random.default_rng(3).normal(size=(20_000, 15)).std(axis=1, ddof=1)
    low, high = sd_interval(1.0, 15, 0.1)
    covered = int(np.count_nonzero((sds * low < 1) & (sds * high > 1)))
    assert stats.binomtest(covered, 20_000, 0.9).pvalue > 1e-6
    assert stats.binomtest(covered, 20_000, 0.92).pvalue < 1e-6
    refused("pilot: must be a whole number from 2", sd_interval, 1.0, 1, 0.05)
