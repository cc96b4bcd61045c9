"""The variance with a cutoff, against sums over label counts and in long lists."""

import math

import numpy as np
import pytest
from oracles.deviations import Pieces, moments
from oracles.discounts import DISCOUNTS

from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.deviation import difference_std, ndcg_std

LINEAR = "linear(0.1, 0.7)"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("law", "n", "k"), [((0.3, 0.2), 300, 90), ((0.2, 0.3), 300, 128), ((0.3, 0.1), 1000, 340)]
)
def test_a_cutoff_that_the_best_grade_may_fill(law: tuple[float, ...], n: int, k: int) -> None:
    """The number of items of either grade or better may lie on both sides of the cutoff."""
    curve, measure = f"graded(3=constant({law[0]}), 1=constant({law[1]}))", f"nDCG@{k}"
    pieces, discounts = Pieces((1.0,), (law,)), DISCOUNTS["log"](np.arange(1.0, n + 1), n)
    discounts[k:] = 0.0
    for found, scorers in (
        (ndcg_std(curve, measure, [n]), [pieces]),
        (difference_std(curve, curve, measure, [n]), [pieces, pieces]),
    ):
        _, expected = moments(scorers, [3.0, 1.0], discounts)
        assert abs(found.value[0] - expected) <= found.error[0] < 0.02 * expected
        assert found.value[0] == pytest.approx(expected, rel=1e-4)


def test_the_longest_lists_have_independent_labels_at_the_top() -> None:
    """Var -> sum_r D(r)^2 (q_a (1 - q_a) + q_b (1 - q_b)) / F(10)^2, q the probability at the top."""
    weights = 1 / np.log(np.arange(2.0, 12.0))
    pair = Relevance.of("power(prevalence=0.3, top=0.55, exponent=6)"), Relevance.of("constant(0.3)")
    variance = difference_std(*pair, "nDCG@10", [10**12]).value[0] ** 2
    expected = (0.55 * 0.45 + 0.3 * 0.7) * (weights @ weights) / weights.sum() ** 2
    assert variance == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("rare", [1.0, 1e-4])
def test_long_lists_of_two_grades_follow_the_delta_method(rare: float) -> None:
    """NDCG@cn under constant is S / (cn + C_2), S the gain of cn items and C_2 <= cn the items of grade 2.

    To first order S is a sum over all items of (Y - m(c)) 1(t < c), with m(c) = E[Y | t = c] at depth c.
    """
    c, n = 0.2, 10**12
    t, dt = np.polynomial.legendre.leggauss(40)
    t, dt = c * (1 + t) / 2, c * dt / 2
    two, one = (lambda t: rare * (0.15 - 0.1 * t)), (lambda t: 0.7 - 0.5 * t)
    at_c = 2 * two(c) + one(c)
    mean, share = float(dt @ (2 * two(t) + one(t))), 0.1 * rare
    ratio = mean / (c + share)
    # the influence of an item is (Y - m(c)) 1(t < c) - ratio 1(Y = 2), over c + share
    means = float(dt @ (2 * two(t) + one(t) - at_c)) - ratio * share
    chances = two(t), one(t), 1 - two(t) - one(t)
    squares = sum(
        float(dt @ (chance * (gain - at_c - ratio * (gain == 2)) ** 2))
        for chance, gain in zip(chances, (2, 1, 0), strict=True)
    )
    below = share - float(dt @ two(t))
    expected = math.sqrt(squares + ratio**2 * below - means**2) / (c + share)
    curve = f"graded(2=linear({0.05 * rare}, {0.15 * rare}), 1=linear(0.2, 0.7))"
    found = ndcg_std(curve, "nDCG(constant)@0.2n", [n])
    assert found.error[0] < 3e-4 * found.value[0]
    assert abs(found.value[0] * math.sqrt(n) - expected) < found.error[0] * math.sqrt(n)
    without = math.sqrt(squares - means**2) / (c + share)  # the items of grade 2 below the cutoff left out
    assert rare < 1 or abs(found.value[0] * math.sqrt(n) - without) > 10 * found.error[0] * math.sqrt(n)
