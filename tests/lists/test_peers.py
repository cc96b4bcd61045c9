"""Values of the programs of others on real runs, query by query; each test needs its program and the data."""

from __future__ import annotations

import gzip
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ndcg_asymptotics.lists import evaluate
from ndcg_asymptotics.lists.reading.values import read_values

RUNS = ["THUIRr0301", "aplrob03a", "pircRBa1", "rutcor03100"]  # almost all scores of the last one are tied
EXACT = 1e-9


def lines(path: Path) -> list[list[str]]:
    with gzip.open(path, "rt") as file:
        return [line.split() for line in file]


class Robust:
    """Runs and judgements of the TREC 2003 Robust track, as files and as dictionaries."""

    def __init__(self, folder: Path) -> None:
        self.files = {name: folder / f"{name}.run.gz" for name in RUNS}
        self.qrels_file = folder / "qrels.txt.gz"
        self.qrels: dict[str, dict[str, int]] = {}
        for query, _, document, label in lines(self.qrels_file):
            self.qrels.setdefault(query, {})[document] = int(label)
        self.runs: dict[str, dict[str, dict[str, float]]] = {}
        for name, path in self.files.items():
            run = self.runs.setdefault(name, {})
            for query, _, document, _, score, _ in lines(path):
                run.setdefault(query, {})[document] = float(score)


@pytest.fixture(scope="module")
def robust() -> Robust:
    import os

    folder = os.environ.get("NDCG_ASYMPTOTICS_DATA")
    if not folder:
        pytest.skip("NDCG_ASYMPTOTICS_DATA names no folder of real data")
    return Robust(Path(folder) / "robust03")


def assert_equal(
    found: Any, expected: dict[str, dict[str, float]], names: list[str], error: float = EXACT
) -> None:
    """Compare an evaluation with {query: {name of a measure: value}}."""
    assert set(found.queries) == set(expected)
    values = [[expected[query][name] for name in names] for query in found.queries]
    np.testing.assert_allclose(found.values, values, rtol=0, atol=error)


@pytest.mark.slow
def test_ir_measures(robust: Robust) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    names = ["nDCG", "nDCG@10", "AP", "RR@10", "P@5", "R@100", "Judged@10"]
    measures = [ir_measures.parse_measure(name) for name in names]
    runs = [RUNS[-1]]
    calculated = {run: list(ir_measures.iter_calc(measures, robust.qrels, robust.runs[run])) for run in runs}
    for run, metrics in calculated.items():
        expected: dict[str, dict[str, float]] = {}
        for metric in metrics:
            expected.setdefault(metric.query_id, {})[str(metric.measure)] = metric.value
        found = evaluate(robust.files[run], robust.qrels_file, names, like="ir_measures")
        assert_equal(found, expected, names)
    given = read_values(calculated, measures=names)
    assert given.runs == tuple(runs)
    last = [[expected[query][name] for name in names] for query in given.queries]
    np.testing.assert_allclose(given.values[-1], last, rtol=0, atol=EXACT)


def test_ranx(robust: Robust) -> None:
    """Ties included: numba's quicksort leaves them in an order of its own."""
    ranx = pytest.importorskip("ranx")
    names = ["ndcg@10", "ndcg@100"]
    for run in RUNS:
        evaluated = ranx.Run(robust.runs[run], name=run)
        ranx.evaluate(ranx.Qrels(robust.qrels), evaluated, names)
        expected = {q: {name: evaluated.scores[name][q] for name in names} for q in robust.qrels}
        for given in (robust.files[run], evaluated):
            found = evaluate(given, robust.qrels, ["nDCG@10", "nDCG@100"], like="ranx")
            assert_equal(found, expected, names)


def test_beir(robust: Robust) -> None:
    """It prints means with five decimals."""
    evaluation = pytest.importorskip("beir.retrieval.evaluation")
    for run in RUNS:
        expected, *_ = evaluation.EvaluateRetrieval.evaluate(robust.qrels, robust.runs[run], [10, 100])
        found = evaluate(robust.files[run], robust.qrels_file, ["nDCG@10", "nDCG@100"], like="beir")
        np.testing.assert_allclose(found.mean, list(expected.values()), rtol=0, atol=5.000001e-6)


class Letor:
    """The first part of MQ2008, with feature 25 as the score."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "letor_mq2008/S1.txt.gz"
        rows = lines(self.path)
        self.labels = np.array([float(row[0]) for row in rows])
        self.queries = [int(row[1].removeprefix("qid:")) for row in rows]
        self.scores = np.array([float(row[26].removeprefix("25:")) for row in rows])
        self.sizes = [len(list(group)) for _, group in groupby(self.queries)]

    def means(self, like: str, **options: Any) -> Any:
        return evaluate(
            lists=self.path, feature=25, measures=["nDCG@5", "nDCG@10"], like=like, **options
        ).mean


def test_lightgbm(data_folder: Path) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    letor = Letor(data_folder)
    no_trees = {"min_data_in_leaf": 10**6, "verbose": -1, "feature_pre_filter": False}
    data = lightgbm.Dataset(
        np.zeros((len(letor.labels), 1)),
        letor.labels,
        group=letor.sizes,
        init_score=letor.scores,
        params=no_trees,
    )
    recorded: dict[str, Any] = {}
    lightgbm.train(
        {"objective": "lambdarank", "metric": "ndcg", "eval_at": [5, 10], **no_trees},
        data,
        1,
        valid_sets=[data],
        callbacks=[lightgbm.record_evaluation(recorded)],
    )
    expected = [recorded["training"][f"ndcg@{k}"][0] for k in (5, 10)]
    np.testing.assert_allclose(letor.means("lightgbm"), expected, rtol=0, atol=EXACT)


def test_xgboost(data_folder: Path) -> None:
    xgboost = pytest.importorskip("xgboost")
    letor = Letor(data_folder)
    data = xgboost.DMatrix(np.zeros((len(letor.labels), 1)), letor.labels)
    data.set_group(letor.sizes)
    data.set_base_margin(letor.scores)
    metrics = ["ndcg@5", "ndcg@10", "ndcg@5-", "ndcg@10-"]
    booster = xgboost.Booster({"objective": "rank:ndcg", "eval_metric": metrics, "base_score": 0.0}, [data])
    expected = [float(part.rpartition(":")[2]) for part in booster.eval(data).split("\t")[1:]]
    found = [*letor.means("xgboost"), *letor.means("xgboost", empty="zero")]
    np.testing.assert_allclose(found, expected, rtol=0, atol=EXACT)


def test_catboost(data_folder: Path) -> None:
    eval_metric = pytest.importorskip("catboost.utils").eval_metric
    letor = Letor(data_folder)
    for gain, kind in (("linear", "Base"), ("exp2", "Exp")):
        expected = [
            eval_metric(letor.labels, letor.scores, f"NDCG:top={k};type={kind}", group_id=letor.queries)[0]
            for k in (5, 10)
        ]
        found = letor.means("catboost", gain=gain)
        np.testing.assert_allclose(found, expected, rtol=0, atol=EXACT)
