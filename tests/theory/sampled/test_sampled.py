"""Metrics of sampled ranks, against scipy's laws; the bias-variance estimate."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.discounts import formula
from scipy import stats

from ndcg_asymptotics.core.errors import InputError, NotAvailableError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.theory.sampled import (
    bias_variance_estimate,
    corrected,
    law,
    metric_of_ranks,
    sampled_moments,
)

MEASURES = [
    *("nDCG", "nDCG(geometric(2))", "nDCG(linear)", "nDCG(zipf)@0.5n", "nDCG(power(0.5))@n^0.5"),
    *("nDCG@2", "nDCG(constant)@2", 'nDCG(custom("numpy:reciprocal", 10000))@3'),
]


def sampled(
    measure: str, ranks: list[int] | np.ndarray, items: int, m: int, replacement: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """The mean and variance of a metric against m negatives, by user."""
    values = metric_of_ranks(Measure.parse(measure), np.arange(1, m + 2), m + 1)
    return sampled_moments(values, np.array(ranks), items, replacement=replacement)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("items", "m"),
    [(9, 1), (9, 4), (9, 8), (200_001, 7), (200_001, 900), (200_001, 50_000), (200_001, 199_000)],
)
@pytest.mark.parametrize("replacement", [False, True])
def test_moments_are_sums_over_the_law_of_the_sampled_rank(items: int, m: int, replacement: bool) -> None:
    """Of catalogues of 9 items, and of 200,001, where likely counts stand for all."""
    ranks = range(1, 10) if items == 9 else [1, 2, 30, 4000, 40_001, 40_500, 199_000, 200_001]
    x, above = np.arange(m + 1), np.array(ranks)[:, None] - 1
    law_of = stats.binom(m, above / (items - 1)) if replacement else stats.hypergeom(items - 1, above, m)
    chances = law_of.pmf(x)
    chances /= chances.sum(axis=1, keepdims=True)  # scipy's hypergeometric has lost 9 digits
    for measure in [*MEASURES, "nDCG(zipf)@10", "nDCG@0.2n"]:
        if "custom" in measure and m > 1000:
            continue
        mean, variance = sampled(measure, np.array(ranks), items, m, replacement)
        discount, k = formula(measure, m + 1)
        value = np.where(x < k, discount(x + 1.0), 0.0) / discount(1.0)
        want = chances @ value
        np.testing.assert_allclose(mean, want, rtol=0, atol=1e-9 if items > 9 else 1e-12)
        spread = (chances * (value - want[:, None]) ** 2).sum(axis=1)
        np.testing.assert_allclose(variance, spread, rtol=0, atol=1e-9)


def test_moments_are_those_of_any_number_of_ranks_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ranks = list(range(1, 60, 3))
    whole = sampled("nDCG@9", ranks, 60, 20)
    monkeypatch.setattr(law, "AT_ONCE", 1)
    for found, want in zip(sampled("nDCG@9", ranks, 60, 20), whole, strict=True):
        np.testing.assert_allclose(found, want, rtol=0, atol=1e-14)
    assert (whole[1] > 1e-3).sum() > 10


def law_of_sampled_ranks(items: int, m: int) -> np.ndarray:
    return np.array([stats.binom.pmf(np.arange(m + 1), m, i / (items - 1)) for i in range(items)])


@pytest.mark.parametrize("gamma", [0.05, 0.5, 1.0])
@pytest.mark.parametrize("measure", ["nDCG", "nDCG@10", "nDCG(linear)", MEASURES[-1]])
def test_the_bias_variance_estimate_minimises_what_it_says(
    measure: str, gamma: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    items, m = 400, 12
    chances = law_of_sampled_ranks(items, m)
    discount, k = formula(str(Measure.parse(measure)), items)
    rank = np.arange(1, items + 1)
    f = np.where(rank <= k, discount(rank), 0.0) / discount(1.0)

    def loss(g: np.ndarray) -> float:
        mean = chances @ g
        return float(((mean - f) ** 2 + gamma * (chances @ g**2 - mean**2)).mean())

    found = bias_variance_estimate(Measure.parse(measure), items, m, gamma)
    least = loss(found)
    for r in range(m + 1):
        for step in (-1e-3, 1e-3):
            assert loss(found + step * (np.arange(m + 1) == r)) > least
    # least squares on rows of bias and of deviation from the mean: the same problem, solved by QR
    deviation = np.array([np.sqrt(p)[:, None] * (np.eye(m + 1) - p) for p in chances]).reshape(-1, m + 1)
    rows = np.concatenate((chances, np.sqrt(gamma) * deviation))
    want = np.linalg.lstsq(rows, np.concatenate((f, np.zeros(len(deviation)))), rcond=None)[0]
    np.testing.assert_allclose(found, want, atol=1e-8)
    monkeypatch.setattr(corrected, "AT_ONCE", 100)  # some ranks at a time
    parts = bias_variance_estimate(Measure.parse(measure), items, m, gamma)
    np.testing.assert_allclose(parts, found, atol=1e-9)


def test_what_is_not_estimated() -> None:
    with pytest.raises(InputError, match="gamma: must be above 0"):
        bias_variance_estimate(Measure(), 100, 10, 0.0)
    with pytest.raises(NotAvailableError, match=r"at most 2000 negatives.*got 5000 of 10000 items"):
        bias_variance_estimate(Measure(), 10_000, 5000)
    with pytest.raises(NotAvailableError, match="items"):
        bias_variance_estimate(Measure(), 10**7, 100)
    with pytest.raises(InputError, match="DCG: ranks of one relevant item are measured by NDCG"):
        metric_of_ranks(Measure.parse("DCG"), np.array([1]), 10)
