"""Tests of laws: the true law agrees, others with its mean and standard deviation do not."""

from __future__ import annotations

import numpy as np
import pytest
from cases import LINEAR, simulated, study
from scipy import stats

from ndcg_asymptotics.analysis.check import check
from ndcg_asymptotics.analysis.law_tests import LawTest, judge_law
from ndcg_asymptotics.analysis.mean_tests import Simulated
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.cache import TheoryCache
from ndcg_asymptotics.theory.values import TheoreticalValues

N = 20_000
HALF = "constant(0.5)"


def law_row(curve: str, measure: str, values: np.ndarray, n: int = N, factor: float = 1.0) -> LawTest:
    theory = TheoreticalValues(Relevance.of(curve), Measure.of(measure), TheoryCache(None))
    return judge_law(simulated_values(values, n), theory, "a", factor, 1e-6)


def simulated_values(values: np.ndarray, n: int) -> Simulated:
    column = values.reshape(-1, 1)
    return Simulated((n,), column, column, column)


def values_of(curve: str, measure: str, count: int = 600) -> np.ndarray:
    return simulated(study(curve, (N,), measure), count).data["ndcg"].to_numpy().ravel()


@pytest.mark.parametrize(
    ("measure", "law"),
    [("nDCG(linear)", "normal"), ("nDCG(geometric(2))", "lasting"), ("nDCG@10", "lasting")],
)
def test_the_true_law_agrees_and_a_scaled_one_does_not(measure: str, law: str) -> None:
    """False alarm: 1e-6."""
    values = values_of(HALF, measure)
    row = law_row(HALF, measure, values)
    assert (row.verdict, row.law) == ("agrees", law)
    assert row.stated is not None
    assert row.stated < 0.01
    assert law_row(HALF, measure, values, factor=1.3).verdict == "disagrees"


def test_another_law_of_the_same_mean_and_std_disagrees() -> None:
    rng = np.random.default_rng(2)
    uniform = law_row(HALF, "nDCG(geometric(2))", rng.random(600))
    assert uniform.verdict == "agrees"  # which it is for fair labels
    normal = np.clip(rng.normal(0.5, 12**-0.5, 4000), 0, 1)
    assert law_row(HALF, "nDCG(geometric(2))", normal).verdict == "disagrees"
    std = TheoryCache(None).std(Relevance.of(HALF), Measure.of("nDCG(linear)"), [N]).value[0]
    mean = TheoryCache(None).mean(Relevance.of(HALF), Measure.of("nDCG(linear)"), [N]).value[0]
    flat = mean + std * 12**0.5 * (rng.random(4000) - 0.5)
    assert law_row(HALF, "nDCG(linear)", flat).verdict == "disagrees"


@pytest.mark.parametrize(
    ("measure", "count", "n", "reason"),
    [
        ("nDCG(zipf)", 600, 50, "only known to within"),
        ("nDCG", 600, 50, "only known to within"),
        ("nDCG(linear)", 20, N, "too few replicates"),
        ("nDCG@0.5n", 600, 20, "only known to within"),
        ("nDCG@0.5n", 600, 10**4, "only known to within"),  # the ideal list is full, or it is not
    ],
)
def test_reasons_for_no_test(measure: str, count: int, n: int, reason: str) -> None:
    row = law_row(HALF, measure, np.full(count, 0.5), n)
    assert row.verdict == "not tested"
    assert reason in row.reason


@pytest.mark.slow
def test_the_level_is_that_of_kolmogorov_and_smirnov() -> None:
    """120 samples of atoms (nDCG@3) and of a continuous law; level 0.05; by chance 1e-4 for each."""
    rng, level = np.random.default_rng(6), 0.05
    weights = np.log(2.0) / np.log([2.0, 3.0, 4.0])
    draws = {
        "nDCG@3": lambda: (rng.random((300, 3)) < 0.5) @ weights / weights.sum(),
        "nDCG(geometric(2))": lambda: rng.random(300),
    }
    for measure, draw in draws.items():
        theory = TheoreticalValues(Relevance.of(HALF), Measure.of(measure), TheoryCache(None))
        alarms = 0
        for _ in range(120):
            row = judge_law(simulated_values(draw(), 10**6), theory, "a", 1.0, level)
            alarms += row.verdict == "disagrees"
        assert stats.binomtest(alarms, 120, level, "greater").pvalue > 1e-4


def test_check_shows_every_law() -> None:
    of = study({"a": LINEAR, "b": "random"}, (100, N), ("nDCG(linear)", "nDCG@5"))
    drawn = simulated(of, 400)
    found = check(drawn)
    assert [(row.scorer, row.measure, row.n) for row in found.laws] == [
        (name, str(measure), N) for name in of.scorers for measure in of.measures
    ]
    assert {row.verdict for row in found.laws} == {"agrees"}
    assert {row.verdict for row in check(drawn, perturb=0.3).laws} == {"disagrees"}
    assert "Kolmogorov" in "".join(map(str, found.long()))
