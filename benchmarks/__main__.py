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

from rich.console import Console
from rich.table import Table

from benchmarks.line import Line
from ndcg_asymptotics.results.layout import versions_here

NAMES = (
    "one_list", "every_n", "items", "cells", "growth", "memory", "sweep", "startup", "rare", "lists", "exact",
    "training",
)  # fmt: skip
FILE = Path(__file__).parents[1] / "results" / "benchmarks.json"
_ONE = "--one"  # marks the process that measures one module


def measure(name: str) -> None:
    """Measure the lines of a module and write them to the file, with the load and versions of the machine."""
    lines = [line.plain() for line in import_module(f"benchmarks.{name}").lines()]
    tables = json.loads(FILE.read_text()) if FILE.exists() else {}
    load = f"{os.getloadavg()[1]:.1f} processes on {os.cpu_count()} cores"
    tables[name] = {"lines": lines, "load": load, "versions": versions_here()}
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(json.dumps(tables, indent=1))


def show(name: str) -> None:
    """Print a module's table from the file."""
    table = Table("what", "relative to", "median", "range", title=name)
    for plain in json.loads(FILE.read_text())[name]["lines"]:
        table.add_row(*Line(**plain).row())
    Console(width=140).print(table)


def main() -> None:
    """Measure each module in a process of its own, with empty caches, and print its table."""
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
