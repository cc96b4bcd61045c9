"""Every command and every Python block of the documentation does what it says, in the order of the page."""

from __future__ import annotations

import re
from itertools import takewhile
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from pages import ROOT, SHELLS, Block, Reader, blocks, pages

RULE = re.compile(r"\|(?:\s*:?-+:?\s*\|)+")
CELLS = re.compile(r"(?<!\\)\|")


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


# tests/test_readme.py runs the README
@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in pages() if page.name != "README.md"], ids=named)
def test_a_page_does_what_it_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    mpl.use("Agg")
    reader = Reader(named(page))
    for block in blocks(page.read_text(encoding="utf-8")):
        reader.do(block)
    plt.close("all")


def test_commands_stand_in_blocks_that_are_run() -> None:
    """A command in an indented block, or in one without a language, would be told and never tried."""
    for page in pages():
        text = page.read_text(encoding="utf-8")
        for block in blocks(text):
            if block.language not in SHELLS and not block.title and not block.excuse:
                assert "\nndcg-asymptotics " not in "\n" + block.text, f"{named(page)}, line {block.line}"
        indented = [line for line in text.splitlines() if line.startswith("    ndcg-asymptotics ")]
        assert indented == [], named(page)


def wrong_rows(text: str) -> list[int]:
    """The lines of the rows of tables that have another number of cells than the rule below the heading."""
    lines, code, found = text.splitlines(), False, []
    for i, line in enumerate(lines):
        code ^= line.startswith("```")
        if code or not RULE.fullmatch(line):
            continue
        after = takewhile(lambda k: lines[k].startswith("|"), range(i + 1, len(lines)))
        found += [k + 1 for k in (i - 1, *after) if len(CELLS.findall(lines[k])) != len(CELLS.findall(line))]
    return found


def test_rows_of_tables_have_as_many_cells_as_their_heading() -> None:
    """A bar within a cell, as of an absolute value, would end it: it is written with a backslash."""
    wrong = {named(page): wrong_rows(page.read_text(encoding="utf-8")) for page in pages()}
    assert {page: rows for page, rows in wrong.items() if rows} == {}
    table = "| a | b |\n|---|---:|\n| x | \\|y\\| |\n| x | |y| |\n| x |\n\n| no table |\n"
    assert wrong_rows(table) == [4, 5]
    assert wrong_rows(f"```\n{table}```\n") == []


def test_a_block_that_fails_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = (
        '```toml title="a.toml"\nx = 1\n```\n<!-- not run: too long -->\n```sh\nfalse\n```\n'
        "```sh\nfalse  # exit status 1\nndcg-asymptotics check nowhere  # exit status 2\n```\n"
        "```python\nvalue = 3\n```\n"
    )
    found = list(blocks(page))
    assert [block.excuse for block in found] == ["", "too long", "", ""]
    reader = Reader("page")
    for block in found:
        reader.do(block)
    assert (tmp_path / "a.toml").read_text() == "x = 1\n"
    assert reader.names["value"] == 3
    for bad in ("ndcg-asymptotics check nowhere", "false"):
        with pytest.raises(AssertionError, match="ended with exit status"):
            reader.do(Block("sh", "", bad, "", 1))
    with pytest.raises(ZeroDivisionError):
        reader.do(Block("python", "", "1 / 0", "", 1))
