"""The glossary: its page is what the package says, and its terms are in order."""

from __future__ import annotations

import re
from pathlib import Path

from ndcg_asymptotics.reports.glossary import TERMS, page

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_is_made_of_the_terms() -> None:
    """Make it by python -m ndcg_asymptotics.reports.glossary > docs/glossary.md."""
    assert (DOCS / "glossary.md").read_text(encoding="utf-8") == page()


def test_terms_are_sorted_and_their_headings_and_anchors_are_unique() -> None:
    names = [term.name for term in TERMS]
    assert names == sorted(names, key=str.lower)
    headings = [heading for term in TERMS for heading in term.headings]
    assert len(set(headings)) == len(headings)
    assert len({term.anchor for term in TERMS}) == len(TERMS)
    assert all(re.fullmatch(r"[a-z0-9-]+", term.anchor) for term in TERMS)


def test_meanings_are_sentences_and_their_pages_exist() -> None:
    for term in TERMS:
        assert term.meaning.endswith(".")
        assert not term.page or (DOCS / term.page).is_file()
