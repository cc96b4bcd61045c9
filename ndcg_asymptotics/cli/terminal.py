"""Functions that print or write results for other programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from ndcg_asymptotics.core.tables import Table
from ndcg_asymptotics.core.text import visible

JSON_VERSION = 2
"""The version of the fields of JSON output, which docs/json.md describes.

It grows when a field is left out or changes its meaning, not when one is added.
"""


def print_text(text: str) -> None:
    """Print what another program reads; on a terminal, control characters are written out."""
    print("\n".join(map(visible, text.split("\n"))) if sys.stdout.isatty() else text, end="")


def show_json(kind: str, value: Mapping[str, object]) -> None:
    """Print fields as one JSON object that states its kind and version; NaN and infinities become null."""
    whole = {"kind": kind, "version": JSON_VERSION, **value}
    finite = json.loads(json.dumps(whole), parse_constant=lambda _: None)
    print(json.dumps(finite, indent=2))


def write_csv(path: Path, table: Table) -> None:
    """Write the values of a table, unrounded."""
    path.write_text(table.to_csv(), encoding="utf-8", newline="\n")
