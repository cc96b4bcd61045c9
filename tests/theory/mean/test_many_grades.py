"""Labels of many grades: exact means and standard deviations against sums over all counts and simulation."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.graded import mean_by_counts, mean_of_first

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.mean import expected_ndcg

LEARNING_TO_RANK = (
    "graded(15=power(0, 0.02, 4), 7=power(0, 0.04, 3), 3=power(0.01, 0.13, 2), 1=linear(0.2, 0.45))"
)
REFERENCES = {20: 0.695698796, 30: 0.672633009, 40: 0.657166216, 60: 0.638474959, 100: 0.621385736}


def curves_of(relevance):
    return [curve.value for curve in relevance.curves]


def grades(number, seed):
    """Curves of several grades, of which the best are rare."""
    rng = np.random.default_rng(seed)
    shares = rng.random((number, 2)) * 0.6 / number * 10.0 ** -np.linspace(0, 1.5, number)[:, None]
    texts = [f"{j}=linear({a:.4g}, {b:.4g})" for j, (a, b) in enumerate(shares, 1)]
    return Relevance.parse(f"graded({', '.join(reversed(texts))})")


@pytest.mark.slow
def test_reference_values_of_a_learning_to_rank_law():
    """The mean as a sum over all label counts."""
    mean = expected_ndcg(LEARNING_TO_RANK, "nDCG", list(REFERENCES))
    assert np.all(np.abs(mean.value - list(REFERENCES.values())) <= mean.error + 5e-10)
    assert np.all(mean.error < 1e-7)


@pytest.mark.parametrize(("number", "n", "k"), [(2, 9, 9), (3, 8, 3), (4, 6, 6), (4, 6, 2), (6, 4, 3)])
def test_every_count_summed_over(number, n, k):
    relevance = grades(number, number)
    d = 1 / np.log(1 + np.arange(1.0, n + 1))
    integrals = [lambda t, curve=curve: curve.integral(0.0, t) for curve in relevance.curves]
    truth = mean_by_counts(curves_of(relevance), integrals, relevance.gains, d, k, n)
    mean = expected_ndcg(relevance, Measure("log", k), [n])
    assert abs(mean.value[0] - truth) <= mean.error[0] < 1e-7
    wrong = mean_by_counts(curves_of(relevance), integrals, (*relevance.gains[:-1], 0.99), d, k, n)
    assert abs(mean.value[0] - wrong) > mean.error[0]


@pytest.mark.parametrize("n", [60, 100, 200, 10**4])
@pytest.mark.parametrize(
    "text",
    [
        "graded(15=power(0.03551, 0.003298, 1), 7=linear(0.1143, 0.2277), 3=constant(0.06122), "
        "1=linear(0.2206, 0.1824))",
        "graded(15=linear(0.1, 0.1), 7=linear(0.15, 0.1), 3=power(0.1, 0.1, 2), 1=linear(0.05, 0.25))",
        "graded(7=linear(0.06, 0.02), 1=constant(0.001))",
    ],
)
def test_the_first_rank_alone(text, n):
    """With n = 100 the third grade may be missing though several items of each grade are expected."""
    relevance = Relevance.parse(text)
    integrals = [lambda t, curve=curve: curve.integral(0.0, t) for curve in relevance.curves]
    truth = mean_of_first(curves_of(relevance), integrals, relevance.gains, n)
    mean = expected_ndcg(relevance, "nDCG@1", [n])
    assert abs(mean.value[0] - truth) <= mean.error[0] < 1e-7
    wrong = mean_of_first(curves_of(relevance), integrals, (*relevance.gains[:-1], 0.99), n)
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
