"""Lines of fields, in TREC files and in tables, as columns.

Pyarrow parses a chunk of lines if it is large and regular: all fields have the same separator, without
quotation marks or blanks beside it. All other chunks, and those that pyarrow refuses, are parsed line by
line. The line parser defines what is valid, and names the line that is not.
"""

from __future__ import annotations

import csv
import io
import math
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.lists.names import to_numpy
from ndcg_asymptotics.lists.reading.text import read_chunks

if TYPE_CHECKING:
    import pyarrow as pa

_BLANKS = " \t\v\f\r\n"


def name(value: object) -> str:
    """Return the name of a query or a document; raise ValueError for None."""
    if value is None:
        raise ValueError
    return value.strip(_BLANKS) if isinstance(value, str) else str(value)


def finite_number(value: Any) -> float:
    """Return a finite number; raise ValueError for anything else, such as "1_000".

    >>> finite_number(" 1e3 ")
    1000.0
    """
    found = float(value)
    if not math.isfinite(found) or (isinstance(value, str) and "_" in value):
        raise ValueError
    return found


def whole_label(value: str) -> float:
    """Return a number that is written without a decimal point, as the labels of TREC files are."""
    if not value.lstrip("+-").isdigit():
        raise ValueError
    return finite_number(value)


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

_SMALL_CHUNK = 1 << 19
"""Chunks up to 512 kB are parsed line by line in 20 ms, which is less than the import of pyarrow (60 ms)."""

_SPACE, _TAB, _NEWLINE = (ord(character) for character in " \t\n")
_CONTROL = bytes({*range(32)} - {*b"\t\n\v\f\r"})

Columns = dict[str, Any]
"""Texts, or an array of numbers, by the name of the column."""


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
    header : int
        The number of the header line; 0 if there is none.
    quoted : bool
        Whether quotation marks enclose fields.
    """

    places: Mapping[str, int]
    width: int
    expected: str
    header: int = 0
    quoted: ClassVar[bool]

    @abstractmethod
    def parser(self, column: str) -> Callable[[str], Any]:
        """Return the function that parses a field; it raises ValueError for an invalid one."""

    @abstractmethod
    def separator(self, chunk: bytes) -> str | None:
        """Return the separator of the fields of a regular chunk, None for other chunks."""

    @abstractmethod
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


@dataclass(frozen=True)
class TrecFormat(LineFormat):
    """Lines of a fixed number of fields with white space between them, as in TREC files.

    Where every field but the last is followed by a tab, fields may contain blanks. A line that begins with #
    and is no record is a comment.

    Attributes
    ----------
    rank : int, optional
        The index of the rank in a run, whose last field, the tag, may be of several words.
    """

    rank: int | None = None

    quoted = False

    def parser(self, column: str) -> Callable[[str], Any]:
        parsers: Mapping[str, Callable[[str], Any]] = {"score": finite_number, "label": whole_label}
        return parsers.get(column, str)

    def separator(self, chunk: bytes) -> str | None:
        """Return the space or tab that stands, once, between any two fields of a regular chunk."""
        separator = "\t" if b"\t" in chunk else " "
        text = np.frombuffer(chunk, np.uint8)
        blank = text <= _SPACE
        between = (text == ord(separator)) | (text == _NEWLINE)
        regular = (blank == between).all() and not blank[0] and not (blank[1:] & blank[:-1]).any()
        return separator if regular else None

    def rows(self, chunk: bytes, first: int, path: Path) -> Iterator[tuple[int, str, Sequence[str]]]:
        for index, line in enumerate(chunk.split(b"\n")):
            fields = self._fields(line)
            if fields and not (line.startswith(b"#") and not self._is_record(fields)):
                # a line with a control character yields no fields
                valid = self._fits(fields) and len(line.translate(None, _CONTROL)) == len(line)
                yield first + index, line.decode().strip(), [field.decode() for field in fields if valid]

    def _fields(self, line: bytes) -> list[bytes]:
        # bytes are split at ASCII white space only; a str at the spaces of every script
        fields = [field.strip() for field in line.split(b"\t")]
        return fields if len(fields) == self.width and all(fields) else line.split()

    def _fits(self, fields: Sequence[bytes]) -> bool:
        """Return whether a line has the right number of fields, or more of them at its end."""
        if self.rank is None or len(fields) <= self.width:
            return len(fields) == self.width
        # in a line with a blank in the name of a document, the score is in the place of the tag
        return fields[self.rank].isdigit() and not fields[self.width - 1].replace(b".", b"").isdigit()

    def _is_record(self, fields: Sequence[bytes]) -> bool:
        try:
            for name, place in self.places.items():
                self.parser(name)(fields[place].decode())
        except (IndexError, ValueError, OverflowError):
            return False
        return self._fits(fields)


@dataclass(frozen=True)
class TableFormat(LineFormat):
    """Rows of a table with commas or tabs between the cells."""

    delimiter: str = ","
    quoted = True

    def parser(self, column: str) -> Callable[[str], Any]:
        return CELL_PARSERS[column]

    def separator(self, chunk: bytes) -> str | None:
        """Return the delimiter, or None if cells are quoted or have blanks at their ends."""
        text = np.frombuffer(chunk, np.uint8)
        edge = (text == ord(self.delimiter)) | (text == _NEWLINE)
        blank = (text <= _SPACE) & ~edge
        beside = (blank[1:] & edge[:-1]).any() or (edge[1:] & blank[:-1]).any() or blank[0]
        regular = b'"' not in chunk and not beside and not (text[blank] != _SPACE).any()
        return self.delimiter if regular else None

    def rows(self, chunk: bytes, first: int, path: Path) -> Iterator[tuple[int, str, Sequence[str]]]:
        """Yield the number of the last line, the text and the cells of every row that is not blank."""
        lines = io.StringIO(chunk.decode(), newline="\n")
        reader = csv.reader(lines, delimiter=self.delimiter, skipinitialspace=True)
        while True:
            try:
                for cells in reader:
                    if "".join(cells).strip():
                        yield first + reader.line_num - 1, self.delimiter.join(cells), cells
                return
            except csv.Error as error:
                line = first + reader.line_num - 1
                raise InputError(f"{path}, line {line}: not a line of a CSV file ({error})") from None


def read_columns(path: Path, form: LineFormat) -> Iterator[Columns]:
    """Yield the columns of a file, chunk by chunk.

    Raises
    ------
    InputError
        For a file that cannot be read; for the first invalid line, with its number.
    """
    large = False
    for first, chunk in _body(path, form):
        large = large or len(chunk) > _SMALL_CHUNK
        found = parse_with_pyarrow(chunk, form) if large else None
        yield parse_by_line(chunk, first, form, path) if found is None else found


def line_number(path: Path, form: LineFormat, record: int) -> int:
    """Return the number of the line that holds a record, by reading the file again."""
    for first, chunk in _body(path, form):
        for line, _, _ in form.rows(chunk, first, path):
            if record == 0:
                return line
            record -= 1
    raise InputError(f"{path}: was changed while it was read")


def _body(path: Path, form: LineFormat) -> Iterator[tuple[int, bytes]]:
    """Yield the chunks of a file, without its header."""
    for first, chunk in read_chunks(path, quoted=form.quoted):
        header = max(form.header - first + 1, 0)
        lines = chunk.split(b"\n", header) if header else [chunk]
        if len(lines) > header:
            yield first + header, lines[-1]


def parse_with_pyarrow(chunk: bytes, form: LineFormat) -> Columns | None:
    """Return the columns of a regular chunk, None for a chunk that has to be parsed line by line."""
    try:
        import pyarrow as pa
        from pyarrow import csv as arrow
    except ImportError:
        return None
    separator = form.separator(chunk)
    if separator is None:
        return None
    # pyarrow accepts hexadecimal whole numbers; so labels and times are read as texts and parsed here
    texts = pa.dictionary(pa.int32(), pa.large_string())
    types = {name: pa.float64() if name == "score" else texts for name in form.places}
    names = [str(index) for index in range(form.width)]
    try:
        table = arrow.read_csv(
            pa.BufferReader(chunk),
            arrow.ReadOptions(use_threads=False, block_size=len(chunk) + 1, column_names=names),
            arrow.ParseOptions(delimiter=separator, quote_char=False, double_quote=False),
            arrow.ConvertOptions(
                include_columns=[str(place) for place in form.places.values()],
                column_types={str(place): types[name] for name, place in form.places.items()},
                null_values=[],
                strings_can_be_null=False,
            ),
        )
        columns = {name: table[str(place)].combine_chunks() for name, place in form.places.items()}
        for name in columns.keys() - {"query", "document", "score"}:
            columns[name] = _parse_distinct(columns[name], form.parser(name))
    except (pa.ArrowException, ValueError):
        return None
    if "score" in columns:
        columns["score"] = to_numpy(columns["score"])
        if not np.isfinite(columns["score"]).all():
            return None
    return columns


def refuse_line(path: Path, line: int, said: str, expected: str) -> NoReturn:
    """Raise the error for a line that is not as expected."""
    raise InputError(f"{path}, line {line}: got {said[:_SHOWN_CHARACTERS]!r}, expected {expected}") from None


def _parse_distinct(texts: pa.DictionaryArray, parser: Callable[[str], float]) -> Floats:
    """Return the numbers of many texts, parsing every distinct text once."""
    numbers = np.array([parser(text) for text in texts.dictionary.to_pylist()], np.float64)
    return np.asarray(numbers[to_numpy(texts.indices)])


def parse_by_line(chunk: bytes, first: int, form: LineFormat, path: Path) -> Columns:
    """Return the columns of a chunk, parsed line by line."""
    columns: dict[str, list[object]] = {name: [] for name in form.places}
    readers = [(columns[name].append, form.parser(name), place) for name, place in form.places.items()]
    for line, said, fields in form.rows(chunk, first, path):
        try:
            for append, parser, place in readers:
                append(parser(fields[place]))
        except (IndexError, ValueError, OverflowError):
            refuse_line(path, line, said, form.expected)
    return {
        name: column if name in ("query", "document") else np.array(column, np.float64)
        for name, column in columns.items()
    }
