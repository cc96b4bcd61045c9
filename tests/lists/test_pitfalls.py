"""Inputs for which a reader may easily give a wrong number or a message that does not help."""

from __future__ import annotations

import re
import unicodedata

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from cases import command, output, refused, write
from ir_measures import ScoredDoc
from pyarrow import parquet

import ndcg_asymptotics as na
from ndcg_asymptotics.core.errors import InputError, InputWarning
from ndcg_asymptotics.lists import evaluate, fit, read_qrels, read_run
from ndcg_asymptotics.lists.reading import read
from ndcg_asymptotics.lists.reading.values import read_values
from ndcg_asymptotics.lists.writing import write_qrels, write_run

RUN = {"q1": {"a": 3.0, "b": 2.0}, "q2": {"a": 1.0, "c": 2.0}}
QRELS = {"q1": {"b": 2.0, "d": 1.0}, "q2": {"a": 1.0}}


def test_numbers_of_rows_are_no_names_of_documents(tmp_path):
    path = write(tmp_path, "query,score,label\n1,3,1\n1,2,2\n1,1,0\n1,0,2\n")
    discounts = 1 / np.log2(np.arange(2.0, 6.0))
    expected = [1, 2, 0, 2] @ discounts / ([2, 2, 1, 0] @ discounts)
    frame = pd.read_csv(path)
    for given in (path, frame, pl.DataFrame(frame)):
        for like in ("beir", "trec_eval"):
            found = evaluate(lists=given, measures="nDCG", like=like)
            assert found.values[0, 0] == pytest.approx(expected, rel=1e-12)
            assert not any("query itself" in remark for remark in found.remarks())
    # names that are given are compared, as those of ranked documents
    named = write(tmp_path, "query,document,score,label\nq,q,3,1\nq,b,2,2\nq,c,1,0\nq,d,0,2\n")
    found = evaluate(lists=named, measures="nDCG", like="beir")
    assert found.values[0, 0] == pytest.approx([2, 0, 2] @ discounts[:3] / ([2, 2, 1, 0] @ discounts))
    plain = evaluate(lists=named, measures="nDCG")
    assert any("query itself" in remark for remark in plain.remarks())
    assert plain.values[0, 0] == pytest.approx(expected, rel=1e-12)


MISSING = [None, float("nan"), pd.NA, "", " "]


@pytest.mark.parametrize("missing", MISSING, ids=["None", "NaN", "NA", "empty", "blank"])
@pytest.mark.parametrize("column", ["query", "document"])
def test_missing_names_are_refused_with_their_row(tmp_path, missing, column):
    names = {"query": ["q0", "q0"], "document": ["d1", "d2"], "score": [1.0, 2.0]}
    names[column] = [names[column][0], missing]
    frame = pd.DataFrame(names)
    rows = [ScoredDoc(*row) for row in zip(*names.values(), strict=True)]
    plain = {**names, column: [names[column][0], missing if isinstance(missing, str) else None]}
    by_query: dict[object, dict[object, float]] = {}
    for row in rows:
        by_query.setdefault(row.query_id, {})[row.doc_id] = row.score
    doors = [frame, frame.astype({column: object}), rows, iter(rows), frame.to_dict("records"), by_query]
    doors += [pa.table(plain), pl.DataFrame(plain)]
    for door in doors:
        refused(rf"row 2: the name of the {column} is missing", evaluate, door, QRELS, "nDCG")
    text = frame.to_csv(index=False)
    refused(r"file, line 3: got '.*', expected query, document, score", read_run, write(tmp_path, text))
    parquet.write_table(pa.table(plain), tmp_path / "table")
    refused(rf"table: row 2: the name of the {column} is missing", read_run, tmp_path / "table")
    lists = frame.assign(label=1)
    refused(rf"row 2: the name of the {column} is missing", evaluate, lists=lists, measures="nDCG")


def test_a_query_called_all_counts_unless_it_is_the_mean(tmp_path):
    queries = [*(f"q{i}" for i in range(9)), "all"]
    frame = pd.DataFrame({"query": queries, "a": np.arange(10) / 10, "b": np.arange(10)[::-1] / 10})
    for given in (frame, write(tmp_path, frame.to_csv(index=False), "values.csv")):
        found = read_values(given, measures="AP")
        assert "all" in found.queries
        assert len(found.queries) == 10
    for name in ("all", "amean"):
        with_mean = frame.iloc[:9].copy()
        with_mean.loc[9] = [name, with_mean["a"].mean().round(4), with_mean["b"].mean().round(4)]
        found = read_values(with_mean, measures="AP")
        assert len(found.queries) == 9
        assert any(name in remark and "mean" in remark for remark in found.remarks)


def test_a_column_of_ranks_is_not_taken_for_scores(tmp_path):
    frame = pd.DataFrame({"query": ["q"] * 3, "document": ["a", "b", "c"], "rank": [1, 2, 3]})
    path = write(tmp_path, frame.to_csv(index=False), "run.csv")
    frame.to_parquet(tmp_path / "run.parquet")
    for given in (frame, path, tmp_path / "run.parquet", pl.DataFrame(frame)):
        with pytest.warns(InputWarning, match="rank"):
            found = evaluate(given, {"q": {"a": 1}}, "nDCG", columns={"score": "rank"})
        assert found.values[0, 0] == 1.0
    # scores of another name keep their order, without a warning
    other = frame.rename(columns={"rank": "ranking_score"})
    found = evaluate(other, {"q": {"c": 1}}, "nDCG", columns={"score": "ranking_score"})
    assert found.values[0, 0] == 1.0


def test_columns_of_ranx_and_predictions_are_known(tmp_path):
    run = write(tmp_path, "q_id,doc_id,score\nq1,a,3\nq1,b,2\nq2,a,1\nq2,c,2\n", "run.csv")
    qrels = write(tmp_path, "q_id,doc_id,score\nq1,b,2\nq1,d,1\nq2,a,1\n", "qrels.csv")
    expected = evaluate(RUN, QRELS, "nDCG").values
    assert np.array_equal(evaluate(run, qrels, "nDCG").values, expected)
    assert np.array_equal(evaluate(pd.read_csv(run), pd.read_csv(qrels), "nDCG").values, expected)
    fractions = write(tmp_path, "q_id,doc_id,score\nq1,a,0.5\n", "other.csv")
    refused("are the run and the qrels swapped", evaluate, run, fractions, "nDCG")
    lists = write(tmp_path, "query,prediction,label\nq,2,0\nq,1,1\n", "lists.csv")
    assert evaluate(lists=lists, measures="nDCG").values[0, 0] == pytest.approx(1 / np.log2(3))


LETOR = "2 qid:1 1:0.5 2:1\n0 qid:1 1:0.25\n1 qid:2 1:3\n0 qid:2 1:1\n1 qid:2 1:2\n"


def test_svmlight_files_may_begin_with_comments(tmp_path):
    plain = write(tmp_path, LETOR, "plain.txt")
    commented = write(tmp_path, f"# made by hand\n#\n\n{LETOR}", "commented.txt")
    expected = evaluate(lists=plain, measures="nDCG", feature=1).values
    assert np.array_equal(evaluate(lists=commented, measures="nDCG", feature=1).values, expected)
    assert fit(lists=commented, feature=1, out=tmp_path / "curve.csv")
    refused("is an SVMlight file", evaluate, commented, QRELS, "nDCG")


@pytest.mark.parametrize("comment", ["", "# no queries here\n"])
def test_queries_of_svmlight_files_may_be_in_a_file_of_sizes(tmp_path, comment):
    bare = write(tmp_path, comment + LETOR.replace(" qid:1", "").replace(" qid:2", ""), "train.txt")
    with pytest.raises(InputError, match=r"train\.txt: no qid in its lines; --query FILE"):
        evaluate(lists=bare, measures="nDCG", feature=1)
    sizes = write(tmp_path, "2\n3\n", "train.txt.query")
    expected = evaluate(lists=write(tmp_path, LETOR, "qid.txt"), measures="nDCG", feature=1)
    found = evaluate(lists=bare, measures="nDCG", feature=1, query=sizes)
    assert found.queries == ("1", "2")
    assert np.array_equal(found.values, expected.values)
    both = evaluate(lists=[bare, write(tmp_path, bare.read_bytes(), "b.txt")], feature=1, query=[sizes] * 2)
    assert np.array_equal(both["all files"].values[:2], expected.values)
    assert fit(lists=bare, feature=1, query=sizes, out=tmp_path / "curve.csv")
    said = output("evaluate", "--lists", bare, "--feature", 1, "--query", sizes, "--measure", "nDCG")
    assert f"{expected.mean[0]:.4f}" in said
    for text, said in (
        ("2\n4\n", "6 lines, .*train.txt has 5"),
        ("2\n-1\n", "expected the number of lines of each query"),
        ("2\nx\n", "expected the number of lines of each query"),
        ("", "expected the number of lines of each query"),
    ):
        with pytest.raises(InputError, match=rf"sizes: .*{said}"):
            evaluate(lists=bare, measures="nDCG", feature=1, query=write(tmp_path, text, "sizes"))
    refused("query: is for lists", evaluate, RUN, QRELS, "nDCG", query=sizes)
    with pytest.raises(InputError, match=r"qid\.txt.*has qid in its lines"):
        evaluate(lists=tmp_path / "qid.txt", measures="nDCG", feature=1, query=sizes)


def test_a_table_of_gains_allows_negative_labels_in_training(tmp_path):
    rng = np.random.default_rng(3)
    rows = [(int(rng.integers(-1, 2)), q, *rng.normal(size=2)) for q in range(10) for _ in range(8)]
    text = "".join(f"{y} qid:{q} 1:{a:.4f} 2:{b:.4f}\n" for y, q, a, b in rows)
    path, zero = write(tmp_path, text, "n.txt"), write(tmp_path, text.replace("-1 qid", "0 qid"), "z.txt")
    for options in ([], ["--gain", "exp2"], ["--gain", "0=0,1=1"]):
        ended = command("losses", "train", "--train", path, "--loss", "listnet", *options)
        assert ended.refused
        assert "label >= 0" in ended.err
    gain = "-1=0, 0=0, 1=1"
    arguments = ["--loss", "listnet", "--gain", gain, "--penalty", 1, "--json"]
    trained, of_zero = (output("losses", "train", "--train", file, *arguments) for file in (path, zero))
    assert trained == of_zero


@pytest.mark.parametrize("column", ["seed", "fold"])
def test_several_values_per_query_are_to_be_averaged_first(tmp_path, column):
    rows = [(q, run, s, q / 10 + s / 100) for q in range(8) for run in "ab" for s in (1, 2)]
    wide = pd.DataFrame(rows, columns=["query", "run", column, "AP"])
    long = wide.rename(columns={"AP": "value"}).assign(measure="AP")
    for given in (wide, long, write(tmp_path, wide.to_csv(index=False), "v.csv")):
        refused(rf"query '0' by AP occurs twice.* column {column}.*groupby", read_values, given)
    averaged = wide.groupby(["query", "run"], as_index=False)["AP"].mean()
    assert len(read_values(averaged).queries) == 8
    once = wide[wide[column] == 1]  # a column that tells nothing apart is no measure
    assert read_values(once).measures == ("AP",)


def test_a_metric_without_values_in_one_run_is_named(tmp_path):
    values = {
        "new": {f"q{i}": {"AP": 0.5, "P": 0.1 * i} for i in range(8)},
        "old": {f"q{i}": {"AP": float("nan"), "P": 0.1} for i in range(8)},
    }
    rows = [(run, q, m, v) for run, qs in values.items() for q, ms in qs.items() for m, v in ms.items()]
    long = pd.DataFrame(rows, columns=["run", "query", "measure", "value"])
    wide = long.pivot(index=["run", "query"], columns="measure", values="value").reset_index()
    alone = {run: part.drop(columns="run") for run, part in wide.groupby("run")}
    files = [write(tmp_path, part.to_csv(index=False), f"{run}.csv") for run, part in alone.items()]
    for given in (values, long, wide, alone, files):
        found = read_values(given)
        assert (found.measures, len(found.queries)) == (("P",), 8)
        assert any("AP" in remark and "old" in remark for remark in found.remarks), found.remarks
        refused(r"measure: AP has no value .*old", read_values, given, measures=["AP"])


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("caf\u00e9", unicodedata.normalize("NFD", "caf\u00e9")),
        ("d1", "d1\u200b"),
        ("d1", "\ufeffd1"),
        ("d1", "d1\u00a0"),
    ],
)
def test_names_that_only_look_equal_are_told_apart(one, two):
    with pytest.raises(InputError, match=r"no document of the run is judged.*look equal"):
        evaluate({"q": {one: 1.0, "x": 0.5}}, {"q": {two: 1}}, "nDCG")
    refused(r"no query in common.*look equal", evaluate, {one: {"d": 1.0}}, {two: {"d": 1}}, "nDCG")
    with pytest.warns(InputWarning, match=r"1 judged document .*look equal"):
        evaluate({"q": {one: 1.0, "x": 0.5}}, {"q": {two: 1, "x": 1}}, "nDCG")
    with pytest.warns(InputWarning, match=r"1 judged quer.*look equal"):
        evaluate({one: {"d": 1.0}, "q": {"d": 1.0}}, {two: {"d": 1}, "q": {"d": 1}}, "nDCG")
    with pytest.warns(InputWarning, match=r"1 judged document .*look equal"):
        na.lists.pool_runs({"a": {"q": {one: 1.0, "x": 0.5}}}, {"q": {two: 1, "x": 1}})
    evaluate({"q": {one: 1.0, "x": 0.5}}, {"q": {one: 1, "y\u00e4": 1}}, "nDCG")  # no warning


def test_paths_with_a_tilde_and_standard_input(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    write_run(RUN, tmp_path / "a.run", "t")
    write_qrels(QRELS, tmp_path / "a.qrels")
    assert output("evaluate", "--run=~/a.run", "--qrels=~/a.qrels", "--measure", "nDCG")
    for dash in ("-", "/dev/stdin"):
        ended = command("evaluate", "--run", dash, "--qrels", tmp_path / "a.qrels", "--measure", "nDCG")
        assert ended.refused
        assert "a file is needed" in ended.err


def test_runs_of_ms_marco_and_subtopic_judgements_get_advice(tmp_path):
    marco = write(tmp_path, "1048585\t7187158\t1\n1048585\t7187157\t2\n", "marco.tsv")
    refused(r"marco\.tsv: looks like a run of MS MARCO.*--columns score=rank", read, marco, "score")
    headed = write(tmp_path, "query\tdocument\trank\n" + marco.read_text(), "headed.tsv")
    with pytest.warns(InputWarning):
        ranked = read(headed, "score", {"score": "rank"}).as_dict()
    assert ranked == {"1048585": {"7187158": -1.0, "7187157": -2.0}}
    subtopics = write(tmp_path, "1 1 d1 1\n1 2 d1 0\n1 1 d2 0\n", "diversity.qrels")
    refused(r"line 2: document d1 of query 1 occurs twice.*subtopic", read_qrels, subtopics)
    plain = write(tmp_path, "1 0 d1 1\n1 0 d1 0\n", "plain.qrels")
    assert "subtopic" not in refused("occurs twice", read_qrels, plain)


def test_names_of_tables_are_texts(tmp_path):
    """Names such as NA and 007 are names; numbers with blanks or quotation marks are numbers."""
    path = write(tmp_path, 'query,document,score\nNA,007,1\nNA,nan,"2"\nnull,1e3, 3\n')
    assert read_run(path) == {"NA": {"007": 1.0, "nan": 2.0}, "null": {"1e3": 3.0}}
    path = write(tmp_path, 'NA Q0 "a" 1 2 t\nNA Q0 "b 2 1 t\n')
    assert read_run(path) == {"NA": {'"a"': 2.0, '"b': 1.0}}
    for text in ("query,document,score\nq,d,true\nq,e,false\n", "q Q0 d 1 true t\n"):
        refused(r"expected .* finite score", read_run, write(tmp_path, text))


FRAME = pd.DataFrame({"user": ["u", "u"], "item": ["a", "b"], "score": [2.0, 1.0]})
JUDGED = pd.DataFrame({"user": ["u"], "item": ["b"], "rating": [1]})


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: na.evaluate(FRAME, JUDGED, "ndgc@10"), "did you mean 'nDCG@10'?"),
        (lambda: na.evaluate(FRAME, JUDGED, "nDCG@10 nDCG@20"), 'measures=["nDCG@10", "nDCG@20"]'),
        (lambda: na.evaluate(FRAME[:0], JUDGED, "nDCG"), "the run has no documents"),
        (lambda: na.compare(FRAME, JUDGED), '{"a": run_a, "b": run_b}'),
        (lambda: na.Measure("nDCG@10"), 'Measure.parse("nDCG@10")'),
        (lambda: na.compare(FRAME, FRAME, JUDGED), 'compare({"a": run_a, "b": run_b}, qrels)'),
        (lambda: na.evaluate(np.array([1, 0]), np.array([2, 1])), ".evaluate(y_true, y_score)"),
        (lambda: na.plan(FRAME, FRAME), "plan(runs=…, qrels=…)"),
        (lambda: na.evaluate(FRAME.rename(columns={"user": "who"}), JUDGED), 'columns={"query": NAME}'),
    ],
)
def test_messages_name_the_call_that_was_meant(call, said):
    refused(re.escape(said), call)
