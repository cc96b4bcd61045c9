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
    "one_list",
    "every_n",
    "items",
    "cells",
    "growth",
    "memory",
    "sweep",
    "startup",
    "rare",
    "lists",
    "exact",
    "training",
)
SORTING = ("one_list", "every_n", "items")
"""Tables whose ratios depend on numpy's sorts: they are measured with vector instructions and without."""

_WITHOUT = {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR X86_V3"}  # names of numpy 2.4
_VECTOR_SORTS = {"X86_V3", "X86_V4", "AVX2", "AVX512_SKX", "ASIMD"}  # any of these brings them
FILE = Path(__file__).parents[1] / "results" / "benchmarks.json"
_ONE = "--one"  # marks the process that measures one module


def measure(name: str, table: str) -> None:
    """Measure the lines of a module and write them to a table of the file, with the load and versions."""
    lines = [line.plain() for line in import_module(f"benchmarks.{name}").lines()]
    tables = json.loads(FILE.read_text()) if FILE.exists() else {}
    load = f"{os.getloadavg()[1]:.1f} processes on {os.cpu_count()} cores"
    versions = versions_here()
    has = "with" if _VECTOR_SORTS & set(versions["numpy_cpu"].split()) else "without"
    sorts = f"numpy {versions['numpy']} {has} vector sorts"
    tables[table] = {"lines": lines, "load": load, "versions": versions, "sorts": sorts}
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(json.dumps(tables, indent=1))


def show(name: str) -> None:
    """Print a table from the file."""
    found = json.loads(FILE.read_text())[name]
    table = Table("what", "relative to", "median", "range", title=f"{name} ({found['sorts']})")
    for plain in found["lines"]:
        table.add_row(*Line(**plain).row())
    Console(width=140).print(table)


def main() -> None:
    """Measure each module in a process of its own, with empty caches, and print its table."""
    given = sys.argv[1:]
    if given[:1] == [_ONE]:
        measure(given[1], given[2])
        return
    unknown = set(given) - set(NAMES)
    if unknown:
        sys.exit(f"no such benchmarks: {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    for name in given or NAMES:
        ways = [(name, {}), (f"{name}, plain sorts", _WITHOUT)] if name in SORTING else [(name, {})]
        for table, disabled in ways:
            command = [sys.executable, "-W", "ignore", "-m", "benchmarks", _ONE, name, table]
            subprocess.run(command, check=True, env={**os.environ, **disabled})
            show(table)
    print(FILE)


if __name__ == "__main__":
    main()
