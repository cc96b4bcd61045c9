"""Labels in rank order, against a stable sort and means over ties, one item at a time."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from ndcg_asymptotics.measures.ranked import ideal_order, ranked_labels

RNG = np.random.default_rng(7)
TINY = 5e-324  # the smallest number above 0

SCORES = {
    "all different": RNG.normal(size=200),
    "many ties": RNG.integers(-3, 4, 200) / 7,
    "neighbours": 1.0 + RNG.integers(-20, 20, 200) * 2.0**-52,
    "ties of single precision": RNG.random(200).astype(np.float32).round(1).astype(np.float64),
    "around zero": RNG.choice([0.0, -0.0, TINY, -TINY, 3 * TINY, 1e-310], 200),
    "largest": RNG.choice([-1, 1], 200) * np.finfo(np.float64).max / RNG.integers(1, 4, 200),
    "one": np.array([0.25]),
}
LABELS = {
    "binary": RNG.integers(0, 2, 200).astype(np.float64),
    "grades": RNG.choice([0.0, 1.0, 3.0, 7.0, 15.0], 200),
    "not whole": RNG.choice([0.0, 0.5, 2.0], 200),
    "none": np.zeros(200),
}


def one_by_one(scores: np.ndarray, labels: np.ndarray, ties: str) -> list[float]:
    """Return the labels in rank order by comparing Python numbers."""
    ranked = sorted(range(len(scores)), key=lambda i: -scores[i])
    if ties == "stable":
        return [labels[i] for i in ranked]
    alike = [[Fraction(labels[j]) for j in ranked if scores[j] == scores[i]] for i in ranked]
    return [float(sum(group) / len(group)) for group in alike]


@pytest.mark.slow
@pytest.mark.parametrize("ties", ["expected", "stable"])
@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("gains", LABELS)
def test_labels_are_ranked_as_by_comparing_scores(kind: str, gains: str, ties: str) -> None:
    scores = SCORES[kind]
    labels = LABELS[gains][: scores.size]
    expected = one_by_one(scores, labels, ties)
    for k in (1, 10, scores.size):
        np.testing.assert_allclose(ranked_labels(scores, labels, k, ties)[:k], expected[:k], rtol=1e-15)


@pytest.mark.parametrize("k", [1, 50, 200])
@pytest.mark.parametrize("gains", LABELS)
def test_the_ideal_order_is_that_of_the_labels(gains: str, k: int) -> None:
    expected = [label for label in sorted(LABELS[gains], reverse=True)[:k] if label > 0]
    assert ideal_order(LABELS[gains], k).tolist() == expected


def test_nothing_given_is_changed() -> None:
    scores, labels = SCORES["many ties"].copy(), LABELS["grades"].copy()
    ranked_labels(scores, labels, 200, "expected")
    ideal_order(labels, 200)
    np.testing.assert_array_equal(scores, SCORES["many ties"])
    np.testing.assert_array_equal(labels, LABELS["grades"])


@pytest.mark.parametrize("kind", ["random", "rising", "falling", "few different", "one at the top"])
@pytest.mark.parametrize("k", [1, 7, 300])
def test_the_top_of_a_long_list_is_found_from_a_sample(kind: str, k: int) -> None:
    n = 20_000
    scores = {
        "random": RNG.random(n),
        "rising": np.arange(n) / 7,
        "falling": -np.arange(n) / 7,
        "few different": RNG.integers(0, 3, n).astype(np.float64),
        "one at the top": np.where(np.arange(n) == 4321, 1.0, 0.0),
    }[kind]
    labels = RNG.integers(0, 3, n).astype(np.float64)
    order = np.argsort(-scores, kind="stable")
    np.testing.assert_array_equal(ranked_labels(scores, labels, k, "stable")[:k], labels[order[:k]])
    means = np.array([labels[scores == scores[i]].mean() for i in order[:k]])
    np.testing.assert_allclose(ranked_labels(scores, labels, k, "expected")[:k], means, rtol=1e-15)
    positive = np.sort(np.maximum(scores, 0.0))[::-1][:k]
    np.testing.assert_array_equal(ideal_order(np.maximum(scores, 0.0), k), positive[positive > 0])
