"""Numbers of the documentation: what counts as printed, and quotations of answers about real runs."""

from __future__ import annotations

import gzip
import shlex
from pathlib import Path

import pytest
from cases import output
from pages import ROOT
from printed import differences, sections, unprinted

PRINTED = "from 337 documents on; 0.98712 [1,260, 1,517], 20.15%, p 0.331, 7e-71 to 1.5067e7"


@pytest.mark.parametrize(
    "words",
    [
        "0.987 and 0.99 from 337 on, 1,260 or 1260 (33.1%, 20.2%, 33%), 0.2015; 1.51e7 and 7e-71",
        "`327`, Theorem 6, sections 7.1 and 8, [a page](other.md#7-title), equation (3), nDCG@10 and n^0.5",
        "<!-- not printed: a reference -->\nSakai (2016), 256-283\n\nAnd 337.",
        "2. an item\n\n## 3. A heading\n",
        "Said:\n\n> from 337 documents\n> on; 0.98712\n",
    ],
)
def test_printed_numbers(words: str) -> None:
    assert unprinted(words, PRINTED) == []


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        ("from 327 on", ["327"]),
        ("0.986, 0.9872 and 340", ["0.986", "0.9872", "340"]),
        ("33.2% and 20.3%", ["33.2%", "20.3%"]),
        ("1.50e7 and 8e-71", ["1.50e7", "8e-71"]),
        ("> from 337 documents on; 0.98713\n", ["from 337 documents on; 0.98713"]),
        ("<!-- not printed: a reference -->\n2016\n\nAnd 338.", ["338"]),
        ("| a | 1,261 |\n", ["1,261"]),
    ],
)
def test_other_numbers(words: str, wrong: list[str]) -> None:
    assert unprinted(words, PRINTED) == wrong


def test_a_section_is_held_to_its_own_blocks_and_a_comment_to_its_block() -> None:
    page = (
        "# One\nIt is 41, for 20 queries.\n```sh\nfirst --queries 20  # 42\n```\n"
        "# Two\nIt is 42, for 20 queries.\n```python\n1 + 1  # 2\n```\n# Three\nAnd 43 of 44.\n"
    )
    assert [len(found) for _, found in sections(page)] == [1, 1, 0]
    output = {"sh": "42", "python": "2"}
    assert differences(page, lambda block: output[block.language]) == ["41", "42"]
    output["sh"] = "41"
    assert differences(page, lambda block: output[block.language]) == ["42", "42"]


def test_what_the_table_of_required_queries_is_said_to_show() -> None:
    """As observed a number is kept most often in one row; the range of the other one is that of all rows."""
    page = (ROOT / "docs" / "howto" / "plan.md").read_text(encoding="utf-8")
    cells = [line.strip("|").split("|") for line in page.splitlines() if line.startswith("| 0.")]
    rows = [[float(cell) for cell in row] for row in cells if len(row) == 11]
    assert len(rows) == 9
    best = max(rows, key=lambda row: row[3])
    said = " ".join(page.split())
    assert f"in {best[3]} with {best[1]:.0f} queries at an effect of {best[0]}." in said
    kept = [1 - printed + printed * kept for *_, printed, kept in rows]
    assert f"{min(kept):.2f} to {max(kept):.2f} of the significant pilots in every row" in said


@pytest.mark.slow
@pytest.mark.parametrize("page", ["docs/comparing.md"])
def test_what_is_quoted_of_two_real_runs(
    page: str, data_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command of the first quotation is run for the runs of TREC 2003 Robust, where they are at hand."""
    folder = data_folder / "robust03"
    monkeypatch.chdir(tmp_path)
    for file in folder.rglob("*.gz"):
        (tmp_path / file.name).symlink_to(file)
        plain = "robust03.qrels" if file.name == "qrels.txt.gz" else file.name.removesuffix(".gz")
        (tmp_path / plain).write_bytes(gzip.decompress(file.read_bytes()))
    text = (ROOT / page).read_text(encoding="utf-8")
    words, found = next((words, found) for words, found in sections(text) if "\n> " in words)
    printed = output(*shlex.split(found[0].text.replace("\\\n", " "))[1:])
    quoted = "\n".join(line for line in words.splitlines() if line.startswith("> "))
    assert unprinted(quoted, printed) == []
    assert unprinted(quoted.replace("0.0405", "0.0406"), printed) != []
