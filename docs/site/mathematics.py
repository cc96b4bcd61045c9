r"""A hook of mkdocs that turns LaTeX into MathML, so that pages need neither scripts nor the network.

Sources have ``$x^2$`` within a line, and an equation between two lines ``$$``. An equation with ``\tag{3}``
is number 3 of its page; "equation (3)" becomes a link to it, and so does "equation (3) of docs/theory.md"
in a docstring.
"""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

from math_core import LatexError, LatexToMathML
from mkdocs.exceptions import PluginError

DOCS = Path(__file__).parents[1]
TAG = re.compile(r"\s*\\tag\{(\w+)\}")
EQUATION = re.compile(r"^\$\$\n(.+?)\n\$\$$", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r'([(\[]*)<span class="arithmatex">\\\((.+?)\\\)</span>([.,;:)\]]*)', re.DOTALL)
TOKEN = re.compile(r"\\[a-zA-Z]+|.", re.DOTALL)
RELATIONS = {"=", "<", ">", r"\le", r"\ge", r"\ne", r"\to", r"\in", r"\sim", r"\approx", r"\mid"}
SUMS = {"+", "-"}
SHORT = 40  # characters of LaTeX in a formula that is not broken; browsers do not break MathML themselves
MENTION = re.compile(
    r"[Ee]quation \((\w+)\)"
    r"(?:\s+of\s+(?:<code>docs/([\w/-]+)\.md</code>|docs/([\w/-]+)\.md|<a href=[^>]+>([\w/-]+)\.md</a>))?"
)

_to_mathml = LatexToMathML()


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Turn equations that stand by themselves into MathML, with their numbers."""
    return EQUATION.sub(lambda found: _equation(found[1], page.file.src_uri), markdown)


def on_page_content(content: str, page: Any, config: Any, files: Any) -> str:
    """Turn formulas within a line into MathML, and mentions of equations into links."""
    name = page.file.src_uri
    content = INLINE.sub(lambda found: _inline(found, name), content)
    return MENTION.sub(lambda found: _link(found, page, files), content)


def _inline(found: re.Match[str], name: str) -> str:
    """Return a formula within a line, in pieces between which the line may break, with its punctuation."""
    pieces = [_mathml(piece, name, display=False) for piece in _pieces(html.unescape(found[2]))]
    pieces[0] = found[1] + pieces[0]
    pieces[-1] += found[3]
    return "<wbr>".join(f'<span class="formula">{piece}</span>' for piece in pieces)


def _pieces(latex: str) -> list[str]:
    """Return a long formula cut before its relations, and before the terms of a long side."""
    pieces = [latex]
    for operators in (RELATIONS, SUMS):
        pieces = [part for piece in pieces for part in _cut(piece, operators)]
    return pieces


def _cut(latex: str, operators: set[str]) -> list[str]:
    if len(latex) <= SHORT:
        return [latex]
    parts, depth = [""], 0
    for token in TOKEN.findall(latex):
        depth += (token in "([{") - (token in ")]}")
        depth += (token == r"\left") - (token == r"\right")
        if token in operators and depth == 0 and parts[-1].strip(" {}"):
            parts.append("{} ")  # the operator keeps the space of one between two sides
        parts[-1] += token
    return parts


def _equation(latex: str, name: str) -> str:
    tags = TAG.findall(latex)
    mathml = _mathml(" ".join(TAG.sub("", latex).split()), name, display=True)
    if not tags:
        return f'<div class="equation">{mathml}</div>'
    anchor = f"equation-{tags[0]}"
    number = f'<a class="number" href="#{anchor}">({tags[0]})</a>'
    return f'<div class="equation" id="{anchor}">{mathml}{number}</div>'


def _mathml(latex: str, name: str, *, display: bool) -> str:
    try:
        return str(_to_mathml.convert_with_local_state(latex, displaystyle=display))
    except LatexError as error:
        raise PluginError(f"{name}: not LaTeX that math-core knows: {latex}") from error


def _link(found: re.Match[str], page: Any, files: Any) -> str:
    """Return a mention of an equation as a link; raise if there is no such equation."""
    number, *sources = found.groups()
    source = next(filter(None, sources), "")
    target = f"{source}.md" if source else page.file.src_uri
    path = DOCS / target
    if not path.exists() or number not in TAG.findall(path.read_text(encoding="utf-8")):
        raise PluginError(f"{page.file.src_uri}: there is no equation ({number}) in {target}")
    to = files.get_file_from_path(target).url_relative_to(page.file) if source else ""
    words = re.sub(r"<[^>]+>", "", found[0])
    return f'<a href="{to}#equation-{number}">{words}</a>'
