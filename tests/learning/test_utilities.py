"""Utilities of orders: values from their definitions, best orders by two methods, standardisations."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from oracles import ranking
from oracles.discounts import formula

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.learning import Problem, decide_losses
from ndcg_asymptotics.learning.losses.pairwise import LinearNDCG
from ndcg_asymptotics.learning.preferences import require_low_noise
from ndcg_asymptotics.learning.utilities import utility_of
from ndcg_asymptotics.measures import Measure

LINEAR = (
    *("nDCG", "nDCG(power(2))", "nDCG(linear)", "nDCG@10", "nDCG(zipf)@0.5n"),
    *("nDCG(geometric(2))@0.2n", "DCG", "DCG(zipf)@0.5n"),
)
OTHERS = ("AP", "ERR", "PD", "PD(gain)")


def problem(seed: int, measure: str, items: int = 4, vectors: int = 3) -> Problem:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 4, (vectors, items))
    return Problem(labels, rng.dirichlet(np.ones(vectors)), measure)


def value_of(order: tuple[int, ...], labels: list[float], measure: str, largest: float) -> float:
    """Return the utility of an order, from its definition."""
    items = range(len(labels))
    if measure == "AP":
        return ranking.average_precision(order, labels)
    if measure == "ERR":
        return ranking.reciprocal_rank(order, labels, largest)
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


@pytest.mark.parametrize("measure", [*LINEAR, *OTHERS])
def test_the_value_of_every_order_agrees_with_the_definition(measure):
    for seed in range(5):
        given = problem(seed, measure)
        largest = float(given.labels.max())
        for order in permutations(range(4)):
            wanted = sum(
                p * value_of(order, labels, measure, largest)
                for p, labels in zip(given.probabilities, given.labels.tolist(), strict=True)
            )
            assert given.expected([order])[0] == pytest.approx(wanted, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("measure", LINEAR)
def test_lemma_4_agrees_with_enumeration(measure):
    for seed in range(40):
        given = problem(seed, measure, items=2 + seed % 4)
        assert given.regret([given.standardised_order()])[0] <= given.rounding_error
        assert given.regrets()[1].min() == 0


BUFFONI = ([[1, 1, 0, 0], [0, 0, 1, 1]], [0.5, 0.5])


@pytest.mark.parametrize(("measure", "change"), [("ERR", 1 / 48), ("AP", -1 / 24)])
def test_no_standardisation_of_ap_and_err(measure, change):
    """Any E[r(Y)] is the same for all four items, yet their order matters, oppositely for AP and ERR."""
    given = Problem(*BUFFONI, measure, "linear")
    crossed, blocks = given.expected([[0, 2, 1, 3], [0, 1, 2, 3]])
    assert crossed - blocks == pytest.approx(change, abs=1e-15)
    with pytest.raises(InputError, match=f"{measure} has no standardisation"):
        given.standardised_order()


def test_the_standardisation_of_disagreement():
    y = np.array([2.0, 0.0, 1.0])
    np.testing.assert_array_equal(utility_of("PD").standardised(y), [3 + 2, 3 - 2, 3 + 0])
    np.testing.assert_array_equal(utility_of("PD(gain)").standardised(y), [9 + 5, 9 - 4, 9 - 1])


def test_the_error_for_noise_names_the_items():
    require_low_noise(np.array([[0, 1, 9], [0, 0, 2], [6, 0, 0]]))  # 9 - 6 >= 1 + 2
    with pytest.raises(
        InputError, match="at items 0, 1, 2: 0 is preferred to 1 by 1 and 1 to 2 by 2, but 0 to 2 by 2"
    ):
        require_low_noise(np.array([[0, 1, 8], [0, 0, 2], [6, 0, 0]]))
    cycle = Problem.of_preferences([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    with pytest.raises(InputError, match="not low-noise at items 0, 1, 2"):
        cycle.standardised_order()


def plackett_luce(strengths, orders) -> np.ndarray:
    """Return the probabilities of orders, best first, where items are drawn in proportion to strengths."""
    found = []
    for order in orders:
        left = [strengths[i] for i in order]
        found.append(np.prod([left[r] / sum(left[r:]) for r in range(len(left))]))
    return np.array(found)


def labels_of(orders, items: int) -> np.ndarray:
    """Return labels that put the items in these orders."""
    return np.array([[items - order.index(i) for i in range(items)] for order in orders], np.float64)


def test_the_zero_one_error_of_permutations():
    """Sorting by E[m + 1 - rank] and ListMLE give the most probable order of Plackett and Luce's law."""
    orders = list(permutations(range(4)))
    for seed in range(5):
        strengths = np.random.default_rng(seed).gamma(1.0, size=4)
        chances = plackett_luce(strengths, orders)
        given = Problem(labels_of(orders, 4), chances, "0/1")
        np.testing.assert_allclose(given.expected(orders), chances, atol=1e-14)
        best = tuple(np.argsort(-strengths).tolist())
        assert given.standardised_order() == given.optimal_order() == best == orders[int(chances.argmax())]
        verdicts = {str(d.loss): d for d in decide_losses(given, ["squared_consistent", "listmle"]).losses}
        assert {d.verdict for d in verdicts.values()} == {"consistent here"}
        scores = np.array(verdicts["listmle"].scores)
        np.testing.assert_allclose(scores - scores[0], np.log(strengths / strengths[0]), atol=1e-6)


def test_the_zero_one_error_of_a_law_that_is_not_order_preserving():
    """Item 0 is first in the most probable order, and in the others last: its mean rank is low."""
    orders = [(0, 1, 2), (1, 2, 0), (2, 1, 0)]
    given = Problem(labels_of(orders, 3), [0.4, 0.35, 0.25], "0/1")
    assert given.optimal_order() == (0, 1, 2)
    with pytest.raises(InputError, match="the law is not order-preserving at items"):
        given.standardised_order()
    decided = decide_losses(given, "squared_consistent")
    assert decided.losses[0].order[-1] == 0
    assert decided.losses[0].verdict == "inconsistent here"
    assert "not order-preserving" in repr(decided)
    with pytest.raises(InputError, match="labels: 0/1 needs different labels"):
        Problem([[1, 1, 0]], [1], "0/1")


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


def test_texts():
    for text in ("nDCG@10", "DCG(zipf)", "DCG@0.2n", "AP", "ERR", "PD", "PD(gain)"):
        assert str(utility_of(text)) == text
    assert str(utility_of("DCG")) == "DCG"
    assert utility_of(Measure("zipf")) == utility_of("nDCG(zipf)")


@pytest.mark.parametrize("given", ["NDCG", "map", "PD(x)", "", 3, None])
def test_bad_texts(given):
    with pytest.raises(InputError, match=r"^measure: must be a measure such as"):
        utility_of(given)
