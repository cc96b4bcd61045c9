"""Read tables with named columns: the columns of CSV files, and Parquet files."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ndcg_asymptotics.core.arrays import brief
from ndcg_asymptotics.core.errors import InputError, needing, require
from ndcg_asymptotics.lists.names import text_column
from ndcg_asymptotics.lists.reading.lines import CELL_PARSERS, Columns, LineFormat, name, whole_cell
from ndcg_asymptotics.lists.reading.text import open_file, read_first_line, require_lines
from ndcg_asymptotics.lists.records import COLUMNS, SWAPPED, column_of, is_column_of_scores, swapped

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import parquet as pq

PARQUET = b"PAR1"
"""The first bytes of a Parquet file."""

_NUMBERS = "finite scores and labels, and times that are numbers or dates"
_MOST_COLUMNS = 10_000
_ROWS_AT_ONCE = 1 << 16  # of a Parquet file
_UNPACKED_BYTES, _UNPACKED_RATIO = 1 << 29, 100
"""The columns of a row group may unpack to 512 MB and 100 times the size of the file."""

Parsers = Mapping[str, Callable[[Any], Any]]


def parse_columns(text: str) -> dict[str, str]:
    """Parse the names of columns in a file, such as ``query=qid,score=bm25``.

    >>> parse_columns("query=qid, score=bm25")
    {'query': 'qid', 'score': 'bm25'}
    >>> parse_columns("user=uid")  # another word for a query
    {'query': 'uid'}

    Raises
    ------
    InputError
        For any other text.
    """
    known = {theirs: ours for ours, aliases in COLUMNS.items() for theirs in aliases}
    named = {}
    for part in text.split(","):
        ours, equals, theirs = (piece.strip() for piece in part.partition("="))
        good = bool(equals) and ours in known and bool(theirs)
        expected = f"NAME=COLUMN with NAME one of {', '.join(COLUMNS)}, as in query=qid,score=bm25"
        require(good, f"expected {expected}, got {brief(part)}", "columns")
        named[known[ours]] = theirs
    return named


def is_csv(line: bytes, columns: Mapping[str, str], fields: int) -> bool:
    """Return whether a first line is that of a table, not one of ``fields`` fields between white space."""
    text = line.decode()
    header = _header(text)
    known = len(header) > 1 and column_of(header, "query", columns) is not None
    by_tabs = delimiter_of(text) == "\t" and len(header) == fields
    return known or (len(header) > 2 and len(text.split()) != fields and not by_tabs)


def csv_form(
    path: Path, wanted: Sequence[str], optional: Sequence[str], columns: Mapping[str, str]
) -> LineFormat:
    """Return the format of a CSV file, with the places of its columns.

    Raises
    ------
    InputError
        If a column is missing.
    """
    number, line = read_first_line(path)
    require(number > 0, f"{path}: holds no data, expected a header with {', '.join(wanted)}")
    header = _header(line.decode())
    require(
        len(header) <= _MOST_COLUMNS, f"{path}, line {number}: {len(header)} columns, at most {_MOST_COLUMNS}"
    )
    places, parsers = _places(header, wanted, optional, columns, path, line.decode().strip())
    expected = _expected(places, parsers) + f", and {len(header)} cells"
    return LineFormat(places, len(header), expected, delimiter_of(line.decode()), number, parsers)


def header_of(path: Path) -> list[str]:
    """Return the names of the columns of a CSV or Parquet file."""
    with open_file(path) as file:
        if file.read(len(PARQUET)) == PARQUET:
            from pyarrow import parquet

            return list(parquet.ParquetFile(file).schema_arrow.names)
    return _header(read_first_line(path)[1].decode())


def parquet_columns(
    path: Path, wanted: Sequence[str], optional: Sequence[str], columns: Mapping[str, str]
) -> Iterator[Columns]:
    """Yield the columns of a Parquet file, batch by batch.

    Raises
    ------
    InputError
        For a damaged file, a missing column, an invalid row, or a file that holds too much for its size.
    """
    with needing("pyarrow", f"{path}: Parquet files are read by"):
        import pyarrow as pa
        from pyarrow import parquet
    with open_file(path) as file:
        try:
            schema = parquet.ParquetFile(file).schema_arrow
            places, parsers = _places(schema.names, wanted, optional, columns, path, ",".join(schema.names))
            names = {column: schema.names[place] for column, place in places.items()}
            for place in places.values():
                field = schema.field(place)
                said = f"{path}, column {field.name}: expected a number or a text, got {field.type}"
                require(not pa.types.is_nested(field.type), said)
            # with dictionaries, a name of a megabyte in a million rows is kept once
            texts = [names[column] for column in ("query", "document") if column in names]
            found = parquet.ParquetFile(file, read_dictionary=texts)
            require_unpackable(found.metadata, path, [*names.values()])
            first = 1
            for batch in found.iter_batches(_ROWS_AT_ONCE, columns=[*names.values()]):
                cells = {column: batch[theirs] for column, theirs in names.items()}
                try:
                    yield {column: _converted(of, column, parsers) for column, of in cells.items()}
                except (pa.ArrowException, TypeError, ValueError, OverflowError):
                    _raise_for_first_bad_row(cells, first, path, parsers)
                first += len(batch)
        except (pa.ArrowException, OSError) as error:
            raise InputError(f"{path}: a damaged Parquet file ({brief(str(error))})") from None


def require_unpackable(metadata: pq.FileMetaData, path: Path, names: Sequence[str] | None = None) -> None:
    """Raise an error if some columns of a Parquet file, or all, unpack to too much for its size.

    That is according to its footer.
    """
    require_lines(path, metadata.num_rows)
    most = _UNPACKED_BYTES + _UNPACKED_RATIO * path.stat().st_size
    for group in range(metadata.num_row_groups):
        row_group = metadata.row_group(group)
        parts = [row_group.column(index) for index in range(row_group.num_columns)]
        counted = [part for part in parts if names is None or part.path_in_schema in names]
        size = sum(part.total_uncompressed_size for part in counted)
        require(size <= most, f"{path}: unpacks to {size:,} bytes, too many for its size")


def _converted(cells: pa.Array, column: str, parsers: Parsers) -> Any:
    """Return the cells of a column as `Columns` has them; raise ValueError if one is not valid."""
    import pyarrow as pa

    if cells.null_count:
        raise ValueError
    if column not in ("query", "document"):
        if column == "score" and (pa.types.is_floating(cells.type) or pa.types.is_integer(cells.type)):
            numbers = cells.to_numpy(zero_copy_only=False).astype(np.float64)
            if np.isfinite(numbers).all():
                return numbers
            raise ValueError
        return np.array([parsers[column](value) for value in cells.to_pylist()], np.float64)
    if not pa.types.is_dictionary(cells.type):
        cells = cells.dictionary_encode()
    # the dictionary in a file may hold a name twice, or with blanks at its ends
    distinct = text_column([name(value) for value in cells.dictionary.to_pylist()])
    return distinct._replace(codes=distinct.codes[np.asarray(cells.indices)])


def _raise_for_first_bad_row(batch: Mapping[str, pa.Array], first: int, path: Path, parsers: Parsers) -> None:
    """Raise `InputError` for the first bad row of a batch."""
    row = 0
    for row in range(len(next(iter(batch.values())))):
        cells = {column: of[row].as_py() for column, of in batch.items()}
        try:
            for column, cell in cells.items():
                parsers[column](cell)
        except (TypeError, ValueError, OverflowError):
            break
    said = f"got {brief(tuple(cells.values()))}, expected {_expected(batch, parsers)}"
    raise InputError(f"{path}, row {first + row}: {said}")


def _expected(columns: Mapping[str, object], parsers: Parsers) -> str:
    question = "" if parsers is CELL_PARSERS else f"; labels in the column score are whole{SWAPPED}"
    return f"{', '.join(columns)} in every row, {_NUMBERS}{question}"


def delimiter_of(header: str) -> str:
    """Return the character between the names of columns: a comma, a tab or a semicolon."""
    return max(",\t;", key=header.count)


def _header(line: str) -> list[str]:
    try:
        cells = next(csv.reader([line], delimiter=delimiter_of(line), skipinitialspace=True), [])
    except csv.Error:  # a cell longer than the csv module allows
        return []
    return [cell.strip() for cell in cells]


def _places(
    header: Sequence[str],
    wanted: Sequence[str],
    optional: Sequence[str],
    columns: Mapping[str, str],
    path: Path,
    said: str,
) -> tuple[dict[str, int], Parsers]:
    """Return the index of each column in the table, whose header is ``said``, and the parsers of cells."""
    found = {column: column_of(header, column, columns) for column in (*wanted, *optional)}
    for column in (*wanted, *(column for column in optional if column in columns)):
        known = columns.get(column, f"{column} (or {', '.join(COLUMNS[column][1:])})")
        require(
            found[column] is not None,
            f"{path}, line 1: got {brief(said)}, expected a header with the column {known}; "
            f"--columns says which is which{swapped(header, column)}",
        )
    for theirs in found.values():
        require(header.count(theirs or "") < 2, f"{path}, line 1: several columns are called {brief(theirs)}")
    whole = is_column_of_scores(found.get("label"), columns)
    parsers = {**CELL_PARSERS, "label": whole_cell} if whole else CELL_PARSERS
    return {column: header.index(theirs) for column, theirs in found.items() if theirs is not None}, parsers
