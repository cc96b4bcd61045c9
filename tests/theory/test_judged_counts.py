"""Means and standard deviations of a judge's labels, in lists with a fixed number of relevant items."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from cases import simulated, study
from robustness.judged_counts import enumerated
from robustness.judged_counts import simulated as against_simulation

from ndcg_asymptotics.analysis.check import check
from ndcg_asymptotics.analysis.limit_tests import judge_limit
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.theory import expected_ndcg, ndcg_std
from ndcg_asymptotics.theory.fluctuations import difference_std
from ndcg_asymptotics.theory.values import TheoreticalValues

WINDOW = ((0.25, 0.55), (0.4, 0.4))


def mixed(kappas: tuple[float, float], fpr: float, fnr: float) -> str:
    few, many = kappas
    judged = f"{fpr}, {fnr}))"
    return (
        f"mixture(0.8=relevant(1, noisy(roc_power({few}), {judged}, "
        f"0.2=relevant(60, noisy(roc_power({many}), {judged})"
    )


@pytest.mark.slow
def test_every_order_and_all_labels_of_short_lists() -> None:
    assert [case.what for case in enumerated(10, 7) if not case.agrees] == []
    wrong = [case.agrees for case in enumerated(10, 7, off=1.001)]
    assert wrong.count(False) >= 6  # in others no item is irrelevant, or there are no false alarms


@pytest.mark.slow
def test_lists_of_the_items_engine() -> None:
    assert [case.what for case in against_simulation(5, 3) if not case.agrees] == []
    assert not all(case.agrees for case in against_simulation(5, 3, off=1.5, more=4))


@pytest.mark.parametrize(
    ("judge", "drawn", "error"),
    [((0.0, 0.0), 0.0458, 0.0047), ((0.01, 0.2), -0.0252, 0.0013), ((0.0, 0.2), 0.0355, 0.0043)],
)
def test_false_alarms_turn_the_sign_of_a_difference(
    judge: tuple[float, float], drawn: float, error: float
) -> None:
    """Numbers that were drawn item by item by a program that shares nothing with the package."""
    a, b = (expected_ndcg(mixed(kappas, *judge), "nDCG@10", [1000]) for kappas in WINDOW)
    difference = float(a.value[0] - b.value[0])
    assert abs(difference - drawn) <= 3 * error
    exact = {(0.0, 0.0): 0.0493296, (0.01, 0.2): -0.0238482, (0.0, 0.2): 0.0394637}
    assert difference == pytest.approx(exact[judge], abs=1e-7)


@pytest.mark.slow
def test_a_judge_without_errors_changes_nothing() -> None:
    for measure, relevant, n in (
        *(("nDCG", 1, 50), ("nDCG", 4, 4), ("nDCG@10", 1, 50)),
        *(("DCG(zipf)@0.3n", 4, 4), ("DCG(zipf)@0.3n", 3, 20)),
    ):
        for function in (expected_ndcg, ndcg_std):
            true, reported = (
                function(f"relevant({relevant}, {curve})", measure, [n])
                for curve in ("roc_power(0.3)", "noisy(roc_power(0.3), 0, 0)")
            )
            off = abs(true.value[0] - reported.value[0])
            assert off <= true.error[0] + reported.error[0]


def test_one_relevant_item_in_a_long_list() -> None:
    """DCG by 1/r at 10 of 1e18 items: rank j has the chance C(n-1, j-1) kappa B(j-1+kappa, n-j+1)."""
    n, kappa, fpr, fnr = 10**18, 0.5, 1e-3, 0.2
    mpmath.mp.dps = 40

    def chance(j: int) -> mpmath.mpf:
        return mpmath.binomial(n - 1, j - 1) * kappa * mpmath.beta(j - 1 + kappa, n - j + 1)

    ranks = [chance(j) for j in range(1, 11)]
    harmonic = mpmath.fsum(mpmath.mpf(1) / j for j in range(1, 11))
    d1 = mpmath.fsum(p / j for j, p in enumerate(ranks, 1))
    # of the ranks that the relevant item does not have, each is a false alarm with probability fpr
    expected = (1 - fnr) * d1 + fpr * (harmonic - d1)
    text = f"relevant(1, noisy(roc_power({kappa}), {fpr}, {fnr}))"
    found = expected_ndcg(text, "DCG(zipf)@10", [n])
    assert abs(found.value[0] - float(expected)) <= found.error[0]
    assert found.error[0] <= 1e-9 * float(expected)
    second = mpmath.fsum(
        p
        * (
            (fpr * (harmonic - 1 / mpmath.mpf(j)) + (1 - fnr) / mpmath.mpf(j)) ** 2
            + fpr
            * (1 - fpr)
            * (mpmath.fsum(1 / mpmath.mpf(i) ** 2 for i in range(1, 11)) - 1 / mpmath.mpf(j) ** 2)
            + fnr * (1 - fnr) / mpmath.mpf(j) ** 2
        )
        for j, p in enumerate(ranks, 1)
    )
    below = 1 - mpmath.fsum(ranks)
    squares = mpmath.fsum(1 / mpmath.mpf(i) ** 2 for i in range(1, 11))
    second += below * ((fpr * harmonic) ** 2 + fpr * (1 - fpr) * squares)
    sd = ndcg_std(text, "DCG(zipf)@10", [n])
    assert abs(sd.value[0] - float(mpmath.sqrt(second - expected**2))) <= sd.error[0]


@pytest.mark.slow
def test_long_lists_tend_to_dcg_over_the_sum_of_discounts() -> None:
    """With a n much larger than k the ideal list is full: NDCG' is DCG'/F(k), in mean and deviation."""
    full = sum(1 / math.log(1 + r) for r in range(1, 11))
    text = "relevant(3, noisy(roc_power(0.3), 0.01, 0.2))"
    for function in (expected_ndcg, ndcg_std):
        ndcg, dcg = (function(text, measure, [10**6]).value[0] for measure in ("nDCG@10", "DCG@10"))
        assert ndcg == pytest.approx(dcg / full, rel=1e-9)
        short = [function(text, measure, [300]).value[0] for measure in ("nDCG@10", "DCG@10")]
        assert short[0] > 1.5 * short[1] / full


@pytest.mark.slow
def test_check_agrees_and_sees_a_false_positive_rate_that_is_3_percent_off() -> None:
    results = simulated(study(noisy(0.05), (2000,), ("nDCG(power(0.2))",), engine="items"), 2000)
    assert check(results).agrees
    drawn = results.values["ndcg"].ravel()
    off = expected_ndcg(noisy(0.05 * 1.03), "nDCG(power(0.2))", [2000]).value[0]
    # 5 standard errors: by chance once in 2e6
    assert abs(drawn.mean() - off) > 5 * drawn.std() / len(drawn) ** 0.5


def noisy(fpr: float) -> str:
    return f"relevant(3, noisy(roc_power(0.3), {fpr}, 0.2))"


@pytest.mark.slow
def test_scorers_that_agree_with_a_judge_differ_by_their_own_ranks_only() -> None:
    """A difference has less variance than two lists of their own, as they share the judge's labels."""
    a, b = (mixed(kappas, 0.01, 0.2) for kappas in WINDOW)
    together = difference_std(a, b, "nDCG", [1000]).value[0]
    apart = np.hypot(*(ndcg_std(one, "nDCG", [1000]).value[0] for one in (a, b)))
    assert together < 0.95 * apart


@pytest.mark.slow
@pytest.mark.parametrize(
    ("relevant", "measure"),
    [
        (1, "nDCG"),
        (1, "nDCG@10"),
        (1, "nDCG(linear)"),
        (4, "nDCG@10"),
        (4, "nDCG(zipf)"),
        (4, "nDCG(power(0.2))@n^0.5"),
        (15, "nDCG@10"),
    ],
)
def test_misses_alone_multiply_the_mean_and_its_limit_by_a_number(relevant: int, measure: str) -> None:
    text = f"relevant({relevant}, noisy(roc_power(0.4), 0, 0.3))"
    theory = TheoreticalValues(Scorer.parse(text), Measure.parse(measure))
    row = judge_limit(theory, "a", 1.0)
    assert (row.verdict, row.theorem.partition(",")[0]) == ("agrees", "Theorem J4")
    assert judge_limit(theory, "a", 1.01).verdict == "disagrees"
    # the same number for all scorers, and at each n that has no cutoff below R
    ratios = [
        expected_ndcg(f"relevant({relevant}, noisy(roc_power({kappa}), 0, 0.3))", measure, [500]).value[0]
        / expected_ndcg(f"relevant({relevant}, roc_power({kappa}))", measure, [500]).value[0]
        for kappa in (0.3, 0.8)
    ]
    assert ratios[0] == pytest.approx(ratios[1], rel=1e-9)
    if relevant == 1:
        assert ratios[0] == pytest.approx(0.7, rel=1e-9)
