"""Two scorers in expectation: the sign and the order of the difference, and where it begins."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.theory.mean import expected_ndcg
from ndcg_asymptotics.theory.pairs import distinguishable_in_expectation, first_moment


def log_moment(coefficients: list[Fraction], order: int) -> Fraction:
    """int_0^1 sum_i c_i t^i (-log t)^j dt = sum_i c_i j! / (i+1)^(j+1), exactly."""
    return sum(
        (c * math.factorial(order) / Fraction(i + 1) ** (order + 1) for i, c in enumerate(coefficients)),
        Fraction(0),
    )


def with_moments_zero(count: int) -> list[Fraction]:
    """A polynomial in t whose first moments against (-log t)^j, j < count, are 0: solved in fractions."""
    rows = [[Fraction(1, (i + 1) ** (j + 1)) for i in range(count + 1)] for j in range(count)]
    solution = [Fraction(1)]
    # the last coefficient is 1, the others by elimination
    matrix = [[*row[:count], -row[count]] for row in rows]
    for i in range(count):
        pivot = next(r for r in range(i, count) if matrix[r][i])
        matrix[i], matrix[pivot] = matrix[pivot], matrix[i]
        matrix[i] = [x / matrix[i][i] for x in matrix[i]]
        for r in range(count):
            if r != i:
                matrix[r] = [x - matrix[r][i] * y for x, y in zip(matrix[r], matrix[i], strict=True)]
    return [row[-1] for row in matrix] + solution


@pytest.mark.parametrize("order", [1, 2, 3])
def test_lemma_3_finds_order_and_sign(order: int) -> None:
    """Differences whose first moments are 0 by construction: K, a, and the exact means' difference."""
    shape = with_moments_zero(order)
    scale = Fraction(3, 10) / sum(abs(c) for c in shape)
    difference = [scale * c for c in shape]
    expected = float(log_moment(difference, order)) / 0.4
    coefficients = ", ".join(
        repr(float(c + (Fraction(2, 5) if i == 0 else 0))) for i, c in enumerate(difference)
    )
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
    found = distinguishable_in_expectation(sharp, broad, "nDCG(zipf)")
    assert found.winner == 1
    assert found.since is not None
    assert found.since > 10
    means = [expected_ndcg(c, "nDCG(zipf)", [found.since // 3, found.since]).value for c in (sharp, broad)]
    assert means[0][0] < means[1][0]
    assert means[0][1] > means[1][1]


@pytest.mark.slow
def test_definition_4_of_graded_labels() -> None:
    good, bad = "graded(2=linear(0, 0.4), 1=constant(0.3))", "graded(2=constant(0.2), 1=constant(0.3))"
    found = distinguishable_in_expectation(good, bad, Measure.parse("nDCG"), [10, 1000, 10**18])
    assert (found.winner, found.since) == (1, 10)
    assert distinguishable_in_expectation(good, good, "nDCG").winner == 0


def test_label_laws_that_differ_are_refused() -> None:
    with pytest.raises(InputError, match="one label law"):
        distinguishable_in_expectation("constant(0.3)", "constant(0.4)", "nDCG")
    with pytest.raises(InputError, match="log discount"):
        first_moment("constant(0.3)", "constant(0.3)", "nDCG(zipf)")
