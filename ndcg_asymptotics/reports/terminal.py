"""What is found, on a terminal or in a pipe."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rich.console import Console

from ndcg_asymptotics.tables import Part, Table, print_parts

_PLAIN_WIDTH = 200  # where the output is no terminal


def show(parts: Iterable[Part]) -> None:
    """Print tables and lines; tables that go to a file or a pipe are not folded."""
    console = Console(highlight=False)
    print_parts(parts, console if console.is_terminal else Console(highlight=False, width=_PLAIN_WIDTH))


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
