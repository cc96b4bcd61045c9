"""Utilities of orders: values from their definitions, best orders by two methods, standardisations."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from cases import refused
from oracles import ranking
from oracles.discounts import formula

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.learning import Problem
from ndcg_asymptotics.learning.losses.pairwise import LinearNDCG
from ndcg_asymptotics.learning.preferences import require_low_noise
from ndcg_asymptotics.learning.utilities import utility_of
from ndcg_asymptotics.measures import Measure

LINEAR = (
    *("nDCG", "nDCG(power(2))", "nDCG(linear)", "nDCG@10", "nDCG(zipf)@0.5n"),
    *("nDCG(geometric(2))@0.2n", "DCG", "DCG(zipf)@0.5n"),
)


def problem(seed: int, measure: str, items: int = 4, vectors: int = 3) -> Problem:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 4, (vectors, items))
    return Problem(labels, rng.dirichlet(np.ones(vectors)), measure)


def value_of(order: tuple[int, ...], labels: list[float], measure: str) -> float:
    """Return the utility of an order, from its definition."""
    items = range(len(labels))
    if measure.startswith("PD"):
        weights = [[0.0 for _ in items] for _ in items]
        for i, j, a in ranking.pairs(labels, measure == "PD(gain)"):
            weights[i][j] = a
        return -ranking.disagreement(order, weights)
    discount, cutoff = formula(measure, len(labels))
    gains = [ranking.gain(y) for y in labels]

    def weight(rank: int) -> float:
        return float(discount(float(rank))) if rank <= cutoff else 0.0

    ideal = ranking.norm(gains, weight) if measure.startswith("n") else 1.0
    return ranking.dcg(order, gains, weight) / ideal if ideal else 0.0


@pytest.mark.parametrize("measure", [*LINEAR, "PD", "PD(gain)"])
def test_the_value_of_every_order_agrees_with_the_definition(measure):
    for seed in range(5):
        given = problem(seed, measure)
        for order in permutations(range(4)):
            wanted = sum(
                p * value_of(order, labels, measure)
                for p, labels in zip(given.probabilities, given.labels.tolist(), strict=True)
            )
            assert given.expected([order])[0] == pytest.approx(wanted, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("measure", LINEAR)
def test_lemma_4_agrees_with_enumeration(measure):
    for seed in range(40):
        given = problem(seed, measure, items=2 + seed % 4)
        assert given.regret([given.standardised_order()])[0] <= given.rounding_error
        assert given.regrets()[1].min() == 0


def test_the_standardisation_of_disagreement():
    y = np.array([2.0, 0.0, 1.0])
    np.testing.assert_array_equal(utility_of("PD").standardised(y), [3 + 2, 3 - 2, 3 + 0])
    np.testing.assert_array_equal(utility_of("PD(gain)").standardised(y), [9 + 5, 9 - 4, 9 - 1])


def test_the_error_for_noise_names_the_items():
    require_low_noise(np.array([[0, 1, 9], [0, 0, 2], [6, 0, 0]]))  # 9 - 6 >= 1 + 2
    with pytest.raises(InputError, match="at items 0, 1, 2: 0 is preferred to 1 by 1 and 1 to 2 by 2, but 0"):
        require_low_noise(np.array([[0, 1, 8], [0, 0, 2], [6, 0, 0]]))


def test_the_linear_loss_with_a_step_is_one_minus_ndcg():
    """The weights of `linear_ndcg` on the pairs in the wrong order add up to 1 - NDCG."""
    rng = np.random.default_rng(4)
    loss = LinearNDCG()
    for _ in range(20):
        labels = rng.integers(0, 4, 6).astype(float)
        labels[0] = 3
        scores = rng.normal(size=6)
        weight = loss.pairs(labels[None], utility_of("nDCG")).weight[0]
        wrong = weight[scores[:, None] < scores[None, :]].sum()
        assert 1 - wrong == pytest.approx(Measure("linear").evaluate(np.exp2(labels) - 1, scores), abs=1e-14)


def test_texts_of_utilities():
    for given in ("NDCG", "AP", "PD(x)", "", 3, None):
        refused(r"^measure: must be a measure such as", utility_of, given)
    for text in ("nDCG@10", "DCG(zipf)", "DCG@0.2n", "PD", "PD(gain)"):
        assert str(utility_of(text)) == text
    assert str(utility_of("DCG")) == "DCG"
    assert utility_of(Measure("zipf")) == utility_of("nDCG(zipf)")
