"""JSON files, tables of other libraries, and files that are not what their name or place says."""

from __future__ import annotations

import gzip
import json

import pytest

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.lists import evaluate, read_qrels, read_run

RUN = {"q1": {"a": 2.0, "b": 1.5}, "q2": {"ü": 1.0}}
QRELS = {"q1": {"b": 1, "c": 2}, "q2": {"ü": 1}}
EXPECTED = evaluate(RUN, QRELS, "nDCG").values.tolist()


def test_json_runs_and_judgements(tmp_path):
    run, qrels = tmp_path / "run.json", tmp_path / "qrels.json.gz"
    run.write_text("\ufeff\n " + json.dumps(RUN, indent=2), encoding="utf-8")
    qrels.write_bytes(gzip.compress(json.dumps(QRELS).encode()))
    assert (read_run(run), read_qrels(qrels)) == (RUN, QRELS)
    found = evaluate(run, qrels, "nDCG")
    assert (found.values.tolist(), found.name) == (EXPECTED, "run")
    large = {f"q{i}": {f"document-{j}": float(j) for j in range(1000)} for i in range(10)}
    run.write_text(json.dumps(large))  # a single line
    assert read_run(run) == large


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"q": {"a": 1,}}', r"not a JSON file of the form .* line 1, column"),
        ('{"q": {"a": NaN}}', "a score must be finite, got nan for document a of query q"),
        ('{"q": {"a": 1, "a": 2}}', "'a' occurs twice"),
        ('{"q": {"a": "1"}}', "query q: got '1', expected"),
        ("{}", "holds no data"),
        ('{"a":' * 100_000, "not a JSON file of the form"),
        ('{"q": {"a": ' + "9" * 5000 + "}}", "a number of too many digits"),
    ],
)
def test_bad_json(tmp_path, text, said):
    file = tmp_path / "run.json"
    file.write_text(text)
    with pytest.raises(InputError, match=rf"run\.json: .*{said}") as error:
        read_run(file)
    assert "\n" not in str(error.value)


def test_files_in_the_wrong_place(tmp_path):
    run, qrels = tmp_path / "a.run", tmp_path / "b.qrels"
    run.write_text("q Q0 a 1 2.5 tag\n")
    qrels.write_text("q 0 a 1\n")
    with pytest.raises(InputError, match=r"b\.qrels: looks like relevance judgements, expected a run"):
        evaluate(qrels, run, "nDCG")
    with pytest.raises(InputError, match=r"a\.run: looks like a run, expected relevance judgements"):
        evaluate(run, run, "nDCG")
    table = tmp_path / "a.csv"
    table.write_text("query,document,score\nq,a,1\n")
    with pytest.raises(InputError, match="it has a score: are the run and the qrels swapped"):
        evaluate(table, table, "nDCG")
    named = tmp_path / "a.parquet"
    named.write_text("q Q0 a 1 2.5 tag\n")
    with pytest.raises(InputError, match=r"a\.parquet: not a Parquet file, whose first bytes are PAR1"):
        evaluate(named, qrels, "nDCG")
