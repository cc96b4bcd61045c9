"""Curves fitted to ranked lists: cells against a plain loop, the label law, and recovery of the truth."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression

from ndcg_asymptotics.lists import RankedList, fit_curves
from ndcg_asymptotics.populations import Curve, PiecewiseLinear


def sample(curve: Curve, queries: int, n: int, seed: int) -> list[RankedList]:
    """Return lists of n items whose labels follow the curve at uniform depths."""
    rng = np.random.default_rng(seed)
    lists = []
    for query in range(queries):
        depth = rng.random(n)
        labels = (rng.random(n) < curve.value(depth)).astype(float)
        lists.append(RankedList(str(query), -depth, labels))
    return lists


def random_lists(seed: int, gains=(0, 1), queries: int = 5) -> list[RankedList]:
    """Return lists of different lengths, with many ties, and labels that are higher near the top."""
    rng = np.random.default_rng(seed)
    lists = []
    for query in range(queries):
        n = int(rng.integers(20, 60))
        labels = rng.choice(np.array(gains, float), n)
        lists.append(RankedList(str(query), np.round(labels + rng.normal(0, 2, n)), labels))
    return lists


def pooled(lists: list[RankedList], gain: float) -> float:
    labels = np.concatenate([ranked.labels for ranked in lists])
    return float(np.mean(labels == gain))


def cell_means(lists: list[RankedList], depth: np.ndarray) -> list[float]:
    """Return the mean label of each cell, by a loop over groups of ties and cells."""
    edges = [0.0, *((depth[1:] + depth[:-1]) / 2).tolist(), 1.0]
    means = []
    for a, b in itertools.pairwise(edges):
        total = weight = 0.0
        for ranked in lists:
            n = len(ranked.scores)
            weight += n * (b - a)
            for score in set(ranked.scores.tolist()):
                above = sum(s > score for s in ranked.scores)
                labels = [y for s, y in zip(ranked.scores, ranked.labels, strict=True) if s == score]
                overlap = min(b, (above + len(labels)) / n) - max(a, above / n)
                total += max(overlap, 0.0) * n * sum(labels) / len(labels)
        means.append(total / weight)
    return means


def test_isotonic_curve_is_the_isotonic_regression_of_the_cells():
    lists = random_lists(1)
    curve = fit_curves({"a": lists})["a"]
    edges = np.concatenate(([0.0], (curve.depth[1:] + curve.depth[:-1]) / 2, [1.0]))
    peer = IsotonicRegression(increasing=False)
    means = cell_means(lists, curve.depth)
    expected = peer.fit(curve.depth, means, np.diff(edges)).predict(curve.depth)
    np.testing.assert_allclose(curve.probability[0], expected, atol=1e-12)


def test_the_topmost_cell_is_the_first_rank():
    lists = [RankedList("q", -np.arange(50.0), np.eye(50)[0])]
    curve = fit_curves({"a": lists})["a"]
    assert curve.probability[0, 0] == pytest.approx(1)
    assert curve.probability[0, 1] == pytest.approx(0)
    assert curve.depth[1] == 2 / 50
    assert curve.depth[-1] == 1


def test_a_list_that_is_one_tie_has_a_flat_curve():
    lists = [RankedList("q", np.zeros(40), (np.arange(40) < 10).astype(float))]
    curve = fit_curves({"a": lists})["a"]
    np.testing.assert_allclose(curve.probability, 0.25, atol=1e-12)


@pytest.mark.parametrize("gains", [(0, 1), (0, 0.5, 1, 4), (1, 2)])
def test_the_label_law_is_the_pooled_one(gains):
    lists = random_lists(2, gains, queries=12)
    curve = fit_curves({"a": lists})["a"]
    assert curve.gains == tuple(sorted((y for y in gains if y > 0), reverse=True))
    for gain, row in zip(curve.gains, curve.probability, strict=True):
        fitted = PiecewiseLinear(tuple(curve.depth.tolist()), tuple(row.tolist()))
        assert fitted.mass == pytest.approx(pooled(lists, gain), abs=1e-13)
    assert curve.probability.min() >= 0
    assert curve.probability.sum(axis=0).max() <= 1 + 1e-12
    # P(Y >= gain) does not increase with depth
    assert np.diff(np.cumsum(curve.probability, axis=0), axis=1).max() <= 1e-12


TRUTH = Curve.parse("power(0.1, 0.8, 4)")
WRONG = Curve.parse("power(0.1, 0.6, 4)")


def test_the_truth_is_recovered():
    queries, n = 200, 400
    curve = fit_curves({"a": sample(TRUTH, queries, n, seed=3)})["a"]
    edges = np.concatenate(([0.0], (curve.depth[1:] + curve.depth[:-1]) / 2, [1.0]))
    items = queries * n * np.diff(edges)

    def largest_z(hypothesis: Curve) -> float:
        mean = hypothesis.mean(edges[:-1], edges[1:])
        return float(np.max(np.abs(curve.probability[0] - mean) / np.sqrt(mean * (1 - mean) / items)))

    # Smoothing moves no cell further from the truth than its counts are, except for the bias at
    # the ends; 50 cells beyond 5 standard errors: 3e-5.
    assert largest_z(TRUTH) < 5
    assert largest_z(WRONG) > 5
