"""Read ranked lists from files; the first line of a file tells its format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.files import path_of
from ndcg_asymptotics.lists.names import Encoder
from ndcg_asymptotics.lists.reading.lines import Columns, LineFormat, TrecFormat, line_number, read_columns
from ndcg_asymptotics.lists.reading.nested import read_json
from ndcg_asymptotics.lists.reading.svmlight import is_svmlight, score_columns, svmlight_columns
from ndcg_asymptotics.lists.reading.tables import PARQUET, csv_form, is_csv, parquet_columns
from ndcg_asymptotics.lists.reading.text import begins_with, open_file, read_first_line
from ndcg_asymptotics.lists.records import (
    NumberKind,
    Qrels,
    RankedList,
    Records,
    Run,
    column_names,
    ranked_lists,
)

ColumnNames = Mapping[str, str]
"""The names of the columns of a table, by their names in this package."""

TREC: Mapping[str, LineFormat] = {
    "score": TrecFormat(
        places={"query": 0, "document": 2, "score": 4},
        width=6,
        expected="'query Q0 document rank score tag' with a finite score",
        rank=3,
    ),
    "label": TrecFormat(
        places={"query": 0, "document": 2, "label": 3},
        width=4,
        expected="'query iteration document label' with a whole number as label",
    ),
}


def read(path: Path | str, kind: NumberKind, columns: ColumnNames | None = None) -> Records:
    """Read the documents of queries, with a number each, from a file.

    Parameters
    ----------
    path : path
        A TREC run (for scores) or TREC judgements (for labels), a CSV or Parquet table with the columns
        query, document and ``kind``, or JSON, ``{"query": {"document": number}}``; text may be compressed by
        gzip or zstd.
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
    trec = TREC.get(kind)
    packed = is_parquet(path)
    if not packed and begins_with(path, b"{"):
        return read_json(path, kind)
    line = b"" if packed else read_first_line(path, comment=b"#" if trec else b"")[1]
    if packed or trec is None or is_csv(line, columns, trec.width):
        return _records(path, *_table(path, ("query", "document", kind), (), columns), [kind])[0]
    _require_other_than(path, line, kind)
    return _records(path, read_columns(path, trec), trec, [kind])[0]


def read_lists(
    path: Path | str,
    columns: ColumnNames | None = None,
    rankers: Sequence[Mapping[int, float] | None] = (None,),
) -> list[Records]:
    """Return the scores of each ranker, then the labels, in the same order, from a file whose rows have both.

    Parameters
    ----------
    path : path
        A CSV or Parquet table with the columns query, score, label; or an SVMlight file. A table may name
        its documents; otherwise their row numbers do. Negative labels are returned as they are.
    columns : mapping, optional
        The names of the columns in a table.
    rankers : sequence of mappings of feature to weight
        The score of a line of an SVMlight file is the weighted sum of its features; other files have one
        ranker, None.

    Raises
    ------
    InputError
        As `read`, and for an SVMlight file without weights.
    """
    path, columns = path_of(path, "path"), column_names(columns)
    form: LineFormat | None = None
    if not is_parquet(path) and is_svmlight(read_first_line(path)[1]):
        need = f"{path}: an SVMlight file needs a feature, or weights of its features, as the score"
        need += " (--feature 1 or --weights FILE)"
        require(all(rankers), need)
        parts = svmlight_columns(path, [weights or {} for weights in rankers])
    else:
        require([*rankers] == [None], f"{path}: only SVMlight files have features with weights")
        parts, form = _table(path, ("query", "score", "label"), ("document",), columns)
    return _records(path, parts, form, [*score_columns(len(rankers)), "label"])


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
    parts, form = _table(path, ("query", "rank"), (), column_names(columns))
    (ranks,) = _records(path, parts, form, ["rank"])
    bad = (ranks.values != np.rint(ranks.values)) | (np.abs(ranks.values) > 2**53)
    for record in np.flatnonzero(bad)[:1]:
        what = f"{ranks.values[record]:g} for user {ranks.queries[int(ranks.row[record])]}"
        raise InputError(f"{path}: a rank must be a whole number, got {what}")
    return ranks


def read_run(path: Path | str) -> Run:
    """Return the scores of a file (see `read`) as a dictionary."""
    return read(path, "score").as_dict()


def read_qrels(path: Path | str) -> Qrels:
    """Return the labels of a file (see `read`) as a dictionary.

    A negative label means "in the pool, not judged" and gives the gain 0, as in trec_eval.
    """
    found = read(path, "label")
    return found.with_values(np.maximum(found.values, 0.0)).as_dict()


def read_csv(path: Path | str) -> list[RankedList]:
    """Return the ranked lists of a table (see `read_lists`); negative labels give the gain 0."""
    return ranked_lists(*read_lists(path))


def _table(
    path: Path, wanted: Sequence[str], optional: Sequence[str], columns: ColumnNames
) -> tuple[Iterator[Columns], LineFormat | None]:
    """Return the columns of a Parquet or CSV file, and the format of its lines if it has any."""
    if is_parquet(path):
        return parquet_columns(path, wanted, optional, columns), None
    form = csv_form(path, wanted, optional, columns)
    return read_columns(path, form), form


def _records(
    path: Path, parts: Iterator[Columns], form: LineFormat | None, kinds: Sequence[str]
) -> list[Records]:
    """Return records of each kind of number; ``form``, of a text file, is for line numbers in messages."""
    queries, documents = Encoder(), Encoder()
    values: dict[str, list[Floats]] = {kind: [] for kind in kinds}
    total = 0
    for part in parts:
        numbers = range(total + 1, total + len(part["query"]) + 1)
        queries.add(part["query"])
        documents.add(part["document"] if "document" in part else [str(number) for number in numbers])
        for kind in kinds:
            values[kind].append(part[kind])
        total += len(numbers)
    expected = form.expected if isinstance(form, TrecFormat) else f"rows of query, {', '.join(kinds)}"
    require(total > 0, f"{path}: holds no data, expected {expected}")
    found, *others = (np.concatenate(values.pop(kind)) for kind in kinds)
    records = Records.from_columns(queries, documents, found, str(path))
    twice = records.repeated()
    if twice is not None:
        first, second = (
            f"record {record + 1}" if form is None else f"line {line_number(path, form, record)}"
            for record in twice
        )
        raise InputError(
            f"{path}, {second}: {records.describe(twice[1])} occurs twice (first in {first}), expected each "
            "document once per query"
        )
    return [records, *(records.with_values(column) for column in others)]


_NAMES = {"score": "a run", "label": "relevance judgements"}


def _require_other_than(path: Path, line: bytes, kind: NumberKind) -> None:
    """Raise an error for judgements in the place of a run, the other way round, and SVMlight in either."""
    lists = f"is an SVMlight file, which has labels and scores: --lists {path} --feature 1 reads it"
    require(not is_svmlight(line), f"{path}: {lists}")
    for other, form in TREC.items():
        swapped = other != kind and len(line.split()) == form.width
        said = f"looks like {_NAMES[other]}, expected {_NAMES.get(kind)}: are the run and the qrels swapped?"
        require(not swapped, f"{path}: {said}")


def is_parquet(path: Path) -> bool:
    """Return whether a file is Parquet; refuse another one with its ending."""
    with open_file(path) as file:
        start = file.read(len(PARQUET))
    named = path.suffix.lower() in (".parquet", ".pq")
    found = start == PARQUET
    require(
        found or not named,
        f"{path}: not a Parquet file, whose first bytes are PAR1; a text file needs another name",
    )
    return found
