"""What is found, on a terminal, in a pipe or for another program."""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Iterable
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from rich.console import Console

from ndcg_asymptotics.tables import Part, Shown, Table, in_format, print_parts

_PLAIN_WIDTH = 200  # where the output is no terminal and nobody has said how wide it is

form: ContextVar[str] = ContextVar("form", default="table")
"""How tables are printed: table, or one of `tables.FORMATS`."""


def show(found: Shown | Iterable[Part], parts: Iterable[Part] | None = None) -> None:
    """Print tables and lines in the format that is asked for; in others than a table, tables alone.

    CSV of what has a DataFrame is that, one table with every row. ``parts`` are those to print if not all.
    Tables that go to a file or a pipe are not folded, unless COLUMNS says how wide they may be.
    """
    if isinstance(found, Shown) and form.get() == "csv":
        print(found.to_dataframe().to_csv(index=False, lineterminator="\n"), end="")
        return
    listed = parts if parts is not None else found.parts() if isinstance(found, Shown) else found
    if form.get() != "table":
        print(in_format(listed, form.get()), end="")
        return
    console = Console(highlight=False)
    if not console.is_terminal and not os.environ.get("COLUMNS", "").isdigit():
        console = Console(highlight=False, width=_PLAIN_WIDTH)
    print_parts(listed, console)


def show_json(value: Any) -> None:
    """Print plain data as JSON, which has no infinity: a z with no standard error becomes null."""
    print(json.dumps(_plain(value), indent=2, allow_nan=False))


def write_csv(path: Path, table: Table) -> None:
    """Write the values of a table, unrounded; what is not a number is left empty."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([column.name for column in table.columns])
        for row in table.rows:
            writer.writerow(["" if isinstance(cell, float) and math.isnan(cell) else cell for cell in row])


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
