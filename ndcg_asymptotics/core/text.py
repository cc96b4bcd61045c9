"""Texts that others chose, made safe to show on a terminal, in TeX and in a figure; spelling suggestions."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable

_JOINERS = "\u200c\u200d"  # the zero-width joiners, without which some scripts cannot be written

_TEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%",
    "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}", "∞": r"$\infty$",
}  # fmt: skip


def visible(text: str) -> str:
    r"""Return the text with invisible characters that have an effect written out as escapes.

    Control characters would act on the terminal, and marks of direction would reverse the text after them.

    >>> print(visible("a\x1b[31mb\u202ec"))
    a\x1b[31mb\u202ec
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_written(character) for character in text)


def _written(character: str) -> str:
    hidden = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") and character not in _JOINERS
    return character.encode("unicode_escape").decode() if hidden else character


def in_tex(text: str) -> str:
    r"""Return the text with LaTeX's special characters escaped.

    >>> print(in_tex("50% of $x_1"))
    50\% of \$x\_1
    """
    return "".join(_TEX.get(character, character) for character in visible(text))


def in_figure(text: str) -> str:
    r"""Return the text as matplotlib draws it literally: a dollar sign begins no formula.

    >>> print(in_figure("$5"))
    \$5
    """
    return visible(text).replace("$", r"\$")


def in_spreadsheet(value: object) -> object:
    """Return a cell of a CSV file as a spreadsheet reads it without running it.

    A text that begins with one of ``= + - @``, a tab or a carriage return is a formula there; an apostrophe
    before it makes it a text. Numbers stay, also those that are written as texts.

    >>> in_spreadsheet("=1+1"), in_spreadsheet("-1e3"), in_spreadsheet(-2.5), in_spreadsheet("a")
    ("'=1+1", '-1e3', -2.5, 'a')
    """
    if not isinstance(value, str) or not value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value


def shortened(text: str, width: int) -> str:
    """Return the text in at most ``width`` characters.

    >>> shortened("a long name", 7)
    'a long…'
    """
    return text if len(text) <= width else text[: width - 1] + "…"


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """Return a suggestion of the nearest known name for a message; empty where none is near.

    >>> did_you_mean("lgo", ["log", "zipf"]), did_you_mean("x", ["log", "zipf"])
    (", did you mean 'log'?", '')
    """
    by_folded = {name.casefold(): name for name in known}
    near = difflib.get_close_matches(given.casefold(), by_folded, n=1, cutoff=0.6)
    return f", did you mean {by_folded[near[0]]!r}?" if near else ""
