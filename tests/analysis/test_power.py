"""The power of tests and the sizes of samples, against integration, simulation and published numbers."""

import math
from collections.abc import Callable

import mpmath
import numpy as np
import pytest
from scipy import special, stats

from ndcg_asymptotics.analysis.power import (
    anova_power,
    detectable_effect,
    lists_for,
    lists_for_anova,
    lists_for_width,
    mean_width,
    paired_power,
    sd_interval,
)
from ndcg_asymptotics.core.errors import InputError


def test_power_is_that_of_the_paired_test() -> None:
    draws = np.random.default_rng(1).normal(0.5, 1.0, (20_000, 34))
    rejected = int((stats.ttest_1samp(draws, 0.0, axis=1).pvalue < 0.05).sum())
    interval = stats.binomtest(rejected, 20_000).proportion_ci(1 - 1e-6)  # false alarm: 1e-6
    assert interval.low < paired_power(0.5, 34, 0.05) < interval.high
    assert not interval.low < paired_power(0.5, 40, 0.05) < interval.high


def exact_power(effect: float, lists: int, alpha: float) -> float:
    """The power of the paired t test, integrated over the law of the sample's standard deviation."""
    with mpmath.workdps(25):
        freedom, shift = mpmath.mpf(lists - 1), mpmath.mpf(effect) * mpmath.sqrt(lists)

        def level(t: mpmath.mpf) -> mpmath.mpf:
            return mpmath.betainc(freedom / 2, 0.5, 0, freedom / (freedom + t * t), regularized=True) - alpha

        threshold = mpmath.findroot(level, float(-special.stdtrit(lists - 1, alpha / 2)))
        norm = freedom / 2 * mpmath.log(freedom / 2) - mpmath.loggamma(freedom / 2) + mpmath.log(2)

        def density(s: mpmath.mpf) -> mpmath.mpf:
            weight = mpmath.exp(norm + (freedom - 1) * mpmath.log(s) - freedom * s * s / 2)
            return weight * (mpmath.ncdf(shift - threshold * s) + mpmath.ncdf(-shift - threshold * s))

        std = 1 / math.sqrt(2 * (lists - 1))
        places = {max(0.0, 1 + j * std) for j in range(-12, 13, 2)} | {3.0 if lists > 4 else 12.0}
        places |= {float(shift / threshold) * x for x in (0.5, 0.9, 1, 1.1, 2)}
        return float(mpmath.quad(density, sorted(places)))


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


def test_many_lists_at_a_small_level_are_not_those_of_the_normal_law() -> None:
    lists = lists_for(0.1, 0.8, 1e-9)
    normal = ((stats.norm.isf(0.5e-9) + stats.norm.ppf(0.8)) / 0.1) ** 2
    assert lists is not None
    assert lists > normal + 15
    assert exact_power(0.1, lists, 1e-9) >= 0.8 > exact_power(0.1, lists - 1, 1e-9)


@pytest.mark.parametrize("effect", [3.0, 0.7, 0.1, 0.06])
def test_one_list_less_is_not_enough(effect: float) -> None:
    lists = lists_for(effect, 0.8, 0.05)
    assert lists is not None
    assert paired_power(effect, lists, 0.05) >= 0.8
    assert lists == 2 or paired_power(effect, lists - 1, 0.05) < 0.8


def f_power(effect: float, lists: int, systems: int, within: int, alpha: float) -> float:
    """The power of an F test as a Poisson mixture of beta laws."""
    between, rate = systems - 1, lists * effect**2 / 2
    x = between * (threshold := stats.f.isf(alpha, between, within)) / (between * threshold + within)
    j = np.arange(int(rate + 12 * math.sqrt(rate) + 40))
    return float(1 - stats.poisson.pmf(j, rate) @ special.betainc(between / 2 + j, within / 2, x))


@pytest.mark.parametrize(
    ("effect", "lists", "systems"), [(0.5, 34, 2), (0.3, 60, 5), (0.1, 900, 20), (2.0, 3, 3)]
)
@pytest.mark.parametrize("paired", [True, False])
def test_power_of_an_analysis_of_variance(effect: float, lists: int, systems: int, paired: bool) -> None:
    within = (systems - paired) * (lists - 1)
    exact = f_power(effect, lists, systems, within, 0.05)
    assert anova_power(effect, lists, systems, 0.05, paired=paired) == pytest.approx(exact, abs=1e-9)
    assert abs(anova_power(1.01 * effect, lists, systems, 0.05, paired=paired) - exact) > 1e-4
    if paired and systems == 2:
        assert exact == pytest.approx(paired_power(effect, lists, 0.05), abs=1e-8)


def test_an_analysis_of_variance_rejects_as_planned() -> None:
    """Two-way, with queries as blocks: the variance between queries does not matter."""
    lists = lists_for_anova(0.6, 4, 0.8, 0.05)
    assert lists is not None
    rng, count = np.random.default_rng(4), 20_000
    # sd of a difference of two systems 1, so that of one given the query is sqrt(1/2)
    scores = rng.normal(scale=3.0, size=(count, lists, 1)) + rng.normal(
        scale=0.5**0.5, size=(count, lists, 4)
    )
    scores += np.array([0.3, 0.0, 0.0, -0.3])
    scores -= scores.mean(axis=2, keepdims=True)
    means = scores.mean(axis=1)
    between = lists * (means**2).sum(axis=1) / 3
    within = ((scores - means[:, None]) ** 2).sum(axis=(1, 2)) / (3 * (lists - 1))
    rejected = float(np.mean(between / within > stats.f.isf(0.05, 3, 3 * (lists - 1))))
    error = math.sqrt(0.16 / count)
    assert abs(rejected - anova_power(0.6, lists, 4, 0.05)) < 5 * error  # false alarm: 6e-7
    assert abs(rejected - anova_power(0.65, lists, 4, 0.05)) > 5 * error


def test_numbers_that_were_published() -> None:
    # Vidakovic (2011), Statistics for Bioengineering Sciences, example 11.8: four treatments, lambda = n/4
    assert lists_for_anova(0.5, 4, 0.9, 0.05, paired=False) == 58
    assert anova_power(0.5, 60, 4, 0.05, paired=False) == pytest.approx(0.9122, abs=5e-5)
    # statpsych (R), size.ci.mean.ps: variances 5 and 265, correlations 0.5 and 0.8, widths 2 and 10
    assert lists_for_width(2 / math.sqrt(5), 0.05) == 22
    assert lists_for_width(10 / math.sqrt(106), 0.05) == 19


def test_the_mean_width_is_that_of_drawn_intervals() -> None:
    sds = np.random.default_rng(8).normal(size=(40_000, 12)).std(axis=1, ddof=1)
    widths = 2 * stats.t.isf(0.025, 11) * sds / math.sqrt(12)
    error = float(widths.std()) / 200
    assert abs(widths.mean() - mean_width(12, 0.05)) < 5 * error  # false alarm: 6e-7
    assert abs(widths.mean() - 1.01 * mean_width(12, 0.05)) > 3 * error
    # and one list less is not enough
    for width in (0.2, 1.0, 3.0):
        lists = lists_for_width(width, 0.05)
        assert lists is not None
        assert mean_width(lists, 0.05) <= width < mean_width(lists - 1, 0.05)


def test_an_effect_is_detected_with_the_power() -> None:
    for lists in (2, 5, 50, 10**6):
        effect = detectable_effect(lists, 0.8, 0.05)
        assert paired_power(effect, lists, 0.05) == pytest.approx(0.8, abs=1e-9)


def test_the_interval_of_a_standard_deviation_covers_it() -> None:
    sds = np.random.default_rng(3).normal(size=(20_000, 15)).std(axis=1, ddof=1)
    low, high = sd_interval(1.0, 15, 0.1)
    covered = int(np.count_nonzero((sds * low < 1) & (sds * high > 1)))
    assert stats.binomtest(covered, 20_000, 0.9).pvalue > 1e-6
    assert stats.binomtest(covered, 20_000, 0.92).pvalue < 1e-6


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lists_for_anova(0.5, 1, 0.8, 0.05), "systems: must be at least 2, got 1"),
        (lambda: detectable_effect(1, 0.8, 0.05), "queries: must be at least 2, got 1"),
        (lambda: lists_for_width(0.0, 0.05), "width: must be positive"),
        (lambda: sd_interval(1.0, 1, 0.05), "pilot: must be at least 2"),
        (lambda: lists_for(0.5, 0.01, 0.05), "power: must lie between alpha = 0.05 and 1"),
    ],
)
def test_bad_designs(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()
