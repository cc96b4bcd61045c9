"""Limits and rates with a fixed number of relevant items, against exact means far beyond any list."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.discounts.custom import discount
from ndcg_asymptotics.populations import FixedCounts
from ndcg_asymptotics.theory.limits import limit
from ndcg_asymptotics.theory.limits.extrapolation import extrapolated_limit
from ndcg_asymptotics.theory.limits.scaled_limits import scaled_limit

GRADED = "relevant(2=1, 1=3, graded(2=roc_power(0.5), 1=roc_beta(0.5, 2)))"
CASES = [
    ("relevant(1, roc_power(0.3))", "nDCG", "Theorem F1", "log n"),
    (GRADED, "nDCG@10", "Theorem F6", "n^0.5"),
    ("relevant(1, roc_power(0.1))", "nDCG(constant)@10", "Theorem F6", "n^0.1"),
    (GRADED, "nDCG(linear)@10", "Theorem F6", "n^0.5"),  # as under the constant discount: n - r is n
    ("relevant(2, linear(0, 1))", "nDCG(linear)@1", "Theorem F6", "n^0.5"),
    ("relevant(3, roc_power(0.7))", "nDCG@n^0.5", "Theorem F7", "n^0.35 log n"),
    ("relevant(3, roc_power(0.7))", "nDCG@n/log(n)", "Theorem F7", "(log n)^1.7"),
]
SLOW = [
    (GRADED, "nDCG(power(0.2))", "Theorem F3", "n^0.2"),
    ("relevant(2, linear(0, 1))", "nDCG(power(0.2))@0.2n", "Theorem F3", "n^0.2"),
    ("relevant(2, linear(0.5, 0))", "nDCG(geometric(2))", "Theorem F4", "n^2"),
    ("relevant(3, roc_power(0.7))", "nDCG(power(0.7))", "Theorem F5", "n^0.7/log n"),
    ("relevant(3, roc_power(0.7))", "nDCG(power(0.2))@n^0.5", "Theorem F7", "n^0.45"),
    ("relevant(2, linear(0.1, 0.7))", "nDCG(zipf)@n^0.5", "Theorem F7", "n^1/log n"),
    (GRADED, "nDCG(linear)@n^0.5", "Theorem F7", "n^0.25"),
    (GRADED, "nDCG(linear)@n/log(n)", "Theorem F7", "(log n)^0.5"),
    ("relevant(3, roc_power(0.7))", "nDCG(power(0.3))@n/log(n)", "Theorem F7", "n^0.3 (log n)^0.4"),
    (GRADED, "nDCG(linear)", "Theorem F8", "1"),
]


@pytest.mark.parametrize(
    ("text", "measure", "theorem", "scale"),
    [*CASES, *(pytest.param(*case, marks=pytest.mark.slow) for case in SLOW)],
)
def test_limits_are_those_of_exact_means(text, measure, theorem, scale):
    found = scaled_limit(FixedCounts.parse(text), Measure.parse(measure))
    assert (found.theorem, str(found.scale)) == (theorem, scale)
    path = extrapolated_limit(text, measure)
    assert found.value == pytest.approx(path.limit, abs=max(path.error, 1e-7 * path.limit))
    # so that a limit multiplied by 1.01 is refused
    assert path.error < 0.005 * path.limit


@pytest.mark.parametrize(
    ("text", "b", "exact"),
    [
        ("relevant(1, roc_power(0.5))", 0.4, 5.0),
        ("relevant(1, roc_power(0.5))", 0.499, 500.0),
        ("relevant(1, roc_power(0.05))", 0.04, 5.0),
        # B(0.05, 2) / B(0.6, 2)
        ("relevant(1, roc_beta(0.6, 2))", 0.55, 0.6 * 1.6 / (0.05 * 1.05)),
        ("relevant(1, constant(0.5))", 0.95, 20.0),
    ],
)
def test_powers_just_below_kappa(text: str, b: float, exact: float) -> None:
    """E T^-b, of which much is far above all items of a list of 1e18."""
    found = scaled_limit(FixedCounts.parse(text), Measure.parse(f"nDCG(power({b}))"))
    assert found.value == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize(
    ("measure", "scale", "exact"),
    [
        # DCG: 3 kappa/(kappa - b) n^-kappa k^(kappa - b) with kappa = 0.7; ideal: 1 + 2^-b + 3^-b
        ("nDCG(power(0.2))@5log(n)", "n^0.7/(log n)^0.5", 3 * 1.4 * 5**0.5 / (1 + 2**-0.2 + 3**-0.2)),
        ("nDCG(constant)@5log(n)", "n^0.7/(log n)^0.7", 5**0.7),
    ],
)
def test_cutoffs_of_log_n(measure: str, scale: str, exact: float) -> None:
    text = "relevant(3, roc_power(0.7))"
    found = scaled_limit(FixedCounts.parse(text), Measure.parse(measure))
    assert (found.theorem, str(found.scale)) == ("Theorem F7", scale)
    assert found.value == pytest.approx(exact, rel=1e-9)
    path = extrapolated_limit(text, measure)
    assert abs(path.expectation[-1] / exact - 1) < 0.02  # at n = 1e90, where 1.05 of the limit is refused
    assert math.isinf(path.error)
    assert "far from the limit" in path.reason


def test_a_logarithm_of_a_cutoff_of_log_n() -> None:
    found = scaled_limit(FixedCounts.parse("relevant(3, roc_power(0.7))"), Measure.parse("nDCG@5log(n)"))
    assert found.value is None
    assert "log k of the cutoff 5log(n) grows more slowly than log n" in found.reason


def test_constants_of_discounts() -> None:
    """With D(r) log r -> C limits with a fixed number of relevant items are C times; F(1/4) = 1/2."""
    found = scaled_limit(FixedCounts.parse("relevant(3, roc_power(0.5))"), Measure("clipped_log(2)", "0.25n"))
    assert found.theorem == "Theorem F1"
    assert found.value == pytest.approx(1.5 / (2 / math.log(2) + 1 / math.log(3)), rel=1e-9)


def test_discounts_of_ones_own() -> None:
    """Their constants are not known, and a theorem that needs D at all ranks needs a formula for them."""
    few, table = "relevant(1, roc_power(0.5))", 1 / np.arange(1.0, 1e5 + 1)
    logs = discount(lambda r: 5 / np.log(3 + r), name="logs", like="log", largest=1e4)
    found = limit(few, Measure(logs))
    assert (found.value, found.scaled.value if found.scaled else 0.0) == (0.0, None)
    assert "to what it is like is not known" in found.reason
    listed = discount(lambda r: table[np.asarray(r, int) - 1], name="listed", like="zipf", largest=1e5)
    found = limit(few, Measure(listed))
    assert (found.value, found.converges) == (None, None)
    assert "out of bounds" in found.reason


def test_grades_with_different_exponents() -> None:
    """The smallest kappa leads: A = 2 of the one item of gain 2, and the ideal list has 2 + 3 hits."""
    model = FixedCounts.parse("relevant(2=1, 1=3, graded(2=roc_power(0.5), 1=roc_power(0.7)))")
    found = scaled_limit(model, Measure.parse("nDCG(constant)@10"))
    assert str(found.scale) == "n^0.5"
    assert found.value == pytest.approx(2 * math.gamma(10.5) / math.gamma(10) / 5, rel=1e-12)
    # Theorem F7 uses kappa itself: A kappa/(kappa - b) = 2 0.5/0.3, and the ideal DCG
    ideal = 2 + sum(r**-0.2 for r in (2, 3, 4))
    found = scaled_limit(model, Measure.parse("nDCG(power(0.2))@n^0.5"))
    assert str(found.scale) == "n^0.35"
    assert found.value == pytest.approx(2 * 0.5 / 0.3 / ideal, rel=1e-12)
    # without items of that grade the other exponent leads
    others = FixedCounts.parse("relevant(2=0, 1=3, graded(2=roc_power(0.5), 1=roc_power(0.7)))")
    assert str(scaled_limit(others, Measure.parse("nDCG@10")).scale) == "n^0.7"


def test_known_values():
    """One relevant item: the reciprocal rank, the hit rate and AUC."""
    one = FixedCounts.parse("relevant(1, roc_power(0.3))")
    found = scaled_limit(one, Measure.parse("nDCG(zipf)"))
    assert found.value == pytest.approx(1.2821, abs=5e-5)
    assert found.scale.rate(found.value or 0.0) == "1.282/n^0.3"
    hits = scaled_limit(one, Measure.parse("nDCG(constant)@10")).value
    assert hits == pytest.approx(math.gamma(10.3) / math.gamma(10), rel=1e-12)
    auc = limit("relevant(1, roc_binormal(1))", "nDCG(linear)")
    assert auc.value == pytest.approx(0.5 * math.erfc(-1 / 2), abs=1e-10)  # Phi(1/sqrt(2))
    assert (auc.theorem, auc.mode, auc.scaled) == ("Theorem F8", "in law", None)
    whole = limit("relevant(3, roc_power(0.3))", "nDCG")
    assert (whole.value, whole.mode) == (0.0, "in probability")
    ideal = sum(1 / math.log(1 + r) for r in (1, 2, 3))
    assert whole.scaled is not None
    assert whole.scaled.value == pytest.approx(3 / ideal, rel=1e-10)


def test_where_nothing_is_known():
    for text, measure in (
        ("relevant(1, roc_binormal(1))", "nDCG@10"),
        ("relevant(1, roc_binormal(1))", "nDCG(zipf)"),
        ("relevant(1, roc_power(0.3))", "nDCG@5log(n)"),
    ):
        found = limit(text, measure)
        assert found.value == 0.0
        assert found.reason
        assert found.scaled is not None
        assert found.scaled.value is None
    assert limit("relevant(1, roc_power(0.3))", 'nDCG(custom("numpy:reciprocal", 100))').converges is None
