"""The answers of the tour have the numbers that the public functions compute."""

from __future__ import annotations

from pathlib import Path

import pytest

import ndcg_asymptotics as na
from ndcg_asymptotics.explorer.tour import STEPS

DOCS = Path(__file__).parents[2] / "docs"
LINEAR = "linear(0.1, 0.5)", "linear(0.2, 0.4)"


def answer(number: int) -> str:
    step = STEPS[number - 1]
    return step.answer(step.state)


def test_there_are_eight_questions_with_pages() -> None:
    assert len(STEPS) == 8
    for step in STEPS:
        assert step.question.endswith("?")
        assert (DOCS / step.page).is_file()
        assert step.title in (DOCS / "explorer.md").read_text()


@pytest.mark.slow
def test_everybody_gets_1() -> None:
    found = na.predict(["linear(0, 0.6)", "constant(0.3)"], "nDCG", [10**18])
    a, b = (row.expectation or 0.0 for row in found)
    assert f"it is {b:.3f}, and that of A {a:.3f}" in answer(2)


@pytest.mark.slow
def test_required_lengths_and_queries_are_those_of_plan() -> None:
    whole, ten = na.plan(*LINEAR, ["nDCG", "nDCG@10"], n=1000).rows
    assert f"from n = {whole.order.required_n:,} on" in answer(3)
    assert f"k = 10 needs {ten.queries.required:,}" in answer(4)
    corrected = na.plan("polynomial(0.54, -0.96, 1.32)", "constant(0.5)", ["nDCG(power(0.8))"]).rows[0]
    assert corrected.order.ahead == "constant(0.5)"
    assert f"B, whose top is lower, is ahead on {corrected.order.long_run:.0%}" in answer(6)


@pytest.mark.slow
def test_limits_ties_and_few_items() -> None:
    assert "at the top, 0.5 and 0.4." in answer(5)
    assert "a coin toss, with probability 0.5" in answer(7)
    found = na.plan("roc_power(0.4)", "roc_power(0.6)", ["nDCG@10"], n=10**6, relevant=1).rows[0]
    assert f"and {found.queries.required:,} at n = 1,000,000" in answer(8)
