"""The texts of --help, made of docstrings: paragraphs without line breaks, examples, terms, exit statuses."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

_ONE = "Exit status 1: "
_TERMS = "Terms: "
_EXAMPLES = ("Example:", "Examples:")


def prepare(command: Any) -> None:
    """Make the help and the epilog of a command, and of the commands within it, of their docstrings.

    In a docstring ``Examples:`` stands before indented lines, ``Exit status 1: `` before what makes the
    command end with it, and ``Terms: `` before terms of the glossary, separated by commas.
    """
    inner = getattr(command, "commands", {})
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    said: list[str] = []
    end: list[str] = []
    one = ""
    for i, paragraph in enumerate(paragraphs):
        if paragraph.startswith(_ONE):
            one = f"1 {' '.join(paragraph.removeprefix(_ONE).split()).rstrip('.')}; "
        elif paragraph.startswith(_TERMS):
            end += _explained(paragraph)
        elif paragraph in _EXAMPLES or (i and paragraphs[i - 1] in _EXAMPLES):
            end.append(paragraph)
        else:
            said.append(paragraph if paragraph.startswith("    ") else " ".join(paragraph.split()))
    if not inner or end:
        end.append(f"Exit status: 0 success; {one}2 bad input (one line on stderr); 130 interrupted.")
    command.help = "\n\n".join(said)
    command.epilog = "\n\n".join(end)
    for one_of_them in inner.values():
        prepare(one_of_them)


def _explained(paragraph: str) -> Iterator[str]:
    """Yield the meanings of the terms that a paragraph names."""
    from ndcg_asymptotics.reports.glossary import term

    for name in " ".join(paragraph.removeprefix(_TERMS).split()).rstrip(".").split(", "):
        yield f"{name}: {term(name).meaning}"
