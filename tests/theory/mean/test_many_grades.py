"""Labels of many grades: exact means and standard deviations against sums over all counts and simulation."""

from __future__ import annotations

import numpy as np
import pytest

from ndcg_asymptotics.theory.mean import expected_ndcg

LEARNING_TO_RANK = (
    "graded(15=power(0, 0.02, 4), 7=power(0, 0.04, 3), 3=power(0.01, 0.13, 2), 1=linear(0.2, 0.45))"
)
REFERENCES = {20: 0.695698796, 30: 0.672633009, 40: 0.657166216, 60: 0.638474959, 100: 0.621385736}


@pytest.mark.slow
def test_reference_values_of_a_learning_to_rank_law():
    """The mean as a sum over all label counts."""
    mean = expected_ndcg(LEARNING_TO_RANK, "nDCG", list(REFERENCES))
    assert np.all(np.abs(mean.value - list(REFERENCES.values())) <= mean.error + 5e-10)
    assert np.all(mean.error < 1e-7)


@pytest.mark.parametrize("n", [60, 100, 200, 10**4])
@pytest.mark.parametrize(
    "law",
    [
        {15: 0.0194, 7: 0.171, 3: 0.06122, 1: 0.2015},
        {15: 0.1, 7: 0.125, 3: 0.1, 1: 0.15},
        {7: 0.04, 1: 0.001},
    ],
)
def test_the_first_rank_alone(law, n):
    """With n = 100 the third grade may be missing though several items of each grade are expected.

    All labels are alike, and E[y_1; none above g] = E[y; y <= g] P(y <= g)^(n - 1).
    """
    text = f"graded({', '.join(f'{gain}=constant({p})' for gain, p in law.items())})"

    def truth(law):
        gains, chances = np.array(list(law)), np.array(list(law.values()))
        below = np.cumsum((gains * chances)[::-1])[::-1]
        none = (1 - np.cumsum(np.append(0.0, chances[:-1]))) ** (n - 1)
        return float(-np.diff(np.append(below * none, 0.0)) @ (1 / gains))

    mean = expected_ndcg(text, "nDCG@1", [n])
    assert abs(mean.value[0] - truth(law)) <= mean.error[0] < 1e-7
    wrong = truth(dict(zip((*list(law)[:-1], 0.99), law.values(), strict=True)))
    assert n > 1000 or abs(mean.value[0] - wrong) > mean.error[0]


def test_a_rare_last_grade_in_long_lists():
    """Nearly all gain is that of the first grade, and the mean that of it alone."""
    found = expected_ndcg("graded(7=linear(0.004, 0.002), 1=constant(1e-9))", "nDCG@0.2n", [10**12])
    alone = expected_ndcg("linear(0.004, 0.002)", "nDCG@0.2n", [10**12])
    assert found.error[0] < 1e-8
    assert 1e-12 < abs(found.value[0] - alone.value[0]) < 1e-6


@pytest.mark.parametrize("n", [1831, 15759])
@pytest.mark.parametrize(("cutoff", "end"), [("0.522n", 0.522), ("0.311n", 0.811)])
def test_perfect_orders_of_two_grades_at_a_cutoff_that_a_count_passes(n, cutoff, end):
    """NDCG is 1, and the stated error says how well Gauss rules resolve the kink of the ideal list."""
    middle = f"piecewise(0=0, 0.311=0, 0.311000001=1, {end}=1, {end + 1e-9!r}=0, 1=0)"
    mean = expected_ndcg(f"graded(2=step(0, 1, 0.689), 1={middle})", f"nDCG@{cutoff}", [n])
    assert abs(mean.value[0] - 1) <= mean.error[0] < 2e-4
