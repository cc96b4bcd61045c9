"""Random edits of a room of the package, and whether its tests notice them: python -m robustness.edits lists.

An edit changes a number, an operator or a comparison, or swaps two arguments, in a copy of the repository.
There the tests of the room (or ``--tests``) run until one fails. Compare what is noticed before and after
tests are deleted: a seed makes the same edits as long as the room is the same.
"""

from __future__ import annotations

import argparse
import ast
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from robustness.mutations import ROOT, run_python

PACKAGE = ROOT / "ndcg_asymptotics"

_PAIRS = (
    (ast.Add, ast.Sub),
    (ast.Mult, ast.Div),
    (ast.Lt, ast.LtE),
    (ast.Gt, ast.GtE),
    (ast.Eq, ast.NotEq),
    (ast.Is, ast.IsNot),
    (ast.And, ast.Or),
)
OPERATORS: dict[type[ast.AST], type[ast.AST]] = {a: b for pair in _PAIRS for a, b in (pair, pair[::-1])}


def places(tree: ast.Module) -> list[ast.AST]:
    """Return the expressions that can be edited; annotations, imports and texts cannot."""

    def within(node: ast.AST) -> Iterator[ast.AST]:
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "decorator_list"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield child
                    yield from within(child)

    return [node for node in within(tree) if edited(node, try_only=True)]


def edited(node: ast.AST, *, try_only: bool = False) -> str:
    """Edit an expression, unless it is only tried, and return what the edit is; "" if there is none."""
    fields: dict[str, Any]
    value: Any = getattr(node, "value", None)
    if isinstance(node, ast.Constant) and type(value) in (int, float):
        new = value + 1 if type(value) is int else 1.5 * value + 0.1
        edit, fields = f"{value} -> {new}", {"value": new}
    elif isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in OPERATORS:
        other = OPERATORS[type(node.op)]
        edit, fields = f"{type(node.op).__name__} -> {other.__name__}", {"op": other()}
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in OPERATORS:
        other = OPERATORS[type(node.ops[0])]
        edit, fields = f"{type(node.ops[0]).__name__} -> {other.__name__}", {"ops": [other(), *node.ops[1:]]}
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        edit, fields = "a sign or a not is left out", {"op": ast.UAdd()}
    elif isinstance(node, ast.Call) and len(node.args) == 2:
        edit, fields = "two arguments are swapped", {"args": node.args[::-1]}
    else:
        return ""
    if not try_only:
        for field, value in fields.items():
            setattr(node, field, value)
    return edit


def noticed(copy: Path, tests: list[str]) -> bool:
    """Return whether a test fails in a copy of the repository."""
    options = "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"
    try:
        run = run_python(copy, *options, *tests, timeout=1800, OPENBLAS_NUM_THREADS="1")
    except subprocess.TimeoutExpired:
        return True
    return run.returncode != 0


def main() -> None:
    """Make the edits one by one, and print for each whether it is noticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("room")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=58)
    parser.add_argument("--tests", nargs="+", default=[])
    given = parser.parse_args()
    tests, rng = given.tests or [f"tests/{given.room}"], random.Random(given.seed)
    files = sorted((PACKAGE / given.room).rglob("*.py"))
    every = [(file, i) for file in files for i in range(len(places(ast.parse(file.read_text("utf-8")))))]
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".*cache", ".git", ".venv*", "__pycache__"))
        if noticed(copy, tests):
            sys.exit(f"{' '.join(tests)} fail without an edit")
        for file, i in sorted(rng.sample(every, given.count)):
            source, target = file.read_text("utf-8"), copy / file.relative_to(ROOT)
            tree = ast.parse(source)
            node = places(tree)[i]
            where, edit = f"{file.relative_to(PACKAGE)}:{getattr(node, 'lineno', 0)}", edited(node)
            target.write_text(ast.unparse(ast.fix_missing_locations(tree)), "utf-8")
            seen = noticed(copy, tests)
            target.write_text(source, "utf-8")
            count += seen
            print(f"{'noticed    ' if seen else 'NOT noticed'} {where}: {edit}", flush=True)
    print(f"{count} of {given.count} edits are noticed")


if __name__ == "__main__":
    main()
