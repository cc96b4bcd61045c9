"""The numbers of a page of documentation, held to what its blocks print.

Authors write numbers as usual. In a section whose blocks print something (blocks: `pages`),

- each number of the prose is one that they print, rounded to the digits that are written, or stands in a
  block of the page up to there; a percentage may be printed as a share;
- what is quoted (``>``) is printed, word for word;
- a number in a comment of a block is printed by that block.

Numbers of theorems, sections, equations and items of lists, those in code, and 0 and 1 are no results. A
paragraph, list or table after the comment ``<!-- not printed: why -->`` is left out, and so is a comment of a
block with "not printed" in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from pages import SHELLS, Block, blocks, prose

_INTEGER = r"(?:\d{1,3}(?:,\d{3})+|\d+)"
_NUMBER = re.compile(
    rf"(?<![\w@^./\\-])(?:(?<!\w)[-+])?({_INTEGER})(\.\d+)?(e[-+]?\d+)?( ?%)?(?![\w^]|[.,]\d|-[a-z])"
)
_PRINTED = re.compile(rf"(?<![\w.])-?({_INTEGER}(?:\.\d+)?(?:e[-+]?\d+)?)(%?)")
_NO_RESULT = re.compile(
    r"(?:[Tt]heorems?|[Ss]ections?|[Ee]quations?|Python|exit status)\s\(?\w[\d.]*"
    r"(?:(?:,| to| and)\s\w?\d[\d.]*)*|^(?:#* |\*\*)?[\d.]+\. |`[^`]*`|(?<=\])\([^)\s]*\)|<!--.*?-->",
    re.DOTALL | re.MULTILINE,
)
_LEFT_OUT = re.compile(r"<!-- not printed: [^>]+? -->\n(?:[^\n]+\n)+")
_QUOTE = re.compile(r"(?:^>[^\n]*\n)+", re.MULTILINE)
_COMMENT = re.compile(r"(?:(?<=\s)|^)#.*", re.MULTILINE)


def sections(text: str) -> Iterator[tuple[str, list[Block]]]:
    """Yield the prose of each section of a page and its blocks."""
    found = list(blocks(text))
    lines = prose(text).splitlines(keepends=True)
    starts = [0, *(i for i, line in enumerate(lines) if line.startswith("#") and i)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield "".join(lines[start:end]), [block for block in found if start < block.line <= end]


def differences(text: str, do: Callable[[Block], str]) -> list[str]:
    """Return what a page says and its blocks do not print; ``do`` runs a block and returns its output."""
    source, wrong = "", []
    for words, inside in sections(text):
        printed = ""
        for block in inside:
            output = do(block)
            printed += output
            if not block.excuse and not block.title and block.language in (*SHELLS, "python"):
                said = "\n".join(line for line in _COMMENT.findall(block.text) if "not printed" not in line)
                wrong += unprinted(said, output, _COMMENT.sub("", block.text))
            source += _COMMENT.sub("", block.text) if not block.title else block.text
        if printed.strip():
            wrong += unprinted(words, printed, source)
    return wrong


def unprinted(words: str, printed: str, source: str = "") -> list[str]:
    """Return the numbers and quotations of a text that are neither printed nor in the source of blocks."""
    words = _LEFT_OUT.sub("\n", words + "\n")
    wrong = []
    for quote in _QUOTE.findall(words):
        said = " ".join(re.sub(r"^>", "", quote, flags=re.MULTILINE).split())
        if said not in " ".join(printed.split()):
            wrong.append(said)
    words = _NO_RESULT.sub(" ", _QUOTE.sub("\n", words))
    known = [_value(*found) for found in _PRINTED.findall(f"{printed}\n{source}")]
    return wrong + [found[0].strip() for found in _NUMBER.finditer(words) if not _holds(found, known)]


def _value(digits: str, percent: str) -> float:
    return float(digits.replace(",", "")) / (100 if percent else 1)


def _holds(found: re.Match[str], known: list[float]) -> bool:
    """Whether a number is one of the known ones, rounded to its digits; whole numbers are not rounded."""
    integer, fraction, power, percent = found.groups(default="")
    scale = float("1" + power) / (100 if percent else 1)
    value = float(integer.replace(",", "") + fraction) * scale
    half = 0.5 * scale * 10.0 ** -max(len(fraction) - 1, 0) if fraction or power or percent else 0
    exact = 1e-9 * abs(value)
    if found[0] in ("0", "1"):
        return True
    return any(abs(abs(each) - value) <= half + exact for each in known)
