"""Files of ranked lists, read with every complaint naming the file and the line.

Files may be plain or gzip-compressed; which, is seen from their first bytes.
"""

from __future__ import annotations

import csv
import gzip
import io
import math
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ndcg_asymptotics.arrays import Floats
from ndcg_asymptotics.errors import InputError

_T = TypeVar("_T")

#: Query -> document -> score.
Run = dict[str, dict[str, float]]

#: Query -> document -> label >= 0.
Qrels = dict[str, dict[str, float]]

_GZIP = b"\x1f\x8b"
_LONGEST_LINE = 2**20  # characters
_COLUMNS = ("query", "score", "label")


@dataclass(frozen=True)
class RankedList:
    """One query's list: a score (higher is better) and a label (gain >= 0) per item.

    A score of -inf is an item that the scorer did not retrieve.
    """

    query: str
    scores: Floats
    labels: Floats


def read_run(path: Path) -> Run:
    """Scores of a TREC run, lines ``query Q0 document rank score tag``; the rank is ignored.

    Raises
    ------
    InputError
        For a file that is missing, empty, truncated, binary or damaged, a line that is not of
        that form, a score that is not finite, a document that comes twice; and if the extra
        ``ndcg-asymptotics[data]`` is not installed.
    """
    return _by_query(
        path,
        lambda lines: ((d.query_id, d.doc_id, d.score) for d in _ir_measures().read_trec_run(lines)),
        "'query Q0 document rank score tag' with a finite score",
    )


def read_qrels(path: Path) -> Qrels:
    """Labels of TREC relevance judgements, lines ``query iteration document label``.

    A negative label means "in the pool, not judged" and gives the gain 0, as in trec_eval.

    Raises
    ------
    InputError
        As `read_run`.
    """
    return _by_query(
        path,
        lambda lines: (
            (d.query_id, d.doc_id, max(float(d.relevance), 0.0))
            for d in _ir_measures().read_trec_qrels(lines)
        ),
        "'query iteration document label' with a whole number as label",
    )


def read_csv(path: Path) -> list[RankedList]:
    """Lists of a CSV file whose header names the columns query, score, label (others are ignored).

    Raises
    ------
    InputError
        As `read_run`, and for a negative label.
    """
    scores: dict[str, list[float]] = {}
    labels: dict[str, list[float]] = {}
    for query, score, label in _records(
        path, _csv_rows, "query, score, label in every row (and as header), finite scores, labels >= 0"
    ):
        scores.setdefault(query, []).append(score)
        labels.setdefault(query, []).append(label)
    return [RankedList(query, np.array(scores[query]), np.array(labels[query])) for query in scores]


def _csv_rows(lines: _Lines) -> Iterator[tuple[str, float, float]]:
    rows = csv.DictReader(lines, skipinitialspace=True)
    if rows.fieldnames is not None and not set(_COLUMNS) <= set(rows.fieldnames):
        raise ValueError
    for row in rows:
        cells = [row[column] for column in _COLUMNS]
        if None in cells:
            raise ValueError
        score, label = float(cells[1]), float(cells[2])
        if not (math.isfinite(score) and 0 <= label < math.inf):
            raise ValueError
        yield cells[0], score, label


def _by_query(
    path: Path, records: Callable[[_Lines], Iterable[tuple[str, str, float]]], expected: str
) -> dict[str, dict[str, float]]:
    queries: dict[str, dict[str, float]] = {}

    def checked(lines: _Lines) -> Iterator[None]:
        for query, document, value in records(lines):
            documents = queries.setdefault(query, {})
            if document in documents or not math.isfinite(value):
                raise ValueError
            documents[document] = value
            yield

    _records(path, checked, f"{expected}, each document once per query")
    return queries


def _records(path: Path, parse: Callable[[_Lines], Iterable[_T]], expected: str) -> list[_T]:
    """Everything ``parse`` makes of the lines of a file; its ValueError means a bad line."""
    try:
        with _open(path) as lines:
            try:
                found = list(parse(lines))
            except UnicodeError:
                raise InputError(f"{path}: not a text file") from None
            except InputError as error:
                raise InputError(f"{path}: {error}") from None
            except (ValueError, OverflowError, csv.Error):
                line = f"{path}, line {lines.number}"
                raise InputError(f"{line}: got {lines.last.strip()[:80]!r}, expected {expected}") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{path}: a truncated or damaged gzip file ({error})") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    if not found:
        raise InputError(f"{path}: holds no data, expected {expected}")
    return found


class _Lines(io.TextIOWrapper):
    """The lines of a text file, which remembers where it is."""

    number = 0
    last = ""

    def __next__(self) -> str:  # type: ignore[override]  # as TextIOWrapper's own
        line = self.readline(_LONGEST_LINE + 1)
        if not line:
            raise StopIteration
        if "\0" in line:
            raise UnicodeError
        self.number += 1
        if len(line) > _LONGEST_LINE:
            raise InputError(f"line {self.number} is longer than {_LONGEST_LINE:g} characters")
        self.last = line
        return line


@contextmanager
def _open(path: Path) -> Iterator[_Lines]:
    """A file, opened once: a pipe cannot be read twice."""
    with ExitStack() as stack:
        file = stack.enter_context(path.open("rb"))
        packed = file.peek(2)[:2] == _GZIP
        content: Any = stack.enter_context(gzip.GzipFile(fileobj=file)) if packed else file
        yield stack.enter_context(_Lines(content, encoding="utf-8-sig"))


def _ir_measures() -> Any:
    try:
        import ir_measures
    except ImportError:
        raise InputError(
            'TREC files are read by ir-measures, which is not installed: pip install "ndcg-asymptotics[data]"'
        ) from None
    return ir_measures
