"""The mean of DCG given label counts, against exact sums."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import naive
from oracles.discounts import DISCOUNTS
from scipy.stats import binom

from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Relevance
from ndcg_asymptotics.theory.mean.given_counts import means_given_counts


@pytest.mark.parametrize("discount", ["log", "linear", "power(2)"])
@pytest.mark.parametrize("n", [300, 10**9, 10**18])
def test_labels_without_information_are_exchangeable(discount, n):
    """E[DCG@k | c] = F(k) sum_j y_j c_j / n, also where counts change the mean by 1e-9 of it."""
    curve, k = Relevance.of("graded(2=constant(0.25), 1=constant(0.5))"), n // 5
    measure = Measure.of(f"DCG({discount})@{k}")
    centre, away = np.array([n // 4, n // 2, n // 4], float), round(3 * n**0.5 / 8) * 8
    counts = centre + away * np.array([[1.0, 0, -1], [0, 1, -1], [-2, 1, 1], [0, 0, 0]])
    found = means_given_counts(curve, measure, n, counts, 1.0, 1e-8)
    whole = float(measure.discount.cumulative(k, float(n)))
    moved = away * np.array([2.0, 1, -3, 0]) * whole / n
    assert found.mean == pytest.approx(whole, rel=1e-9)
    assert found.changes == pytest.approx(moved, rel=1e-6, abs=1e-6 * moved[0])


@pytest.mark.parametrize("k", [2, 6])
def test_every_sequence_of_labels(k):
    n, curve = 6, "graded(3=linear(0, 0.2), 1=linear(0.3, 0.1))"
    powers = {3.0: [0.2, -0.2], 1.0: [0.1, 0.2]}
    sums: dict[tuple[int, int, int], np.ndarray] = {}
    for labels, chance in naive.label_law(powers, n):
        dcg = sum(y * DISCOUNTS["log"](float(r), n) for r, y in enumerate(labels[:k], 1))
        key = labels.count(3.0), labels.count(1.0), n - labels.count(3.0) - labels.count(1.0)
        sums[key] = sums.get(key, 0.0) + float(chance) * np.array([1.0, dcg])
    expected = np.array([total / chance for chance, total in sums.values()])
    mean = sum(total for _, total in sums.values())
    found = means_given_counts(
        Relevance.of(curve), Measure.of(f"DCG@{k}"), n, np.array([*sums], float), 1.0, 1e-9
    )
    assert found.mean == pytest.approx(mean, rel=1e-9)
    assert found.mean + found.changes == pytest.approx(expected, rel=1e-8, abs=1e-12)


@pytest.mark.parametrize(("k", "low", "high"), [(600, 0.02, 0.98), (1200, 0.0005, 0.9995), (500, 0.3, 0.6)])
def test_counts_that_nearly_determine_the_ranks(k, low, high):
    """With a step curve the numbers above and below the step are binomial, and their order is random."""
    n, share = 2000, 0.6
    curve, p = Relevance.of(f"step({low}, {high}, {1 - share})"), share * high + (1 - share) * low
    counts = round(n * p) + np.array([-60, -3, 0, 25, 90])
    sums = np.concatenate([[0.0], np.cumsum(DISCOUNTS["log"](np.arange(1.0, n + 1), n))])
    expected = []
    for c in counts.tolist():
        relevant, other = np.arange(c + 1)[:, None], np.arange(n - c + 1)
        law = binom.pmf(relevant, c, share * high / p) * binom.pmf(other, n - c, share * (1 - high) / (1 - p))
        top = relevant + other
        gain = relevant / np.maximum(top, 1) * sums[np.minimum(top, k)]
        gain = gain + (c - relevant) / np.maximum(n - top, 1) * np.maximum(
            sums[k] - sums[np.minimum(top, k)], 0.0
        )
        expected.append(float((law * gain).sum()))
    several = np.column_stack([counts, n - counts]).astype(float)
    # the error is small in the mean square over the counts, so larger where they are unlikely
    likely = np.sqrt(binom.pmf(counts, n, p) / binom.pmf(counts[2], n, p))
    right, wrong = (
        means_given_counts(curve, Measure.of(f"DCG@{cutoff}"), n, several, 1.0, 1e-6) for cutoff in (k, k + 1)
    )
    assert (likely * np.abs(right.mean + right.changes - expected)).max() < 3e-6
    assert (likely * np.abs(wrong.mean + wrong.changes - expected)).max() > 1e-3
