"""Every prefix of a list, against plain evaluation one length at a time."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles.discounts import CUTOFFS as ALL_CUTOFFS
from oracles.discounts import DISCOUNTS
from own_discount import steps

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.engines import every_n
from ndcg_asymptotics.engines.every_n.paths import method_of
from ndcg_asymptotics.measures import Measure

Floats = NDArray[np.float64]

STEPS = 'custom("own_discount:steps", 10000)'
FORMULAS = {
    **{text: DISCOUNTS[text] for text in ("log", "power(0.5)", "power(2)", "power(40)", "zipf")},
    **{text: DISCOUNTS[text] for text in ("geometric(2)", "geometric(1.001)", "linear", "constant")},
    STEPS: lambda r, n: steps(r),
}
CUTOFFS = {text: ALL_CUTOFFS[text] for text in ("", "@10", "@0.2n", "@n^0.9", "@n/log(n)", "@20log(n)")}

PAIRS = [pair for pair in itertools.product(FORMULAS, CUTOFFS) if pair != ("constant", "")]
MEASURES = tuple(Measure.parse(f"nDCG({discount}){cutoff}") for discount, cutoff in PAIRS)


def direct(order_of_arrival: NDArray[np.int64], gains: Floats, n: int) -> Floats:
    """NDCG of the first n arrivals by every measure; ``order_of_arrival`` lists the items in rank order."""
    labels = gains[order_of_arrival[order_of_arrival < n]]
    best, ranks, found = np.sort(labels)[::-1], np.arange(1.0, n + 1), []
    every = {text: discount(ranks, n) for text, discount in FORMULAS.items()}
    for text, cutoff in PAIRS:
        weights, k = every[text], CUTOFFS[cutoff](n)
        ideal = best[:k] @ weights[:k]
        found.append(labels[:k] @ weights[:k] / ideal if ideal > 0 else 0.0)
    return np.array(found)


def real_list(items: int, seed: int) -> tuple[Floats, Floats]:
    """Scores with ties, and labels 0, 1, 3 that they say something about."""
    rng = np.random.default_rng(seed)
    scores = np.round(rng.normal(size=items), 2)
    labels = rng.choice([0.0, 1.0, 3.0], size=items, p=[0.6, 0.3, 0.1])
    return scores + np.round(labels * 0.3, 2), labels


def test_lengths_up_to_3000_equal_direct_evaluation() -> None:
    """Every n up to 1200, and every seventh beyond."""
    scores, labels = real_list(3000, 1)
    found = every_n.evaluate_every_n(scores, labels, MEASURES)
    order = np.array(sorted(range(3000), key=lambda i: (-scores[i], i)))
    for n in (*range(1, 1200), *range(1200, 3001, 7)):
        error = np.abs(found[:, n - 1] - direct(order, labels, n))
        assert error.max() <= 1e-10, (MEASURES[error.argmax()], n)


def test_all_methods_are_used() -> None:
    taken = {method_of(measure, 1024).kind for measure in MEASURES}
    assert taken == {"heads", "moments", "exponentials"}


def test_unretrieved_documents_come_last_in_order_of_arrival() -> None:
    scores = np.array([1.0, -np.inf, 3.0, -np.inf, 2.0])
    far = np.array([1.0, -10.0, 3.0, -10.0, 2.0])
    labels = [0, 1, 1, 2, 0]
    found, expected = (every_n.evaluate_every_n(s, labels, "nDCG") for s in (scores, far))
    np.testing.assert_array_equal(found, expected)


def test_ideal_order_gives_one_and_no_relevant_item_zero() -> None:
    labels = np.concatenate([np.full(20, 2.0), np.ones(30), np.zeros(50)])
    found = every_n.evaluate_every_n(-np.arange(100.0), labels, MEASURES)
    linear = [str(m.discount) == "linear" for m in MEASURES]
    assert np.abs(found[:, 1:] - 1).max() <= 1e-11
    np.testing.assert_array_equal(found[linear, 0], 0.0)  # D_1(1) = 0
    assert not every_n.evaluate_every_n(-np.arange(100.0), np.zeros(100), MEASURES).any()


@pytest.mark.parametrize(
    ("scores", "labels", "what"),
    [
        ([1.0, math.nan], [0, 1], "scores must be finite"),
        ([1.0, math.inf], [0, 1], "scores must be finite"),
        ([1.0, 2.0], [0, -1], "labels must be finite and >= 0"),
        ([1.0, 2.0], [0], "one length"),
        ([1.0, 2.0], [10**400, 0], "labels: must be numbers"),
        (np.arange(300.0), np.arange(300.0), "at most 255 different"),
    ],
)
def test_bad_lists_are_refused(scores: list[float], labels: list[float], what: str) -> None:
    with pytest.raises(InputError, match=what):
        every_n.evaluate_every_n(scores, labels, MEASURES[:1])
