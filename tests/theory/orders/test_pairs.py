"""Two scorers in expectation: the sign and the order of the difference, and where it begins."""

from __future__ import annotations

import math

import numpy as np
import pytest
from oracles.deviations import Pieces, moments

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.theory.limits.leading_terms import first_moment
from ndcg_asymptotics.theory.mean import expected_ndcg
from ndcg_asymptotics.theory.orders.order import order_in_expectation


@pytest.mark.parametrize("order", [1, 2, 3])
def test_lemma_3_finds_order_and_sign(order: int) -> None:
    """Differences whose first moments are 0 by construction: K, a, and the exact means' difference."""
    # int_0^1 t^i (-log t)^j dt = j! / (i + 1)^(j + 1)
    rows = np.array(
        [[math.factorial(j) / (i + 1) ** (j + 1) for i in range(order + 1)] for j in range(order + 1)]
    )
    shape = np.append(np.linalg.solve(rows[:-1, :-1], -rows[:-1, -1]), 1.0)
    difference = 0.3 * shape / np.abs(shape).sum()
    expected = float(rows[-1] @ difference) / 0.4
    coefficients = ", ".join(map(repr, (difference + 0.4 * (np.arange(order + 1) == 0)).tolist()))
    curve = f"polynomial({coefficients})"
    found = first_moment(curve, "constant(0.4)")
    assert found.order == order
    assert found.coefficient == pytest.approx(expected, rel=1e-9)
    sizes = (10**9, 10**18)
    gap = expected_ndcg(curve, "nDCG", sizes).value - expected_ndcg("constant(0.4)", "nDCG", sizes).value
    left = np.abs(gap * np.log(sizes) ** order / found.coefficient - 1)
    assert left[1] < 0.6 * left[0] < 0.6  # what is left is of the order 1/log n


def test_lemma_3_with_a_cutoff_starts_at_the_limits() -> None:
    """k = n/5: curves whose limits differ have K = 0, and curves that agree there have no K."""
    found = first_moment("linear(0.1, 0.7)", "constant(0.4)", "nDCG@0.2n")
    assert (found.order, found.coefficient) == (0, pytest.approx(0.64 - 0.4, rel=1e-12))
    slope, valley = "piecewise(0=0.7, 0.2=0.5, 1=0.1)", "piecewise(0=0.7, 0.2=0.5, 0.5=0.1, 1=0.5)"
    assert first_moment(slope, valley, "nDCG@0.2n") is None
    assert first_moment(slope, valley).order == 1


def test_definition_4_where_the_order_changes() -> None:
    """1/r: the curve that is higher at the very top and lower below it is behind until n is large."""
    sharp, broad = "piecewise(0=0.55, 0.2=0.3, 1=0.4875)", "linear(0.3, 0.5)"
    found = order_in_expectation(sharp, broad, "nDCG(zipf)")
    assert found.ahead == "a"
    assert found.since is not None
    assert found.since > 10
    means = [expected_ndcg(c, "nDCG(zipf)", [found.since // 3, found.since]).value for c in (sharp, broad)]
    assert means[0][0] < means[1][0]
    assert means[0][1] > means[1][1]


def test_theorem_14_of_graded_labels_against_sums_over_counts() -> None:
    """Step curves in two halves: the means of n = 4 items, and the sign at every n, by other means."""
    good = "graded(3=step(0.1, 0.5, 0.5), 1=constant(0.3))"
    bad = "graded(3=step(0.2, 0.4, 0.5), 1=constant(0.3))"
    found = order_in_expectation(good, bad, "nDCG", [2, 4])
    for index, n in enumerate((2, 4)):
        discount = 1 / np.log(np.arange(2.0, n + 2))
        means = [
            moments([Pieces((0.5, 1.0), ((top, 0.3), (low, 0.3)))], [3.0, 1.0], discount)[0]
            for top, low in ((0.5, 0.1), (0.4, 0.2))
        ]
        assert abs(found.difference[index] - (means[0] - means[1])) <= found.error[index] + 1e-15
        assert abs(found.difference[index]) > 1e3 * found.error[index]
    assert (found.ahead, found.since, found.consistent) == ("a", 2, True)


def test_the_order_of_one_scorer_and_itself() -> None:
    found = order_in_expectation("linear(0.1, 0.7)", "linear(0.1, 0.7)")
    assert (found.ahead, found.since, found.consistent) == (None, None, False)
    assert set(found.difference) == {0.0}


@pytest.mark.slow
def test_the_order_with_few_relevant_items_starts_at_their_number() -> None:
    pair = "relevant(2, roc_power(0.4))", "relevant(2, roc_power(0.6))"
    found = order_in_expectation(*pair, "nDCG@10")
    assert (found.ahead, found.sizes[0], found.since) == ("a", 2, 5)
    assert found.consistent is None  # what becomes of orders with a fixed number is not known


def test_label_laws_that_differ_are_refused() -> None:
    with pytest.raises(InputError, match="share their labels"):
        order_in_expectation("constant(0.3)", "constant(0.4)", "nDCG")
    with pytest.raises(InputError, match="log discount"):
        first_moment("constant(0.3)", "constant(0.3)", "nDCG(zipf)")
