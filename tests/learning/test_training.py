"""Training: rankers against known solutions, files, and errors."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest
from cases import refused, write
from scipy.optimize import minimize
from two_readers import TwoReaders

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.learning import (
    Queries,
    Ranker,
    read_svmlight,
    train,
    utility_values,
)
from ndcg_asymptotics.learning.linear import LinearScorer
from ndcg_asymptotics.learning.losses import Loss, losses_of
from ndcg_asymptotics.learning.utilities import Discounted, utility_of
from ndcg_asymptotics.lists import evaluate, read_qrels, read_run
from ndcg_asymptotics.measures import Measure

NDCG = Discounted("exp2", Measure("log"))


def ranker_of(*arguments, **options) -> Ranker:
    return train(*arguments, **options).ranker


def queries(count: int = 40, seed: int = 0) -> Queries:
    """Return lists of 2 to 6 documents whose labels rise with the first of three features."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 7, count)
    x = rng.normal(size=(sizes.sum(), 3))
    x[:, 2] = 5
    labels = np.clip(np.round(1.5 + 1.5 * x[:, 0] + 0.3 * rng.normal(size=len(x))), 0, 3)
    return Queries(x, labels, sizes)


@pytest.mark.parametrize("loss", losses_of(None), ids=str)
def test_every_loss_finds_the_relevant_feature(loss):
    trained = ranker_of(queries(), loss, penalties=[1e-3])
    test = queries(seed=1)
    # two of the forty lists have no positive label and have NDCG 0
    assert utility_values(test, trained.scores(test), NDCG).mean() > 0.93
    assert trained.weights[0] > 4 * abs(trained.weights[1])
    assert trained.weights[2] == 0  # a constant feature
    backwards = Ranker(-trained.weights, 0.0, trained.loss, NDCG, 0.0, (), 0, 0, True)
    assert utility_values(test, backwards.scores(test), NDCG).mean() < 0.8


@pytest.mark.parametrize("penalty", [0.7, 0.0])
def test_the_squared_loss_agrees_with_ridge_regression(penalty):
    data = queries()
    mean, deviation = data.features[:, :2].mean(axis=0), data.features[:, :2].std(axis=0)
    x = np.column_stack([(data.features[:, :2] - mean) / deviation, np.ones(len(data.labels))])
    shrink = np.diag([penalty, penalty, 0.0]) * data.count / 2  # the loss has no half
    solved = np.linalg.solve(x.T @ x + shrink, x.T @ (np.exp2(data.labels) - 1))
    trained = ranker_of(data, "squared", penalties=[penalty])
    np.testing.assert_allclose(trained.weights[:2] * deviation, solved[:2], atol=1e-6)
    assert trained.intercept + mean @ trained.weights[:2] == pytest.approx(solved[2])
    assert trained.converged


@pytest.mark.parametrize("most", [1500, 1])
@pytest.mark.parametrize(
    "text", ["listnet", 'pairwise("logistic")', "listnet_consistent", "cosine", "pnorm(1.25)"]
)
def test_training_agrees_with_another_optimiser(text, most, monkeypatch):
    """Minimise the mean loss of standardised features by BFGS, without our coordinates and Hessians."""
    monkeypatch.setattr("ndcg_asymptotics.learning.linear._MOST_TURNED", most)
    data, penalty, loss = small_difference(30, 4), 1e-3, Loss.parse(text)
    x = (data.features - data.features.mean(axis=0)) / data.features.std(axis=0)
    trained = ranker_of(data, loss, penalties=[penalty])
    assert trained.converged
    contributing = loss.on(data.batch, NDCG).contributing

    def risk(w):
        scores = x @ w[:2] + (w[2] if not loss.scale_invariant else 1.0)
        return loss.evaluate(scores, data.batch)[0].sum() / contributing.sum() + penalty / 2 * w[:2] @ w[:2]

    found = minimize(risk, np.full(3, 0.1), method="BFGS", options={"gtol": 1e-7})
    ours = np.append(trained.weights * data.features.std(axis=0), 0.0)
    if not loss.shift_invariant:
        ours[2] = trained.intercept + data.features.mean(axis=0) @ trained.weights
    assert risk(ours) <= found.fun + 1e-9
    np.testing.assert_allclose(ours[:2], found.x[:2], rtol=1e-3)


def test_more_features_than_documents():
    """Any weights beyond the span of the documents are 0, and the penalty decides the rest."""
    rng = np.random.default_rng(0)
    x, labels = rng.normal(size=(12, 30)), rng.integers(0, 3, 12)
    data, penalty = Queries(x, labels, [6, 6]), 0.1
    trained = ranker_of(data, "squared", penalties=[penalty])
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    solved = np.linalg.solve(z.T @ z + penalty * np.eye(30), z.T @ (np.exp2(labels) - 1.0))
    np.testing.assert_allclose(trained.weights * x.std(axis=0), solved, atol=1e-10)
    assert (trained.iterations, trained.converged) == (0, True)
    assert "in closed form" in repr(trained)
    pairs = ranker_of(data, 'pairwise("logistic")', penalties=[penalty])
    outside = np.linalg.svd(z)[2][12:]
    np.testing.assert_allclose(outside @ (pairs.weights * x.std(axis=0)), 0, atol=1e-10)
    assert pairs.converged


def test_training_that_starts_at_the_minimum_ends_there():
    data = small_difference(30, 4)
    # lists without a positive label have no loss; the features of the others have a mean that is not 0
    empty = np.repeat(data.features[:, 0].reshape(-1, 6).mean(axis=1) > 0.3, 6)
    data = Queries(data.features, np.where(empty, 0, data.labels), data.sizes)
    scorer = LinearScorer(data, Loss.parse("listnet_consistent"), NDCG)
    minimum = scorer.minimise(1e-3, None, lambda: None)
    again = scorer.minimise(1e-3, minimum.weights, lambda: None)
    assert again.iterations <= 1 < minimum.iterations
    np.testing.assert_allclose(again.weights, minimum.weights, rtol=1e-6)


@pytest.mark.parametrize("measure", ["nDCG", "nDCG@2", "DCG"])
def test_lambdarank_ends_where_its_gradients_vanish(measure):
    data = queries(60, 3)
    trained = train(data, "lambdarank", measure=measure, penalties=[0.01]).ranker
    assert trained.converged
    x = (data.features - data.features.mean(axis=0))[:, :2] / data.features[:, :2].std(axis=0)
    weights = trained.weights[:2] * data.features[:, :2].std(axis=0)
    function = trained.loss.on(data.batch, utility_of(measure))
    gradient = function(x @ weights)[1] @ x / function.contributing.sum() + 0.01 * weights
    np.testing.assert_allclose(gradient, 0, atol=1e-5)
    assert trained.weights[0] > 4 * abs(trained.weights[1])


def small_difference(count: int, seed: int) -> Queries:
    """Return lists of 6 documents whose labels rise mostly with the small difference of two features."""
    rng = np.random.default_rng(seed)
    common, difference, noise = rng.normal(size=(3, 6 * count))
    x = np.column_stack([common + 0.3 * difference, common - 0.3 * difference])
    labels = np.digitize(0.3 * common + difference + 0.5 * noise, [-0.5, 0.5, 1.5])
    return Queries(x, labels, np.full(count, 6))


def ndcg_at_3(ranker: Ranker, data: Queries) -> np.ndarray:
    """NDCG@3 of lists of 6 documents, from its definition."""
    discounts = 1 / np.log2([2, 3, 4])
    gains = (np.exp2(data.labels) - 1).reshape(-1, 6)
    order = np.argsort(-ranker.scores(data).reshape(-1, 6), axis=1)
    ranked = np.take_along_axis(gains, order, axis=1)[:, :3] @ discounts
    ideal = -np.sort(-gains, axis=1)[:, :3] @ discounts
    return np.divide(ranked, ideal, out=np.zeros_like(ideal), where=ideal > 0)


def test_the_penalty_is_the_largest_within_a_standard_error_of_the_best():
    """Differences of the same queries from the best penalty, from rankers trained one by one."""
    train, validation = small_difference(30, 2), small_difference(60, 3)
    penalties = [10.0, 1.0, 0.3, 0.1, 0.01]
    options = {"validation": validation, "measure": "nDCG@3"}
    trained = ranker_of(train, "listnet", penalties=penalties, **options)
    values = np.array(
        [ndcg_at_3(ranker_of(train, "listnet", penalties=[p], **options), validation) for p in penalties]
    )
    below = values[values.mean(axis=1).argmax()] - values
    error = below.std(axis=1, ddof=1) / np.sqrt(60)
    np.testing.assert_allclose([row.below for row in trained.tried], below.mean(axis=1), atol=1e-12)
    np.testing.assert_allclose([row.below_error for row in trained.tried], error, atol=1e-12)
    near = [p for p, d, e in zip(penalties, below.mean(axis=1), error, strict=True) if d <= e]
    assert trained.penalty == near[0] != penalties[0]
    assert len(near) > 1
    best = penalties[values.mean(axis=1).argmax()]
    assert trained.penalty > best  # the largest mean alone would decide otherwise
    words = " ".join(str(trained).split())
    assert f"{len(near)} of 5 penalties are within one standard error of it, so the choice among" in words


def test_cross_validation_leaves_each_query_out():
    """With five queries each fold is one of them, whatever the seed is."""
    data, penalties = small_difference(5, 3), [100.0, 1e-3]
    trained = ranker_of(data, "squared", measure="nDCG@3", penalties=penalties, seed=4)
    assert trained.folds == 5
    for row in trained.tried:
        held = [
            ndcg_at_3(
                ranker_of(data.select(np.delete(np.arange(5), q)), "squared", penalties=[row.penalty]),
                data.select([q]),
            )[0]
            for q in range(5)
        ]
        assert row.mean == pytest.approx(np.mean(held), abs=1e-12)
        assert row.error == pytest.approx(np.std(held, ddof=1) / np.sqrt(5), abs=1e-12)
    alone = ranker_of(data, "squared", measure="nDCG@3", penalties=[trained.penalty])
    np.testing.assert_allclose(trained.weights, alone.weights, atol=1e-12)  # trained on all five
    assert "5-fold cross-validation" in str(trained)


def test_the_slopes_of_the_mean_gains():
    """Compare with E[G_i | features] by least squares on many lists; 6 standard errors."""
    population = TwoReaders(items=4, harsh=0.4)
    data = population.draw(40_000, 3)
    y = utility_of("nDCG").standardised(data.labels.reshape(-1, 4)).reshape(-1)
    solved, *_ = np.linalg.lstsq(data.features, y, rcond=None)
    residual = y - data.features @ solved
    cov = np.linalg.inv(data.features.T @ data.features) * residual.var()
    z = (solved - population.best_weights()) / np.sqrt(np.diag(cov))
    assert np.abs(z[:2]).max() < 6
    assert np.abs((solved - population.best_weights()[[1, 0, 2]]) / np.sqrt(np.diag(cov)))[:2].max() > 6


def test_bad_training():
    x, sizes = np.arange(8.0).reshape(4, 2), [2, 2]
    nothing, some = Queries(x, [0, 0, 0, 0], sizes), Queries(x, [0, 1, 2, 0], sizes)
    said = "labels: no query has anything to learn from: cosine is 0"
    refused(said, ranker_of, nothing, "cosine", penalties=[1.0])
    refused("penalties: must be numbers from 0 to 1e", ranker_of, some, "squared", penalties=[float("nan")])


def test_too_few_queries_to_choose_a_penalty():
    one = Queries(np.eye(2), [0, 1], [2])
    refused("a single query leaves none to choose the penalty by", ranker_of, one, "squared")
    assert ranker_of(one, "squared", penalties=[1.0]).converged
    two = Queries(np.random.default_rng(0).normal(size=(4, 2)), [0, 1, 0, 0], [2, 2])
    with pytest.raises(InputError, match=r"1 of 2 parts .* too few to train on .*: give validation queries"):
        ranker_of(two, 'pairwise("logistic")')


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"features": [[1.0, np.nan]] * 4}, r"features: must lie between .*, got nan in row 1, column 2"),
        (
            {"features": [[1.0, 2.0]] * 3 + [[3.0, -1.797e308]]},
            r"-1e\+100 and 1e\+100, got -1\.797e\+308 in row 4",
        ),
        ({"features": [["a"]] * 4}, "features: must be a table of numbers"),
        ({"names": ["a", "a"]}, "names: must be one for each query, all different"),
        ({"documents": ["a", "a", "b", "c"]}, "documents: query 1 names a document twice"),
    ],
)
def test_bad_queries(changed, words):
    with pytest.raises(InputError, match=words):
        Queries(**{"features": np.ones((4, 1)), "labels": [0, 1, 2, 0], "sizes": [2, 2]} | changed)


LINES = (
    "2 qid:7 1:0.5 3:1 # docid = a\n0 qid:7 2:0.25 # docid = b\n\n# nothing\n1 qid:9 1:-3e-1 # docid = a\n"
)


def test_svmlight_files(tmp_path):
    read = read_svmlight(write(tmp_path, gzip.compress(LINES.encode())))
    np.testing.assert_array_equal(read.features, [[0.5, 0, 1], [0, 0.25, 0], [-0.3, 0, 0]])
    assert read.labels.tolist() == [2, 0, 1]
    assert (read.names, read.documents, read.sizes.tolist()) == (("7", "9"), ("a", "b", "a"), [2, 1])
    large = read_svmlight(write(tmp_path, "1 qid:99999999999999999999 1:1\n0 qid:robots 1:2\n", "large.txt"))
    assert large.names == ("99999999999999999999", "robots")
    two = read_svmlight(write(tmp_path, "1 qid:1 5:1\n", "one.txt"), write(tmp_path, LINES, "two.txt"))
    assert two.features.shape == (4, 5)
    assert two.documents == ("1", "1", "2", "1")  # one has no name


def test_bad_svmlight_files(tmp_path):
    for text, words in (
        (LINES.replace("1 qid:9", "-1 qid:9"), "line 5: got '-1 qid:9"),
        ("1 qid:1 1000000:1\n" * 100, "100 lines and features up to 1000000 are 100,000,000 numbers"),
        (LINES + "1 qid:7 1:1\n", "the lines of query 7 do not stand together"),
    ):
        path = write(tmp_path, text)
        assert str(path) in refused(words, read_svmlight, path)


def as_svmlight(data: Queries) -> str:
    names = np.repeat(data.names, data.sizes)
    return "".join(
        f"{int(y)} qid:{q} " + " ".join(f"{k}:{v!r}" for k, v in enumerate(x.tolist(), 1)) + "\n"
        for y, q, x in zip(data.labels, names, data.features, strict=True)
    )


def test_files_in_and_out(tmp_path):
    data = write(tmp_path, as_svmlight(queries()))
    test = write(tmp_path, as_svmlight(queries(seed=2)), "test")
    out = tmp_path / "new" / "folder"
    found = train([data], "listnet_consistent", test=[test], measure="nDCG@3", out=out)
    assert (found.queries, found.test_queries) == (40, 40)
    again = evaluate(read_run(out / "test.run"), read_qrels(out / "test.qrels"), "nDCG@3").mean[0]
    assert found.test == pytest.approx(again, abs=1e-15)
    assert json.loads(json.dumps(found.as_dict()))["test"] == found.test
    assert "on the 40 test queries" in repr(found)
    loaded = Ranker.load(out / "ranker.json")
    np.testing.assert_array_equal(loaded.scores(queries()), found.ranker.scores(queries()))
    assert loaded.as_dict() == found.ranker.as_dict()
    read = train(read_svmlight(data), "listnet_consistent", test=read_svmlight(test), measure="nDCG@3")
    assert str(read) == str(found)


def test_errors_with_files(tmp_path):
    data = write(tmp_path, as_svmlight(queries()))
    flat = write(tmp_path, "0 qid:1 1:2\n1 qid:1 1:2\n1 qid:2 1:2\n", "flat")
    out = tmp_path / "out"
    refused("none: cannot be read", train, [data], "squared", test=[tmp_path / "none"], out=out)
    assert not out.exists()
    refused("below: cannot be written", train, [data], "squared", out=data / "below")
    refused(r"flat: features: every feature is constant", train, [flat], "squared", penalties=[1.0])


def test_bad_ranker_files(tmp_path):
    for text in ("", "{}", "[1]", '{"weights": "a"}'):
        refused(r"model\.json: holds no ranker", Ranker.load, write(tmp_path, text, "model.json"))
    refused("none: cannot be read", Ranker.load, tmp_path / "none")
    with pytest.raises(InputError, match="the ranker has 1 features, the queries 3"):
        Ranker(np.ones(1), 0.0, Loss.parse("squared"), NDCG, 0.0, (), 0, 1, True).scores(queries())
