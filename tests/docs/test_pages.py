"""Every command and Python block of the documentation runs, and its links and tables are well formed."""

from __future__ import annotations

import re
from itertools import takewhile
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from pages import ROOT, SHELLS, Block, Reader, blocks, pages
from printed import differences

DRAWN = {"docs/findings.md"}  # pages with numbers of weighted draws
RULE = re.compile(r"\|(?:\s*:?-+:?\s*\|)+")
CELLS = re.compile(r"(?<!\\)\|")
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


# test_readme.py runs the README
@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in pages() if page.name != "README.md"], ids=named)
def test_a_page_says_what_its_blocks_print(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    if named(page) in DRAWN and tuple(map(int, np.__version__.split(".")[:2])) < (2, 4):
        pytest.skip("numpy draws other binomial counts before 2.4")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")  # no column of a table is left out
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "1")  # the tests of sweep start workers
    mpl.use("Agg")
    # figures are drawn and laid out; tests of plots look at files
    monkeypatch.setattr(Figure, "savefig", lambda *_, **__: None)
    reader = Reader(named(page))

    def output(block: Block) -> str:
        reader.do(block)
        return "\n".join(capfd.readouterr())

    wrong = differences(page.read_text(encoding="utf-8"), output)
    plt.close("all")
    assert not wrong, f"{named(page)} says what is not printed: {'; '.join(wrong)}"


def test_commands_stand_in_blocks_that_are_run() -> None:
    """No command stands in an indented block or in one without a language, which the tests do not run."""
    for page in pages():
        text = page.read_text(encoding="utf-8")
        for block in blocks(text):
            if block.language not in SHELLS and not block.title and not block.excuse:
                assert "\nndcg-asymptotics " not in "\n" + block.text, f"{named(page)}, line {block.line}"
        indented = [line for line in text.splitlines() if line.startswith("    ndcg-asymptotics ")]
        assert indented == [], named(page)


def broken_links(page: Path, text: str) -> list[str]:
    """Return the relative links of a page that lead to no file or to no heading."""
    broken = []
    for found in LINK.finditer(text):
        target = (page.parent / found[1]).resolve() if found[1] else page
        if not target.exists() or (found[2] and found[2] not in anchors(target)):
            broken.append(found[0])
    return broken


def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of a page."""
    headings = HEADING.findall(page.read_text(encoding="utf-8"))
    words = (re.sub(r"[^\w\s-]", "", heading).strip().lower() for heading in headings)
    return {re.sub(r"[-\s]+", "-", heading) for heading in words}


def test_links_lead_to_files_and_headings() -> None:
    broken = {named(page): broken_links(page, page.read_text(encoding="utf-8")) for page in pages()}
    assert {page: links for page, links in broken.items() if links} == {}
    page = ROOT / "docs" / "index.md"
    bad = "[a](nowhere.md) [b](theory.md#nothing) [c](theory.md#1-notation) [d](https://example.org)"
    assert broken_links(page, bad) == ["](nowhere.md)", "](theory.md#nothing)"]


def wrong_rows(text: str) -> list[int]:
    """Return the lines of table rows with another number of cells than the rule below the heading."""
    lines, code, found = text.splitlines(), False, []
    for i, line in enumerate(lines):
        code ^= line.startswith("```")
        if code or not RULE.fullmatch(line):
            continue
        after = takewhile(lambda k: lines[k].startswith("|"), range(i + 1, len(lines)))
        found += [k + 1 for k in (i - 1, *after) if len(CELLS.findall(lines[k])) != len(CELLS.findall(line))]
    return found


def test_rows_of_tables_have_as_many_cells_as_their_heading() -> None:
    """A bar inside a cell, as in an absolute value, needs a backslash, or it would end the cell."""
    wrong = {named(page): wrong_rows(page.read_text(encoding="utf-8")) for page in pages()}
    assert {page: rows for page, rows in wrong.items() if rows} == {}
    table = "| a | b |\n|---|---:|\n| x | \\|y\\| |\n| x | |y| |\n| x |\n\n| no table |\n"
    assert wrong_rows(table) == [4, 5]
    assert wrong_rows(f"```\n{table}```\n") == []


def unnamed_columns(text: str) -> list[int]:
    """Return the lines of tables' headings in which a column has no name."""
    lines = text.splitlines()
    headings = [i for i, line in enumerate(lines) if RULE.fullmatch(line)]
    return [i for i in headings if not all(cell.strip() for cell in CELLS.split(lines[i - 1])[1:-1])]


def test_every_column_of_a_table_has_a_name() -> None:
    """A screen reader reads it with every cell."""
    found = {named(page): unnamed_columns(page.read_text(encoding="utf-8")) for page in pages()}
    assert {page: lines for page, lines in found.items() if lines} == {}
    assert unnamed_columns("| a | |\n|---|---|\n| x | y |\n") == [1]


def test_the_reader_runs_blocks_and_reports_failures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
