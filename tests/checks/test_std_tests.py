"""Verdicts on standard deviations: seldom wrong where the truth is claimed, wrong where it is not."""

from __future__ import annotations

import numpy as np
import pytest
from cases import LINEAR, results, simulated, study
from scipy import stats

from ndcg_asymptotics.checks.checking import check
from ndcg_asymptotics.checks.mean_tests import Simulated
from ndcg_asymptotics.checks.std_tests import StdTest, check_std
from ndcg_asymptotics.measures import Discount, Measure, discount
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.stats.betting import detectable, log_wealth
from ndcg_asymptotics.stats.variance_tests import (
    chi_square_detectable,
    chi_square_freedom,
    chi_square_test,
    detectable_std,
    replicates_for_variance,
    variance_log_wealth,
)
from ndcg_asymptotics.theory.mean import expected_ndcg

BINARY = study(
    {"good": LINEAR, "random": "random"},
    (20, 200, 4000),
    ("nDCG", "nDCG(linear)", "nDCG(geometric(2))", "nDCG@0.2n"),
    seed=7,
)
SHELF = discount(lambda r: np.where(r < 5.5, 1.0, 0.25), name="shelf", largest=1e7)
LAWS = {
    "uniform": lambda rng, size: rng.random(size),
    "rare": lambda rng, size: (rng.random(size) < 0.05) * 0.6 + 0.1,
    "skewed": lambda rng, size: np.minimum(rng.exponential(0.08, size), 1.0),
}


@pytest.fixture(scope="module")
def binary() -> Results:
    return simulated(BINARY, 500)


@pytest.mark.slow
def test_true_values_agree_and_wrong_ones_do_not(binary: Results) -> None:
    """Chance of a false alarm 1e-4. Values that are off by 1.5 times the detectable error are detected."""
    found = check(binary)
    assert found.agrees
    tested = [row for row in found.stds if row.verdict != "not tested"]
    assert len(tested) >= 16  # of 24: in lists of 20 and 200 some grades are too few
    assert set(found.detectable_std) == set(map(str, BINARY.measures))
    for measure, error in found.detectable_std.items():
        assert error < 0.5
        for perturb in (1.5 * error, -1.5 * error):
            rows = check(binary, perturb=perturb).stds
            assert any(row.verdict == "disagrees" for row in rows if row.measure == measure)


@pytest.mark.slow
def test_a_std_is_judged_apart_from_the_mean(binary: Results) -> None:
    """Values drawn together or apart about their exact means: the means are right still."""
    of = binary.study
    means = np.array(
        [
            [expected_ndcg(scorer, measure, of.n).value for measure in of.measures]
            for scorer in of.scorers.values()
        ]
    )
    values = binary.data["ndcg"].transpose("replicate", "scorer", "measure", "n").to_numpy()
    found = check(results(of, ndcg=means + 0.5 * (values - means)))
    assert {row.verdict for row in found.rows} == {"agrees"}
    tested = {row.verdict for row in found.stds if row.verdict != "not tested"}
    assert tested == {"disagrees"}
    assert "standard deviations not tested" in str(found)


def row_of(curve: str, text: str | Discount, n: int, replicates: int) -> StdTest:
    of = study(curve, (n,), [text])
    drawn = Simulated.of(simulated(of, replicates), next(iter(of.scorers)), of.measures[0])
    return check_std(drawn, n, "a", 1.0, 1e-6)


@pytest.mark.parametrize(
    ("curve", "measure", "n", "replicates", "reason"),
    [
        (LINEAR, "nDCG(zipf)", 100, 30, "needs 2"),
        (LINEAR, "nDCG@0.2n", 10, 30, "needs 76 replicates"),
        ("constant(1)", "nDCG", 50, 30, "0 up to rounding"),
        (LINEAR, SHELF, 10, 30, "mixture of exponentials"),
    ],
)
def test_reasons_for_no_test(curve: str, measure: str, n: int, replicates: int, reason: str) -> None:
    row = row_of(curve, measure, n, replicates)
    assert row.verdict == "not tested"
    assert reason in row.reason


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("light", [True, False])
def test_bets_hold_their_level_for_any_law(law: str, light: bool) -> None:
    """400 samples, level 0.05; by chance more alarms than allowed with probability below 1e-4."""
    rng, level = np.random.default_rng(3), 0.05
    many = LAWS[law](rng, 10**6)
    mean, variance = float(many.mean()), float(many.var())
    kurtosis = float(stats.kurtosis(many, fisher=False)) if light else None
    largest, alarms, seen = max(mean, 1 - mean) ** 2, 0, 0
    for _ in range(400):
        squares = (LAWS[law](rng, 200) - mean) ** 2
        alarms += variance_log_wealth(squares, squares, largest, variance, variance, kurtosis) > -np.log(
            level
        )
        seen += variance_log_wealth(squares, squares, largest, variance / 9, variance / 9, kurtosis) > 10
    assert stats.binomtest(alarms, 400, level, "greater").pvalue > 1e-4
    assert seen > 230  # and a claim of a third of the standard deviation is seen


def test_a_bounded_fourth_moment_shows_what_is_missing() -> None:
    """A claim of twice the standard deviation of narrow values: rare ones far away could explain it, else."""
    squares = np.random.default_rng(4).normal(0.0, 0.01, 500) ** 2
    assert variance_log_wealth(squares, squares, 0.25, 4e-4, 4e-4, None) < 1
    assert variance_log_wealth(squares, squares, 0.25, 4e-4, 4e-4, 4.0) > 20
    assert detectable_std(squares, 0.25, 1e-6, 0.99, None) == np.inf
    assert replicates_for_variance(1e-4, 0.25, 1e-6, None) > 10_000
    assert replicates_for_variance(1e-4, 0.25, 1e-6, 4.0) < 500


@pytest.mark.slow
@pytest.mark.parametrize(("items", "level"), [(300.0, 0.01), (300.0, 1e-3), (30.0, 1e-3)])
def test_chi_square_holds_its_level_for_values_a_little_skewed(items: float, level: float) -> None:
    """Skewness 2 items^-1/2, excess 6/items: what hundreds of items that count make of NDCG, and tens.

    20,000 samples of 200; by chance more alarms than allowed with probability below 1e-4 for each.
    """
    rng = np.random.default_rng(5)
    draws = (rng.gamma(items, size=(20_000, 200)) - items) / items**0.5
    seen = draws.std(axis=1, ddof=1)
    freedom = 199 / (1 + np.maximum(stats.kurtosis(draws, axis=1), 0.0) / 2)
    assert freedom[0] == pytest.approx(chi_square_freedom(draws[0]))
    assert chi_square_freedom(np.ones(200)) == 199  # of a simulation that always gives one value
    found = np.array([chi_square_test(s, s, f) for s, f in zip(seen, freedom, strict=True)])
    assert stats.binomtest(int((found < level).sum()), found.size, level, "greater").pvalue > 1e-4
    assert (found < level).any()  # nor is it idle
    least = chi_square_detectable(199.0, level, 0.99)
    for claimed in (1 + least, 1 - least):
        off = [
            chi_square_test(s / claimed, s / claimed, f) for s, f in zip(seen[:500], freedom, strict=False)
        ]
        assert np.mean(np.array(off) < level) > 0.9


@pytest.mark.slow
def test_brackets_are_allowed_for() -> None:
    """A mean or a standard deviation that is off by what the cells engine's brackets hide is none."""
    for n in (100, 4000):  # bets, chi-square
        of = study(LINEAR, (n,), "nDCG")
        values = simulated(of, 600).data["ndcg"].to_numpy()
        mean = expected_ndcg(Relevance.of(LINEAR), Measure.of("nDCG"), of.n).value[0]
        near, off = mean + 0.5 * (values - mean), values + 0.2 * (1 - values)
        assert check(results(of, ndcg=near)).stds[0].verdict == "disagrees"
        assert check(results(of, ndcg=off)).rows[0].verdict == "disagrees"
        for shown, what in ((near, "stds"), (off, "rows")):
            wide = np.abs(values - shown)
            found = check(results(of, ndcg=shown, low=shown - wide, high=np.minimum(shown + wide, 1.0)))
            assert getattr(found, what)[0].verdict == "agrees"
    assert found.detectable["nDCG"] > 0.005


def test_values_that_occur_often_are_bets_won_as_often() -> None:
    """The wealth of repeated values is the product over all of them, and so is what they detect."""
    rng = np.random.default_rng(3)
    values = rng.choice([0.1, 0.4, 0.9], 500)
    spread = values + 1e-13 * np.arange(500)  # the same to the digits compared, and all distinct
    for function in (
        lambda x: log_wealth(x, x, 0.5, 0.5),
        lambda x: detectable(x, 0.4, 1e-6, 0.99),
        lambda x: detectable_std((x - 0.4) ** 2, 0.36, 1e-6, 0.99, 4.0),
    ):
        assert function(values) == pytest.approx(function(spread), rel=1e-6)
    low = np.minimum(values, 0.35)
    bets = np.geomspace(1e-4, 0.99, 48)
    wealth = [1 + bets / 0.5 * (x - 0.5) for x in low] + [1 + bets / 0.5 * (0.5 - x) for x in values]
    larger, smaller = np.prod(wealth[:500], axis=0), np.prod(wealth[500:], axis=0)
    expected = np.log(np.mean(np.concatenate([larger, smaller])))
    assert log_wealth(low, values, 0.5, 0.5) == pytest.approx(expected, rel=1e-9)
