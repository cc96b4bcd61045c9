"""Tables with named columns: CSV, with commas or tabs, and Parquet."""

from __future__ import annotations

import csv
import io
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from ndcg_asymptotics.core.arrays import brief
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.lists.readers.records import COLUMNS

PARQUET = b"PAR1"
"""The first bytes of a Parquet file."""

_TEXTS = ("query", "document")
_NUMBERS = "finite scores and labels, and times that are numbers or dates"
_SHOWN = 80

Row = dict[str, Any]


def parse_columns(text: str) -> dict[str, str]:
    """What columns are called in a file, from ``query=qid,score=bm25``.

    >>> parse_columns("query=qid, score=bm25")
    {'query': 'qid', 'score': 'bm25'}

    Raises
    ------
    InputError
        For something else.
    """
    named = {}
    for part in text.split(","):
        ours, equals, theirs = (piece.strip() for piece in part.partition("="))
        good = bool(equals) and ours in COLUMNS and bool(theirs)
        expected = f"NAME=COLUMN with NAME one of {', '.join(COLUMNS)}, as in query=qid,score=bm25"
        require(good, f"expected {expected}, got {brief(part)}", "columns")
        named[ours] = theirs
    return named


def is_csv(head: bytes, columns: Mapping[str, str], fields: int) -> bool:
    """Whether the first line of a text is that of such a table, not one of so many fields between spaces."""
    line = next(_Lines([head.lstrip().partition(b"\n")[0]]), "")
    try:
        header = _header(next(csv.reader([line], delimiter=_delimiter(line)), []))
    except csv.Error:  # an endless field
        return False
    known = len(header) > 1 and _there(header, "query", columns) is not None
    return known or (len(header) > 2 and len(line.split()) != fields)


def csv_rows(
    text: Iterable[bytes],
    wanted: Sequence[str],
    optional: Sequence[str],
    columns: Mapping[str, str],
    path: Path,
) -> Iterator[Row]:
    """The rows of a CSV file, by our names of the columns.

    Raises
    ------
    InputError
        If a column is missing, or for a line without a finite number where one belongs.
    """
    lines = _Lines(text)
    first = next((line for line in lines if line.strip()), "")
    require(first != "", f"{path}: holds no data, expected a header with {', '.join(wanted)}")
    delimiter = _delimiter(first)
    rows = _split(first, lines, delimiter, path)
    places = _places(_header(next(rows)), wanted, optional, columns, path)
    for cells in rows:
        if "".join(cells).strip():
            try:
                yield {name: _cell(name, cells[place]) for name, place in places.items()}
            except (IndexError, ValueError):
                expected = f"{', '.join(places)} in every row, {_NUMBERS}"
                said = delimiter.join(cells)[:_SHOWN]
                raise InputError(f"{path}, line {lines.number}: got {said!r}, expected {expected}") from None


def _split(first: str, lines: _Lines, delimiter: str, path: Path) -> Iterator[list[str]]:
    """The cells of the first line and of those that follow."""
    reader = csv.reader(itertools.chain([first], lines), delimiter=delimiter, skipinitialspace=True)
    while True:
        try:
            yield next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InputError(f"{path}, line {lines.number}: not a line of a CSV file ({error})") from None


def parquet_rows(
    blocks: Iterable[bytes],
    wanted: Sequence[str],
    optional: Sequence[str],
    columns: Mapping[str, str],
    path: Path,
) -> Iterator[Row]:
    """The same of a Parquet file."""
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise InputError(
            f"{path}: Parquet files are read by pyarrow, which is not installed: "
            'pip install "ndcg-asymptotics[data]"'
        ) from None
    try:
        file = parquet.ParquetFile(io.BytesIO(b"".join(blocks)))
        places = _places(file.schema_arrow.names, wanted, optional, columns, path)
        names = [file.schema_arrow.names[place] for place in places.values()]
        batches = [batch.to_pydict() for batch in file.iter_batches(columns=names)]
    except (ArrowException, OSError) as error:
        raise InputError(f"{path}: a damaged Parquet file ({brief(str(error))})") from None
    number = 0
    for batch in batches:
        for cells in zip(*(batch[name] for name in names), strict=True):
            number += 1
            try:
                yield {name: _cell(name, cell) for name, cell in zip(places, cells, strict=True)}
            except (TypeError, ValueError):
                expected = f"{', '.join(places)} in every row, {_NUMBERS}"
                raise InputError(f"{path}, row {number}: got {brief(cells)}, expected {expected}") from None


class _Lines(Iterator[str]):
    """The lines of chunks of text, which remember where they are."""

    def __init__(self, text: Iterable[bytes]) -> None:
        self.number = 0
        self._lines = (line for chunk in text for line in io.StringIO(chunk.decode(), newline=""))

    def __next__(self) -> str:
        line = next(self._lines)
        self.number += 1
        return line


def _cell(name: str, value: Any) -> Any:
    if name in _TEXTS:
        if value is None:
            raise ValueError
        return value.strip() if isinstance(value, str) else str(value)
    number = _moment(value) if name == "time" else float(value)
    if not math.isfinite(number) or (isinstance(value, str) and "_" in value):
        raise ValueError
    return number


def _moment(value: Any) -> float:
    """A number, or the seconds since 1970 of a date such as 1994-03-01 (or with a time of day)."""
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            value = datetime.fromisoformat(value.strip())
    if isinstance(value, date):
        moment = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return float(value)


def _delimiter(line: str) -> str:
    return "\t" if "\t" in line and "," not in line else ","


def _header(cells: Sequence[str]) -> list[str]:
    return [cell.strip() for cell in cells]


def _there(header: Sequence[str], name: str, columns: Mapping[str, str]) -> int | None:
    for known in (columns[name],) if name in columns else COLUMNS[name]:
        if known in header:
            return header.index(known)
    return None


def _places(
    header: Sequence[str],
    wanted: Sequence[str],
    optional: Sequence[str],
    columns: Mapping[str, str],
    path: Path,
) -> dict[str, int]:
    """Where each of our columns stands in the table."""
    found = {name: _there(header, name, columns) for name in (*wanted, *optional)}
    for name in (*wanted, *columns):
        known = columns.get(name, f"{name} (or {', '.join(COLUMNS[name][1:])})")
        require(
            found.get(name) is not None,
            f"{path}, line 1: got {brief(','.join(header))}, expected a header with the column {known}; "
            "--columns says which is which",
        )
    return {name: place for name, place in found.items() if place is not None}
