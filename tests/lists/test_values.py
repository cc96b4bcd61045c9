"""Values of other programs: their formats, which runs and measures count, and what is refused."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from cases import refused, write
from ir_measures import Metric

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.lists import evaluate
from ndcg_asymptotics.lists.reading.values import read_values
from ndcg_asymptotics.lists.values import RunValues

QUERIES = [f"q{i}" for i in range(8)]
VALUES = {
    run: {query: {m: float(rng.integers(1, 99)) / 100 for m in ("AP", "P@5")} for query in QUERIES}
    for run, rng in (("new", np.random.default_rng(1)), ("old", np.random.default_rng(2)))
}
ROWS = [(run, query, m, v) for run in VALUES for query in QUERIES for m, v in VALUES[run][query].items()]


def require_all(found: RunValues) -> None:
    """All formats below hold the same values."""
    assert found.runs == ("new", "old")
    assert found.measures == ("AP", "P@5")
    assert found.queries == tuple(QUERIES)
    expected = [[[VALUES[run][q][m] for m in found.measures] for q in QUERIES] for run in found.runs]
    assert found.values.tolist() == expected


def long_table() -> pd.DataFrame:
    return pd.DataFrame(ROWS, columns=["run", "query", "measure", "value"])


def wide_table() -> pd.DataFrame:
    rows = [(run, query, *VALUES[run][query].values()) for run in VALUES for query in QUERIES]
    return pd.DataFrame(rows, columns=["run", "query", "AP", "P@5"])


@pytest.mark.parametrize("table", [long_table, wide_table])
@pytest.mark.parametrize("form", ["csv", "tsv", "csv.gz", "parquet", "json", "jsonl"])
def test_tables_in_files(table: Any, form: str, tmp_path: Path) -> None:
    path, frame = tmp_path / f"scores.{form}", table()
    if form == "parquet":
        frame.to_parquet(path)
    elif form.startswith("json"):
        frame.to_json(path, orient="records", lines=form == "jsonl")
    else:
        frame.to_csv(path, sep="\t" if form == "tsv" else ",", index=False)
    require_all(read_values(path))


@pytest.mark.parametrize("table", [long_table, wide_table])
def test_tables_in_python(table: Any) -> None:
    frame = table()
    require_all(read_values(frame))
    require_all(read_values(pl.DataFrame(frame.to_dict("list"))))
    require_all(read_values(pl.DataFrame(frame.to_dict("list")).to_arrow()))
    require_all(read_values({run: part.drop(columns="run") for run, part in frame.groupby("run")}))


def test_dictionaries(tmp_path: Path) -> None:
    require_all(read_values(VALUES))
    require_all(read_values(write(tmp_path, json.dumps(VALUES), "scores.json")))
    for content in (VALUES["new"], {q: of["AP"] for q, of in VALUES["new"].items()}):
        found = read_values(write(tmp_path, json.dumps(content), "scores.json"))
        assert (found.runs, found.queries) == (("scores",), tuple(QUERIES))


def test_a_file_for_each_run_has_its_name(tmp_path: Path) -> None:
    for run, part in wide_table().groupby("run"):
        part.drop(columns="run").to_csv(tmp_path / f"{run}.csv", index=False)
    require_all(read_values([tmp_path / "new.csv", tmp_path / "old.csv"]))
    assert read_values([tmp_path / "old.csv", tmp_path / "new.csv"]).runs == ("old", "new")


@pytest.mark.parametrize("form", ["tsv", "jsonl"])
def test_output_of_the_command_ir_measures(form: str, tmp_path: Path) -> None:
    qrels = write(tmp_path, "".join(f"{q} 0 d1 1\n{q} 0 d2 0\n" for q in QUERIES), "qrels")
    files = []
    for run, first in (("new", "d1"), ("old", "d2")):
        lines = "".join(f"{q} Q0 {first} 1 {2 - i % 2} x\n{q} Q0 d3 2 1.5 x\n" for i, q in enumerate(QUERIES))
        command = ["ir_measures", qrels, write(tmp_path, lines, f"{run}.run"), "RR", "P@1", "-q", "-o", form]
        out = subprocess.run([sys.executable, "-m", *map(str, command)], capture_output=True, check=True)
        files.append(write(tmp_path, out.stdout, f"{run}.txt"))
    found = read_values(files)
    assert found.runs == ("new", "old")
    assert found.queries == tuple(QUERIES)  # the means, which are called "all", do not count
    rr = found.values[:, :, found.measures.index("RR")]
    assert rr.tolist() == [[1.0, 0.5] * 4, [0.0] * 8]


def test_output_of_trec_eval(tmp_path: Path) -> None:
    for run in ("new", "old"):
        lines = [f"runid                 \tall\t{run}\n"] if run == "new" else []
        lines += [f"{m:22}\t{q}\t{VALUES[run][q][m]:.2f}\n" for q in QUERIES for m in ("AP", "P@5")]
        (tmp_path / run).write_text("".join([*lines, "AP                    \tall\t0.5\n"]))
    require_all(read_values([tmp_path / "new", tmp_path / "old"]))


def test_results_of_ir_measures_in_python() -> None:
    by_run = {run: [Metric(q, m, v) for of, q, m, v in ROWS if of == run] for run in VALUES}
    require_all(read_values({run: iter(of_run) for run, of_run in by_run.items()}))


def test_arrays_have_a_number_for_each_query_in_one_order() -> None:
    ap = {run: [of_query["AP"] for of_query in of_run.values()] for run, of_run in VALUES.items()}
    expected = read_values({run: dict(zip(QUERIES, of, strict=True)) for run, of in ap.items()}).values
    for given in (ap, {run: np.array(of) for run, of in ap.items()}):
        found = read_values(given, measures="AP")
        assert found.queries == tuple("12345678")
        assert found.values.tolist() == expected.tolist()
    series = {run: pd.Series(of, QUERIES) for run, of in ap.items()}
    assert read_values(series).queries == tuple(QUERIES)
    assert read_values(series).values.tolist() == expected.tolist()
    frame = pd.DataFrame(ap, index=pd.Index(QUERIES, name="query"))
    assert read_values(frame, measures="AP").values.tolist() == expected.tolist()


def test_what_evaluate_returns_and_prints(tmp_path: Path) -> None:
    run = {q: {"a": 2.0, "b": 1.0 + int(q[1:])} for q in QUERIES}
    qrels = {q: {"a": 1} for q in QUERIES}
    runs = {"new": run, "old": {q: {"a": 1.0} for q in QUERIES}}
    both = evaluate(runs, qrels, ["nDCG", "nDCG@1"])
    expected = np.stack([both[name].values for name in runs])
    file = write(tmp_path, json.dumps({"kind": "evaluate", **both.as_dict()}), "both.json")
    alone = {name: evaluate(of, qrels, ["nDCG", "nDCG@1"]) for name, of in runs.items()}
    for given in (both, alone, file):
        found = read_values(given)
        assert (found.runs, found.measures) == (("new", "old"), ("nDCG", "nDCG@1"))
        assert np.array_equal(found.values, expected)


def test_scores_of_ranx(tmp_path: Path) -> None:
    def scores(name: str) -> dict[str, dict[str, float]]:
        ours = {"AP": "map", "P@5": "precision@5"}
        return {ours[m]: {q: VALUES[name][q][m] for q in QUERIES} for m in ours}

    found = read_values({name: SimpleNamespace(scores=scores(name)) for name in VALUES})
    assert found.measures == ("map", "precision@5")
    assert found.values[1, 3].tolist() == [*VALUES["old"]["q3"].values()]
    files = [write(tmp_path, json.dumps(scores(name)), f"{name}.json") for name in VALUES]
    assert (read_values(files).values == found.values).all()


def test_tables_of_rag_tools_have_texts_and_lines_within_cells(tmp_path: Path) -> None:
    for run, shift in (("new", 0.1), ("old", 0.0)):
        frame = pd.DataFrame(
            {
                "user_input": [f"What is\n{q}, exactly?" for q in QUERIES],
                "retrieved_contexts": ["['one', 'two']"] * 8,
                "response": ["42", *["some, words"] * 7],
                "faithfulness": [0.5 + shift] * 7 + [math.nan],
                "passed": [True, False] * 4,
            }
        )
        frame.to_csv(tmp_path / f"{run}.csv")  # with an index
    found = read_values([tmp_path / "new.csv", tmp_path / "old.csv"])
    assert found.measures == ("faithfulness", "passed")
    assert found.values[0].tolist() == [[0.6, float(i % 2 == 0)] for i in range(7)]
    (said,) = found.remarks
    assert said.startswith(
        "Warning: 1 of 8 queries does not count, as not all runs have its values: new lacks 1"
    )


def test_a_column_for_each_run(tmp_path: Path) -> None:
    frame = pd.DataFrame({"query": QUERIES, **{r: [VALUES[r][q]["AP"] for q in QUERIES] for r in VALUES}})
    frame.to_csv(tmp_path / "scores.csv", index=False)
    found = read_values(tmp_path / "scores.csv", measures=["AP"])
    assert (found.runs, found.measures) == (("new", "old"), ("AP",))
    assert found.values[:, :, 0].tolist() == [[VALUES[r][q]["AP"] for q in QUERIES] for r in VALUES]
    assert found.remarks[0].startswith("Each column of the table is a run: new, old; measures of one run")
    assert read_values(tmp_path / "scores.csv", runs=["old", "new"]).runs == ("old", "new")
    # without names, these may be the measures of one run
    assert read_values(tmp_path / "scores.csv").remarks[0].startswith("Warning: each column of the table is")
    assert read_values(tmp_path / "scores.csv", measures=["new"]).runs == ("scores",)
    by_measure = long_table().pivot(index=["query", "measure"], columns="run", values="value").reset_index()
    require_all(read_values(by_measure))


def test_runs_and_measures_are_picked_and_ordered() -> None:
    found = read_values(VALUES, runs=["old", "new"], measures=["P@5"])
    assert (found.runs, found.measures) == (("old", "new"), ("P@5",))
    assert found.values[0, :, 0].tolist() == [VALUES["old"][q]["P@5"] for q in QUERIES]
    again = read_values(read_values(VALUES), runs=["old", "new"], measures=["P@5"])
    assert (again.values == found.values).all()
    refused("run: there is no mine; there are new, old", read_values, VALUES, runs=["mine"])
    refused("measure: there is no F1; there are AP, P@5", read_values, VALUES, measures=["F1"])
    refused("lower_is_better: there is no s; there are AP, P@5", read_values, VALUES, lower_is_better=["s"])


LACKING = "a lacks 2, b lacks 1"


def test_missing_values_are_left_out_counted_as_0_or_refused() -> None:
    given = {"a": {"1": 0.5, "2": math.nan, "3": 1.0}, "b": {"1": 0.25, "2": 0.5, "4": 0.75}}
    found = read_values(given)
    assert found.queries == ("1",)
    (said,) = found.remarks
    assert said == f"Warning: 3 of 4 queries do not count, as not all runs have their values: {LACKING}"
    zero = read_values(given, missing="zero")
    assert zero.values[:, :, 0].tolist() == [[0.5, 0.0, 1.0, 0.0], [0.25, 0.5, 0.0, 0.75]]
    assert zero.remarks == (f"Missing values of 3 of 4 queries count as 0: {LACKING}",)
    refused(rf"for 3 of 4 queries \(2, 3, 4\): {LACKING}; drop", read_values, given, missing="error")
    with pytest.raises(InputError, match="no measure in common: a has AP; b has P"):
        read_values({"a": {"1": {"AP": 0.5}}, "b": {"1": {"P": 0.25}}})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no data"),
        ("run,measure,value\na,AP,0.5\n", "expected a column query .*--columns query=NAME names it"),
        ("query,text\nq1,what\n", "expected a column of numbers beside query, got none: text has 'what'"),
        ("query,AP\nq1,23.5%\n", "expected a column of numbers beside query, got none: AP has '23.5%'"),
        ("query,item,AP\nq1,d1,1\nq1,d2,2\n", "several rows of a query, by the column item: a run is comp"),
        ("q1 Q0 d1 1 0.5 new\n", "is in TREC format: a run is compared without --values, by the judgements"),
        ("query,a,b\nq1,1,2\nq2,1,2,3\n", r"not a table \('Expected 3 fields in line 3, saw 4'\)"),
        ("query,run,measure,value\nq1,a,AP,high\n", "row 1, column value: expected a number for .*'high'"),
        ("query,a,b\nq1,inf,2\n", "row 1, column a: a value must be finite and at most 1e.100, got inf for"),
        ("query,a,b\nq1,1,2\nq1,1,2\n", "row 2, column a: the value of query 'q1' by value occurs twice"),
        ("query,a,b\nq1,1,2\n,1,2\n", "row 2: the name of the query is missing"),
        ("q1\tAP\t0.5\nq2\tAP\n", "line 2: expected three fields as in the first line"),
        ('{"q1": {"AP": 0.5}, "q2": 0.5}', "q2: expected .* got 0.5"),
        ('{"q1": {"run": {}}, "q2": {"run": [1], "AP": 0.5}}', "beside query, got none: no other"),
    ],
)
def test_bad_files_are_refused_in_one_line(text: str, said: str, tmp_path: Path) -> None:
    refused(said, read_values, write(tmp_path, text, "scores.csv"))


@pytest.mark.parametrize(
    "given", [3, None, [], [1], {"a": 3}, {"a": {}}, {"a": "what"}, [pd.DataFrame()], {"a": np.array(3)}]
)
def test_other_things_are_refused(given: object) -> None:
    with pytest.raises(InputError):
        read_values(given)


def test_an_index_without_a_name_has_the_queries(tmp_path: Path) -> None:
    frame = pd.DataFrame({run: [of["AP"] for of in VALUES[run].values()] for run in VALUES}, index=QUERIES)
    frame.to_csv(tmp_path / "scores.csv")
    found = read_values(tmp_path / "scores.csv", measures="AP")
    assert (found.runs, found.queries) == (("new", "old"), tuple(QUERIES))
    assert found.values[:, :, 0].T.tolist() == frame.to_numpy().tolist()
    frame.reset_index(names="Unnamed: 0").to_csv(tmp_path / "scores.csv", index=False)
    assert np.array_equal(read_values(tmp_path / "scores.csv", measures="AP").values, found.values)


def test_runs_that_seem_to_have_other_queries_or_units_are_named() -> None:
    with pytest.raises(InputError, match="values: the runs have no query in common: a has 1, 2; b has q1"):
        read_values({"a": {"1": 0.5, "2": 0.5}, "b": {"q1": 0.5}})
    with pytest.raises(InputError, match=r"values: arrays need a number for each query, got 3 and 2"):
        read_values({"a": [1.0, 2.0, 3.0], "b": np.array([1.0, 2.0])})
    seconds = {"a": {"1": 0.5, "2": 0.25}, "b": {"1": 6.0, "2": 3.0}}
    assert read_values(seconds).remarks == ()
    assert read_values(seconds, lower_is_better="value").scales[0].direction == -1
    percent = {"a": {"1": 0.5, "2": 0.25}, "b": {"1": 60.0, "2": 30.0}, "c": {"1": 80.0, "2": 20.0}}
    said = ("Warning: value is at most 0.5 of a and up to 80 of b, c, like fractions and percentages",)
    assert read_values(percent).remarks == said
    assert read_values(percent, runs=["b", "c"]).remarks == ()


def test_columns_with_other_names(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    long_table().set_axis(["who", "nr", "by", "x"], axis=1).to_csv(path, index=False)
    columns = {"run": "who", "query": "nr", "measure": "by", "value": "x"}
    require_all(read_values(path, columns=columns))
    with pytest.raises(InputError, match="columns: there is no number; there are who, nr, by, x"):
        read_values(path, columns={**columns, "query": "number"})


def test_errors_name_the_file_once(tmp_path: Path) -> None:
    write(tmp_path, "query,AP\nq1,high\n", "a.csv")
    write(tmp_path, b"PAR1 and nothing else", "b.parquet")
    for name, said in (
        ("no.csv", "cannot be read"),
        ("a.csv", "expected a column"),
        ("b.parquet", "damaged"),
    ):
        assert refused(said, read_values, tmp_path / name).count(name) == 1


def test_values_print_as_their_means() -> None:
    found = read_values({"new": {"1": 0.5, "2": 0.25}, "old": {"1": 0.75, "2": 0.5, "3": 1.0}})
    assert [line.split() for line in str(found).splitlines()[2:4]] == [
        ["new", "2", "0.3750"],
        ["old", "2", "0.6250"],
    ]
    assert "Warning: 1 of 3 queries does not count" in str(found)
    assert len(found.to_dataframe()) == 4
