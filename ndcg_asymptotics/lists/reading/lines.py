"""Lines of fields, in TREC files and in tables, as columns.

pandas parses a chunk of lines if it is regular: every line has the same number of fields, with one separator
or white space between them, and without quotation marks or blanks at the ends of cells. Other chunks, and
those that pandas refuses, are parsed line by line. The line parser defines what is valid, and names the line
that is not.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
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

_SPACE, _TAB, _NEWLINE = (ord(character) for character in " \t\n")
_CONTROL = bytes({*range(32)} - {*b"\t\n"})

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

    def rows(self, chunk: bytes, first: int, path: Path) -> Iterator[tuple[int, str, Sequence[str]]]:
        """Yield the number, the text and the fields of every line that is not blank.

        Parameters
        ----------
        chunk : bytes
        first : int
            The number of the chunk's first line.
        path : Path
            The file, for messages.
        """
        if not self.delimiter:
            for index, line in enumerate(chunk.split(b"\n")):
                # bytes are split at ASCII white space only; a str at the spaces of every script
                by_tabs = [part.strip() for part in line.split(b"\t")]
                fields = by_tabs if len(by_tabs) == self.width and all(by_tabs) else line.split()
                texts = [part.decode() for part in fields]
                if texts and not (line.startswith(b"#") and not self.is_record(texts)):
                    odd = len(line.translate(None, _CONTROL)) != len(line)
                    yield first + index, line.decode().strip(), [] if odd else texts
            return
        lines = io.StringIO(chunk.decode(), newline="\n")
        reader = csv.reader(lines, delimiter=self.delimiter, skipinitialspace=True)
        while True:
            try:
                for cells in reader:
                    if "".join(cells).strip():
                        yield first + reader.line_num - 1, self.delimiter.join(cells), cells
                return
            except csv.Error as error:
                line_number = first + reader.line_num - 1
                raise InputError(f"{path}, line {line_number}: not a line of a CSV file ({error})") from None

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

    def separator(self, chunk: bytes) -> str | None:
        """Return the separator of the fields of a regular chunk as pandas takes it, None for other chunks."""
        quoted = self.delimiter and b'"' in chunk
        if quoted or len(chunk.translate(None, _CONTROL)) != len(chunk):
            return None
        text = np.frombuffer(b"\n" + chunk, np.uint8)
        ends = np.flatnonzero(text == _NEWLINE)
        blank = text <= _SPACE
        for separator in [self.delimiter] if self.delimiter else ["\t"] * (b"\t" in chunk) + [""]:
            if separator:
                edge = (text == ord(separator)) | (text == _NEWLINE)
                blanks = blank & ~edge
                if (blanks[1:] & edge[:-1]).any() or (edge[1:] & blanks[:-1]).any():
                    continue  # as are cells with blanks at their ends
                if not self.delimiter and (edge[1:] & edge[:-1]).any():
                    continue  # in a TREC file no field is empty
                starts = edge[:-1]
            else:
                starts = blank[:-1] & ~blank[1:]
            fields = np.add.reduceat(starts, ends[:-1], dtype=np.int32)
            empty = np.diff(ends) == 1 if separator else fields == 0
            if ((fields == self.width) | empty).all() and not empty.all():
                return separator or r"\s+"
        return None


def read_columns(path: Path, form: LineFormat) -> Iterator[Columns]:
    """Yield the columns of a file, chunk by chunk.

    Raises
    ------
    InputError
        For a file that cannot be read; for the first invalid line, with its number.
    """
    for first, chunk in _body(path, form):
        columns = parse_regular(chunk, form)
        yield parse_by_line(chunk, first, form, path) if columns is None else columns


def find_line(path: Path, form: LineFormat, record: int) -> tuple[int, Sequence[str]]:
    """Return the number and the fields of the line that holds a record, by reading the file again."""
    for first, chunk in _body(path, form):
        for line, _, fields in form.rows(chunk, first, path):
            if record == 0:
                return line, fields
            record -= 1
    raise InputError(f"{path}: was changed while it was read")


def _body(path: Path, form: LineFormat) -> Iterator[tuple[int, bytes]]:
    """Yield the chunks of a file, without its header."""
    for first, chunk in read_chunks(path, quoted=bool(form.delimiter)):
        header = max(form.header - first + 1, 0)
        lines = chunk.split(b"\n", header) if header else [chunk]
        if len(lines) > header:
            yield first + header, lines[-1]


def parse_regular(chunk: bytes, form: LineFormat) -> Columns | None:
    """Return the columns of a regular chunk; None for one that has to be parsed line by line."""
    separator = form.separator(chunk)
    if separator is None:
        return None
    import pandas as pd

    # from 3.1 on pandas rounds numbers right by itself, and the option is deprecated
    by_itself = tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1)
    precision: Any = {} if by_itself else {"float_precision": "round_trip"}
    types = {place: float if column == "score" else object for column, place in form.places.items()}
    columns: Columns = {}
    try:
        table = pd.read_csv(
            io.BytesIO(chunk),
            sep=separator,
            header=None,
            names=range(form.width),
            usecols=sorted(types),
            dtype=types,
            quoting=csv.QUOTE_NONE,
            na_filter=False,  # otherwise NA would be a missing name
            engine="c",
            low_memory=False,
            **precision,
        )
        for column, place in form.places.items():
            if types[place] is float:
                columns[column] = table[place].to_numpy()
                continue
            cells = text_column(table[place].to_numpy())
            if column in ("query", "document"):
                columns[column] = cells
                if (cells.names == "").any():
                    return None
            else:
                numbers = [*map(form.parsers[column], cells.names.tolist())]
                columns[column] = np.array(numbers)[cells.codes]
    except (ValueError, OverflowError):
        return None
    scores = columns.get("score", np.zeros(0))
    # pandas takes true and false for numbers
    truth = np.isin(scores, (0, 1)).all() and re.search(rb"true|false", chunk, re.IGNORECASE)
    return columns if np.isfinite(scores).all() and not truth else None


def refuse_line(path: Path, line: int, said: str, expected: str) -> NoReturn:
    """Raise the error for a line that is not as expected."""
    raise InputError(f"{path}, line {line}: got {said[:_SHOWN_CHARACTERS]!r}, expected {expected}") from None


def parse_by_line(chunk: bytes, first: int, form: LineFormat, path: Path) -> Columns:
    """Return the columns of a chunk, parsed line by line."""
    records: list[list[Any]] = []
    for line, said, fields in form.rows(chunk, first, path):
        try:
            records.append(form.parse(fields))
        except (ValueError, OverflowError):
            refuse_line(path, line, said, form.expected)
    cells = zip(*records, strict=True) if records else [[] for _ in form.places]
    return {
        column: text_column(list(of)) if column in ("query", "document") else np.array(of, np.float64)
        for column, of in zip(form.places, cells, strict=True)
    }
