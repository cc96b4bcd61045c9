"""Required lists and lengths, and that simulation confirms them."""

import math

import mpmath
import numpy as np
import pytest
from scipy import special, stats

from ndcg_asymptotics.analysis.power import lists_for, paired_power
from ndcg_asymptotics.analysis.required import required
from ndcg_asymptotics.core.errors import InputError

GOOD, BLANK = "linear(0.1, 0.7)", "constant(0.4)"


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


def drawn(n: int, count: int, weights: np.ndarray, seed: int) -> np.ndarray:
    """NDCG of `GOOD` less that of `BLANK`, by their definition."""
    rng = np.random.default_rng(seed)
    ideal = np.concatenate(([1.0], np.cumsum(weights)))
    depth = np.sort(rng.random((count, n)), axis=1)
    label = rng.random(depth.shape) < 0.7 - 0.6 * depth
    # of the same labels, in an order that knows nothing
    other = rng.permuted(label, axis=1)
    return (label @ weights - other @ weights) / ideal[label.sum(axis=1)]


def test_the_required_length_and_number_are_confirmed() -> None:
    (row,) = required(GOOD, BLANK, "nDCG", n=40).rows
    assert row.required_n is not None
    assert row.required_lists is not None
    log = lambda n: 1 / np.log(np.arange(2.0, n + 2))  # noqa: E731
    right = int((drawn(row.required_n, 40_000, log(row.required_n), seed=1) > 0).sum())
    # the simulation that finds the length is off by up to 0.3%
    assert abs(right / 40_000 - 0.95) < 0.003 + 5 * math.sqrt(0.95 * 0.05 / 40_000)
    shorter = drawn(row.required_n // 2, 40_000, log(row.required_n // 2), seed=2)
    assert np.mean(shorter > 0) < 0.93
    tests = drawn(40, 4000 * row.required_lists, log(40), seed=3).reshape(4000, -1)
    power = np.mean(stats.ttest_1samp(tests, 0.0, axis=1).pvalue < 0.05)
    assert abs(power - 0.8) < 0.05 + 5 * math.sqrt(0.16 / 4000)
    assert row.difference == pytest.approx(tests.mean(), abs=5 * tests.std() / math.sqrt(tests.size))


def test_an_order_that_never_settles_says_so() -> None:
    (row,) = required(GOOD, BLANK, "nDCG(geometric(2))", n=100).rows
    assert row.required_n is None
    assert row.required_lists == 16
    assert "never settles" in row.reason


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"b": GOOD}, "both have the relevance curve"),
        ({"b": "constant(0.5)"}, "share their labels"),
        ({"power": 0.03}, "power: must lie between alpha = 0.05 and 1, got 0.03"),
        ({"power": 1.0}, "power: must lie"),
        ({"alpha": 0.0}, "alpha: must lie inside"),
        ({"rate": 0.5}, "rate: must lie"),
        ({"n": 0}, "n: must be list lengths"),
        ({"measures": []}, "at least one measure"),
    ],
)
def test_bad_input(change: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        required(**({"a": GOOD, "b": BLANK, "measures": "nDCG", "n": 10} | change))


def test_a_measure_without_an_exact_variance_says_so() -> None:
    (row,) = required(GOOD, BLANK, "nDCG(power(40))", n=10).rows
    assert row.sd is None
    assert row.required_lists is None
    assert row.reason
