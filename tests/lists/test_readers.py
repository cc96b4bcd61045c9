"""Readers: every form and packing of a file, pipes, and every bad file told in one line."""

from __future__ import annotations

import gzip
import os
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.lists import read_csv, read_qrels, read_run
from ndcg_asymptotics.lists.readers import Records, load_lists, load_qrels, load_run
from ndcg_asymptotics.lists.readers.fields import numbers, split
from ndcg_asymptotics.lists.readers.names import Names
from ndcg_asymptotics.lists.readers.svmlight import read_weights
from ndcg_asymptotics.lists.readers.tabular import parse_columns

RUN = "q1 Q0 d1 1 3.5 tag\nq1 Q0 d2 2 2.5 tag\nq2 Q0 d1 1 1 tag\n"
QRELS = "q1 0 d1 0\nq1 0 d2 2\nq1 0 d3 1\nq2 0 d9 -1\nq3 0 d1 1\n"
CSV = "query,score,label\nq1,3.5,0\nq1,2.5,1.5\nq2,1,0\n"
LETOR = "2 qid:10 1:0.5 2:1.0 # docid = A-1 inc = 1\n0 qid:10 1:0.25 2:4 # docid = A-2\n1 qid:11 2:3\n"

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


def zstd(text: str) -> bytes:
    return pytest.importorskip("zstandard").ZstdCompressor().compress(text.encode())


def in_two(text: str) -> bytes:
    """Two packed streams one after another, and the zeros that fill up a block."""
    return gzip.compress(text[:30].encode()) + gzip.compress(text[30:].encode()) + bytes(100)


PACKED = {
    "plain": str.encode,
    "gzip": lambda text: gzip.compress(text.encode()),
    "gzip in two": in_two,
    "zstd": zstd,
    "windows": lambda text: text.replace("\n", "\r\n").encode(),
    "byte-order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "no last newline": lambda text: text.rstrip("\n").encode(),
    "blank lines": lambda text: ("\n" + text.replace("\n", "\n \n\n")).encode(),
}


@pytest.mark.parametrize("packing", PACKED)
def test_files_are_read_however_they_are_packed(tmp_path, packing):
    pack = PACKED[packing]
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


@pytest.mark.parametrize("packing", ["plain", "gzip", "zstd"])
def test_a_pipe_is_read_once(tmp_path, packing):
    """A FIFO gives its bytes once, a few at a time; more than one block of them."""
    lines = "".join(f"q Q0 d{i} 0 {i} tag\n" for i in range(100_000))
    content, pipe = PACKED[packing](lines), tmp_path / "pipe"
    os.mkfifo(pipe)

    def feed() -> None:
        with pipe.open("wb") as file:
            for at in range(0, len(content), 7919):
                file.write(content[at : at + 7919])

    feeder = threading.Thread(target=feed)
    feeder.start()
    found = load_run(pipe)
    feeder.join()
    assert (len(found), found.values.sum()) == (100_000, 99_999 * 50_000)


def test_names_of_any_script_and_length(tmp_path):
    names = ["ä", "文書", "x" * 7, "x" * 8, "x" * 9, "y" * 300, "doc:/&%"]
    text = "".join(f"запрос Q0 {name} 0 {i} t\n" for i, name in enumerate(names))
    assert read_run(write(tmp_path, text)) == {"запрос": {name: float(i) for i, name in enumerate(names)}}


def test_queries_need_not_stand_together(tmp_path):
    text = "a Q0 d 0 1 t\nb Q0 d 0 2 t\na Q0 e 0 3 t\n"
    assert read_run(write(tmp_path, text)) == {"a": {"d": 1.0, "e": 3.0}, "b": {"d": 2.0}}


def test_csv_columns_go_by_name(tmp_path):
    (only,) = read_csv(write(tmp_path, "label, what, score, query\n1, x, 0.5, q\n"))
    assert (only.query, only.scores.tolist(), only.labels.tolist()) == ("q", [0.5], [1.0])
    columns = parse_columns("query=user,score=stars")
    text = 'user,stars,rel,"my, doc"\n7,1.5,2,x\n'
    scores, labels = load_lists(write(tmp_path, text), columns)
    assert (scores.as_dict(), labels.values.tolist()) == ({"7": {"1": 1.5}}, [2.0])


def test_runs_and_judgements_may_be_tables(tmp_path):
    commas = "qid,docno,score\n1,a,2\n1,b,3\n"
    assert load_run(write(tmp_path, commas)).as_dict() == {"1": {"a": 2.0, "b": 3.0}}
    tabs = "query_id\tdoc_id\trelevance\n1\ta\t1\n"
    assert load_qrels(write(tmp_path, tabs)).as_dict() == {"1": {"a": 1.0}}


def test_parquet_is_read(tmp_path):
    pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"qid": [1, 1, 2], "docno": ["a", "b", "a"], "s": [2.0, 3.5, 1.0]})
    frame.to_parquet(tmp_path / "run")
    found = load_run(tmp_path / "run", {"score": "s"})
    assert found.as_dict() == {"1": {"a": 2.0, "b": 3.5}, "2": {"a": 1.0}}
    with pytest.raises(InputError, match=r"run, line 1: got 'qid,docno,s', expected a header"):
        load_run(tmp_path / "run")
    (tmp_path / "cut").write_bytes((tmp_path / "run").read_bytes()[:-40])
    with pytest.raises(InputError, match="a damaged Parquet file"):
        load_run(tmp_path / "cut")
    frame.assign(s=[1.0, np.nan, 2.0]).to_parquet(tmp_path / "nan")
    with pytest.raises(InputError, match=r"nan, row 2: got .*expected .* finite scores"):
        load_run(tmp_path / "nan", {"score": "s"})


def test_svmlight_is_scored_by_a_feature_or_by_weights(tmp_path):
    path = write(tmp_path, LETOR)
    scores, labels = load_lists(path, weights={2: 1.0})
    assert scores.as_dict() == {"10": {"A-1": 1.0, "A-2": 4.0}, "11": {"line 3": 3.0}}
    assert labels.values.tolist() == [2.0, 0.0, 1.0]
    scores, _ = load_lists(path, weights={1: 1.0})
    assert scores.values.tolist() == [0.5, 0.25, 0.0]  # a feature that is not there is 0
    for text in ("2 -1\n", "1:2\n2:-1\n"):
        scores, _ = load_lists(path, weights=read_weights(write(tmp_path, text, "weights")))
        assert scores.values.tolist() == [0.0, -3.5, -3.0]
    with pytest.raises(InputError, match="needs a feature, or weights"):
        load_lists(path)
    for text in ("", "1 two\n", "0:3\n", "nan\n"):
        with pytest.raises(InputError, match="weights: "):
            read_weights(write(tmp_path, text, "weights"))


def test_svmlight_agrees_with_scikit_learn(data_folder):
    from sklearn.datasets import load_svmlight_file

    path = data_folder / "letor_mq2008" / "S1.txt.gz"
    features, labels, queries = load_svmlight_file(str(path), query_id=True)
    scores, ours = load_lists(path, weights={25: 1.0})
    assert np.array_equal(scores.values, features[:, 24].toarray().ravel())
    assert np.array_equal(ours.values, labels)
    assert [int(scores.topic(i)) for i in range(len(scores))] == queries.tolist()
    weights = np.random.default_rng(1).normal(size=features.shape[1])
    scores, _ = load_lists(path, weights=dict(enumerate(weights.tolist(), 1)))
    np.testing.assert_allclose(scores.values, features @ weights, rtol=1e-12, atol=1e-12)


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
    assert "holds no data" in complaint(tmp_path, reader, gzip.compress(b""))
    assert "expected" in complaint(tmp_path, reader, "\n\n")
    assert "not a text file (line 1 is not UTF-8)" in complaint(tmp_path, reader, bytes(range(128, 256)))
    assert "not a text file" in complaint(tmp_path, reader, b"\0" * 100)
    assert "not a text file" in complaint(tmp_path, reader, text.encode("utf-16"))
    latin = (text + "d\xe4 x\n").encode("latin-1")
    assert f"line {text.count(chr(10)) + 1} is not UTF-8" in complaint(tmp_path, reader, latin)
    for kind, packed in (("gzip", gzip.compress(text.encode())), ("zstd", zstd(text))):
        assert f"truncated or damaged {kind}" in complaint(tmp_path, reader, packed[:-9])
        assert f"truncated or damaged {kind}" in complaint(tmp_path, reader, packed + b"more")
    packed = gzip.compress(text.encode())
    checksum = bytes([packed[-8] ^ 0xFF])
    assert "truncated or damaged gzip" in complaint(tmp_path, reader, packed[:-8] + checksum + packed[-7:])


def test_a_line_without_an_end(tmp_path):
    message = complaint(tmp_path, "run", RUN.encode() + b"x" * (1 << 25))
    assert "line 4: longer than 16 MB" in message


@pytest.mark.parametrize(
    ("reader", "line", "said"),
    [
        ("run", "q3 Q0 d1 1", "'query Q0 document rank score tag'"),
        ("run", "q3 Q0 d1 1 0.5 tag more", "'query Q0 document rank score tag'"),
        ("run", "q3 Q0 d1 1 high tag", "a finite score"),
        ("run", "q3 Q0 d1 1 nan tag", "a finite score"),
        ("run", "q3 Q0 d1 1 -inf tag", "a finite score"),
        ("run", "q3 Q0 d1 1 1_000 tag", "a finite score"),
        ("run", "q3 Q0 d1 1 1.2.3 tag", "a finite score"),
        ("run", "q3 Q0 d1 1 - tag", "a finite score"),
        ("run", "q3 Q0 d1 1 . tag", "a finite score"),
        ("run", "q3 Q0 d\x01 1 0.5 tag", "'query Q0 document rank score tag'"),
        ("qrels", "q3 0 d1", "'query iteration document label'"),
        ("qrels", "q3 0 d2 0.5", "a whole number as label"),
        ("qrels", "q3 0 d2 yes", "a whole number as label"),
        ("qrels", "q3 0 d2 1e300", "a whole number as label"),
        ("csv", "q3,1", "query, score, label in every row"),
        ("csv", "q3,nan,1", "finite scores"),
        ("csv", "q3,inf,1", "finite scores"),
        ("csv", "q3,1,nan", "finite scores and labels, and times"),
        ("csv", "q3,high,1", "finite scores"),
        ("csv", "q3,1_0,1", "finite scores"),
    ],
)
@pytest.mark.parametrize("blank", ["", "\n \n"])
def test_a_bad_line_is_named(tmp_path, reader, line, said, blank):
    good = READERS[reader][1] + blank
    number = good.count("\n") + 1
    message = complaint(tmp_path, reader, f"{good}{line}\n{READERS[reader][1]}")
    assert f"file, line {number}: got {line!r}, expected" in message
    assert said in message


@pytest.mark.parametrize("blank", ["", "\n\n"])
def test_a_document_that_comes_twice_is_named_with_both_lines(tmp_path, blank):
    message = complaint(tmp_path, "run", f"{blank}{RUN}q3 Q0 d 1 1 t\n{blank}q1 Q0 d2 9 0.5 tag\n")
    first, second = 2 + 2 * bool(blank), 5 + 4 * bool(blank)
    assert f"line {second}: document d2 of topic q1 comes twice (first in line {first})" in message
    message = complaint(tmp_path, "qrels", f"{QRELS}q1 0 d1 1\n")
    assert "line 6: document d1 of topic q1 comes twice (first in line 1)" in message


def test_csv_needs_its_header(tmp_path):
    message = complaint(tmp_path, "csv", CSV.partition("\n")[2])
    assert "line 1: got 'q1,3.5,0', expected a header with the column query" in message
    with pytest.raises(InputError, match=r"columns: expected NAME=COLUMN with NAME one of .* got 'qid'"):
        parse_columns("qid")
    with pytest.raises(InputError, match=r"expected a header with the column nothing"):
        load_run(write(tmp_path, "query,document,score\n1,2,3\n"), {"score": "nothing"})


def test_lines_may_end_as_on_an_old_macintosh(tmp_path):
    """A lone carriage return ends a line of a table, in its header too."""
    path = write(tmp_path, "query,document,label\rq1,d1,0\rq1,d2,2\r")
    assert read_qrels(path) == {"q1": {"d1": 0.0, "d2": 2.0}}
    assert complaint(tmp_path, "qrels", "q1 0 d1 0\rq1,0,d2,2\rq1\n")
    assert complaint(tmp_path, "csv", f"query,score,label\nq1,1,{'9' * 200_000}\n")
    assert complaint(tmp_path, "csv", f"query,score,{'l' * 200_000}\nq1,1,1\n")


def test_frames_and_records_are_taken(tmp_path):
    pd = pytest.importorskip("pandas")
    from collections import namedtuple

    expected = {"1": {"a": 2.0, "b": 3.0}}
    frame = pd.DataFrame({"qid": [1, 1], "docno": ["a", "b"], "score": [2.0, 3.0], "rank": [1, 0]})
    assert Records.of(frame, "score").as_dict() == expected
    Scored = namedtuple("Scored", "query_id doc_id score")  # as those of ir_measures
    assert Records.of([Scored("1", "a", 2.0), Scored("1", "b", 3)], "score").as_dict() == expected
    Judged = namedtuple("Judged", "query_id doc_id relevance iteration")  # as those of ir_datasets
    rows = (Judged("1", document, label, "0") for document, label in [("a", 2), ("b", 3)])
    assert Records.of(rows, "label").as_dict() == expected
    for given_, said in (
        (frame.drop(columns="score"), "no column 'score'"),
        ([3], "a record has no 'query'"),
        (3, "expected a dictionary"),
        ({"q": [1]}, "topic q: expected a dictionary of documents"),
        ({"q": {"d": float("nan")}}, "a score must be finite, got nan for document d of topic q"),
        ({"q": {"d": float("inf")}}, "a score must be finite, got inf"),
        ({"q": {"d": "high"}}, "a score must be a number, got 'high'"),
        (pd.concat([frame, frame]), "document a of topic 1 comes twice"),
    ):
        with pytest.raises(InputError, match=said):
            Records.of(given_, "score")


words = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=30)


@given(st.lists(words, min_size=1, max_size=20, unique=True), st.randoms())
def test_names_are_ordered_and_found_as_texts(texts, random):
    names = Names.of(texts)
    keys = [tuple(int(names.word(j)[i]) for j in range(names.words)) for i in range(len(texts))]
    by_bytes = sorted(range(len(texts)), key=lambda i: texts[i].encode())
    assert by_bytes == sorted(range(len(texts)), key=keys.__getitem__)
    assert len(set(names.hash().tolist())) == len(texts)
    assert names.texts() == texts
    other = random.sample(texts, len(texts))
    records = Records(("q",), np.zeros(len(texts), np.int32), names, np.arange(float(len(texts))))
    wanted = Records(("x", "q"), np.ones(len(texts), np.int32), Names.of(other), np.zeros(len(texts)))
    assert [texts[i] for i in records.find(wanted).tolist()] == other
    elsewhere = Records(("x",), np.zeros(len(texts), np.int32), Names.of(other), np.zeros(len(texts)))
    assert set(records.find(elsewhere).tolist()) == {-1}


def test_keys_that_collide_do_no_harm(monkeypatch):
    """All documents have one key: found and told apart all the same."""
    monkeypatch.setattr(Names, "hash", lambda names: np.zeros(len(names), np.uint64))
    texts = [f"d{i}" for i in range(20)]
    records = Records.of({"q": {text: float(i) for i, text in enumerate(texts)}}, "score")
    wanted = Records.of({"q": {"d7": 1.0, "none": 1.0, "d19": 1.0, "d0": 1.0}}, "label")
    assert records.find(wanted).tolist() == [7, -1, 19, 0]
    with pytest.raises(InputError, match="document d3 of topic q comes twice"):
        Records.from_rows([*(("q", text, 0.0) for text in texts), ("q", "d3", 1.0)], "score")


decimals = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.decimals(min_value=-(10**9), max_value=10**9, places=6).map(str),
    st.from_regex(r"[+-]?[0-9]{1,20}(\.[0-9]{0,20})?", fullmatch=True),
    st.from_regex(r"[+-]?\.[0-9]{1,20}", fullmatch=True),
)


@given(st.lists(decimals, min_size=1, max_size=20))
def test_numbers_are_those_that_python_reads(texts):
    found = numbers(split("".join(f"{text}\n" for text in texts).encode(), 1), 0)
    assert found.tolist() == [float(text) for text in texts]
