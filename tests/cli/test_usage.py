"""A command that is called wrongly says so in one line, and offers what is near."""

from __future__ import annotations

import pytest
from cases import Run


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("run --otu x", "unknown option '--otu', did you mean '--out'?"),
        ("--verson", "unknown option '--verson', did you mean '--version'?"),
        ("losses decide --jsn x", "unknown option '--jsn', did you mean '--json'?"),
        ("--foo", "unknown option '--foo'; see ndcg-asymptotics --help"),
        ("chek x", "unknown command 'chek', did you mean 'check'?"),
        ("losses decid x", "unknown command 'decid', did you mean 'decide'?"),
        ("zzz", "unknown command 'zzz'; see ndcg-asymptotics --help"),
        ("run", "STUDY.toml is missing: the study file"),
        ("run x.toml", "--out is missing: folder of the results, new or to be continued"),
        ("run x.toml --out", "--out: requires an argument"),
        ("distinguish x --pair a", "--pair: requires 2 arguments"),
        ("check x --json=3", "--json: does not take a value"),
        ("check x --alpha abc", "--alpha: must be a number, got 'abc'"),
        ("losses search --items 1.5", "--items: must be a whole number, got '1.5'"),
        (
            "list --format yaml",
            "--format: 'yaml' is not one of 'table', 'csv', 'markdown', 'latex', 'json'",
        ),
        ("check a b", "got unexpected extra argument(s) (b); see ndcg-asymptotics check --help"),
        ("che\x1b[31m", "unknown command 'che\\x1b[31m'; see ndcg-asymptotics --help"),
    ],
)
def test_usage_errors_are_one_line(arguments: str, said: str, run: Run) -> None:
    assert run(*arguments.split(" ")) == (2, "", f"ndcg-asymptotics: {said}\n")


def test_a_group_of_commands_alone_shows_its_help(run: Run) -> None:
    for group in ([], ["losses"]):
        _, out, err = run(*group)
        assert "Usage: ndcg-asymptotics" in out + err
        assert "unknown" not in out + err
