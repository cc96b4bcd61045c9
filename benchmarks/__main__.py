"""Speed as ratios within one run: ``python -m benchmarks [NAME …]``.

Prints a table for each module of lines, and writes it to results/benchmarks.json in place of an earlier one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.line import Line
from ndcg_asymptotics.results.layout import versions_here

NAMES = (
    "one_list", "every_n", "items", "cells", "growth", "memory", "sweep", "startup", "rare", "lists",
    "expectation", "variance",
)  # fmt: skip
FILE = Path(__file__).parents[1] / "results" / "benchmarks.json"
_ONE = "--one"  # of a process of its own


def measure(name: str) -> None:
    """Measure the lines of a module and put them into the file, with what they were measured on."""
    lines = [line.plain() for line in import_module(f"benchmarks.{name}").lines()]
    tables = json.loads(FILE.read_text()) if FILE.exists() else {}
    load = f"{os.getloadavg()[1]:.1f} processes on {os.cpu_count()} cores"
    tables[name] = {"lines": lines, "load": load, "versions": versions_here()}
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(json.dumps(tables, indent=1))


def show(name: str) -> None:
    """Print a table of the file."""
    table = Table("what", "in units of", "median", "spread", "asked", "reached", title=name)
    for plain in json.loads(FILE.read_text())[name]["lines"]:
        table.add_row(*restored(plain).row())
    Console(width=140).print(table)


def restored(plain: dict[str, Any]) -> Line:
    """A line from what `Line.plain` made of it."""
    fields = {name: plain[name] for name in ("what", "beside", "asked", "at_least")}
    return Line(values=tuple(plain["values"]), **fields)


def main() -> None:
    """Measure, each module in a fresh process as none should find what another has kept, and print."""
    given = sys.argv[1:]
    if given[:1] == [_ONE]:
        measure(given[1])
        return
    unknown = set(given) - set(NAMES)
    if unknown:
        sys.exit(f"no such benchmarks: {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    for name in given or NAMES:
        subprocess.run([sys.executable, "-m", "benchmarks", _ONE, name], check=True)
        show(name)
    print(FILE)


if __name__ == "__main__":
    main()
