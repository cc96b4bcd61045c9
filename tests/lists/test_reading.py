"""Readers: every format and compression, files that are not regular, and one-line errors for bad files."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import json
import lzma
import os
import re
import sys
import unicodedata
import zipfile
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from cases import refused, write
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import ScoredDoc
from pyarrow import parquet

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.lists import evaluate, read_csv, read_qrels, read_run
from ndcg_asymptotics.lists.names import TextColumn, joined_texts, look_alikes, plain_form, united
from ndcg_asymptotics.lists.names import text_column as coded
from ndcg_asymptotics.lists.reading import parse_columns, read, read_lists
from ndcg_asymptotics.lists.reading.lines import LineFormat, read_columns
from ndcg_asymptotics.lists.reading.load import TREC
from ndcg_asymptotics.lists.reading.text import read_chunks
from ndcg_asymptotics.lists.records import Records

RUN = "q1 Q0 d1 1 3.5 tag\nq1 Q0 d2 2 2.5 tag\nq2 Q0 d1 1 1 tag\n"
QRELS = "q1 0 d1 0\nq1 0 d2 2\nq1 0 d3 1\nq2 0 d9 -1\nq3 0 d1 1\n"
CSV = "query,score,label\nq1,3.5,0\nq1,2.5,1.5\nq2,1,0\n"
LETOR = "2 qid:10 1:0.5 2:1.0 # docid = A-1 inc = 1\n0 qid:10 1:0.25 2:4 # docid = A-2\n1 qid:11 2:3\n"

READERS = {"run": (read_run, RUN), "qrels": (read_qrels, QRELS), "csv": (read_csv, CSV)}


def complaint(folder: Path, reader: str, text: str | bytes) -> str:
    path = write(folder, text)
    return refused(re.escape(str(path)), READERS[reader][0], path)


def zstd(text: str) -> bytes:
    return bytes(pa.Codec("zstd").compress(text.encode()).to_pybytes())


def in_two(text: str) -> bytes:
    """Return two gzip streams one after another, followed by the zeros that pad a tape block."""
    return gzip.compress(text[:30].encode()) + gzip.compress(text[30:].encode()) + bytes(100)


def zipped(text: str, *names: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names or ("run.txt",):
            archive.writestr(name, text)
    return file.getvalue()


COMPRESSED = {
    "gzip": lambda text: gzip.compress(text.encode()),
    "zstd": zstd,
    "xz": lambda text: lzma.compress(text.encode()),
    "bz2": lambda text: bz2.compress(text.encode()),
    "zip": zipped,
}
PACKED = COMPRESSED | {
    "plain": str.encode,
    "gzip in two": in_two,
    "zip of a Mac": lambda text: zipped(text, "run.txt", "__MACOSX/._run.txt"),
    "windows": lambda text: text.replace("\n", "\r\n").encode(),
    "byte-order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "no last newline": lambda text: text.rstrip("\n").encode(),
    "blank lines": lambda text: ("\n" + text.replace("\n", "\n \n\n")).encode(),
}


@pytest.mark.parametrize("packing", PACKED)
def test_compressed_files(tmp_path, packing):
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


@pytest.mark.parametrize("reader", READERS)
def test_only_regular_files_are_opened(tmp_path, reader):
    """A pipe without a writer would block for ever, and a device has no end."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(InputError, match=rf"^{path}: cannot be read \(not a regular file; a file is "):
            READERS[reader][0](path)
    (tmp_path / "link").symlink_to(write(tmp_path, READERS[reader][1]))
    assert READERS[reader][0](tmp_path / "link")


def test_names_of_any_script_and_length_of_queries_that_need_not_stand_together(tmp_path):
    names = ["ä", "文書", "x" * 7, "x" * 8, "x" * 9, "y" * 300, "doc:/&%"]
    text = "".join(f"запрос Q0 {name} 0 {i} t\nb Q0 {name} 0 {-i} t\n" for i, name in enumerate(names))
    expected = {name: float(i) for i, name in enumerate(names)}
    found = read_run(write(tmp_path, text))
    assert found == {"запрос": expected, "b": {name: -score for name, score in expected.items()}}


def test_columns_of_tables_go_by_name(tmp_path):
    (only,) = read_csv(write(tmp_path, "label, what, score, query\n1, x, 0.5, q\n"))
    assert (only.query, only.scores.tolist(), only.labels.tolist()) == ("q", [0.5], [1.0])
    columns = parse_columns("query=user,score=stars")
    text = 'user,stars,rel,"my, doc"\n7,1.5,2,x\n'
    scores, labels = read_lists(write(tmp_path, text), columns)
    assert (scores.as_dict(), labels.values.tolist()) == ({"7": {"1": 1.5}}, [2.0])
    commas = "qid,docno,score\n1,a,2\n1,b,3\n"
    assert read(write(tmp_path, commas), "score").as_dict() == {"1": {"a": 2.0, "b": 3.0}}
    tabs = "query_id\tdoc_id\trelevance\n1\ta\t1\n"
    assert read(write(tmp_path, tabs), "label").as_dict() == {"1": {"a": 1.0}}


def test_parquet_is_read(tmp_path):
    frame = pd.DataFrame({"qid": [1, 1, 2], "docno": ["a", "b", "a"], "s": [2.0, 3.5, 1.0]})
    frame.to_parquet(tmp_path / "run")
    found = read(tmp_path / "run", "score", {"score": "s"})
    assert found.as_dict() == {"1": {"a": 2.0, "b": 3.5}, "2": {"a": 1.0}}
    refused(r"run: no column 'score' .* the columns are: qid, docno, s;", read, tmp_path / "run", "score")
    (tmp_path / "cut").write_bytes((tmp_path / "run").read_bytes()[:-40])
    refused("a damaged Parquet file", read, tmp_path / "cut", "score")
    frame.assign(s=[1.0, np.nan, 2.0]).to_parquet(tmp_path / "nan")
    with pytest.raises(InputError, match=r"nan: a score must be finite, got nan for document b of query 1"):
        read(tmp_path / "nan", "score", {"score": "s"})
    days = pd.to_datetime(["1970-01-02", "1970-01-03"]).date
    pd.DataFrame({"qid": [7, 7], "docno": [1.5, 2.0], "date": days}).to_parquet(tmp_path / "times")
    assert read(tmp_path / "times", "time").as_dict() == {"7": {"1.5": 86400.0, "2.0": 172800.0}}
    # a dictionary that holds a name twice
    twice = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int32()), pa.array(["a", "a"]))
    table = pa.table({"query": ["q", "q"], "document": twice, "score": [1, 2]})
    parquet.write_table(table, tmp_path / "twice")
    refused(r"twice: document a of query q occurs twice", read_run, tmp_path / "twice")
    table = {"query": ["1", "1"], "document": ["a", "b"], "score": [1.0, 2.0]}
    for column, values in table.items():
        for nested in ([values] * 2, [{"x": 1}] * 2):
            parquet.write_table(pa.table(table | {column: nested}), tmp_path / "nested")
            refused(f"nested, column {column}: expected a number or a text", read_run, tmp_path / "nested")


def test_svmlight_scores_are_a_feature(tmp_path):
    path = write(tmp_path, LETOR)
    scores, labels = read_lists(path, features=[2])
    assert scores.as_dict() == {"10": {"A-1": 1.0, "A-2": 4.0}, "11": {"line 3": 3.0}}
    assert labels.values.tolist() == [2.0, 0.0, 1.0]
    *both, _ = read_lists(path, features=[1, 2])
    assert [of.values.tolist() for of in both] == [[0.5, 0.25, 0.0], [1.0, 4.0, 3.0]]  # a missing one is 0
    refused(r"an SVMlight file needs a feature as the score \(--feature 1\)", read_lists, path)
    refused("only SVMlight files have features", read_lists, write(tmp_path, CSV, "lists.csv"), features=[1])


@pytest.mark.parametrize("reader", READERS)
def test_empty_binary_and_damaged_files(tmp_path, reader):
    text = READERS[reader][1]
    assert "holds no data" in complaint(tmp_path, reader, "")
    assert "holds no data" in complaint(tmp_path, reader, gzip.compress(b""))
    assert "expected" in complaint(tmp_path, reader, "\n\n")
    assert "not a text file (line 1 is not UTF-8)" in complaint(tmp_path, reader, bytes(range(128, 256)))
    assert "not a text file" in complaint(tmp_path, reader, b"\0" * 100)
    assert "not UTF-8 but UTF-16 text" in complaint(tmp_path, reader, text.encode("utf-16"))
    latin = (text + "d\xe4 x\n").encode("latin-1")
    assert f"line {text.count(chr(10)) + 1} is not UTF-8" in complaint(tmp_path, reader, latin)
    for kind, pack in COMPRESSED.items():
        assert f"truncated or damaged {kind}" in complaint(tmp_path, reader, pack(text)[:-9])
        if kind in ("gzip", "zstd"):
            assert f"truncated or damaged {kind}" in complaint(tmp_path, reader, pack(text) + b"more")
    assert "a zip file of 2 files, expected one" in complaint(tmp_path, reader, zipped(text, "a", "b"))
    packed = gzip.compress(text.encode())
    checksum = bytes([packed[-8] ^ 0xFF])
    assert "truncated or damaged gzip" in complaint(tmp_path, reader, packed[:-8] + checksum + packed[-7:])


@pytest.mark.parametrize(
    ("reader", "line", "said"),
    [
        ("run", "q3 Q0 d1 1", "'query Q0 document rank score tag'"),
        ("run", "q3 Q0 d1 1 high tag", "a finite score"),
        ("run", "q3 Q0 d1 1 nan tag", "a finite score"),
        ("run", "q3 Q0 d1 1 1_000 tag", "a finite score"),
        ("run", "q3 Q0 d\x01 1 0.5 tag", "'query Q0 document rank score tag'"),
        ("qrels", "q3 0 d1", "'query iteration document label'"),
        ("qrels", "q3 0 d2 0.5", "a whole number as label"),
        ("qrels", "q3 0 d2 1e300", "a whole number as label"),
        ("csv", "q3,1", "query, score, label in every row"),
        ("csv", "q3,nan,1", "finite scores"),
        ("csv", "q3,1,nan", "finite scores and labels, and times"),
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


def test_lines_may_end_with_a_carriage_return(tmp_path):
    """A lone carriage return ends a line of a table, in its header too."""
    path = write(tmp_path, "query,document,label\rq1,d1,0\rq1,d2,2\r")
    assert read_qrels(path) == {"q1": {"d1": 0.0, "d2": 2.0}}
    assert complaint(tmp_path, "qrels", "q1 0 d1 0\rq1,0,d2,2\rq1\n")
    assert complaint(tmp_path, "csv", f"query,score,label\nq1,1,{'9' * 200_000}\n")
    assert complaint(tmp_path, "csv", f"query,score,{'l' * 200_000}\nq1,1,1\n")


def test_other_things_than_records_are_refused():
    frame = pd.DataFrame({"qid": [1, 1], "docno": ["a", "b"], "score": [2.0, 3.0], "rank": [1, 0]})
    assert Records.of(frame, "score").as_dict() == {"1": {"a": 2.0, "b": 3.0}}
    for given_, said in (
        (frame.drop(columns="score"), "no column 'score'"),
        ([3], "expected a dictionary .* or named tuples, got \\[3\\]"),
        ([ScoredDoc("1", "a", 2.0), 3], "row 2: expected ScoredDoc as before, got 3"),
        ([{"qid": 1, "docno": "a", "score": 2.0}, None], "row 2: expected dict as before, got None"),
        (3, "expected a dictionary"),
        ({"q": [1]}, "query q: expected a dictionary of documents"),
        ({"q": {"d": float("nan")}}, "a score must be finite, got nan for document d of query q"),
        ({"q": {"d": "high"}}, "a score must be a number, got 'high'"),
        ({"q": {"d": 1.0, "e": 10**400}}, "a score must be a number, got 1000"),
        ({"q": {"d": np.ones(2), "e": np.ones(2)}}, r"a score must be a number, got array\(\[1"),
        (pd.concat([frame, frame]), "document a of query 1 occurs twice"),
    ):
        refused(said, Records.of, given_, "score")


words = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=30)


@pytest.mark.slow
@given(texts=st.lists(words, min_size=1, max_size=20, unique=True), random=st.randoms())
def test_names_are_ordered_and_found_like_texts(texts, random):
    drawn = random.choices(texts, k=50)
    codes, names = joined_texts([coded(drawn), coded(texts)])
    assert names[codes].tolist() == drawn + texts
    assert sorted(names.tolist()) == sorted(texts)
    records = Records.from_columns(coded(["q"] * len(texts)), coded(texts), np.arange(float(len(texts))))
    other = [*random.sample(texts, len(texts)), "\0"]
    for query, there in (("q", True), ("x", False)):
        wanted = Records.from_columns(coded([query] * len(other)), coded(other), np.zeros(len(other)))
        expected = [texts.index(text) if there and text in texts else -1 for text in other]
        assert records.find(wanted).tolist() == expected
    by_bytes = sorted(range(len(texts)), key=lambda i: texts[i].encode())
    assert records.name_order().tolist() == by_bytes
    (kept, new), together = united([coded(texts).names, coded(other).names])
    assert together.tolist() == [*texts, "\0"]
    assert kept.tolist() == [*range(len(texts))]
    assert together[new].tolist() == other


TABLE = LineFormat({"query": 2, "document": 0, "score": 1, "label": 3}, 4, "cells", ",")
NUMBERS = ["1", "-2.5", "3e2", "0x1F", "1_0", "nan", "inf", "+1", "007", "１", "2.0", "1e400"]
fields = st.sampled_from([*NUMBERS, *'ab \té\xa0"\x01\v#', "", '"a,b"'])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "width", "between"),
    [(TREC["score"], 6, " "), (TREC["score"], 6, "\t"), (TREC["label"], 4, " "), (TABLE, 4, ",")],
    ids=["run", "run with tabs", "judgements", "table"],
)
@given(data=st.data())
def test_lines_read_together_are_those_read_one_by_one(tmp_path_factory, form, width, between, data):
    """Regular lines with a few odd fields have the same values, or the first bad one is named."""
    good = {6: "q Q0 {} 1 2.5 tag", 4: "q 0 {} 1" if form is not TABLE else "{} 1.5 q 2"}[width].split()
    rows = []
    for i in range(data.draw(st.integers(1, 4))):
        row = [part.replace("{}", f"d{i}") for part in good]
        for place in data.draw(st.lists(st.integers(0, width - 1), max_size=2)):
            row[place] = data.draw(fields)
        if data.draw(st.integers(0, 9)) == 0:
            row = data.draw(st.lists(fields, max_size=8))
        rows.append(between.join(row))
    path = tmp_path_factory.mktemp("lines") / "file"
    path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    expected = []
    for number, said, cells in form.rows(path):
        try:
            expected.append(form.parse(cells))
        except (ValueError, OverflowError):
            got = re.escape(repr(said[:80]))
            with pytest.raises(InputError, match=f"line {number}: got {got}, expected"):
                [*read_columns(path, form)]
            return
    (columns,) = read_columns(path, form) if expected or not form.delimiter else [form.columns([])]
    for name, values in zip(form.places, zip(*expected, strict=True), strict=bool(expected)):
        assert texts_of(columns[name]) == [*map(str, values)]


def texts_of(column):
    """Return the cells of a parsed column as texts."""
    return list(map(str, column.names[column.codes] if isinstance(column, TextColumn) else column))


@given(text=st.text(st.sampled_from("aé\u2028\x85 \t\n\r"), max_size=40), block=st.integers(1, 9))
def test_chunks_of_any_size_are_whole_lines(tmp_path_factory, text, block):
    """Lines end with a line feed, a carriage return or both, wherever the file is cut."""
    path = tmp_path_factory.mktemp("chunks") / "file"
    path.write_bytes(codecs.BOM_UTF8 + text.encode())
    expected = text.replace("\r\n", "\n").replace("\r", "\n")
    before = ""
    for number, chunk in read_chunks(path, block):
        assert number == 1 + before.count("\n")
        assert chunk.endswith("\n")
        before += chunk
    assert before == expected + "\n" * (bool(expected) and not expected.endswith("\n"))
    path.write_bytes(text.encode() + b"\n\xff\n" + text.encode())
    line = 2 + expected.count("\n") - text.endswith("\r")  # \r\n is one end
    with pytest.raises(InputError, match=f"line {line} is not UTF-8"):
        [*read_chunks(path, block)]


@pytest.fixture
def in_small_parts(monkeypatch):
    """Files are read and joined a few lines at a time, as large ones are."""
    monkeypatch.setattr("ndcg_asymptotics.lists.reading.lines.read_chunks", partial(read_chunks, block=100))
    monkeypatch.setattr("ndcg_asymptotics.lists.reading.lines._ROWS", 7)
    monkeypatch.setattr("ndcg_asymptotics.lists.reading.load._PARTS_JOINED", 3)


LARGE = 400
ROWS = [f"q{i // 100}\tQ0\tdocument-{i}\t1\t{-i / 7}\ttag\n" for i in range(LARGE)]


@pytest.mark.usefixtures("in_small_parts")
def test_files_that_are_read_in_parts_are_those_read_at_once(tmp_path):
    expected = {f"q{q}": {f"document-{i}": -i / 7 for i in range(100 * q, 100 * (q + 1))} for q in range(4)}
    text = "".join(ROWS)
    commas = "query,doc_id,score\n" + "".join(",".join(row.split()[::2]) + "\n" for row in ROWS)
    spaces, returns = text.replace("\t", "  "), text.replace("\n", "\r")
    for content in (text, spaces, returns, commas, gzip.compress(text.replace("\n", "\r\n").encode())):
        assert read_run(write(tmp_path, content)) == expected
    # without documents, rows go by their numbers in the whole file
    scores, _ = read_lists(write(tmp_path, "query,score,label\n" + "q,1,0\n" * 60))
    assert scores.names[scores.document].tolist() == [str(row) for row in range(1, 61)]


@pytest.mark.usefixtures("in_small_parts")
@pytest.mark.parametrize("at", [0, LARGE // 2, LARGE - 1])
def test_a_bad_line_of_any_part_is_named(tmp_path, at):
    rows = [*ROWS]
    rows[at] = "q Q0 document 1 nan tag\n"
    message = complaint(tmp_path, "run", "".join(rows))
    assert f"line {at + 1}: got 'q Q0 document 1 nan tag', expected" in message
    rows[at] = "q é\n"
    assert f"line {at + 1} is not UTF-8" in complaint(tmp_path, "run", "".join(rows).encode("latin-1"))
    rows[at] = "\n \n" + ROWS[5]
    first, second = sorted([6 if at >= 6 else 8, at + 3])
    said = "document document-5 of query q0 occurs twice"
    assert f"line {second}: {said} (first in line {first})" in complaint(tmp_path, "run", "".join(rows))


@pytest.mark.usefixtures("in_small_parts")
def test_a_table_with_quoted_cells_is_split_between_rows(tmp_path):
    """Quoted cells may hold ends of lines."""
    rows = [f'q{i // 100},"a ""long"" name\nof document {i}",{i}\n' for i in range(LARGE)]
    found = read_run(write(tmp_path, "query,document,score\n" + "".join(rows)))
    assert found["q3"]['a "long" name\nof document 312'] == 312
    assert sum(map(len, found.values())) == LARGE
    rows[-1] = rows[-1].replace(f",{LARGE - 1}", ",none")
    with pytest.raises(InputError, match=rf"line {2 * LARGE + 1}: got .*expected query, document, score"):
        read_run(write(tmp_path, "query,document,score\n" + "".join(rows)))
    twice = "query,document,score\nq,a,1\n\nq,b,2\nq,a,3\n"
    with pytest.raises(InputError, match=r"line 5: document a of query q occurs twice \(first in line 2\)"):
        read_run(write(tmp_path, twice))


def test_without_pyarrow(tmp_path, monkeypatch):
    """Plain text is read without it; for other files a one-line error names the package to install."""
    expected = read_run(write(tmp_path, "".join(ROWS)))
    packed = zstd(RUN)
    for name in ("pyarrow", "sklearn.datasets"):
        monkeypatch.setitem(sys.modules, name, None)
    with pd.option_context("mode.string_storage", "python"):  # as pandas does where pyarrow is not installed
        assert read_run(write(tmp_path, "".join(ROWS))) == expected
    install = "which is not installed: pip install"
    for content in (packed, b"PAR1"):
        refused(f"pyarrow, {install} pyarrow", read_run, write(tmp_path, content))
    refused(f"scikit-learn, {install} scikit-learn", read_lists, write(tmp_path, LETOR), features=[1])


@pytest.mark.parametrize(
    ("head", "tail"),
    [
        *(("1 qid:2", tail) for tail in ["99999999999999999999:1", "1000001:1", "4294967297:1", "1:1e400"]),
        *(("1 qid:2", tail) for tail in ("2:1 1:1", "0:1", "-1:1", "1:1_0")),
        *((head, "1:1") for head in ("1e400 qid:2", "1 qid:", "1_0 qid:2", "1 2")),
    ],
)
def test_a_bad_line_of_an_svmlight_file_is_named(tmp_path, head, tail):
    line = f"{head} {tail}"
    path = write(tmp_path, f"{LETOR}\n# a comment\n{line}\n{LETOR}")
    said = f"file, line 6: got {re.escape(repr(line))}, expected 'label qid:query"
    refused(said, read_lists, path, features=[1])


def test_fields_may_have_blanks_between_tabs(tmp_path):
    wanted = {"q1": {"d1": 3.5, "d2": 2.5}, "q2": {"d1": 1.0}}
    tabs = "\n".join("\t".join(line.split(" ", 5)) for line in RUN.replace("tag", "my own tag").splitlines())
    assert read_run(write(tmp_path, tabs)) == wanted
    assert read_run(write(tmp_path, tabs.replace("d1", "d 1")))["q2"] == {"d 1": 1.0}
    assert read_qrels(write(tmp_path, QRELS.replace(" ", "\t"))) == read_qrels(write(tmp_path, QRELS))
    # without tabs, more fields may be a blank in the name of a document as well as a longer tag
    for odd in (RUN.replace("d1", "d 1"), RUN.replace("tag", "my own tag")):
        refused(r"line 1: got 'q1 Q0 .*', expected 'query Q0 document rank", read_run, write(tmp_path, odd))


@pytest.mark.parametrize(
    "comment", ["#", "# judged, by two", "#one two three", "#qid iter doc rel", "# a b c"]
)
def test_comments_of_trec_files(tmp_path, comment):
    commented = f"{comment}\n" + QRELS.replace("q2", f"{comment}\nq2", 1)
    assert read_qrels(write(tmp_path, commented)) == read_qrels(write(tmp_path, QRELS))
    hashes = QRELS.replace("q1", "#q1")  # a query whose name begins so
    assert read_qrels(write(tmp_path, hashes)).keys() == {"#q1", "q2", "q3"}


@given(texts=st.lists(words, min_size=1, max_size=10, unique=True), random=st.randoms())
def test_look_alikes_are_the_names_that_only_their_plain_form_joins(texts, random):
    odd = [random.choice([t + "\u200b", unicodedata.normalize("NFD", t), t, "x" + t]) for t in texts]
    mine, theirs = coded(texts).names, coded(odd).names
    expected = {
        (one, two)
        for one in set(texts) - set(odd)
        for two in set(odd) - set(texts)
        if plain_form(one) == plain_form(two) != ""
    }
    found = look_alikes(mine, theirs)
    assert {*found} <= expected
    assert {plain_form(one) for one, _ in found} == {plain_form(one) for one, _ in expected}


BY_QUERY = {"q1": {"a": 2.0, "b": 1.5}, "q2": {"ü": 1.0}}
JUDGED = {"q1": {"b": 1, "c": 2}, "q2": {"ü": 1}}
EXPECTED = evaluate(BY_QUERY, JUDGED, "nDCG").values.tolist()


def test_json_runs_and_judgements(tmp_path):
    run = write(tmp_path, "\ufeff\n " + json.dumps(BY_QUERY, indent=2), "run.json")
    qrels = write(tmp_path, gzip.compress(json.dumps(JUDGED).encode()), "qrels.json.gz")
    assert (read_run(run), read_qrels(qrels)) == (BY_QUERY, JUDGED)
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
        ('{"q": {"": 1}}', "row 1: the name of the document is missing"),
        ('{"": {"d": 1}}', "row 1: the name of the query is missing"),
        ("{}", "holds no data"),
        ('{"a":' * 100_000, "not a JSON file of the form"),
        ('{"q": {"a": ' + "9" * 5000 + "}}", "a number of too many digits"),
    ],
)
def test_bad_json(tmp_path, text, said):
    refused(rf"run\.json: .*{said}", read_run, write(tmp_path, text, "run.json"))


def test_files_in_the_wrong_place(tmp_path):
    run = write(tmp_path, "q Q0 a 1 2.5 tag\n", "a.run")
    qrels = write(tmp_path, "q 0 a 1\n", "b.qrels")
    refused(r"b\.qrels: looks like relevance judgements, expected a run", evaluate, qrels, run, "nDCG")
    refused(r"a\.run: looks like a run, expected relevance judgements", evaluate, run, run, "nDCG")
    table = write(tmp_path, "query,document,score\nq,a,1\n", "a.csv")
    refused("it has a score: are the run and the qrels swapped", evaluate, table, table, "nDCG")
    named = write(tmp_path, run.read_bytes(), "a.parquet")
    refused(r"a\.parquet: not a Parquet file, whose first bytes are PAR1", evaluate, named, qrels, "nDCG")
