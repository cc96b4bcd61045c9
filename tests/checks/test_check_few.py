"""`check` of studies with a fixed number of relevant items."""

from __future__ import annotations

import pytest
from cases import simulated, study

from ndcg_asymptotics.checks.checking import check
from ndcg_asymptotics.checks.mean_tests import MeanTest, nearly_normal
from ndcg_asymptotics.checks.outcome import Check
from ndcg_asymptotics.checks.std_tests import StdTest
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Scorer
from ndcg_asymptotics.results import Results

MEASURES = ("nDCG", "nDCG(linear)", "nDCG(constant)@15")


@pytest.fixture(scope="module")
def many() -> Results:
    """20 relevant items among 25, so that 3000 lists tell means apart that differ by 1%."""
    return simulated(study("roc_power(0.5)", (25,), MEASURES, relevant=20), 3000)


def disagreeing(found: Check) -> set[str]:
    tests: list[MeanTest | StdTest] = [*found.rows, *found.stds]
    return {test.measure for test in tests if test.verdict == "disagrees"}


@pytest.mark.slow
def test_check_agrees_and_catches_one_percent(many: Results) -> None:
    found = check(many)
    assert found.agrees
    assert {row.verdict for row in found.rows} == {"agrees"}
    for factor in (0.01, -0.01):
        assert disagreeing(check(many, perturb=factor)) == {str(measure) for measure in many.study.measures}


@pytest.mark.slow
def test_graded_lists_agree() -> None:
    graded = study("graded(3=roc_power(0.3), 1=roc_binormal(1))", (3, 30), relevant={3: 1, 1: 2})
    found = check(simulated(graded, 1000), std="every")
    assert {row.verdict for row in found.rows} == {"agrees"}
    assert "disagrees" not in {row.verdict for row in found.stds}


def test_few_relevant_items_are_not_nearly_normal() -> None:
    scorer = Scorer.parse("relevant(5, roc_power(0.5))")
    assert not nearly_normal(scorer, Measure.of("nDCG"), 10**9, 1000)
