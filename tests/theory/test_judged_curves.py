"""Means, standard deviations and limits of a judge's labels, in lists with a share of relevant items."""

from __future__ import annotations

import pytest
from random_pairs import FormulaAlone
from robustness.judged_curves import enumerated, limits, simulated

from ndcg_asymptotics.analysis.limit_tests import judge_limit
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance


@pytest.mark.slow
def test_all_sequences_of_true_and_reported_labels_of_short_lists() -> None:
    assert [case.what for case in enumerated(25, 3) if not case.agrees] == []
    wrong = [case.agrees for case in enumerated(25, 3, off=0.999)]
    assert wrong.count(False) >= 19  # in others there are no false alarms


@pytest.mark.slow
def test_lists_of_three_engines() -> None:
    assert [case.what for case in simulated(4, 3) if not case.agrees] == []
    assert not all(case.agrees for case in simulated(4, 3, off=0.6, more=4))


@pytest.mark.slow
def test_limits_of_random_judges() -> None:
    found = list(limits(7, 3))
    assert [case.what for case in found if not case.agrees] == []
    rejected = [case.rejected for case in found if case.rejected is not None]
    assert len(rejected) >= 4
    assert all(rejected)


@pytest.mark.parametrize(("fpr", "reference"), [(0.05, 0.7183811), (0.0, 0.7071068)])
def test_the_limit_of_a_judge_whose_false_positive_rate_is_1_percent_off_is_rejected(
    fpr: float, reference: float
) -> None:
    def theory(rate: float) -> FormulaAlone:
        curve = Relevance.parse(f"noisy(linear(0.1, 0.7), {rate}, 0.2)")
        return FormulaAlone(curve, Measure.parse("nDCG(power(0.5))"))

    row = judge_limit(theory(fpr), "a", 1.0)
    assert row.verdict == "agrees"
    assert row.limit == pytest.approx(reference, abs=5e-8)
    off = theory(1.01 * fpr if fpr else 0.0005).limit.value
    assert off is not None
    assert judge_limit(theory(fpr), "a", off / reference).verdict == "disagrees"
