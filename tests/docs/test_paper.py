"""The paper for the Journal of Open Source Software follows the journal's checklist."""

from __future__ import annotations

import re
from pathlib import Path

PAPER = Path(__file__).parents[2] / "paper"
TEXT = (PAPER / "paper.md").read_text()
BODY = TEXT.split("---", 2)[2]


def test_the_paper_has_the_required_length() -> None:
    assert 750 <= len(BODY.split()) <= 1750


def test_every_citation_is_in_the_bibliography_and_every_entry_is_cited() -> None:
    entries = re.findall(r"^@\w+\{(\w+),", (PAPER / "paper.bib").read_text(), re.MULTILINE)
    assert len(entries) == len(set(entries))
    assert set(re.findall(r"(?<=[\[;\- ])@(\w+)", BODY)) == set(entries)


def test_every_source_can_be_found() -> None:
    for entry in (PAPER / "paper.bib").read_text().split("\n@")[1:]:
        assert re.search(r"^\s*(doi|url)\s*=", entry, re.MULTILINE), entry


def test_the_figure_is_drawn_by_the_gallery_and_referred_to() -> None:
    ((label, path),) = re.findall(r"\\label\{(fig:\w+)\}\]\(([^)]+)\)", BODY)
    assert (PAPER / path).resolve().is_file()
    assert rf"\autoref{{{label}}}" in BODY
