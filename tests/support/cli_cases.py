"""Every command, and a small study as the file that a user writes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from ndcg_asymptotics.cli.app import application

TOML = """
title = "A study"
measures = ["nDCG", "nDCG@10"]
n = [10, 100, 1000]
replicates = 12
seed = 5
[scorers]
good = "linear(0.1, 0.7)"
SCORER = "random"
"""


def write_study(folder: Path, scorer: str = "other", **change: str) -> Path:
    text = TOML.replace("SCORER", scorer)
    for field, value in change.items():
        text = re.sub(rf"(?m)^{field} = .*$", f"{field} = {value}", text)
    file = folder / "study.toml"
    file.write_text(text)
    return file


def _within(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    yield name, command
    for word, inner in getattr(command, "commands", {}).items():
        yield from _within(f"{name} {word}".strip(), inner)


GROUPS = "", "losses"
COMMANDS = dict(_within("", typer.main.get_command(application())))
"""The commands and the groups of commands by name."""
