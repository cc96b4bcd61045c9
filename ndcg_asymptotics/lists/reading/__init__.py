"""Read files of ranked lists as records in columns; every error names the file and the line."""

from ndcg_asymptotics.lists.reading.load import (
    ColumnNames,
    read,
    read_csv,
    read_lists,
    read_qrels,
    read_ranks,
    read_run,
)
from ndcg_asymptotics.lists.reading.tables import parse_columns

__all__ = [
    "ColumnNames",
    "parse_columns",
    "read",
    "read_csv",
    "read_lists",
    "read_qrels",
    "read_ranks",
    "read_run",
]
