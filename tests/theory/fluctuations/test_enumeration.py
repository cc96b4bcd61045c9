"""Exact laws by enumeration and the predictions that use them, against brute force that shares no code."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from oracles.discounts import DISCOUNTS, formula
from oracles.naive import label_law, ndcg
from oracles.orders import chance_not_greater

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.fluctuations import enumeration
from ndcg_asymptotics.theory.fluctuations.enumeration import (
    enumerable,
    label_sequences,
    order_law,
    order_law_at_the_top,
)
from ndcg_asymptotics.theory.prediction import predict

A, B = (0.7, -0.6), (0.2, 0.4)
FIRST, SECOND = (Relevance.of(f"polynomial({c}, {d})") for c, d in (A, B))
WHOLE = [f"nDCG({discount})" for discount in ("log", "power(0.3)", "zipf", "geometric(2)", "linear")]
CUT = ["nDCG@1", "nDCG(zipf)@3", "nDCG(constant)@3", "nDCG(power(0.7))@0.2n", "nDCG(linear)@n^0.5", "nDCG@10"]
MEASURES = WHOLE + CUT
CURVES = {
    "constant(0)": {1.0: (0,)},
    "constant(1)": {1.0: (1,)},
    "linear(0, 1)": {1.0: (1, -1)},
    "linear(1, 0)": {1.0: (0, 1)},
    "linear(0.1, 0.7)": {1.0: ("7/10", "-6/10")},
    "graded(3=linear(0, 0.5), 1=constant(0.5))": {3.0: ("1/2", "-1/2"), 1.0: ("1/2",)},
}  # coefficients in depth
SHORT = [1, 2, 3, 5]


@pytest.mark.slow
@pytest.mark.parametrize("text", MEASURES)
@pytest.mark.parametrize("n", [1, 2, 3, 6, 8])
def test_orders_are_those_of_all_label_sequences(text: str, n: int) -> None:
    measure = str(Measure.of(text))
    discount, k = formula(measure, n)
    found = order_law(FIRST, SECOND, Measure.of(text), n)
    wrong = chance_not_greater(Polynomial(A), Polynomial(B), n, discount, k)
    assert found.less + found.tie == pytest.approx(wrong, abs=1e-11)
    assert sum(found) == pytest.approx(1.0, abs=1e-12)
    if n > 1 and wrong < 1 - 1e-12:  # the other order has another probability
        assert abs(found.more + found.tie - wrong) > 1e-3


@pytest.mark.parametrize("n", [2, 10, 1000, 100_000])
def test_two_uninformed_scorers_share_their_counts(n: int) -> None:
    """P(1 above 0 at rank 1) is E[c/n (1 - c/n)], also where every h-th count stands for several."""
    p, blank = 0.3, Relevance.of("constant(0.3)")
    found = order_law(blank, blank, Measure.of("nDCG@1"), n)
    expected = p * (1 - p) * (n - 1) / n
    assert found.more == pytest.approx(expected, rel=1e-8)
    assert abs(p * (1 - p) - expected) > 1e-7 * expected  # independent counts would be seen


@pytest.mark.parametrize("curve", ["power(0.01, 1, 30)", "cusp(0.1, 0.9, 0.05)", "step(0, 1, 0.999)"])
@pytest.mark.parametrize(("k", "n"), [(3, 3), (8, 8), (4, 1000), (10, 50_000)])
def test_probabilities_add_up(curve: str, k: int, n: int) -> None:
    assert label_sequences(Relevance.of(curve), k, n).chances.sum() == pytest.approx(1.0, abs=1e-7)


def test_orders_at_the_top_are_those_of_long_lists() -> None:
    for text in ("nDCG@1", "nDCG(zipf)@4"):
        top = order_law_at_the_top(FIRST, SECOND, Measure.of(text))
        assert top is not None
        long, short = (order_law(FIRST, SECOND, Measure.of(text), n) for n in (100_000, 1000))
        assert np.allclose(top, long, atol=2e-4)
        assert not np.allclose(top, short, atol=2e-4)
    assert order_law_at_the_top(FIRST, SECOND, Measure.of("nDCG")) is None


def test_measures_with_too_many_sequences_are_not_enumerated() -> None:
    assert enumerable(FIRST, Measure.of("nDCG"), 10)
    assert not enumerable(FIRST, Measure.of("nDCG"), 11)
    assert enumerable(FIRST, Measure.of("nDCG@10"), 10**18)
    assert not enumerable(FIRST, Measure.of("nDCG@11"), 1000)


@pytest.mark.slow
@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("text", MEASURES)
def test_predictions_of_short_lists(curve: str, text: str) -> None:
    """Means, deviations and quantiles of lists of one to five items against all label sequences."""
    for row in predict(curve, text, SHORT):
        discount, k = formula(str(Measure.of(text)), row.n)
        law = [(ndcg(g, discount, k), float(w)) for g, w in label_law(CURVES[curve], row.n)]
        values, weights = np.array(sorted(law)).T
        mean = float(weights @ values)
        assert row.expectation is not None
        assert row.sd is not None
        assert row.expectation == pytest.approx(mean, abs=1e-8)
        # the root of a variance of 0 that rounding leaves
        assert row.sd == pytest.approx(math.sqrt(float(weights @ (values - mean) ** 2)), abs=1e-4)
        assert row.quantiles_from == "exact"
        for p, value in (row.quantiles or {}).items():
            assert weights[values <= value + 1e-9].sum() >= float(p) - 1e-8
            assert weights[values < value - 1e-9].sum() <= float(p) + 1e-8
        for number in (row.law_distance, row.pseudo_expectation):
            assert number is None or 0 <= number <= 1 + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("discount", DISCOUNTS)
@pytest.mark.parametrize("cutoff", ["", "@3", "@0.2n"])
def test_every_measure_predicts_lists_of_one_to_ten_items(discount: str, cutoff: str) -> None:
    if discount.startswith("custom") or (discount, cutoff) == ("constant", ""):
        return
    for row in predict(["step(0, 1, 0.7)", "linear(0, 0.01)"], f"nDCG({discount}){cutoff}", [1, 2, 3, 10]):
        for number in (row.limit, row.expectation, row.sd, row.law_distance, row.pseudo_expectation):
            assert number is None or 0 <= number <= 1 + 1e-9  # and no NaN
        if row.quantiles is not None:
            values = list(row.quantiles.values())
            assert values == sorted(values)
            assert 0 <= values[0] <= values[-1] <= 1


@pytest.mark.parametrize("together", [1, 3])
def test_panels_in_memory_one_after_another_give_the_same_law(
    monkeypatch: pytest.MonkeyPatch, together: int
) -> None:
    curve = Relevance.of("graded(2=step(0.1, 0.5, 0.3), 1=linear(0.1, 0.3))")
    uncached: Any = enumeration.label_sequences
    whole = uncached.__wrapped__(curve, 3, 6)
    monkeypatch.setattr(enumeration, "_TOGETHER", together)
    parts = uncached.__wrapped__(curve, 3, 6)
    np.testing.assert_allclose(parts.chances, whole.chances, rtol=1e-11, atol=1e-18)
