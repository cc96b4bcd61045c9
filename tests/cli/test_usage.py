"""Wrong usage of a command is reported in one line, with the nearest option or command."""

from __future__ import annotations

import contextvars
import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
import typer
from cases import Run

from ndcg_asymptotics.cli.app import application


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("run --otu x", "'?--otu'?.*--out"),
        ("check x --al 0.1", "'?--al'?.*--alpha"),
        ("chek x", "'chek'.*'check'"),
        ("losses decid x", "'decid'.*'decide'"),
        ("zzz", "'zzz'"),
        ("run", "Missing argument 'STUDY.toml'"),
        ("run x.toml --out y --replicates 1.5", "'--replicates': must be a whole number, .* got '1.5'"),
        (
            "list --format yaml",
            "'--format': 'yaml' is not one of 'table', 'csv', 'latex'",
        ),
        (
            "predict -n 9 --scorer random --measure nDCG nDCG@3",
            r"extra argument.*; write --measure before each measure",
        ),
        (
            "evaluate --run a --qrels b --qrels c --measure nDCG",
            "--qrels is given more than once, but has one",
        ),
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


def commands(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    yield name, command
    for word, inner in getattr(command, "commands", {}).items():
        yield from commands(f"{name} {word}".strip(), inner)


COMMANDS = dict(commands("", typer.main.get_command(application())))


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "losses"])
def test_help_has_examples_that_parse_and_exit_statuses(name: str) -> None:
    epilog = COMMANDS[name].epilog
    examples = re.findall(r"^ {4}ndcg-asymptotics ((?:.*\\\n)*.*)$", epilog, re.MULTILINE)
    assert examples
    for example in examples:
        words = shlex.split(example.replace("\\\n", " "), comments=True)
        if words == ["COMMAND", "--help"]:
            continue
        length = 2 if words[0] == "losses" else 1
        found = COMMANDS[" ".join(words[:length])]
        assert name in ("", " ".join(words[:length]))
        # raises an error for wrong options or values; --quiet holds to the end of the context
        contextvars.copy_context().run(found.make_context, name, words[length:], obj=None)
    assert epilog.splitlines()[-1].startswith("Exit status 0: success; ")
    assert ("Exit status 1: " in epilog) == (name in ("", "run", "merge", "check", "info", "compare"))
    assert max(map(len, re.findall("^    .*$", epilog, re.MULTILINE))) <= 78


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ("", "losses")])
def test_help_shows_every_option_under_its_heading(command: str, run: Run) -> None:
    options = [one for one in COMMANDS[command].params if one.param_type_name == "option" and not one.hidden]
    panels: dict[str, set[str]] = {}
    for one in options:
        long = {name for name in one.opts if name.startswith("--")}
        panels.setdefault(one.rich_help_panel or "Options", set()).update(long)
    said = run(*command.split(), "--help")[1]
    for heading, names in panels.items():
        section = said.partition(f"\n{heading}:\n")[2].partition("\n\n")[0]
        found = {*re.findall(r"^  (?:-\w, )?(--[a-z-]+)", section, re.MULTILINE)}
        assert found - {"--help"} == names - {"--help"}
