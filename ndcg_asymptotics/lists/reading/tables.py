"""Read tables with named columns: the columns of CSV files, and Parquet files."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, brief
from ndcg_asymptotics.core.errors import InputError, needing, require
from ndcg_asymptotics.lists.reading.lines import CELL_PARSERS, Columns, TableFormat
from ndcg_asymptotics.lists.reading.text import open_file, read_first_line, require_lines
from ndcg_asymptotics.lists.records import COLUMNS, column_of, swapped

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
) -> TableFormat:
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
    places = _places(header, wanted, optional, columns, path, line.decode().strip())
    return TableFormat(places, len(header), _expected(places), number, delimiter_of(line.decode()))


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
            found = parquet.ParquetFile(file)
            header = found.schema_arrow.names
            places = _places(header, wanted, optional, columns, path, ",".join(header))
            names = {name: header[place] for name, place in places.items()}
            for place in places.values():
                field = found.schema_arrow.field(place)
                plain = not pa.types.is_nested(field.type)
                require(
                    plain,
                    f"{path}, column {field.name}: expected a number or a text, got {field.type}",
                )
            require_unpackable(found.metadata, path, [*names.values()])
            # with dictionaries, a name of a megabyte in a million rows is kept once
            texts = [name for name in (names.get("query"), names.get("document")) if name]
            found = parquet.ParquetFile(file, read_dictionary=texts)
            first = 1
            for batch in found.iter_batches(_ROWS_AT_ONCE, columns=[*names.values()]):
                yield _convert({name: batch[there] for name, there in names.items()}, first, path)
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


def _convert(batch: Mapping[str, pa.Array], first: int, path: Path) -> Columns:
    import pyarrow as pa

    found: Columns = {}
    try:
        for name, column in batch.items():
            if column.null_count:
                raise ValueError
            found[name] = _texts(column) if name in ("query", "document") else _numbers(name, column)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        _raise_for_first_bad_row(batch, first, path)
    return found


def _texts(column: pa.Array) -> pa.DictionaryArray:
    import pyarrow as pa
    from pyarrow import compute

    if pa.types.is_dictionary(column.type):
        # the dictionary in a file may hold a name twice, or with blanks at its ends
        names = compute.utf8_trim_whitespace(column.dictionary.cast(pa.large_string())).dictionary_encode()
        return pa.DictionaryArray.from_arrays(names.indices.take(column.indices), names.dictionary)
    if pa.types.is_integer(column.type):
        return column.cast(pa.large_string()).dictionary_encode()
    texts = [CELL_PARSERS["document"](value) for value in column.to_pylist()]
    return pa.array(texts, pa.large_string()).dictionary_encode()


def _numbers(name: str, column: pa.Array) -> Floats:
    import pyarrow as pa

    if not (pa.types.is_floating(column.type) or pa.types.is_integer(column.type)):
        return np.array([CELL_PARSERS[name](value) for value in column.to_pylist()], np.float64)
    numbers: Floats = column.to_numpy(zero_copy_only=False).astype(np.float64)
    if not np.isfinite(numbers).all():
        raise ValueError
    return numbers


def _raise_for_first_bad_row(batch: Mapping[str, pa.Array], first: int, path: Path) -> None:
    """Raise `InputError` for the first bad row of a batch."""
    row = 0
    for row in range(len(next(iter(batch.values())))):
        cells = {name: column[row].as_py() for name, column in batch.items()}
        try:
            for name, cell in cells.items():
                CELL_PARSERS[name](cell)
        except (TypeError, ValueError, OverflowError):
            break
    expected = f"{path}, row {first + row}: got {brief(tuple(cells.values()))}, expected {_expected(batch)}"
    raise InputError(expected)


def _expected(columns: Mapping[str, object]) -> str:
    return f"{', '.join(columns)} in every row, {_NUMBERS}"


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
) -> dict[str, int]:
    """Return the index of each column in the table, whose header is written as ``said``."""
    found = {name: column_of(header, name, columns) for name in (*wanted, *optional)}
    for name in (*wanted, *columns):
        known = columns.get(name, f"{name} (or {', '.join(COLUMNS[name][1:])})")
        require(
            found.get(name) is not None,
            f"{path}, line 1: got {brief(said)}, expected a header with the column {known}; "
            f"--columns says which is which{swapped(header, name)}",
        )
    return {name: header.index(column) for name, column in found.items() if column is not None}
