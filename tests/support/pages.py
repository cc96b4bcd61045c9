"""The fenced blocks of a page of documentation, and a reader that runs them.

The blocks of a page run in order, in one empty folder per page:

- ``python`` blocks run in one namespace, and the value of each expression statement is printed;
- ``sh`` blocks run line by line; a comment ``# exit status 1`` states the exit status of its line;
- a block with ``title="name"`` is written to a file of that name instead.

A block after the comment ``<!-- not run: why -->`` is left out, and so are blocks in other languages.
The numbers of a page are held to what its blocks print (`printed`).
"""

from __future__ import annotations

import ast
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cases import command

ROOT = Path(__file__).parents[2]
SHELLS = ("sh", "bash", "console")

_BLOCK = re.compile(
    r"(?:<!-- not run: (?P<excuse>[^>]+?) -->\n)?"
    r"^(?P<fence>`{3,})(?P<language>\w*)(?P<rest>[^\n]*)\n(?P<text>.*?)^(?P=fence)[ ]*$",
    re.DOTALL | re.MULTILINE,
)
_TITLE = re.compile(r'title="([^"]+)"')
_STATUS = re.compile(r"#\s*exit status (\d+)\s*$")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page; ``excuse`` is the reason not to run it, if there is one."""

    language: str
    title: str
    text: str
    excuse: str
    line: int


def pages() -> list[Path]:
    """Return every page of the repository that a user reads."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of a page in order."""
    for found in _BLOCK.finditer(text):
        title = _TITLE.search(found["rest"])
        line = text.count("\n", 0, found.start()) + 1
        name = title[1] if title else ""
        yield Block(found["language"], name, found["text"], found["excuse"] or "", line)


def prose(text: str) -> str:
    """Return a page with empty lines in place of its blocks."""
    return _BLOCK.sub(lambda found: "\n" * found[0].count("\n"), text)


def shown(text: str) -> ast.Module:
    """Return Python code that prints the value of each expression statement."""
    module = ast.parse(text)
    for statement in module.body:
        if isinstance(statement, ast.Expr) and not ast.unparse(statement).startswith("print("):
            statement.value = ast.Call(ast.Name("print", ast.Load()), [statement.value], [])
    return ast.fix_missing_locations(module)


class Reader:
    """A reader that runs blocks in the current folder."""

    def __init__(self, page: str) -> None:
        self._page = page
        self.names: dict[str, Any] = {"__name__": "page"}

    def do(self, block: Block) -> None:
        """Run a block or write it to its file; raise AssertionError for another exit status."""
        if block.excuse:
            return
        if block.title:
            file = Path(block.title)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            exec(compile(shown(block.text), f"{self._page}:{block.line}", "exec"), self.names)
        elif block.language in SHELLS:
            for line in block.text.replace("\\\n", " ").splitlines():
                self._command(line.removeprefix("$ "))

    def _command(self, line: str) -> None:
        words = shlex.split(line, comments=True)
        if not words:
            return
        expected = _STATUS.search(line)
        if words[0] == "ndcg-asymptotics":
            status, out, err = command(*words[1:])
            print(out, end="")
            print(err, end="", file=sys.stderr)
        else:
            # ``python`` is this one, whatever the path
            path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
            ended = subprocess.run(["bash", "-c", line], env={**os.environ, "PATH": path}, check=False)
            status = ended.returncode
        if status != (int(expected[1]) if expected else 0):
            raise AssertionError(f"{self._page}: {line!r} ended with exit status {status}")
