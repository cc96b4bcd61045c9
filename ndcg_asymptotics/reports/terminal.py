"""Functions that print results as tables, or in a format that other programs read."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

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

JSON_VERSION = 1
"""The version of the fields of JSON output, which docs/json/ describes.

It grows when a field is left out or changes its meaning, not when one is added.
"""


def show(
    found: Report | Iterable[ReportBlock],
    form: Form,
    kind: str,
    *,
    blocks: Iterable[ReportBlock] | None = None,
    data: Mapping[str, object] | None = None,
    verbose: bool = True,
) -> None:
    """Print an outcome in one of the formats.

    Parameters
    ----------
    found : Report, or tables and lines
    form : {"table", "csv", "markdown", "latex", "json"}
        Other formats than a table leave lines out. CSV is the DataFrame of ``found``, with every row.
    kind : str
        What is printed, as docs/json/ calls it.
    blocks : tables and lines, optional
        What to print instead of all blocks of ``found``.
    data : optional
        What to print as JSON instead of ``found.as_dict()``.
    verbose : bool
        Whether a table is printed with its details; other formats have all tables.
    """
    listed = blocks if blocks is not None else found.blocks() if isinstance(found, Report) else found
    if form == "json":
        show_json(kind, data or (found.as_dict() if isinstance(found, Report) else {}))
    elif form == "csv" and isinstance(found, Report):
        _print_text(csv_of(found.to_dataframe()))
    elif form != "table":
        _print_text(in_format(listed, form))
    else:
        print_blocks(listed, console(), verbose=verbose)


def _print_text(text: str) -> None:
    """Print what another program reads; on a terminal, control characters are written out."""
    print("\n".join(map(visible, text.split("\n"))) if sys.stdout.isatty() else text, end="")


def show_json(kind: str, value: Mapping[str, object]) -> None:
    """Print fields as one JSON object that states its kind and version; NaN and infinities become null."""
    whole = {"kind": kind, "version": JSON_VERSION, **value}
    print(json.dumps(_plain(whole), indent=2, allow_nan=False))


def write_csv(path: Path, table: Table) -> None:
    """Write the values of a table, unrounded."""
    path.write_text(table.to_csv(), encoding="utf-8", newline="\n")


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
