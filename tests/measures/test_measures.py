"""NDCG of given scores and labels: against scikit-learn, brute force over tie orders, and its properties."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from cases import refused
from hypothesis import given
from hypothesis import strategies as st
from oracles import naive
from oracles.discounts import formula
from sklearn.metrics import dcg_score, ndcg_score

from ndcg_asymptotics.measures import Measure

TEXTS = [
    "nDCG",
    "nDCG@1",
    "nDCG@3",
    "nDCG(power(0.5))@0.5n",
    "nDCG(zipf)",
    "nDCG(zipf)@n^0.5",
    "nDCG(geometric(2))@n^0.9",
    "nDCG(linear)",
    "nDCG(linear)@n^0.9",
    "nDCG(constant)@4",
]
# few distinct values, so that ties are common
items = st.lists(
    st.tuples(st.integers(-3, 3), st.sampled_from([0.0, 0.0, 0.5, 1.0, 3.0])), min_size=1, max_size=40
)


def columns(pairs):
    return [float(s) for s, _ in pairs], [y for _, y in pairs]


@given(items.filter(lambda pairs: len(pairs) > 1), st.integers(1, 50))
def test_agrees_with_scikit_learn_ties_and_cutoffs(pairs, k):
    scores, labels = columns(pairs)
    for text, depth in (("nDCG", None), (f"nDCG@{k}", k)):
        peer = ndcg_score([labels], [scores], k=depth)
        assert Measure.parse(text).evaluate(labels, scores) == pytest.approx(peer, rel=0, abs=1e-12)
        peer = dcg_score([labels], [scores], k=depth, log_base=math.e)
        assert Measure.parse(text[1:]).evaluate(labels, scores) == pytest.approx(peer, rel=1e-13, abs=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS)
@given(items.filter(lambda pairs: len(pairs) <= 6))
def test_ties_are_the_mean_over_their_orders(text, pairs):
    scores, labels = columns(pairs)
    n, measure = len(pairs), Measure.parse(text)
    discount, k = formula(text, n)
    values = [
        naive.ndcg([labels[i] for i in order], discount, k)
        for order in itertools.permutations(range(n))
        if all(scores[a] >= scores[b] for a, b in itertools.pairwise(order))
    ]
    assert measure.evaluate(labels, scores) == pytest.approx(np.mean(values), rel=0, abs=1e-12)
    stable = sorted(range(n), key=lambda i: -scores[i])
    expected = naive.ndcg([labels[i] for i in stable], discount, k)
    assert measure.evaluate(labels, scores, ties="stable") == pytest.approx(expected, rel=0, abs=1e-12)


def test_no_relevant_item():
    measure = Measure.parse("nDCG")
    assert measure.evaluate([0, 0], [1.0, 2.0]) == 0
    assert math.isnan(measure.evaluate([0, 0], [1.0, 2.0], empty=math.nan))
    assert measure.evaluate([0, 0], [1.0, 2.0], ideal_labels=[1.0]) == 0


def test_relevant_items_that_are_not_in_the_list():
    zipf = Measure.parse("nDCG(zipf)")
    assert zipf.evaluate([0, 1], [2.0, 1.0], ideal_labels=[1, 1, 1]) == pytest.approx(
        0.5 / (1 + 1 / 2 + 1 / 3)
    )
    at_2 = Measure.parse("nDCG(zipf)@2")
    assert at_2.evaluate([0, 1], [2.0, 1.0], ideal_labels=[1, 1, 1]) == pytest.approx(0.5 / 1.5)
    # a cutoff of more than the list cuts the ideal list where it says
    assert Measure.parse("nDCG(zipf)@3").evaluate([1], [1.0], ideal_labels=[1] * 9) == pytest.approx(6 / 11)
    # where the cutoff is a function of n, both lists are cut at k(n)
    half = Measure.parse("nDCG(zipf)@0.5n")
    assert half.evaluate([1, 1, 0, 0], [4.0, 3.0, 2.0, 1.0], ideal_labels=[1] * 100) == 1


def test_ideal_is_vectorised_and_knows_long_lists():
    measure = Measure.parse("nDCG(power(0.5))@0.5n")
    counts = np.array([[10**17, 10**17], [10**18, 0], [0, 0]])
    found = measure.ideal(counts, [2.0, 1.0], 10**18)
    # F(k) ~ 2 sqrt(k)
    expected = [2 * 2 * math.sqrt(1e17) + 2 * (math.sqrt(2e17) - math.sqrt(1e17)), 2 * 2 * math.sqrt(5e17), 0]
    np.testing.assert_allclose(found, expected, rtol=1e-8)
    assert Measure.parse("nDCG(linear)").ideal([1, 2], [2.0, 1.0], 10) == 2 * 9 + 8 + 7


@pytest.mark.parametrize(
    ("scores", "labels", "said"),
    [
        ([1.0, math.nan], [0, 1], "y_score must be finite"),
        ([1.0, 2.0], [0, -1], "labels must be finite and >= 0"),
        ([1.0, 2.0], [0, 1, 1], r"got \(3,\) and \(2,\)"),
        ([], [], r"one length >= 1, got \(0,\)"),
        ([[[1.0]]], [[[1.0]]], r"got \(1, 1, 1\)"),
        ([[1.0]], [[1.0], [1.0]], r"as many lists of each, got 2 of y_true, 1 of y_score"),
        ([[1.0]], [[1.0, 0.0]], r"one length >= 1, got \(1, 2\) and \(1, 1\)"),
    ],
)
def test_bad_lists(scores, labels, said):
    refused(said, Measure.parse("nDCG").evaluate, labels, scores)


@pytest.mark.parametrize("text", ["nDCG", "nDCG@3", "nDCG(linear)", "nDCG(power(0.5))@0.2n", "DCG(zipf)@2"])
@pytest.mark.parametrize("ties", ["expected", "stable"])
@pytest.mark.parametrize("gains", [[0.0, 1.0, 3.0], [0.0, 0.25]])
def test_many_lists_have_the_values_of_each(text, ties, gains):
    rng, measure = np.random.default_rng(6), Measure.parse(text)
    y, s = rng.choice(gains, (40, 12)), rng.integers(0, 9, (40, 12)) / 8
    y[3] = 0.0
    expected = [
        measure.evaluate(labels, scores, ties=ties, empty=0.5) for labels, scores in zip(y, s, strict=True)
    ]
    np.testing.assert_allclose(measure.evaluate(y, s, ties=ties, empty=0.5), expected, rtol=1e-14)
    assert measure.normalised is False or expected[3] == 0.5
    sizes = rng.integers(1, 13, 40)
    ragged = [[row[:n].tolist() for row, n in zip(of, sizes, strict=True)] for of in (y, s)]
    ideal = [[1.0] * int(n % 3) for n in sizes]
    each = [
        measure.evaluate(labels, scores, ties=ties, ideal_labels=best)
        for labels, scores, best in zip(*ragged, ideal, strict=True)
    ]
    found = measure.evaluate(y_true=ragged[0], y_score=ragged[1], ties=ties, ideal_labels=ideal)
    np.testing.assert_allclose(found, each, rtol=1e-14)


def test_frames_and_series_are_arrays():
    y, s = pd.DataFrame([[1, 0, 1], [1, 0, 0]]), pd.DataFrame([[0.3, 0.2, 0.1]] * 2)
    assert Measure().evaluate(y, s).tolist() == Measure().evaluate(y.to_numpy(), s.to_numpy()).tolist()
    assert Measure().evaluate(y.loc[0], s.loc[0]) == Measure().evaluate([1, 0, 1], [0.3, 0.2, 0.1])
    assert Measure().evaluate(pl.Series([1, 0, 1]), [0.3, 0.2, 0.1]) == Measure().evaluate(y.loc[0], s.loc[0])
