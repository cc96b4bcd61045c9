"""Wrong usage of a command is reported in one line, with the nearest option or command."""

from __future__ import annotations

import re

import pytest
from cases import Run


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("run --otu x", "'?--otu'?.*--out"),
        ("--verson", "'?--verson'?.*--version"),
        ("losses decide --jsn x", "'?--jsn'?.*--json"),
        ("--foo", "'?--foo'?"),
        ("chek x", "'chek'.*'check'"),
        ("losses decid x", "'decid'.*'decide'"),
        ("zzz", "'zzz'"),
        ("run", "Missing argument 'STUDY.toml'"),
        ("run x.toml", "Missing option '--out'"),
        ("run x.toml --out", "'--out' requires an argument"),
        ("distinguish x --pair a", "'--pair' requires 2 arguments"),
        ("check x --json=3", "'--json' does not take a value"),
        ("check x --alpha abc", "Invalid value for '--alpha'"),
        ("run x.toml --out y --replicates 1.5", "'--replicates': must be a whole number, .* got '1.5'"),
        (
            "list --format yaml",
            "'--format': 'yaml' is not one of 'table', 'csv', 'markdown', 'latex'",
        ),
        ("check a b", r"unexpected extra argument"),
        ("che\x1b[31m", r"'che\\x1b\[31m'"),
    ],
)
def test_usage_errors_are_one_line(arguments: str, said: str, run: Run) -> None:
    code, out, err = run(*arguments.split(" "))
    assert (code, out) == (2, "")
    assert re.fullmatch(f"ndcg-asymptotics: .*{said}.*\n", err), err


def test_a_group_of_commands_alone_shows_its_help(run: Run) -> None:
    for group in ([], ["losses"]):
        _, out, err = run(*group)
        assert "Usage: ndcg-asymptotics" in out + err
        assert "unknown" not in out + err
