"""Tests of laws: the true law agrees, others with its mean and standard deviation do not."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from cases import LINEAR, simulated, study
from scipy import stats

from ndcg_asymptotics.analysis.check import check
from ndcg_asymptotics.analysis.law_tests import LawTest, _critical_distance, judge_law
from ndcg_asymptotics.analysis.mean_tests import Simulated
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance, Scorer
from ndcg_asymptotics.theory.fluctuations import ndcg_std
from ndcg_asymptotics.theory.mean import expected_ndcg
from ndcg_asymptotics.theory.values import TheoreticalValues

N = 20_000
HALF = "constant(0.5)"


def law_row(curve: str, measure: str, values: np.ndarray, n: int = N, factor: float = 1.0) -> LawTest:
    theory = TheoreticalValues(Relevance.of(curve), Measure.of(measure))
    return judge_law(simulated_values(values, n), theory, "a", factor, 1e-6)


def simulated_values(values: np.ndarray, n: int) -> Simulated:
    column = values.reshape(-1, 1)
    return Simulated((n,), column, column, column)


def values_of(curve: str, measure: str, count: int = 600) -> np.ndarray:
    return simulated(study(curve, (N,), measure), count).data["ndcg"].to_numpy().ravel()


@pytest.mark.slow
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
    std = ndcg_std(Relevance.of(HALF), Measure.of("nDCG(linear)"), [N]).value[0]
    mean = expected_ndcg(Relevance.of(HALF), Measure.of("nDCG(linear)"), [N]).value[0]
    flat = mean + std * 12**0.5 * (rng.random(4000) - 0.5)
    assert law_row(HALF, "nDCG(linear)", flat).verdict == "disagrees"


@pytest.mark.parametrize(
    ("measure", "count", "n", "reason"),
    [
        ("nDCG(zipf)", 600, 50, "only known to within"),
        ("nDCG", 600, 50, "only known to within"),
        ("nDCG(linear)", 20, N, "too few replicates"),
        ("nDCG@0.5n", 600, 30, "only known to within"),
        ("nDCG@0.5n", 600, 10**4, "only known to within"),  # the ideal list is full, or it is not
    ],
)
def test_reasons_for_no_test(measure: str, count: int, n: int, reason: str) -> None:
    row = law_row(HALF, measure, np.full(count, 0.5), n)
    assert row.verdict == "not tested"
    assert reason in row.reason


@pytest.mark.slow
def test_the_level_is_that_of_kolmogorov_and_smirnov(monkeypatch: pytest.MonkeyPatch) -> None:
    """120 samples of atoms (nDCG@3) and of a continuous law; level 0.05; by chance 1e-4 for each."""
    monkeypatch.setattr(TheoreticalValues, "law", cache(TheoreticalValues.law))  # one law for all samples
    rng, level = np.random.default_rng(6), 0.05
    weights = np.log(2.0) / np.log([2.0, 3.0, 4.0])
    draws = {
        "nDCG@3": lambda: (rng.random((300, 3)) < 0.5) @ weights / weights.sum(),
        "nDCG(geometric(2))": lambda: rng.random(300),
    }
    for measure, draw in draws.items():
        theory = TheoreticalValues(Relevance.of(HALF), Measure.of(measure))
        alarms = 0
        for _ in range(120):
            row = judge_law(simulated_values(draw(), 10**6), theory, "a", 1.0, level)
            alarms += row.verdict == "disagrees"
        assert stats.binomtest(alarms, 120, level, "greater").pvalue > 1e-4


def values_of_one_item(kappa: float, measure: str, n: int, count: int, shift: int = 0) -> np.ndarray:
    """NDCG of lists with one relevant item, drawn here; ``shift`` moves it down."""
    rng, parsed = np.random.default_rng(8), Measure.parse(measure)
    ranks = 1.0 + shift + rng.binomial(n - 1, rng.random(count) ** (1 / kappa))
    discounts = parsed.discount(ranks, float(n))
    best = parsed.discount(1.0, float(n)) if parsed.normalised else 1.0
    return np.where(ranks <= parsed.cutoff(n), discounts / best, 0.0)


@pytest.mark.parametrize("measure", ["nDCG", "nDCG@10", "nDCG(constant)@10", "DCG(zipf)"])
def test_the_exact_law_of_one_relevant_item(measure: str) -> None:
    """False alarm: 1e-6. Multiplied by 1.01 or shifted by three ranks, the law disagrees."""
    parsed = Measure.parse(measure)
    theory = TheoreticalValues(Scorer.parse("relevant(1, roc_power(0.4))"), parsed)
    values = values_of_one_item(0.4, measure, 30, 4000)

    def verdict(drawn: np.ndarray, factor: float = 1.0) -> str:
        row = judge_law(simulated_values(drawn, 30), theory, "a", factor, 1e-6)
        assert row.law == "one item"
        return row.verdict

    assert verdict(values) == "agrees"
    assert {verdict(values, factor) for factor in (1.01, 0.99)} == {"disagrees"}
    assert verdict(values_of_one_item(0.4, measure, 30, 4000, shift=3)) == "disagrees"
    assert verdict(values_of_one_item(0.5, measure, 30, 4000)) == "disagrees"


@pytest.mark.slow
@pytest.mark.long
def test_exact_laws_keep_the_level() -> None:
    """100 samples of 300 lists; level 0.05; by chance 1e-4 for each."""
    scorer = Scorer.parse("relevant(1, roc_power(0.4))")
    for n, measure in ((4, "nDCG"), (10**9, "nDCG"), (50, "nDCG@5")):
        theory = TheoreticalValues(scorer, Measure.of(measure))
        drawn = values_of_one_item(0.4, measure, n, 30_000).reshape(100, 300)
        alarms = sum(
            judge_law(simulated_values(row, n), theory, "a", 1.0, 0.05).verdict == "disagrees"
            for row in drawn
        )
        assert stats.binomtest(alarms, 100, 0.05, "greater").pvalue > 1e-4


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("level", [0.05, 1e-4, 1e-7])
@pytest.mark.parametrize("count", [100, 1000, 9999, 10_001, 200_000])
def test_critical_distances_are_those_of_the_two_sided_law(count: int, level: float) -> None:
    """scipy's p-values of small levels are differences from 1, in samples of 141 to 100,000."""
    beyond = stats.kstwo.sf(_critical_distance(level, count), count)
    assert beyond == pytest.approx(level, rel=3e-3)
