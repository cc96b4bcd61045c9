"""Runs, judgements and lists are the same in any form in which they are given."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from cases import refused, write
from ir_measures import Qrel, ScoredDoc

import ndcg_asymptotics as na
from ndcg_asymptotics.lists.inputs import features_of, is_one, joined_files, named_runs, scored_lists

RUN = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"a": 1.0, "c": 2.0}}
QRELS = {"q1": {"b": 2.0, "d": 1.0}, "q2": {"a": 1.0}}


def rows(of: dict[str, dict[str, float]]) -> list[tuple[str, str, float]]:
    return [(query, document, number) for query, docs in of.items() for document, number in docs.items()]


def ranx(held: dict[str, dict[str, float]], **name: str) -> SimpleNamespace:
    """Return what runs and judgements of ranx have: ``to_dict``, and a name."""
    return SimpleNamespace(to_dict=lambda: held, **name)


DATASET = SimpleNamespace(  # as of ir_datasets
    scoreddocs_iter=lambda: (ScoredDoc(*row) for row in rows(RUN)),
    qrels_iter=lambda: (Qrel(*row) for row in rows(QRELS)),
)


def frame(of: dict[str, dict[str, float]], *columns: str) -> pd.DataFrame:
    return pd.DataFrame(rows(of), columns=list(columns))


SCORES = frame(RUN, "query", "document", "score")
LABELS = frame(QRELS, "qid", "doc", "rel")
FORMS = {
    "dictionaries": (RUN, QRELS),
    "pandas": (SCORES, LABELS),
    "polars": (pl.DataFrame(SCORES), pl.DataFrame(LABELS)),
    "lazy frames": (pl.LazyFrame(SCORES), pl.LazyFrame(LABELS)),
    "an index": (SCORES.set_index(["query", "document"]), LABELS.set_index(["qid", "doc"])["rel"]),
    "rows": (SCORES.to_dict("records"), LABELS.to_dict("records")),
    "BEIR": (RUN, frame(QRELS, "query-id", "corpus-id", "score")),
    "RecBole": (
        frame(RUN, "user_id:token", "item_id:token", "score:float"),
        frame(QRELS, "userId", "itemId", "rating:float"),
    ),
    "arrow": (pa.Table.from_pandas(SCORES), pa.Table.from_pandas(LABELS)),
    "records": (list(DATASET.scoreddocs_iter()), DATASET.qrels_iter),
    "ranx": (ranx(RUN, name="mine"), ranx(QRELS)),
    "ir_datasets": (DATASET, DATASET),
}


@pytest.mark.parametrize("form", FORMS)
def test_values_do_not_depend_on_the_form(form: str) -> None:
    run, qrels = FORMS[form]
    found = na.evaluate(run, qrels() if callable(qrels) else qrels, ["nDCG", "nDCG@1"])
    # q1: b at rank 2 has the gain 2, the ideal list is 2, 1; q2: a at rank 2 is the only relevant one
    log = 1 / np.log2([2.0, 3.0])
    expected = [2 * log[1] / (2 * log[0] + log[1]), log[1]]
    np.testing.assert_allclose(found.values[:, 0], expected, rtol=1e-15)
    assert found.values[:, 1].tolist() == [0.0, 0.0]
    assert found.name == ("mine" if form == "ranx" else "")


def test_columns_of_frames_and_names_of_runs(tmp_path: Path) -> None:
    other = SCORES.rename(columns={"query": "user", "document": "film", "score": "bm25"})
    columns = {"document": "film", "score": "bm25"}
    judged = LABELS.rename(columns={"doc": "film"})
    found = na.evaluate({"a": other, "b": other}, judged, "nDCG", columns=columns)
    assert [*found] == ["a", "b"]
    assert np.array_equal(found["a"].values, na.evaluate(RUN, QRELS, "nDCG").values)
    with pytest.raises(na.InputError, match="no column 'text', the columns are: user, film, bm25"):
        na.evaluate(other, judged, "nDCG", columns={**columns, "document": "text"})
    assert [*named_runs([write(tmp_path, json.dumps(RUN), "x.json"), "a.run.xz"])] == ["x", "a"]
    assert [*named_runs([ranx(RUN, name="one"), ranx(RUN, name="two")])] == ["one", "two"]
    refused("runs: must be a mapping of name to run", na.compare, [SCORES, SCORES], LABELS)
    refused("at least two runs, such as", na.compare, RUN, QRELS)
    refused(r"runs: must hold at least one$", na.fit, [], QRELS, out=tmp_path)
    # every face takes runs as `evaluate` does, and names no files where there are none
    grown = na.grow({"a": pl.DataFrame(SCORES)}, pa.Table.from_pandas(LABELS), "nDCG", orders=2)
    assert np.array_equal(grown.ndcg, na.grow({"a": RUN}, QRELS, "nDCG", orders=2).ndcg)
    assert "runs" not in grown.settings
    (curve,) = na.fit({"good": SCORES}, pl.DataFrame(LABELS), out=tmp_path / "curves")
    assert curve.name == "good.csv"
    assert [is_one(of) for of in (RUN, {"a": RUN}, {"a": SCORES}, SCORES, [SCORES], [])] == [
        *(True, False, False, True, False, False)
    ]


def letor(folder: Path, seed: int) -> Path:
    """Write 8 queries of 20 documents with three features: a good one, a bad one and the label itself."""
    rng = np.random.default_rng(seed)
    lines = []
    for query in range(8):
        for _ in range(20):
            y = int(rng.random() < 0.3)
            good, bad = y + 0.5 * rng.normal(), y + 2.0 * rng.normal()
            lines.append(f"{y} qid:{query} 1:{good:.6f} 2:{bad:.6f} 3:{y}")
    return write(folder, "\n".join(lines) + "\n", f"fold{seed}.txt")


def test_rankers_of_a_letor_file_are_compared(tmp_path: Path) -> None:
    files = [letor(tmp_path, seed) for seed in (1, 2)]
    found = na.compare(lists=files, feature=[1, 2], measures="nDCG", resamples=99)
    # both folds have the queries 0 to 7
    assert (found.runs, found.queries) == (("feature 1", "feature 2"), 16)
    for feature in (1, 2):
        alone = na.evaluate(lists=files, feature=feature, measures="nDCG")
        named = f"feature {feature}"
        values = {row[1]: row[2] for row in found.by_query.rows if row[0] == named}
        assert values == dict(zip(alone["all files"].queries, alone["all files"].values[:, 0], strict=True))
    # the label as a score has ties, which are averaged: all orders of tied documents are ideal
    ideal = na.compare(lists=files[0], feature=[3, 1], measures="nDCG", resamples=99)
    assert ideal.pairs[0].by_measure[0].mean_a == pytest.approx(1.0, abs=1e-15)
    worst = na.compare(lists=files[0], feature=[1, 3], ties="worst", measures="nDCG@3", resamples=99)
    assert worst.pairs[0].by_measure[0].mean_b == pytest.approx(1.0)
    refused("lists: needs two rankers, each a feature", na.compare, lists=files, feature=1)
    refused("feature: must be a whole number from 1 on, got 0", features_of, [0, 1])
    refused("feature: 1 is given twice", na.compare, lists=files, feature=[1, 1])
    refused("feature: must be one, got 2", na.evaluate, lists=files, measures="nDCG", feature=[1, 2])


def test_conventions_of_compare_are_those_of_evaluate() -> None:
    rng = np.random.default_rng(2)
    labels = {f"q{q}": {f"d{d}": float(d < q % 4) for d in range(9)} for q in range(12)}
    runs = {name: {q: {f"d{d}": float(rng.integers(3)) for d in range(14)} for q in labels} for name in "ab"}
    for options in ({"ties": "average", "empty": "skip"}, {"unjudged": "drop"}, {"like": "sklearn"}):
        found = na.compare(runs, labels, "nDCG@5", resamples=99, **options)
        alone = na.evaluate(runs, labels, "nDCG@5", **options)
        means = found.pairs[0].by_measure[0]
        assert [means.mean_a, means.mean_b] == pytest.approx([alone[name].mean[0] for name in "ab"])


def test_lists_of_frames() -> None:
    table = pd.DataFrame({"query": ["1", "1", "2"], "score": [1.0, 2.0, 1.0], "label": [1, 0, 1]})
    found = na.evaluate(lists=table, measures="nDCG")
    np.testing.assert_allclose(found.values[:, 0], [1 / np.log2(3), 1.0])
    scores, labels = joined_files(scored_lists({"a": table, "b": pl.DataFrame(table)}))
    assert scores.queries == ("a: 1", "a: 2", "b: 1", "b: 2")
    assert labels.values.tolist() == [1.0, 0.0, 1.0] * 2
    named = na.evaluate(lists={"a": table, "b": pl.LazyFrame(table)}, measures="nDCG")
    assert [*named] == ["a", "b", "all files"]
    refused("lists: expected a file or a frame, got 3", na.evaluate, lists=[3], measures="nDCG")
