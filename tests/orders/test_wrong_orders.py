"""Probabilities of a wrong order on one list, with their intervals, against lists drawn by the definition."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from oracles.discounts import formula
from oracles.first_labels import binary, not_greater

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.orders.prediction import predict_pair
from ndcg_asymptotics.orders.probability import WrongOrder
from ndcg_asymptotics.plans.planning import plan
from ndcg_asymptotics.populations import Relevance

A, B = (0.7, -0.6), (0.2, 0.4)
FIRST, SECOND = (Relevance.of(f"polynomial({c}, {d})") for c, d in (A, B))
WHOLE = "log", "power(0.3)", "zipf", "geometric(2)", "linear"
CUT = "log)@1", "zipf)@3", "constant)@3", "power(0.7))@0.2n", "linear)@n^0.5", "log)@10"
MEASURES = [*(f"nDCG({text})" for text in WHOLE), *(f"nDCG({text}" for text in CUT)]


@pytest.mark.slow
def test_plan_and_its_rows_say_what_the_prediction_says() -> None:
    """`plan` takes the probability from the same function, and it is below 1% here."""
    pair = "linear(0.1, 0.7)", "constant(0.4)"
    (row,) = plan(*pair, "nDCG", n=300).rows
    (predicted,) = predict_pair(*pair, "nDCG", 300).rows
    assert row.wrong == predicted.wrong
    assert row.wrong.log10 < -2
    assert row.wrong.method == "weighted draws"
    assert row.wrong.low < row.wrong.log10 < row.wrong.high


def test_what_is_printed_has_the_digits_that_the_interval_leaves() -> None:
    (row,) = predict_pair("linear(0.1, 0.5)", "linear(0.2, 0.4)", "nDCG", 10**6).rows
    assert row.wrong.method == "large deviations"
    low, high = str(row.wrong).split(" to ")
    assert (low[1], high[1]) == ("e", "e")  # one digit
    for wrong, lists in ((3000, 10_000), (400, 10_000), (3, 100_000), (99, 100)):
        found = WrongOrder.counted(wrong, lists)
        text = str(found)
        if " ± " in text:
            value, half = map(float, text.split(" ± "))
            assert value - half <= 10**found.low
            assert value + half >= 10**found.high
        else:
            ends = [float(end) for end in text.split(" to ")]
            assert ends[0] <= 10**found.low
            assert ends[1] >= 10**found.high
    assert str(WrongOrder.counted(0, 1000)).startswith("below ")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pair", "text"),
    [
        *(((FIRST, SECOND), text) for text in MEASURES),
        *(
            (pair, text)
            for pair in (("linear(0, 1)", "linear(1, 0)"), ("step(0, 1, 0.5)", "constant(0.5)"))
            for text in ("nDCG(log)", "nDCG(linear)", "nDCG(zipf)@3", "nDCG(power(0.7))@0.2n")
        ),
    ],
)
def test_wrong_orders_of_short_lists(pair: tuple[Relevance | str, Relevance | str], text: str) -> None:
    for n in (1, 2, 10):
        try:
            (row,) = predict_pair(*pair, text, n).rows
        except InputError as error:
            assert "same mean DCG" in str(error) or "or a tie" in str(error)  # noqa: PT017
            continue
        assert row.cost >= 0
        assert row.wrong.log10 is None or row.wrong.log10 <= 0
        if pair == (FIRST, SECOND):
            discount, k = formula(str(Measure.of(text)), n)
            ahead, behind = (A, B) if row.right == str(FIRST) else (B, A)
            curves = binary(Polynomial(ahead)), binary(Polynomial(behind))
            wrong = not_greater(*curves, n, np.array([discount(r) for r in range(1, k + 1)]), 0.4)
            # 5 standard errors of what is drawn: 6e-7
            assert abs(row.wrong.log10 - math.log10(wrong)) <= 2.6 * row.wrong.width / 2 + 1e-9


def test_rare_wrong_orders_by_the_top_ranks() -> None:
    """A wrong order that is rare, but not very rare, has its limiting probability, not that of tilting."""
    (row,) = predict_pair("linear(0.1, 0.9)", "linear(0.8, 0.2)", "nDCG(zipf)@2", 10**6).rows
    chances = [(0.1, 0.9), (0.8, 0.2)]  # of the labels 0 and 1 at the top
    wrong = sum(
        chances[0][a] * chances[0][b] * chances[1][c] * chances[1][d]
        for a, b, c, d in product((0, 1), repeat=4)
        if a + b / 2 <= c + d / 2
    )
    assert 0.01 < wrong < 0.5
    # 5 standard errors of what is drawn: 6e-7
    assert abs(row.wrong.log10 - math.log10(wrong)) <= 2.6 * row.wrong.width / 2
