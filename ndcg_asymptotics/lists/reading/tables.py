"""Read tables with named columns: the columns of CSV files, and Parquet files."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ndcg_asymptotics.core.arrays import brief
from ndcg_asymptotics.core.errors import InputError, naming, needing, require
from ndcg_asymptotics.lists.reading.lines import CELL_PARSERS, LineFormat, whole_cell
from ndcg_asymptotics.lists.reading.text import open_file, read_first_line
from ndcg_asymptotics.lists.records import COLUMNS, SWAPPED, column_of, columns_of, is_column_of_scores

if TYPE_CHECKING:
    import pandas as pd

PARQUET = b"PAR1"
"""The first bytes of a Parquet file."""

_NUMBERS = "finite scores and labels, and times that are numbers or dates"


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
    names_by_alias = {theirs: ours for ours, aliases in COLUMNS.items() for theirs in aliases}
    columns = {}
    for part in text.split(","):
        ours, equals, theirs = (piece.strip() for piece in part.partition("="))
        good = bool(equals) and ours in names_by_alias and bool(theirs)
        form_text = f"NAME=COLUMN with NAME one of {', '.join(COLUMNS)}, as in query=qid,score=bm25"
        require(good, f"expected {form_text}, got {brief(part)}", "columns")
        columns[names_by_alias[ours]] = theirs
    return columns


def is_csv(line: str, columns: Mapping[str, str], fields: int) -> bool:
    """Return whether a first line is that of a table, not one of ``fields`` fields between white space."""
    header = _header(line)
    has_query = len(header) > 1 and column_of(header, "query", columns) is not None
    by_tabs = delimiter_of(line) == "\t" and len(header) == fields
    return has_query or (len(header) > 2 and len(line.split()) != fields and not by_tabs)


def csv_form(
    path: Path, required: Sequence[str], optional: Sequence[str], columns: Mapping[str, str]
) -> tuple[LineFormat, dict[str, str]]:
    """Return the format of a CSV file, and the names of its columns by ours.

    Raises
    ------
    InputError
        As `columns_of`.
    """
    number, line = read_first_line(path)
    require(number > 0, f"{path}: holds no data, expected a header with {', '.join(required)}")
    header = _header(line)
    with naming(f"{path}, line {number}: got {brief(line.strip())}"):
        names = columns_of(header, required, optional, columns)
    form_text = f"{', '.join(names)} in every row, {_NUMBERS}, and {len(header)} cells"
    form = LineFormat(
        {column: header.index(theirs) for column, theirs in names.items()},
        len(header),
        form_text,
        delimiter_of(line),
        number,
    )
    if not is_column_of_scores(names.get("label"), columns):
        return form, names
    return replace(form, parsers={**CELL_PARSERS, "label": whole_cell}, expected=form_text + SWAPPED), names


def read_parquet(path: Path, pick: Callable[[list[str]], Iterable[Any]] | None = None) -> pd.DataFrame:
    """Return a Parquet file, or the columns of it that ``pick`` takes among their names.

    Raises
    ------
    InputError
        For a damaged file and a column of lists among these.
    """
    with needing("pyarrow", f"{path}: Parquet files are read by"):
        import pyarrow as pa
        from pyarrow import parquet
    with open_file(path) as file:
        try:
            schema = parquet.ParquetFile(file).schema_arrow
            picked: Iterable[str] = schema.names if pick is None else pick(schema.names)
            names = [name for name in picked if name in schema.names]
            fields = [schema.field(name) for name in names]
            for field in fields:
                message = f"{path}, column {field.name}: expected a number or a text, got {field.type}"
                require(pick is None or not pa.types.is_nested(field.type), message)
            # with a dictionary, a name of a megabyte in a million rows is kept once
            texts = [field.name for field in fields if pa.types.is_string(field.type)]
            return parquet.ParquetFile(file, read_dictionary=texts).read(names).to_pandas()
        except (pa.ArrowException, OSError, KeyError) as error:
            raise InputError(f"{path}: a damaged Parquet file ({brief(str(error))})") from None


def delimiter_of(header: str) -> str:
    """Return the character between the names of columns: a comma, a tab or a semicolon."""
    return max(",\t;", key=header.count)


def _header(line: str) -> list[str]:
    try:
        cells = next(csv.reader([line], delimiter=delimiter_of(line), skipinitialspace=True), [])
    except csv.Error:  # a cell longer than the csv module allows
        return []
    return [cell.strip() for cell in cells]
