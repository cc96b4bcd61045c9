"""Read ranked lists from files; the first line of a file tells its format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import InputError, naming, require
from ndcg_asymptotics.core.files import path_of
from ndcg_asymptotics.lists.names import TextColumn, joined_texts, text_column
from ndcg_asymptotics.lists.reading.lines import (
    CELL_PARSERS,
    Columns,
    LineFormat,
    find_line,
    read_columns,
    whole_label,
)
from ndcg_asymptotics.lists.reading.nested import read_json
from ndcg_asymptotics.lists.reading.svmlight import (
    is_svmlight,
    lacks_queries,
    svmlight_columns,
)
from ndcg_asymptotics.lists.reading.tables import PARQUET, csv_form, is_csv, read_parquet
from ndcg_asymptotics.lists.reading.text import open_file, read_first_line
from ndcg_asymptotics.lists.records import (
    SWAPPED,
    NumberKind,
    Qrels,
    RankedList,
    Records,
    Run,
    are_items,
    column_names,
    columns_of,
    is_rank,
    ranked_lists,
)

ColumnNames = Mapping[str, str]
"""The names of the columns of a table, by their names in this package."""

TREC: Mapping[str, LineFormat] = {
    "score": LineFormat(
        {"query": 0, "document": 2, "score": 4},
        6,
        "'query Q0 document rank score tag' with a finite score",
    ),
    "label": LineFormat(
        {"query": 0, "document": 2, "label": 3},
        4,
        "'query iteration document label' with a whole number as label",
        parsers={**CELL_PARSERS, "label": whole_label},
    ),
}

_PARTS_JOINED = 64  # parts of a file that are joined at a time: a name in many of them is then kept once


def read(path: Path | str, kind: NumberKind, columns: ColumnNames | None = None) -> Records:
    """Read the documents of queries, with a number each, from a file.

    Parameters
    ----------
    path : path
        A TREC run (for scores) or TREC judgements (for labels), a CSV or Parquet table with the columns
        query, document and ``kind``, or JSON, ``{"query": {"document": number}}``; text may be compressed by
        gzip, zstd, xz, bz2 or zip.
    kind : {"score", "label", "time"}
        What the numbers are. Negative labels are returned as they are in the file; a time is a number or a
        date.
    columns : mapping, optional
        The names of the columns in a table.

    Raises
    ------
    InputError
        For a file that is missing, empty, truncated, binary, damaged, not regular or implausibly large; for
        an invalid line, a number that is not finite, and a document that occurs twice for a query.
    """
    path, columns = path_of(path, "path"), column_names(columns)
    trec = TREC.get(kind)  # TREC has no files of times
    parquet = is_parquet(path)
    line = "" if parquet else read_first_line(path, comment="#" if trec else "")[1]
    if line.startswith("{"):
        return read_json(path, kind)
    fields = line.split()
    marco = kind == "score" and len(fields) == 3 and all(field.isdigit() for field in fields)
    looks = "looks like a run of MS MARCO, of queries, passages and ranks"
    advice = "it needs a first line 'query document rank', with tabs, and --columns score=rank"
    require(not marco, f"{path}: {looks}: {advice}")
    if parquet or trec is None or is_csv(line, columns, trec.width):
        return _of_table(path, ("query", "document", kind), (), columns, [kind])[0]
    _require_other_than(path, line, kind)
    return _records(path, read_columns(path, trec), trec, [kind])[0]


def read_lists(
    path: Path | str,
    columns: ColumnNames | None = None,
    features: Sequence[int] = (),
    query: Path | str | None = None,
) -> list[Records]:
    """Return the scores of each ranker, then the labels, in the same order, from a file whose rows have both.

    Parameters
    ----------
    path : path
        A CSV or Parquet table with the columns query, score, label; or an SVMlight file. A table may name
        its documents; otherwise their row numbers do. Negative labels are returned as they are.
    columns : mapping, optional
        The names of the columns in a table.
    features : sequence of int
        The features of an SVMlight file that are the scores of rankers; other files have one ranker.
    query : path, optional
        A file with the number of lines of each query, for an SVMlight file without qid in its lines.

    Raises
    ------
    InputError
        As `read`, and for an SVMlight file without a feature, or without queries.
    """
    path, columns = path_of(path, "path"), column_names(columns)
    line = "" if is_parquet(path) else read_first_line(path, comment="#")[1]
    bare = lacks_queries(line)
    if not (bare or is_svmlight(line)):
        require(not features, f"{path}: only SVMlight files have features")
        require(query is None, "is for SVMlight files", "query")
        required = ("query", "score", "label")
        return _of_table(path, required, ("document",), columns, ["score", "label"])
    require(len(features) > 0, f"{path}: an SVMlight file needs a feature as the score (--feature 1)")
    sizes = "has the number of lines of each query, as LightGBM's .query and XGBoost's .group files do"
    require(not bare or query is not None, f"{path}: no qid in its lines; --query FILE {sizes}")
    require(bare or query is None, f"{path}: has qid in its lines, leave --query out", "query")
    kinds = [*(f"feature {feature}" for feature in features), "label"]
    return _records(path, svmlight_columns(path, features, query), None, kinds)


def read_ranks(path: Path | str, columns: ColumnNames | None = None) -> Records:
    """Read the ranks of relevant items from a CSV or Parquet table with the columns user (or query) and rank.

    Parameters
    ----------
    path : path
        A row per relevant item; a user may have several rows.
    columns : mapping, optional
        The names of the columns in the table: ``{"query": "uid"}``.

    Raises
    ------
    InputError
        As `read`, and for a rank that is not whole.
    """
    path = path_of(path, "path")
    (ranks,) = _of_table(path, ("query", "rank"), (), column_names(columns), ["rank"])
    # beyond 2^53 a double does not tell a whole number from the next
    bad = np.flatnonzero((ranks.values != np.rint(ranks.values)) | (np.abs(ranks.values) > 2**53))
    if bad.size:
        record = int(bad[0])
        rank_text = f"{ranks.values[record]:g} for user {ranks.queries[int(ranks.row[record])]}"
        raise InputError(f"{path}: a rank must be a whole number, got {rank_text}")
    return ranks


def read_run(path: Path | str) -> Run:
    """Return the scores of a file (see `read`) as a dictionary."""
    return read(path, "score").as_dict()


def read_qrels(path: Path | str) -> Qrels:
    """Return the labels of a file (see `read`) as a dictionary.

    A negative label means "in the pool, not judged" and gives the gain 0, as in trec_eval.
    """
    labels = read(path, "label")
    return labels.with_values(np.maximum(labels.values, 0.0)).as_dict()


def read_csv(path: Path | str) -> list[RankedList]:
    """Return the ranked lists of a table (see `read_lists`); negative labels give the gain 0."""
    return ranked_lists(*read_lists(path))


def _of_table(
    path: Path,
    required: Sequence[str],
    optional: Sequence[str],
    columns: ColumnNames,
    kinds: Sequence[NumberKind],
) -> list[Records]:
    """Return records of each kind of number of a Parquet or CSV file."""
    if is_parquet(path):
        with naming(str(path)):
            frame = read_parquet(
                path, lambda header: columns_of(header, required, optional, columns).values()
            )
            record_sets = Records.of_frame(frame, kinds, columns, has_names="document" in required)
        require(len(record_sets[0]) > 0, f"{path}: holds no data, expected rows of query, {', '.join(kinds)}")
        return [replace(records, source=str(path)) for records in record_sets]
    form, names = csv_form(path, required, optional, columns)
    record_sets = _records(path, read_columns(path, form), form, kinds)
    if "score" in kinds and is_rank(columns.get("score")):  # rank 1 has the highest score
        record_sets[0] = record_sets[0].with_values(-record_sets[0].values)
    comparable = "document" in names and not are_items(names["query"], names["document"])
    return [replace(records, comparable=comparable) for records in record_sets]


def _records(
    path: Path, parts: Iterator[Columns], form: LineFormat | None, kinds: Sequence[str]
) -> list[Records]:
    """Return records of each kind of number; ``form``, of a text file, is for line numbers in messages."""
    queries: list[TextColumn] = []
    documents: list[TextColumn] = []
    values: dict[str, list[Floats]] = {kind: [] for kind in kinds}
    total, has_names = 0, False
    for part in parts:
        queries.append(part["query"])
        size = len(part["query"].codes)
        has_names = "document" in part
        documents.append(
            part["document"] if has_names else text_column([*map(str, range(total + 1, total + size + 1))])
        )
        for kind in kinds:
            values[kind].append(part[kind])
        total += size
        if len(documents) == _PARTS_JOINED:
            queries, documents = [joined_texts(queries)], [joined_texts(documents)]
    form_text = form.expected if form and not form.delimiter else f"rows of query, {', '.join(kinds)}"
    require(total > 0, f"{path}: holds no data, expected {form_text}")
    first, *value_columns = (np.concatenate(values.pop(kind)) for kind in kinds)
    columns = joined_texts(queries), joined_texts(documents)
    del queries, documents, part  # what follows needs their memory
    records = replace(Records.from_columns(*columns, first, str(path)), comparable=has_names)
    if (twice := records.repeated()) is not None:
        lines = [find_line(path, form, record) for record in twice] if form else []
        before, after = [f"line {line}" for line, _ in lines] or [f"record {record + 1}" for record in twice]
        message = f"{path}, {after}: {records.describe(twice[1])} occurs twice (first in {before})"
        # the second field of judgements, the iteration, is the subtopic in those of the diversity task
        if form is TREC["label"] and len({fields[1] for _, fields in lines}) > 1:
            advice = f"{message} with another subtopic, as in the diversity task of the Web tracks"
            raise InputError(f"{advice}: NDCG takes one label for each, such as the highest")
        raise InputError(f"{message}, expected each document once per query")
    return [records, *(records.with_values(column) for column in value_columns)]


_NAMES = {"score": "a run", "label": "relevance judgements"}


def _require_other_than(path: Path, line: str, kind: NumberKind) -> None:
    """Raise an error for judgements in the place of a run, the other way round, and SVMlight in either."""
    lists = f"is an SVMlight file, which has labels and scores: --lists {path} --feature 1 reads it"
    require(not (is_svmlight(line) or lacks_queries(line)), f"{path}: {lists}")
    for other_kind, form in TREC.items():
        swapped = other_kind != kind and len(line.split()) == form.width
        require(not swapped, f"{path}: looks like {_NAMES[other_kind]}, expected {_NAMES.get(kind)}{SWAPPED}")


def is_parquet(path: Path) -> bool:
    """Return whether a file is Parquet; refuse another one with its ending."""
    with open_file(path) as file:
        start = file.read(len(PARQUET))
    has_suffix = path.suffix.lower() in (".parquet", ".pq")
    has_magic = start == PARQUET
    require(
        has_magic or not has_suffix,
        f"{path}: not a Parquet file, whose first bytes are PAR1; a text file needs another name",
    )
    return has_magic
