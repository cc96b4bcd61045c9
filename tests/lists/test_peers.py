"""Values of the programs of others on real runs, query by query; each test needs its program and the data."""

from __future__ import annotations

import gzip
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
