"""What is found, on a terminal, in a pipe or for another program."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterable
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from rich.console import Console

from ndcg_asymptotics.core.tables import Part, Shown, Table, csv_of, in_format, print_parts
from ndcg_asymptotics.core.text import visible

_PLAIN_WIDTH = 200  # where the output is no terminal and nobody has said how wide it is

form: ContextVar[str] = ContextVar("form", default="table")
"""How tables are printed: table, or one of `tables.FORMATS`."""


def show(found: Shown | Iterable[Part], parts: Iterable[Part] | None = None) -> None:
    """Print tables and lines in the format that is asked for; in others than a table, tables alone.

    CSV of what has a DataFrame is that, one table with every row. ``parts`` are those to print if not all.
    Tables that go to a file or a pipe are not folded, unless COLUMNS says how wide they may be.
    """
    if isinstance(found, Shown) and form.get() == "csv":
        _print_text(csv_of(found.to_dataframe()))
        return
    listed = parts if parts is not None else found.parts() if isinstance(found, Shown) else found
    if form.get() != "table":
        _print_text(in_format(listed, form.get()))
        return
    console = Console(highlight=False)
    if not console.is_terminal and not os.environ.get("COLUMNS", "").isdigit():
        console = Console(highlight=False, width=_PLAIN_WIDTH)
    print_parts(listed, console)


def _print_text(text: str) -> None:
    """Print what another program is to read; a terminal is not told to do what a name says."""
    print("\n".join(map(visible, text.split("\n"))) if sys.stdout.isatty() else text, end="")


def show_json(value: Any) -> None:
    """Print plain data as JSON, which has no infinity: a z with no standard error becomes null."""
    print(json.dumps(_plain(value), indent=2, allow_nan=False))


def write_csv(path: Path, table: Table) -> None:
    """Write the values of a table, unrounded."""
    path.write_text(table.to_csv(), encoding="utf-8", newline="\n")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
