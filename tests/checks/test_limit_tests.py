"""Tests of limits: true ones agree, wrong ones do not, and undecidable ones are not tested."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from random_pairs import certain_top

from ndcg_asymptotics.checks import limit_tests
from ndcg_asymptotics.checks.limit_tests import LimitTest, check_limit
from ndcg_asymptotics.measures import Measure, discount
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.theory.at_lengths import AtLengths
from ndcg_asymptotics.theory.limits import limit
from ndcg_asymptotics.theory.limits.extrapolation import extrapolated_limit
from ndcg_asymptotics.theory.limits.leading_terms import leading_gap


def judged(curve: str, measure: str | Measure, factor: float = 1.0, **changes) -> LimitTest:
    """The test of a limit, with changes to what the theorem states."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limit_tests, "limit", lambda *of: dataclasses.replace(limit(*of), **changes))
        return check_limit(Scorer.parse(curve), Measure.of(measure), "a", factor)


@pytest.mark.parametrize(
    "measure", ["nDCG", "nDCG(zipf)", "nDCG(power(0.5))@0.2n", "nDCG@n^0.5", "nDCG(power(0.3))", "nDCG@0.2n"]
)
def test_wrong_limits_disagree(measure: str) -> None:
    right = judged("linear(0.1, 0.7)", measure)
    assert (right.verdict, right.detectable < 2e-3) == ("agrees", True)
    for factor in (1 + 2 * right.detectable, 1 - 2 * right.detectable, 1.01):
        assert judged("linear(0.1, 0.7)", measure, factor=factor).verdict == "disagrees"


def test_values_that_are_no_numbers_are_not_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_numbers(relevance, measure, sizes):
        return AtLengths(np.full(len(sizes), math.nan), np.full(len(sizes), math.nan))

    monkeypatch.setattr(
        limit_tests, "extrapolated_limit", lambda of, by: extrapolated_limit(of, by, no_numbers)
    )
    assert judged("linear(0.1, 0.7)", "nDCG").verdict == "not tested"


def test_a_leading_gap_that_is_a_tenth_off_disagrees(monkeypatch: pytest.MonkeyPatch) -> None:
    assert judged("linear(0.1, 0.7)", "nDCG").leading_gap == "-0.541/log n"
    gap = leading_gap("linear(0.1, 0.7)", "nDCG")
    assert gap is not None
    wrong = dataclasses.replace(gap, coefficient=1.1 * gap.coefficient)
    monkeypatch.setattr(limit_tests, "leading_gap", lambda *_: wrong)
    row = judged("linear(0.1, 0.7)", "nDCG")
    assert (row.verdict, "leading gap" in row.explanation) == ("disagrees", True)


def test_a_limit_with_a_large_error_is_not_tested() -> None:
    row = judged("binormal(0.1, 0.05)", "nDCG(zipf)")
    assert row.verdict == "not tested"
    assert "only detects errors above" in row.explanation


@pytest.mark.slow
def test_a_limit_under_a_condition_says_so() -> None:
    row = judged("linear(0.1, 0.7)", 'nDCG(custom("numpy:reciprocal", 1000))@n^0.5')
    assert (row.verdict, "provided that" in row.explanation) == ("agrees", True)
    assert "diverges" in row.explanation


@pytest.mark.parametrize(
    "measure", ["nDCG(power(1.01))", "nDCG(power(1.1))", "nDCG(geometric(2))", "nDCG@10"]
)
def test_the_exact_std_tends_to_the_limiting_one(measure: str) -> None:
    """F(n) is far from zeta(b) at n = 1e18 still, where b is near 1."""
    row = judged("linear(0.1, 0.7)", measure)
    assert row.verdict == "does not converge"
    assert "the exact value is 0." in row.explanation
    for factor in (1.02, 0.98):
        assert judged("linear(0.1, 0.7)", measure, factor=factor).verdict == "disagrees"


@pytest.mark.slow
def test_a_limiting_std_is_not_claimed_without_a_test() -> None:
    shelf = discount(lambda r: np.where(r < 5.5, 1.0, 0.25), name="shelf", largest=1e7)
    # a jump is no sum of exponentials, which the mean under a curve that is no constant needs
    row = judged("linear(0, 1)", Measure(shelf, 200))
    assert (row.verdict, "sum of exponentials" in row.explanation) == ("not tested", True)
    assert judged("constant(0.3)", Measure(shelf, 200)).verdict == "does not converge"
    assert judged("constant(0.3)", Measure(shelf, 200), factor=1.02).verdict == "disagrees"


@pytest.mark.slow
def test_random_curves_that_are_certain_at_the_top(effort: int) -> None:
    """No crash, no nan, no true limit that disagrees, and no tested one that is 1% off."""
    untested = 0
    count = 25 * effort
    for rng in (np.random.default_rng((22, i)) for i in range(count)):
        curve, measure = certain_top(rng)
        row = judged(curve, measure)
        if row.verdict == "assumptions not met":  # no relevant item at all
            continue
        assert row.verdict in ("agrees", "not tested"), (curve, measure, row.explanation)
        assert "nan" not in row.explanation
        untested += row.verdict == "not tested"
        if row.verdict == "agrees":
            wrong = judged(curve, measure, factor=1.01) if row.limit else judged(curve, measure, value=1e-4)
            assert wrong.verdict == "disagrees", (curve, measure)
    print(f"{count} pairs, {untested} not tested")
    assert untested <= 0.2 * count
