"""Functions that print results as tables, or in a format that other programs read."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ndcg_asymptotics.core.tables import (
    Form,
    Report,
    ReportBlock,
    Table,
    console,
    csv_of,
    in_format,
    print_blocks,
)
from ndcg_asymptotics.core.text import visible


def show(
    found: Report | Iterable[ReportBlock],
    form: Form = "table",
    *,
    blocks: Iterable[ReportBlock] | None = None,
    data: Any = None,
) -> None:
    """Print an outcome in one of the formats.

    Parameters
    ----------
    found : Report, or tables and lines
    form : {"table", "csv", "markdown", "latex", "json"}
        Other formats than a table leave lines out. CSV is the DataFrame of ``found``, with every row.
    blocks : tables and lines, optional
        What to print instead of all blocks of ``found``.
    data : optional
        What to print as JSON instead of ``found.as_dict()``.
    """
    listed = blocks if blocks is not None else found.blocks() if isinstance(found, Report) else found
    if form == "json":
        show_json(found.as_dict() if data is None and isinstance(found, Report) else data)
    elif form == "csv" and isinstance(found, Report):
        _print_text(csv_of(found.to_dataframe()))
    elif form != "table":
        _print_text(in_format(listed, form))
    else:
        print_blocks(listed, console())


def _print_text(text: str) -> None:
    """Print what another program reads; on a terminal, control characters are written out."""
    print("\n".join(map(visible, text.split("\n"))) if sys.stdout.isatty() else text, end="")


def show_json(value: Any) -> None:
    """Print plain data as JSON; NaN and infinities, which it does not have, become null."""
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
