"""Modules of a study's folder: found before others of their name, and run again when they change."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from cases import refused, write

from ndcg_asymptotics.measures.discounts import Discount


def first(folder: Path, target: str) -> float:
    return float(Discount.parse(f'custom("{target}", 100)', folder)(1.0))


@pytest.mark.parametrize("edited", ["inner/mine.py", "inner/helper.py", "inner/__init__.py"])
def test_an_edited_module_is_loaded_again(tmp_path: Path, edited: str) -> None:
    """Any file of a package may be edited, even within the resolution of the clock and to the same size."""
    files = {
        "inner/__init__.py": "C = 1.0\n",
        "inner/helper.py": "B = 1.0\n",
        "inner/mine.py": "from inner import C\nfrom inner.helper import B\nA = 1.0\n\n\n"
        "def slow(r):\n    return A * B * C / r\n",
    }
    (tmp_path / "inner").mkdir()
    for name, text in files.items():
        (tmp_path / name).write_text(text)
        os.utime(tmp_path / name, (10**9, 10**9))
    assert first(tmp_path, "inner.mine:slow") == 1.0
    (tmp_path / edited).write_text(files[edited].replace("1.0", "3.0"))
    os.utime(tmp_path / edited, (10**9, 10**9))
    assert first(tmp_path, "inner.mine:slow") == 3.0
    assert not any(name.partition(".")[0] == "inner" for name in sys.modules)
    assert {path.name for path in tmp_path.rglob("*")} == {"inner", "__init__.py", "helper.py", "mine.py"}


def test_a_folders_own_package_comes_before_one_that_is_imported(tmp_path: Path) -> None:
    (tmp_path / "json").mkdir()
    (tmp_path / "json" / "__init__.py").write_text("")
    (tmp_path / "json" / "decoder.py").write_text("def slow(r):\n    return 1 / r\n")
    before = sys.modules["json.decoder"]
    assert first(tmp_path, "json.decoder:slow") == 1.0
    assert sys.modules["json.decoder"] is before


def test_a_deleted_module_is_noticed(tmp_path: Path) -> None:
    helper = write(tmp_path, "A = 1.0\n", "helper_of_mine.py")
    write(tmp_path, "from helper_of_mine import A\n\n\ndef slow(r):\n    return A / r\n", "mine.py")
    assert first(tmp_path, "mine:slow") == 1.0
    helper.unlink()
    refused("No module named 'helper_of_mine'", first, tmp_path, "mine:slow")
