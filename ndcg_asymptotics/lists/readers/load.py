"""Files of ranked lists, of any of the known forms; which one, is seen from their first line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.lists.readers import trec
from ndcg_asymptotics.lists.readers.files import blocks, chunks
from ndcg_asymptotics.lists.readers.records import Kind, Records
from ndcg_asymptotics.lists.readers.svmlight import is_svmlight, svmlight_rows
from ndcg_asymptotics.lists.readers.tabular import PARQUET, Row, csv_rows, is_csv, parquet_rows

#: Query -> document -> score.
Run = dict[str, dict[str, float]]

#: Query -> document -> label >= 0.
Qrels = dict[str, dict[str, float]]

Columns = Mapping[str, str]
"""What the columns of a table are called, by what they are called here."""


@dataclass(frozen=True)
class RankedList:
    """One query's list: a score (higher is better) and a label (gain >= 0) per item.

    A score of -inf is an item that the scorer did not retrieve.
    """

    query: str
    scores: Floats
    labels: Floats


def load_run(path: Path, columns: Columns | None = None) -> Records:
    """The scores of a TREC run, or of a table with the columns query, document, score.

    Raises
    ------
    InputError
        For a file that is missing, empty, truncated, binary or damaged, a line that is not of its
        form, a score that is not finite, a document that comes twice for a query.
    """
    return _load(path, "score", trec.RUN, columns or {})


def load_qrels(path: Path, columns: Columns | None = None) -> Records:
    """Labels of TREC relevance judgements, or of a table with the columns query, document, label.

    Negative labels are there as they are in the file.

    Raises
    ------
    InputError
        As `load_run`.
    """
    return _load(path, "label", trec.QRELS, columns or {})


def load_times(path: Path, columns: Columns | None = None) -> Records:
    """When documents came, from a table with the columns query, document, time (a number or a date).

    Raises
    ------
    InputError
        As `load_run`.
    """
    return _load(path, "time", None, columns or {})


def load_lists(
    path: Path, columns: Columns | None = None, weights: Mapping[int, float] | None = None
) -> tuple[Records, Records]:
    """Scores and labels from one file, in the same order: a table with query, score, label, or SVMlight.

    A table may name its documents; else the lines do. Negative labels are there as they are.

    Parameters
    ----------
    path : path
    columns : mapping, optional
        What the columns query, document, score, label of a table are called in the file.
    weights : mapping of feature to weight
        The score of a line of an SVMlight file is the weighted sum of its features.

    Raises
    ------
    InputError
        As `load_run`; and for an SVMlight file without weights.
    """
    rows = list(_list_rows(path, columns or {}, weights))
    require(len(rows) > 0, f"{path}: holds no data, expected rows of query, score, label")
    named = "document" in rows[0]
    names = [row["document"] if named else str(number) for number, row in enumerate(rows, 1)]
    triples = ((row["query"], name, row["score"]) for row, name in zip(rows, names, strict=True))
    try:
        scores = Records.from_rows(triples, "score", str(path))
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return scores, replace(scores, values=np.array([row["label"] for row in rows], np.float64))


def read_run(path: Path) -> Run:
    """`load_run` as a dictionary."""
    return load_run(path).as_dict()


def read_qrels(path: Path) -> Qrels:
    """`load_qrels` as a dictionary.

    A negative label means "in the pool, not judged" and gives the gain 0, as in trec_eval.
    """
    found = load_qrels(path)
    return replace(found, values=np.maximum(found.values, 0.0)).as_dict()


def read_csv(path: Path) -> list[RankedList]:
    """`load_lists` as ranked lists; negative labels give the gain 0."""
    return ranked_lists(*load_lists(path))


def ranked_lists(scores: Records, labels: Records) -> list[RankedList]:
    """Records of scores and labels in the same order, query by query."""
    order = np.argsort(scores.row, kind="stable")
    ends = np.cumsum(np.bincount(scores.row, minlength=len(scores.queries)))
    parts = zip(scores.queries, np.split(order, ends[:-1]), strict=True)
    gains = np.maximum(labels.values, 0.0)
    return [RankedList(query, scores.values[part], gains[part]) for query, part in parts]


def _load(path: Path, kind: Kind, form: trec.Form | None, columns: Columns) -> Records:
    table = ("query", "document", kind)
    head, rest = _opened(path)
    if head.startswith(PARQUET):
        rows = parquet_rows(rest, table, (), columns, path)
    else:
        head, text = _opened_text(rest, path)
        if form is not None and not is_csv(head, columns, form.columns):
            return trec.read(text, form, path)
        rows = csv_rows(text, table, (), columns, path)
    triples = [(row["query"], row["document"], row[kind]) for row in rows]
    require(len(triples) > 0, f"{path}: holds no data, expected rows of {', '.join(table)}")
    try:
        return Records.from_rows(triples, kind, str(path))
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _list_rows(path: Path, columns: Columns, weights: Mapping[int, float] | None) -> Iterator[Row]:
    table = ("query", "score", "label")
    head, rest = _opened(path)
    packed = head.startswith(PARQUET)
    head, text = (head, iter(rest)) if packed else _opened_text(rest, path)
    if packed or not is_svmlight(head):
        require(weights is None, f"{path}: only SVMlight files have features to be weighed")
        read = parquet_rows if packed else csv_rows
        return read(text, table, ("document",), columns, path)
    need = f"{path}: an SVMlight file needs a feature, or weights of its features, as the score"
    require(bool(weights), need)
    return svmlight_rows(text, weights or {}, path)


def _opened(path: Path) -> tuple[bytes, Iterable[bytes]]:
    """The first block of a file, and all of them: a pipe is read once."""
    stream = blocks(path)
    head = next(stream, b"")
    return head, chain([head], stream)


def _opened_text(stream: Iterable[bytes], path: Path) -> tuple[bytes, Iterator[bytes]]:
    text = chunks(stream, path)
    head = next(text, b"")
    return head, chain([head] if head else [], text)
