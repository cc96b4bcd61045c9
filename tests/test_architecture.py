"""Rules of the architecture that import-linter cannot check."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import ndcg_asymptotics

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "ndcg_asymptotics"


def modules(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def foreign_private_names(tree: ast.Module) -> Iterator[str]:
    """Names with an underscore that are imported, or read from an imported module of the package."""
    ours: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ndcg_asymptotics"):
            ours |= {alias.asname or alias.name for alias in node.names}
            yield from (alias.name for alias in node.names if private(alias.name))
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)):
            continue
        if private(node.attr) and node.value.id in ours:
            yield f"{node.value.id}.{node.attr}"


CHECKED = modules("ndcg_asymptotics", "figures", "benchmarks", "tests/robustness")


@pytest.mark.slow
@pytest.mark.parametrize("path", CHECKED, ids=str)
def test_no_module_uses_a_private_name_of_another(path: Path) -> None:
    assert list(foreign_private_names(ast.parse(path.read_text()))) == []


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
