"""Rules of the architecture that import-linter cannot check."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import ndcg_asymptotics

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "ndcg_asymptotics"


def modules(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def foreign_private_names(tree: ast.Module) -> Iterator[str]:
    """Names with an underscore that are imported, or read from an imported module of the package."""
    ours: set[str] = set()
    nodes = list(ast.walk(tree))
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ndcg_asymptotics"):
            ours |= {alias.asname or alias.name for alias in node.names}
            yield from (alias.name for alias in node.names if private(alias.name))
    for node in nodes:
        if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)):
            continue
        if private(node.attr) and node.value.id in ours:
            yield f"{node.value.id}.{node.attr}"


CHECKED = modules("ndcg_asymptotics", "figures", "benchmarks", "tests/robustness")


@pytest.mark.slow
@pytest.mark.parametrize("path", CHECKED, ids=str)
def test_no_module_uses_a_private_name_of_another(path: Path) -> None:
    assert list(foreign_private_names(parsed(path))) == []


def test_uses_of_private_names_are_found() -> None:
    text = "from ndcg_asymptotics.theory import mean\nfrom ndcg_asymptotics.core.arrays import _x\nmean._y()"
    assert list(foreign_private_names(ast.parse(text))) == ["_x", "mean._y"]


def test_every_subpackage_is_named_in_the_package_and_in_the_architecture() -> None:
    packages = {folder.name for folder in PACKAGE.iterdir() if (folder / "__init__.py").exists()}
    for text in (ndcg_asymptotics.__doc__ or "", (ROOT / "docs" / "architecture.md").read_text()):
        assert [name for name in sorted(packages) if name not in text] == []


def test_tests_mirror_the_package() -> None:
    packages = {folder.name for folder in PACKAGE.iterdir() if (folder / "__init__.py").exists()}
    assert packages - {"reports"} <= {folder.name for folder in (ROOT / "tests").iterdir() if folder.is_dir()}


def definitions(path: Path) -> set[str]:
    """Names of the public classes and functions at the top of a module."""
    found = {node.name for node in parsed(path).body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    return {name for name in found if not private(name)}


PROTOCOL = {"check", "memory", "simulate", "warm"}  # what every engine has


def shared_names(found: dict[str, set[str]]) -> list[str]:
    """Names of two modules, but for the protocol of engines, and commands named as what they call."""
    of_package = {path: names for path, names in found.items() if not path.startswith("cli/")}
    of_engines = {path for path in of_package if path.startswith("engines/") and path.endswith("/engine.py")}
    wrapped = {"explorer/__init__.py"}  # imports what it wraps when it is called
    counted = [
        name
        for path, names in of_package.items()
        if path not in wrapped
        for name in (names - PROTOCOL if path in of_engines else names)
    ]
    commands = [name for path, names in found.items() if path.startswith("cli/") for name in names]
    twice = {name for names in (counted, commands) for name in names if names.count(name) > 1}
    classes = {name for name in {*commands} & {*counted} if name[0].isupper()}
    return sorted(twice | classes)


def test_a_name_has_one_meaning() -> None:
    found = {path.relative_to(PACKAGE).as_posix(): definitions(path) for path in modules("ndcg_asymptotics")}
    assert shared_names(found) == []


def test_shared_names_are_found() -> None:
    engines = {"engines/a/engine.py": {"check", "draw"}, "engines/b/engine.py": {"check", "draw"}}
    commands = {
        "cli/run.py": {"run", "Run", "merge"},
        "sweep/sweep.py": {"run", "Run"},
        "results/merge.py": {"merge"},
    }
    assert shared_names(engines) == ["draw"]
    assert shared_names(commands) == ["Run"]
