"""Readers and evaluation: against trec_eval's printed output and pytrec_eval, and every bad file."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import numpy as np
import pytest

from ndcg_asymptotics.errors import InputError
from ndcg_asymptotics.lists import evaluate, evaluate_files, read_csv, read_qrels, read_run
from ndcg_asymptotics.measures import Measure

RUN = "q1 Q0 d1 1 3.5 tag\nq1 Q0 d2 2 2.5 tag\nq2 Q0 d1 1 1 tag\n"
QRELS = "q1 0 d1 0\nq1 0 d2 2\nq1 0 d3 1\nq2 0 d9 -1\nq3 0 d1 1\n"
CSV = "query,score,label\nq1,3.5,0\nq1,2.5,1.5\nq2,1,0\n"

READERS = {"run": (read_run, RUN), "qrels": (read_qrels, QRELS), "csv": (read_csv, CSV)}


def write(folder: Path, text: str | bytes, name: str = "file") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def complaint(folder: Path, reader: str, text: str | bytes) -> str:
    with pytest.raises(InputError) as error:
        READERS[reader][0](write(folder, text))
    message = str(error.value)
    assert "\n" not in message
    assert str(folder / "file") in message
    return message


@pytest.mark.parametrize("pack", [str.encode, lambda text: gzip.compress(text.encode())])
def test_files_are_read_plain_and_compressed(tmp_path, pack):
    assert read_run(write(tmp_path, pack(RUN))) == {"q1": {"d1": 3.5, "d2": 2.5}, "q2": {"d1": 1.0}}
    # a negative label means not judged: no gain
    assert read_qrels(write(tmp_path, pack(QRELS))) == {
        "q1": {"d1": 0.0, "d2": 2.0, "d3": 1.0},
        "q2": {"d9": 0.0},
        "q3": {"d1": 1.0},
    }
    first, second = read_csv(write(tmp_path, pack(CSV)))
    assert (first.query, first.scores.tolist(), first.labels.tolist()) == ("q1", [3.5, 2.5], [0.0, 1.5])
    assert (second.query, second.scores.tolist(), second.labels.tolist()) == ("q2", [1.0], [0.0])


def test_csv_columns_go_by_name(tmp_path):
    (only,) = read_csv(write(tmp_path, "label, what, score, query\n1, x, 0.5, q\n"))
    assert (only.query, only.scores.tolist(), only.labels.tolist()) == ("q", [0.5], [1.0])


@pytest.mark.parametrize("reader", READERS)
def test_missing_and_unreadable_files(tmp_path, reader):
    read = READERS[reader][0]
    with pytest.raises(InputError, match=r"nowhere: cannot be read \(No such file"):
        read(tmp_path / "nowhere")
    with pytest.raises(InputError, match="cannot be read"):
        read(tmp_path)


@pytest.mark.parametrize("reader", READERS)
def test_empty_binary_and_damaged_files(tmp_path, reader):
    text = READERS[reader][1]
    assert "holds no data" in complaint(tmp_path, reader, "")
    assert "expected" in complaint(tmp_path, reader, "\n\n")
    assert "not a text file" in complaint(tmp_path, reader, bytes(range(128, 256)))
    assert "not a text file" in complaint(tmp_path, reader, b"\0" * 100)
    packed = gzip.compress(text.encode())
    assert "truncated or damaged gzip" in complaint(tmp_path, reader, packed[:-9])
    checksum = bytes([packed[-8] ^ 0xFF])
    assert "truncated or damaged gzip" in complaint(tmp_path, reader, packed[:-8] + checksum + packed[-7:])


@pytest.mark.parametrize(
    ("reader", "line", "said"),
    [
        ("run", "q3 Q0 d1 1", "'query Q0 document rank score tag'"),
        ("run", "q3 Q0 d1 1 0.5 tag more", "'query Q0 document rank score tag'"),
        ("run", "q3 Q0 d1 1 high tag", "a finite score"),
        ("run", "q3 Q0 d1 1 nan tag", "a finite score"),
        ("run", "q3 Q0 d1 1 -inf tag", "a finite score"),
        ("run", "q1 Q0 d1 9 0.5 tag", "each document once per query"),
        ("qrels", "q3 0 d1", "'query iteration document label'"),
        ("qrels", "q3 0 d2 0.5", "a whole number as label"),
        ("qrels", "q3 0 d2 yes", "a whole number as label"),
        ("qrels", "q1 0 d1 1", "each document once per query"),
        ("csv", "q3,1", "query, score, label in every row"),
        ("csv", "q3,nan,1", "finite scores"),
        ("csv", "q3,inf,1", "finite scores"),
        ("csv", "q3,1,-1", "labels >= 0"),
        ("csv", "q3,1,nan", "labels >= 0"),
        ("csv", "q3,high,1", "finite scores"),
    ],
)
def test_a_bad_line_is_named(tmp_path, reader, line, said):
    good = READERS[reader][1]
    number = good.count("\n") + 1
    message = complaint(tmp_path, reader, f"{good}{line}\n{good}")
    assert f"file, line {number}: got {line!r}, expected" in message
    assert said in message


def test_csv_needs_its_header(tmp_path):
    assert "line 1: got 'q1,3.5,0'" in complaint(tmp_path, "csv", CSV.partition("\n")[2])


def test_the_extra_is_named_if_it_is_missing(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    for reader in ("run", "qrels"):
        with pytest.raises(InputError, match=r"pip install \"ndcg-asymptotics\[data\]\""):
            READERS[reader][0](write(tmp_path, READERS[reader][1]))


def test_a_run_that_does_not_meet_the_qrels(tmp_path):
    run = write(tmp_path, "a1 Q0 d 1 1 tag\n", "a.run")
    qrels = write(tmp_path, QRELS, "b.qrels")
    with pytest.raises(InputError, match=r"a\.run, .*b\.qrels: .* no query in common; .* a1, .* q1, q2, q3"):
        evaluate_files(run, qrels, [Measure()])


def test_evaluation_by_hand():
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0, "d": 0.0}, "alone": {"a": 1.0}, "none": {"a": 1.0}}
    qrels = {"q": {"b": 2.0, "x": 1.0, "y": 1.0}, "unmet": {"a": 1.0}, "none": {"a": 0.0}}
    texts = ["nDCG", "nDCG(zipf)@2", "nDCG(zipf)@0.5n", "nDCG(linear)", "nDCG(zipf)@n^0.5"]
    found = evaluate(run, qrels, [Measure.parse(text) for text in texts])
    # queries that are only in the run or only in the qrels do not count; no relevant document: 0
    assert found.queries == ("none", "q")
    assert found.values[0].tolist() == [0.0] * len(texts)
    log2 = np.log2
    # b at rank 2; the ideal list is 2, 1, 1; n = 4 documents retrieved, so k = 2 throughout
    expected = [
        (2 / log2(3)) / (2 + 1 / log2(3) + 1 / log2(4)),
        (2 / 2) / (2 + 1 / 2),
        (2 / 2) / (2 + 1 / 2),
        (2 * 2) / (2 * 3 + 1 * 2 + 1 * 1),
        (2 / 2) / (2 + 1 / 2),
    ]
    np.testing.assert_allclose(found.values[1], expected, rtol=1e-14)
    np.testing.assert_allclose(found.mean, np.array(expected) / 2, rtol=1e-14)


def test_a_cutoff_that_knows_n_cuts_both_lists():
    # three documents retrieved of ten relevant: k = ceil(0.5 * 3) = 2 for the run and the ideal
    run = {"q": {"d0": 3.0, "d1": 2.0, "x": 1.0}}
    qrels = {"q": {f"d{i}": 1.0 for i in range(10)}}
    measures = [Measure.parse(text) for text in ("nDCG@0.5n", "nDCG@5log(n)", "nDCG(linear)")]
    np.testing.assert_allclose(
        evaluate(run, qrels, measures).mean, [1.0, *[(1 + 1 / np.log2(3)) / (1.5 + 1 / np.log2(3))], 1.0]
    )


def cutoff_measures() -> dict[str, Measure]:
    cutoffs = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
    return {"ndcg": Measure()} | {f"ndcg_cut_{k}": Measure.parse(f"nDCG@{k}") for k in cutoffs}


def against_pytrec_eval(run, qrels) -> float:
    """Largest difference to pytrec_eval, which runs trec_eval 9's own code."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    judged = {query: {d: int(label) for d, label in docs.items()} for query, docs in qrels.items()}
    peer = pytrec_eval.RelevanceEvaluator(judged, {"ndcg", "ndcg_cut"}).evaluate(run)
    measures = cutoff_measures()
    found = evaluate(run, qrels, list(measures.values()))
    assert set(found.queries) == set(peer)
    expected = [[peer[query][name] for name in measures] for query in found.queries]
    return float(np.abs(found.values - expected).max())


def test_agrees_with_pytrec_eval_on_random_runs():
    rng = np.random.default_rng(1)
    run, qrels = {}, {}
    for query in range(60):
        n = int(rng.integers(1, 300))
        names = [f"d{i}" for i in rng.permutation(2 * n)[:n]]
        # ties: few distinct scores, some of which differ only beyond single precision
        scores = rng.integers(0, 8, n) + 1e-9 * rng.integers(0, 2, n)
        run[f"q{query}"] = dict(zip(names, scores.tolist(), strict=True))
        judged = rng.permutation(2 * n)[: int(rng.integers(1, 2 * n))]
        qrels[f"q{query}"] = {f"d{i}": float(max(0, rng.integers(-4, 4))) for i in judged}
    # sums of at most 600 terms: rounding stays below 1e-13
    assert against_pytrec_eval(run, qrels) < 1e-13


def test_agrees_with_trec_eval_to_the_last_digit(data_folder):
    folder = data_folder / "trec_eval"
    measures = cutoff_measures()
    found = evaluate_files(folder / "results.test", folder / "qrels.test", list(measures.values()))
    lines = [line.split() for line in (folder / "out.test.aq").read_text().splitlines()]
    printed = {(query, name): value for name, query, value in lines if name in measures}
    assert len(printed) == 4 * len(measures)
    rows = dict(zip([*found.queries, "all"], [*found.values, found.mean], strict=True))
    for (query, name), value in printed.items():
        assert f"{rows[query][list(measures).index(name)]:.4f}" == value, (query, name)


@pytest.mark.parametrize("run", ["rutcor03100", "pircRBa1", "THUIRr0301", "aplrob03a"])
def test_agrees_with_pytrec_eval_on_real_runs(data_folder, run):
    folder = data_folder / "robust03"
    qrels = read_qrels(folder / "qrels.txt.gz")
    assert against_pytrec_eval(read_run(folder / f"{run}.run.gz"), qrels) < 1e-13
