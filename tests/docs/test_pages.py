"""Every command and every Python block of the documentation does what it says, in the order of the page."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from pages import ROOT, SHELLS, Block, Reader, blocks, pages


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
