"""Speed as ratios within one run: ``python -m benchmarks [NAME …]``.

Prints a table for each module of lines, and writes all of them to results/benchmarks.json.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.line import Line
from ndcg_asymptotics.store.layout import versions_here

NAMES = (
    *("one_list", "every_n", "items", "cells", "rare", "growth", "expectation", "variance", "sweep"),
    *("startup", "lists"),
)
FILE = Path(__file__).parents[1] / "results" / "benchmarks.json"
_ONE = "--one"  # a process of its own, which writes its lines as JSON


def measured(name: str) -> list[dict[str, Any]]:
    """The lines of a module, measured in a fresh process: none inherits what another has cached."""
    command = [sys.executable, "-m", "benchmarks", _ONE, name]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return found


def show(name: str, lines: list[Line]) -> None:
    """Print a table of lines."""
    table = Table("what", "in units of", "median", "spread", "asked", "reached", title=name)
    for line in lines:
        table.add_row(*line.row())
    Console(width=140).print(table)


def restored(plain: dict[str, Any]) -> Line:
    """A line from what `Line.plain` made of it."""
    fields = {name: plain[name] for name in ("what", "beside", "asked", "at_least")}
    return Line(values=tuple(plain["values"]), **fields)


def main() -> None:
    """Measure, print and write."""
    given = sys.argv[1:]
    if given[:1] == [_ONE]:
        lines = import_module(f"benchmarks.{given[1]}").lines()
        print(json.dumps([line.plain() for line in lines]))
        return
    unknown = set(given) - set(NAMES)
    if unknown:
        sys.exit(f"no such benchmarks: {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    tables = {}
    for name in given or NAMES:
        tables[name] = measured(name)
        show(name, [restored(plain) for plain in tables[name]])
    machine = {"cores": os.cpu_count(), "load": os.getloadavg()[1], "processor": platform.processor()}
    if not given:
        FILE.parent.mkdir(exist_ok=True)
        FILE.write_text(
            json.dumps({"machine": machine, "versions": versions_here(), "tables": tables}, indent=1)
        )
        print(FILE)


if __name__ == "__main__":
    main()
