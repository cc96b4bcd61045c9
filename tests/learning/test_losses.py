"""Losses: values against their definitions, gradients against differences, and errors."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from cases import refused
from oracles import ranking
from oracles.ranking import LOSSES

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.learning.labels import Batch
from ndcg_asymptotics.learning.losses import Loss, losses_of
from ndcg_asymptotics.learning.utilities import utility_of

DIFFERENTIABLE = [*LOSSES, "listmle"]  # of items with equal labels, listmle samples the orders
NORMALISED = [
    *("squared_consistent", "cosine", "cosine_consistent", "listnet_consistent", "pnorm(1.5)"),
    *('pnorm("log")', "pnorm_normalised(1.5)", 'bregman("hyperbolic")', "order_preserving"),
    *("linear_ndcg", "approx_ndcg", "listmle"),
]


def batch(seed: int = 0, sizes: tuple[int, ...] = (3, 5, 2, 4, 4, 1)) -> tuple[Batch, np.ndarray]:
    """Return lists of unequal length with every kind of label, and scores."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 4, sum(sizes)).astype(float)
    labels[: sizes[0]] = [2, 0, 1]
    return Batch(labels, np.array(sizes)), rng.normal(size=labels.size)


@pytest.mark.parametrize("text", LOSSES)
def test_values_agree_with_the_definition(text):
    lists, scores = batch()
    values, _ = Loss.parse(text).evaluate(scores, lists)
    start = 0
    for value, size in zip(values, lists.sizes, strict=True):
        span = slice(start, start := start + size)
        labels = lists.labels[span]
        wanted = LOSSES[text](scores[span].tolist(), labels.tolist()) if labels.any() else value
        if size > 1 or "linear" not in text:  # a list of one item has no linear norm
            assert value == pytest.approx(wanted, rel=1e-12, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["nDCG", "nDCG(zipf)@2", "DCG", "PD"])
@pytest.mark.parametrize("text", [*sorted({*DIFFERENTIABLE} - {'bregman("logistic")'}), "bregman"])
def test_gradients_agree_with_differences_of_values(text, measure):
    # this psi is defined up to 1, so it allows NDCG only
    text = text if text != "bregman" else f'bregman("{"logistic" if "nDCG" in measure else "entropy"}")'
    text = text if measure != "PD" else text.replace(", 2)", ")")  # a norm with a depth is one of DCG
    lists, scores = batch(1)
    function = Loss.parse(text).on(lists, utility_of(measure))
    gradient = function(scores)[1]
    step = 1e-6
    for i, e in enumerate(np.eye(scores.size)):
        rise = function(scores + step * e)[0].sum() - function(scores - step * e)[0].sum()
        # central differences: rounding of the values over 2e-6, and the third derivative times 1e-12
        scale = 1 + np.abs(function(scores)[0]).sum()
        assert gradient[i] == pytest.approx(rise / (2 * step), rel=1e-6, abs=1e-9 * scale)


@pytest.mark.parametrize("text", DIFFERENTIABLE)
def test_hessians_agree_with_differences_of_gradients(text):
    lists, scores = batch(1)
    function = Loss.parse(text).on(lists, utility_of("nDCG"))
    if not function.curved:
        assert '"hinge"' in text or "approx" in text
        return
    step = 1e-6
    product = function.hessian(scores)
    for e in np.random.default_rng(0).normal(size=(5, scores.size)):
        rise = function(scores + step * e)[1] - function(scores - step * e)[1]
        # rounding of the gradients over 2e-6, and the fourth derivative times 1e-12
        tolerance = 1e-8 * (1 + np.abs(function(scores)[1]).max())
        np.testing.assert_allclose(product(e), rise / (2 * step), rtol=1e-5, atol=tolerance)


@pytest.mark.parametrize("text", [*DIFFERENTIABLE, "lambdarank"])
def test_large_scores_do_not_overflow(text):
    lists, scores = batch(2)
    for size in (1e2, 1e4, 1e8, 1e150):
        values, gradient = Loss.parse(text).evaluate(scores * size, lists)
        assert np.isfinite(values).all()
        assert np.isfinite(gradient).all()


@pytest.mark.parametrize("loss", losses_of(None), ids=str)
def test_invariance_is_that_of_the_values(loss):
    lists, scores = batch(4)
    values, gradient = loss.evaluate(scores, lists)
    assert np.allclose(values, loss.evaluate(3 * scores, lists)[0]) == loss.scale_invariant
    for factor in (1e-100, 1e100) if loss.scale_invariant else ():
        scaled = loss.evaluate(factor * scores, lists)
        np.testing.assert_allclose(scaled[0], values, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(scaled[1] * factor, gradient, rtol=1e-10, atol=1e-12)
    assert np.allclose(values, loss.evaluate(scores + 7, lists)[0], rtol=1e-12) == loss.shift_invariant
    # of one item there are no pairs
    alone, gradient = loss.evaluate([0.7], Batch.of([[2]]))
    assert (alone.shape, gradient.shape) == ((1,), (1,))
    assert alone[0] == 0 or "(s_i - s_j)" not in (type(loss).__doc__ or "")


@pytest.mark.parametrize("text", NORMALISED)
def test_a_list_without_a_positive_label_contributes_nothing(text):
    lists = Batch.of([[0, 0, 0], [1, 0]])
    loss = Loss.parse(text)
    function = loss.on(lists, utility_of("nDCG"))
    values, gradient = function(np.array([1.0, -2.0, 0.5, 0.3, 0.9]))
    assert function.contributing.tolist() == [False, True]
    assert values[0] == 0
    assert not gradient[:3].any()
    assert values[1] != 0


def test_texts_are_canonical():
    for loss in losses_of([*LOSSES]):
        assert Loss.parse(str(loss)) == loss
    assert str(Loss.parse('pairwise("logistic", "order")')) == 'pairwise("logistic")'
    assert str(Loss.parse("duchi(strength=2)")) == "duchi(2)"
    assert str(Loss.parse('pairwise("logistic", weights="gain")')) == 'pairwise("logistic", "gain")'


def test_listmle_without_ties():
    """The loss is minus the logarithm of the chance of the order of the labels, by the definition."""
    labels, scores = [2.0, 0.0, 3.0, 1.0], np.array([0.3, -0.2, 0.1, 0.9])
    chance = 1.0
    for left in ([2, 0, 3, 1], [0, 3, 1], [3, 1], [1]):
        chance *= np.exp(scores[left[0]]) / np.exp(scores[left]).sum()
    value = Loss.parse("listmle").evaluate(scores, Batch.of([labels]))[0][0]
    assert value == pytest.approx(-np.log(chance), rel=1e-13)


def test_listmle_with_ties_is_a_mean_over_orders():
    labels, scores = [1.0, 0.0, 1.0, 0.0, 0.0], np.array([0.3, -0.2, 1.1, 0.9, -1.4])
    values = []
    for order in permutations(range(5)):
        if {*order[:2]} == {0, 2}:
            s = scores[list(order)]
            values.append(sum(np.log(np.exp(s[r:] - s[r]).sum()) for r in range(5)))
    sampled = Loss.parse("listmle(4000)").evaluate(scores, Batch.of([labels]))[0][0]
    # 6 standard errors: chance of 2e-9
    assert abs(sampled - np.mean(values)) < 6 * np.std(values) / np.sqrt(4000)
    assert np.std(values) > 0.3


def test_the_gradients_of_lambdarank():
    """Compare with the formula of the paper, pair by pair, at two rankings."""
    labels = [2.0, 0.0, 1.0, 0.0]
    for scores in ([0.3, 0.9, -0.5, 0.1], [0.3, 0.2, 0.9, -2.0]):
        ranks = [1 + sum(other > s for other in scores) for s in scores]
        ideal = ranking.norm([ranking.gain(y) for y in labels], ranking.log_discount)
        wanted = [0.0] * 4
        for i, j in permutations(range(4), 2):
            if labels[i] > labels[j]:
                change = (
                    (ranking.gain(labels[i]) - ranking.gain(labels[j]))
                    * abs(ranking.log_discount(ranks[i]) - ranking.log_discount(ranks[j]))
                    / ideal
                )
                pull = change / (1 + np.exp(scores[i] - scores[j]))
                wanted[i] -= pull
                wanted[j] += pull
        found = Loss.parse("lambdarank").evaluate(scores, Batch.of([labels]))[1]
        np.testing.assert_allclose(found, wanted, rtol=1e-12)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("listnest", "unknown loss 'listnest', did you mean 'listnet'"),
        ("pnorm(3)", 'needs 1 < p <= 2 or "log", got 3'),
        ("pnorm(1.5, 0.5)", "depth must be a whole number, at least 0, got 0.5"),
        ("pnorm", "pnorm needs 'p'"),
        ('pairwise("hing")', "phi must be one of exponential, hinge, logistic, squared_hinge, got 'hing'"),
        ('order_preserving("hinge")', "phi must be one of exponential, logistic, squared_hinge, got 'hinge'"),
        ("listmle(0)", "shuffles must be a whole number, at least 1, got 0"),
        ('bregman("cube")', "psi must be one of entropy, hyperbolic, logistic, got"),
    ],
)
def test_bad_texts(text, words):
    refused(words, Loss.parse, text)


def test_bad_labels_and_scores():
    for labels, words in (
        ([[-1.0, 0]], r"^labels: must be from 0 to 1000, got \[-1.0\]"),
        ([[np.inf, 0]], "must be from 0 to 1000"),
        ([["a"]], "must be lists of numbers"),
        ([], "must be lists of numbers"),
        ([[[1.0]]], "must be lists of numbers"),
    ):
        refused(words, Batch.of, labels)
    refused(r"^sizes: must be list lengths", Batch, np.zeros(3), np.array([2, 2]))
    loss, lists = Loss.parse("listnet"), Batch.of([[1, 0]])
    refused(r"^scores: must be 2 numbers, got 3", loss.evaluate, [1, 2, 3], lists)
    refused(r"^scores: must be finite", loss.evaluate, [1, np.nan], lists)
    refused("lambdarank needs DCG or NDCG, got PD", Loss.parse("lambdarank").evaluate, [1, 2], lists, "PD")
    for text in ("squared", "listnet", "cosine_consistent", "order_preserving", "linear_ndcg"):
        with pytest.raises(InputError, match="every item needs a label here, got NaN"):
            Loss.parse(text).evaluate([1, 2], Batch.of([[1, np.nan]]))


def test_a_missing_label_is_in_no_pair():
    full, partial = Batch.of([[2, 1, 0]]), Batch.of([[2, np.nan, 0]])
    scores = [0.3, 0.9, 0.1]
    for text in ('pairwise("logistic")', 'margin("hinge")', "duchi"):
        values, gradient = Loss.parse(text).evaluate(scores, partial)
        alone = Loss.parse(text).evaluate([0.3, 0.1], Batch.of([[2, 0]]))
        assert gradient[[0, 2]].tolist() == pytest.approx(alone[1].tolist())
        assert values[0] != Loss.parse(text).evaluate(scores, full)[0][0]
