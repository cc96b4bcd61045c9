"""The variance with a cutoff against draws of whole lists."""

import math

import numpy as np
import pytest
from oracles.discounts import DISCOUNTS

from ndcg_asymptotics.errors import InputError
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.scorers import Relevance
from ndcg_asymptotics.theory.fluctuations import ndcg_spread
from ndcg_asymptotics.theory.fluctuations.effort import QUICK, USUAL, Effort
from ndcg_asymptotics.theory.fluctuations.variance import moments

LINEAR, BLANK = Relevance.of("linear(0.1, 0.7)"), Relevance.of("constant(0.4)")


@pytest.mark.slow
@pytest.mark.parametrize(("discount", "cutoff", "k"), [("linear", "@0.1n", 30), ("geometric(2)", "@10", 10)])
def test_draws(discount: str, cutoff: str, k: int) -> None:
    n, count, rng = 300, 40_000, np.random.default_rng(11)
    weights = DISCOUNTS[discount](np.arange(1.0, k + 1), n)
    found = []
    for _ in range(count // 4000):
        depth = np.sort(rng.random((4000, n)), axis=1)
        label = rng.random(depth.shape) < 0.7 - 0.6 * depth
        found.append(np.column_stack([label[:, :k] @ weights, rng.permuted(label, axis=1)[:, :k] @ weights]))
    a, b = np.concatenate(found).T / weights.sum()
    for draws, scorers in ((a, (LINEAR,)), (a - b, (LINEAR, BLANK))):
        squares = (draws - draws.mean()) ** 2
        error = squares.std() / math.sqrt(count)
        mean, variance, _ = moments(scorers, Measure.of(f"nDCG({discount}){cutoff}"), n)
        assert abs(draws.mean() - mean) < 5 * draws.std() / math.sqrt(count)  # false alarm: 6e-7 each
        assert abs(squares.mean() - variance) < 5 * error
        assert abs(squares.mean() - 1.1 * variance) > 5 * error


def test_the_mean_of_a_straight_curve() -> None:
    """E[DCG@k] = sum_r D(r) (0.7 - 0.6 r / (n + 1))."""
    r = np.arange(1.0, 11.0)
    weights = 0.5**r
    expected = weights @ (0.7 - 0.6 * r / 301) / weights.sum()
    mean, _, _ = moments((LINEAR,), Measure.of("nDCG(geometric(2))@10"), 300)
    assert mean == pytest.approx(expected, abs=1e-11)


def test_an_ideal_list_that_may_not_be_full_is_refused() -> None:
    with pytest.raises(InputError, match="well above the cutoff"):
        ndcg_spread(LINEAR, "nDCG@0.4n", [1000])


@pytest.mark.parametrize(("effort", "off"), [(QUICK, 1e-4), (USUAL, 1e-9)])
def test_the_longest_lists_have_independent_labels_at_the_top(effort: Effort, off: float) -> None:
    """Var -> sum_r D(r)^2 (q_a (1 - q_a) + q_b (1 - q_b)) / F(10)^2, q the probability at the top."""
    weights = 1 / np.log(np.arange(2.0, 12.0))
    pair = Relevance.of("power(prevalence=0.3, top=0.55, exponent=6)"), Relevance.of("constant(0.3)")
    _, variance, _ = moments(pair, Measure.of("nDCG@10"), 10**12, effort)
    expected = (0.55 * 0.45 + 0.3 * 0.7) * (weights @ weights) / weights.sum() ** 2
    assert variance == pytest.approx(expected, rel=off)
