"""Files and Python objects that hold ranked lists -> records in columns; every complaint names the line."""

from ndcg_asymptotics.lists.readers.load import (
    Columns,
    Qrels,
    RankedList,
    Run,
    load_lists,
    load_qrels,
    load_run,
    load_times,
    ranked_lists,
    read_csv,
    read_qrels,
    read_run,
)
from ndcg_asymptotics.lists.readers.records import Records

__all__ = [
    "Columns",
    "Qrels",
    "RankedList",
    "Records",
    "Run",
    "load_lists",
    "load_qrels",
    "load_run",
    "load_times",
    "ranked_lists",
    "read_csv",
    "read_qrels",
    "read_run",
]
