"""Lines of fields, in TREC files and in tables, as columns.

`LineFormat.rows` and `LineFormat.parse` define what is valid. Lines of a TREC file without comments, blank
lines and blanks in fields are split together, many thousands at once; a chunk with other lines, or with a
field that is not valid, goes through the definition line by line, which names the line.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.lists.names import text_column
from ndcg_asymptotics.lists.reading.text import read_chunks

_BLANKS = " \t\v\f\r\n"


def name(value: object) -> str:
    """Return the name of a query or a document; raise ValueError for None and a text without a name."""
    text = "" if value is None else str(value).strip(_BLANKS)
    if not text:
        raise ValueError
    return text


def finite_number(value: Any) -> float:
    """Return a finite number; raise ValueError for anything else, such as "1_000".

    >>> finite_number(" 1e3 ")
    1000.0
    """
    number = float(value)
    if not math.isfinite(number) or (isinstance(value, str) and "_" in value):
        raise ValueError
    return number


def whole_label(value: str) -> float:
    """Return a number that is written without a decimal point, as the labels of TREC files are."""
    if not value.lstrip("+-").isdigit():
        raise ValueError
    return finite_number(value)


def whole_cell(value: Any) -> float:
    """Return a finite number without a fraction, such as 2 or "2.0"; raise ValueError for any other."""
    number = finite_number(value)
    if number != round(number):
        raise ValueError
    return number


def timestamp(value: object) -> float:
    """Return a number, or the seconds since 1970 of a date such as 1994-03-01, also with a time of day.

    >>> timestamp("1970-01-02"), timestamp("12")
    (86400.0, 12.0)
    """
    if isinstance(value, str):
        try:
            return finite_number(value)
        except ValueError:
            value = datetime.fromisoformat(value.strip(_BLANKS))
    if isinstance(value, date):
        day = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
        return (day if day.tzinfo else day.replace(tzinfo=UTC)).timestamp()
    return finite_number(value)


CELL_PARSERS: Mapping[str, Callable[[Any], Any]] = {
    "query": name,
    "document": name,
    "time": timestamp,
    **dict.fromkeys(("score", "label", "rank"), finite_number),
}
"""The functions that parse the cells of a table, by column."""

_SHOWN_CHARACTERS = 80  # of a bad line
_CONTROL = re.compile("[\0-\x08\x0b-\x1f]")
_CONTROL_BYTES = bytes({*range(32)} - {*b"\t\n"})
_END = "\0"  # a field of its own after each line: no text file has this character
_ROWS = 1 << 16
"""Rows of a table that are parsed at a time."""

Columns = dict[str, Any]
"""A `names.TextColumn` of texts, or an array of numbers, by the name of the column."""


@dataclass(frozen=True)
class LineFormat:
    """The format of lines that hold a record each.

    Attributes
    ----------
    places : mapping of column to index
        The index of the field of each column.
    width : int
        The number of fields of a line.
    expected : str
        A description of a valid line, for messages.
    delimiter : str
        The character between the cells of a table, which quotation marks may enclose. Without one it is white
        space, as in TREC files; if every field but the last is followed by a tab, fields may contain blanks.
        A line of a TREC file that begins with # and is no record is a comment.
    header : int
        The number of the header line; 0 if there is none.
    parsers : mapping of column to function
        Those that parse the fields of the columns; they raise ValueError for an invalid one.
    """

    places: Mapping[str, int]
    width: int
    expected: str
    delimiter: str = ""
    header: int = 0
    parsers: Mapping[str, Callable[[Any], Any]] = field(default_factory=lambda: CELL_PARSERS)

    def rows(self, path: Path) -> Iterator[tuple[int, str, Sequence[str]]]:
        """Yield the number, the text and the fields of every line of a file that is not blank."""
        if not self.delimiter:
            for first, chunk in read_chunks(path):
                yield from self.lines(chunk, first)
            return
        lines = (line for _, chunk in read_chunks(path) for line in StringIO(chunk))
        reader = csv.reader(lines, delimiter=self.delimiter, skipinitialspace=True)
        try:
            for cells in reader:
                if reader.line_num > self.header and "".join(cells).strip():
                    yield reader.line_num, self.delimiter.join(cells), cells
        except csv.Error as error:
            reason = f"not a line of a CSV file ({error})"
            raise InputError(f"{path}, line {reader.line_num}: {reason}") from None

    def lines(self, chunk: str, first: int = 1) -> Iterator[tuple[int, str, Sequence[str]]]:
        """Yield the same of some lines of a TREC file, of which ``first`` is the number of the first."""
        for number, line in enumerate(chunk.split("\n"), first):
            by_tabs = [part.strip(_BLANKS) for part in line.split("\t")]
            fields = by_tabs if len(by_tabs) == self.width and all(by_tabs) else _words(line)
            if fields and not (line.startswith("#") and not self.is_record(fields)):
                yield number, line.strip(), [] if _CONTROL.search(line) else fields

    def is_record(self, fields: Sequence[str]) -> bool:
        """Return whether fields have the right number, and are those of a record."""
        try:
            return len(fields) == self.width and bool(self.parse(fields))
        except (ValueError, OverflowError):
            return False

    def parse(self, fields: Sequence[str]) -> list[Any]:
        """Return the values of the columns; raise ValueError for invalid ones."""
        if len(fields) != self.width:
            raise ValueError
        return [self.parsers[column](fields[place]) for column, place in self.places.items()]

    def columns(self, fields: Sequence[str]) -> Columns:
        """Return the columns of the fields of many lines; raise ValueError for an invalid one."""
        columns: Columns = {}
        for column, place in self.places.items():
            cells, parser = fields[place :: self.width], self.parsers[column]
            if parser is name:
                texts = [cell.strip(_BLANKS) for cell in cells] if self.delimiter else cells
                if "" in texts:
                    raise ValueError
                columns[column] = text_column(texts)
            elif parser is finite_number:
                columns[column] = np.array([*map(float, cells)])
                if not np.isfinite(columns[column]).all() or "_" in "".join(cells):
                    raise ValueError
            else:
                values = {cell: parser(cell) for cell in {*cells}}
                columns[column] = np.array([values[cell] for cell in cells], np.float64)
        return columns


def read_columns(path: Path, form: LineFormat) -> Iterator[Columns]:
    """Yield the columns of a file, many lines at a time.

    Raises
    ------
    InputError
        For a file that cannot be read; for the first invalid line, with its number.
    """
    try:
        if form.delimiter:
            rows = form.rows(path)
            while fields := _fields(islice(rows, _ROWS), form.width):
                yield form.columns(fields)
            return
        for first, chunk in read_chunks(path):
            yield _together(chunk, form) or form.columns(_fields(form.lines(chunk, first), form.width))
    except InputError:
        raise
    except (ValueError, OverflowError):
        line, text, _ = next(row for row in form.rows(path) if not form.is_record(row[2]))
        refuse_line(path, line, text, form.expected)


def _fields(rows: Iterable[tuple[int, str, Sequence[str]]], width: int) -> list[str]:
    """Return the fields of some lines; raise ValueError for a line with another number of them."""
    cells: list[str] = []
    for _, _, fields in rows:  # no list of the lines: the garbage collector would go through it
        if len(fields) != width:
            raise ValueError
        cells += fields
    return cells


def _together(chunk: str, form: LineFormat) -> Columns | None:
    """Return the columns of lines of a TREC file that are all regular and valid; None for others."""
    fields = _split(chunk, form.width)
    try:
        return form.columns(fields) if fields else None
    except (ValueError, OverflowError):
        return None


def _split(chunk: str, width: int) -> list[str] | None:
    """Return the fields of the lines of a TREC file; None if one of them has another number of fields."""
    raw = chunk.encode()
    if len(raw.translate(None, _CONTROL_BYTES)) != len(raw):
        return None
    fields, lines = _words(chunk.replace("\n", f" {_END} ")), chunk.count("\n")
    if len(fields) != lines * (width + 1) or fields[width :: width + 1].count(_END) != lines:
        return None
    del fields[width :: width + 1]
    return fields


def _words(text: str) -> list[str]:
    """Return the parts of a text between white space of ASCII; ``split`` takes the spaces of every script."""
    return text.split() if text.isascii() else [part.decode() for part in text.encode().split()]


def find_line(path: Path, form: LineFormat, record: int) -> tuple[int, Sequence[str]]:
    """Return the number and the fields of the line that holds a record, by reading the file again."""
    for line, _, fields in islice(form.rows(path), record, None):
        return line, fields
    raise InputError(f"{path}: was changed while it was read")


def refuse_line(path: Path, line: int, text: str, form_text: str) -> NoReturn:
    """Raise the error for a line that is not as expected."""
    raise InputError(f"{path}, line {line}: got {text[:_SHOWN_CHARACTERS]!r}, expected {form_text}") from None
