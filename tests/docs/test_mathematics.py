"""The formulas of the documentation: what docstrings refer to exists, and forges can show them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pages import ROOT, pages

TAG = re.compile(r"\\tag\{(\w+)\}")
EQUATION = re.compile(r"[Ee]quation \((\w+)\) of docs/([\w/-]+\.md)")
SECTION = re.compile(
    r"(?:[Ss]ection (\d[\d.]*\b) of docs/([\w/-]+\.md)|docs/([\w/-]+\.md), section (\d[\d.]*\b))"
)
FORMULA = re.compile(r"^\$\$\n(.+?)\n\$\$$|\$([^$\n]+)\$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.DOTALL | re.MULTILINE)
# Forges take a backslash before punctuation as Markdown, and render "<" before a letter as a tag.
FRAGILE = re.compile(r"(?<!\\)\\[^a-zA-Z\\]|<[a-zA-Z]")


def missing(text: str) -> list[str]:
    """Return the references to equations and sections of the documentation that do not exist."""
    text = re.sub(r"\s+(?:# )?", " ", text)
    found = []
    for mention in EQUATION.finditer(text):
        page = ROOT / "docs" / mention[2]
        if not page.exists() or mention[1] not in TAG.findall(page.read_text(encoding="utf-8")):
            found.append(mention[0])
    for mention in SECTION.finditer(text):
        number, page = mention[1] or mention[4], ROOT / "docs" / (mention[2] or mention[3])
        heading = re.compile(rf"^#+ {re.escape(number.rstrip('.'))}\.? ", re.MULTILINE)
        if not page.exists() or not heading.search(page.read_text(encoding="utf-8")):
            found.append(mention[0])
    return found


def test_equations_and_sections_that_the_package_refers_to_exist() -> None:
    sources = [
        path for folder in ("ndcg_asymptotics", "tests", "figures") for path in (ROOT / folder).rglob("*.py")
    ]
    texts = {path: path.read_text(encoding="utf-8") for path in sources if path != Path(__file__)}
    assert {path.name: missing(text) for path, text in texts.items() if missing(text)} == {}
    assert sum(len(EQUATION.findall(text)) for text in texts.values()) > 5
    assert missing("equation (1)\n    # of docs/theory.md; docs/orders.md, section 2") == []
    wrong = "Equation (99) of docs/theory.md, section 99 of docs/theory.md. Equation (1) of docs/no.md"
    assert len(missing(wrong)) == 3


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_equations_are_numbered_in_order_and_readable_on_a_forge(page: Path) -> None:
    text = CODE.sub("", page.read_text(encoding="utf-8"))
    tags = TAG.findall(text)
    assert tags == [str(i + 1) for i in range(len(tags))]
    formulas = [found[1] or found[2] for found in FORMULA.finditer(text)]
    assert [formula for formula in formulas if FRAGILE.search(formula)] == []


def test_the_site_can_show_every_formula() -> None:
    to_mathml = pytest.importorskip("math_core").LatexToMathML().convert_with_local_state
    count = 0
    for page in pages():
        for found in FORMULA.finditer(CODE.sub("", page.read_text(encoding="utf-8"))):
            to_mathml(TAG.sub("", found[1] or found[2]), displaystyle=bool(found[1]))
            count += 1
    assert count > 1000
    with pytest.raises(Exception, match="known"):
        to_mathml(r"\nothing", displaystyle=False)


def test_every_proved_theorem_has_a_search_for_counterexamples() -> None:
    proved = re.compile(r"^\*\*(?:Theorem|Lemma) (\w+)\*\* \([^)]*\bproved\b", re.MULTILINE)
    names = {name for page in (ROOT / "docs").rglob("*.md") for name in proved.findall(page.read_text())}
    assert {"T1", "A", "S4", "J1", "L2", "11"} <= names
    searches = (ROOT / "docs" / "findings.md").read_text().split("## Searches for counterexamples")[1]
    cells = " ".join(line.split("|")[1] for line in searches.splitlines() if line.startswith("|"))
    assert sorted(name for name in names if not re.search(rf"\b{name}\b", cells)) == []
