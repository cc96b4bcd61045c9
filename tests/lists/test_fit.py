"""Curves fitted to ranked lists: cells against a plain loop, the label law, the truth, and groups."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from cases import refused, write
from sklearn.isotonic import IsotonicRegression

import ndcg_asymptotics as na
from ndcg_asymptotics.lists import RankedList, fit_curves
from ndcg_asymptotics.lists.fitting import fit_groups
from ndcg_asymptotics.populations import Curve, PiecewiseLinear, Population, Relevance


def random_lists(seed: int, gains=(0, 1), queries: int = 5) -> list[RankedList]:
    """Return lists of different lengths, with many ties, and labels that are higher near the top."""
    rng = np.random.default_rng(seed)
    lists = []
    for query in range(queries):
        n = int(rng.integers(20, 60))
        labels = rng.choice(np.array(gains, float), n)
        lists.append(RankedList(str(query), np.round(labels + rng.normal(0, 2, n)), labels))
    return lists


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


def test_the_topmost_cell_is_the_first_rank_and_a_tie_is_flat():
    curve = fit_curves({"a": [RankedList("q", -np.arange(50.0), np.eye(50)[0])]})["a"]
    assert curve.probability[0, :2] == pytest.approx([1, 0])
    assert curve.depth[[1, -1]].tolist() == [2 / 50, 1]
    tie = [RankedList("q", np.zeros(40), (np.arange(40) < 10).astype(float))]
    np.testing.assert_allclose(fit_curves({"a": tie})["a"].probability, 0.25, atol=1e-12)


@pytest.mark.parametrize("gains", [(0, 1), (0, 0.5, 1, 4), (1, 2)])
def test_the_label_law_is_the_pooled_one(gains):
    lists = random_lists(2, gains, queries=12)
    curve = fit_curves({"a": lists})["a"]
    assert curve.gains == tuple(sorted((y for y in gains if y > 0), reverse=True))
    labels = np.concatenate([ranked.labels for ranked in lists])
    for gain, row in zip(curve.gains, curve.probability, strict=True):
        fitted = PiecewiseLinear(tuple(curve.depth.tolist()), tuple(row.tolist()))
        assert fitted.mass == pytest.approx(np.mean(labels == gain), abs=1e-13)
    assert curve.probability.min() >= 0
    assert curve.probability.sum(axis=0).max() <= 1 + 1e-12
    # P(Y >= gain) does not increase with depth
    assert np.diff(np.cumsum(curve.probability, axis=0), axis=1).max() <= 1e-12


def test_the_truth_is_recovered():
    """Labels follow a curve at uniform depths."""
    truth, wrong = map(Curve.parse, ("power(0.1, 0.8, 4)", "power(0.1, 0.6, 4)"))
    rng = np.random.default_rng(3)
    depth = rng.random((200, 400))
    labels = (rng.random(depth.shape) < truth.value(depth)).astype(float)
    curve = fit_curves({"a": [RankedList("q", -d, y) for d, y in zip(depth, labels, strict=True)]})["a"]
    edges = np.concatenate(([0.0], (curve.depth[1:] + curve.depth[:-1]) / 2, [1.0]))

    def largest_z(hypothesis: Curve) -> float:
        mean = hypothesis.mean(edges[:-1], edges[1:])
        error = np.sqrt(mean * (1 - mean) / (depth.size * np.diff(edges)))
        return float(np.max(np.abs(curve.probability[0] - mean) / error))

    # Smoothing moves no cell further from the truth than its counts are, except for the bias at
    # the ends; 50 cells beyond 5 standard errors: 3e-5.
    assert largest_z(truth) < 5 < largest_z(wrong)


def with_shares(shares: list[float], n: int = 60) -> list[RankedList]:
    """Return a list for each share of relevant items, ranked a little better than at random."""
    rng = np.random.default_rng(1)
    labels = (rng.random((len(shares), n)) < np.array(shares)[:, None]).astype(float)
    scores = labels + rng.normal(0, 1, labels.shape)
    return [RankedList(str(i), s, y) for i, (s, y) in enumerate(zip(scores, labels, strict=True))]


def test_groups_are_of_queries_with_similar_shares():
    lists = {name: with_shares([0.5, 0.05, 0.3, 0.1, 0.4, 0.2, 0.0]) for name in "ab"}
    share = [ranked.labels.mean() for ranked in lists["a"]]
    order = np.argsort(share)
    for count in (1, 2, 3, 7):
        groups = fit_groups(lists, count)
        sizes = [round(7 * group.weight) for group in groups]
        assert (len(sizes), sum(sizes), max(sizes) - min(sizes) <= 1) == (count, 7, True)
        for group, members in zip(groups, np.split(order, np.cumsum(sizes)[:-1]), strict=True):
            mean = np.mean([share[i] for i in members])
            for curve in group.curves.values():
                assert curve.relevance.masses == pytest.approx((mean,), abs=1e-12)
            if any(share[i] for i in members):
                alone = fit_curves({"a": [lists["a"][i] for i in np.sort(members)]})["a"]
                assert np.array_equal(group.curves["a"].probability, alone.probability)
    nothing = groups[0].curves["a"].relevance
    assert na.theory.expected_ndcg(nothing, "nDCG", 50).value[0] == 0
    for bad in (0, 8, 2.5, "2", True):
        refused(r"^groups: must be a number of groups from 1 to 7", fit_groups, lists, bad)


def test_the_error_for_differing_label_laws_names_the_remedy(tmp_path):
    for name, share in (("a", [0.3, 0.2]), ("b", [0.5, 0.1])):
        curve = fit_curves({name: with_shares(share)})[name]
        write(tmp_path, curve.encode(), f"{name}.csv")
    scorers = {name: Relevance.parse(f'empirical("{name}.csv")', tmp_path) for name in "ab"}
    refused(r"these differ: a: .* \(one `fit` of all their runs makes them agree: ndcg-", Population, scorers)
