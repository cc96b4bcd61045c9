"""Wrong usage of a command is reported in one line, with the nearest option; nothing is written."""

from __future__ import annotations

import contextvars
import re
import shlex
from pathlib import Path

import pytest
from cases import command, output
from cli_cases import COMMANDS, GROUPS

PAIR = "--a linear(0.2,0.6) --b linear(0.45,0.35)"


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
        ("predict --scorer liner(1,2) --measure nDCG --n 10", "unknown relevance model 'liner'"),
        (
            "predict --scorer roc_power(0.4) --measure nDCG --n 10 --relevant 1=x",
            "Invalid value for '--relevant': must be a table of positive numbers, got 'x'",
        ),
        ("predict --scorer constant(0.4) --measure nDCG --n 1e19", r"--n: must be a whole .* to 9e\+18"),
        ("fit --out curve.csv", "fit needs either runs and qrels, or lists"),
        ("figures x --out y --figure-format svg,pdf", "'svg,pdf' is not one of 'svg', 'png', 'pdf'"),
        ("plan", "plan needs either two curves, a and b, or two runs and qrels, or values, or sd"),
        ("plan --run x", "plan needs two runs and qrels: add qrels"),
        ("plan constant(0.5) linear(0,1)", "add qrels; relevance curves are stated as a and b"),
        (
            "plan --run x --run y --qrels z --relevant 1",
            "--relevant: does not belong to a plan of two runs and qrels, leave it out: runs come with",
        ),
        ("plan --a constant(0.5) --sd 0.1", "got some of two curves, a and b and of sd"),
        ("plan --sd 0.1 --queries 9 --measure nDCG --measure nDCG@2", "sd belongs to one"),
        (f"plan {PAIR} --queries 1", r"--queries: must be a whole number from 2 to 1e\+18, got 1"),
        (f"plan {PAIR} --power 0.01", "--power: must lie between alpha = 0.05 and 1"),
        ("plan --sd 0.2 --difference 1e-300", "--difference: must be .* got "),
        ("plan --sd 0.2 --queries 1e19", "--queries: must be .* got "),
        ("plan --sd nan --difference 1", "--sd: must be .* got "),
    ],
)
def test_usage_errors_are_one_line(
    arguments: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = command(*arguments.split(" "))
    assert ended.refused
    assert re.fullmatch(f"ndcg-asymptotics: .*{said}.*\n", ended.err), ended.err
    assert not list(tmp_path.iterdir())


def test_a_group_of_commands_alone_shows_its_help() -> None:
    for group in ([], ["losses"]):
        _, out, err = command(*group)
        assert "Usage: ndcg-asymptotics" in out + err
        assert "unknown" not in out + err


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


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in GROUPS])
def test_help_shows_every_option_under_its_heading(name: str) -> None:
    options = [one for one in COMMANDS[name].params if one.param_type_name == "option" and not one.hidden]
    panels: dict[str, set[str]] = {}
    for one in options:
        long = {text for text in one.opts if text.startswith("--")}
        panels.setdefault(one.rich_help_panel or "Options", set()).update(long)
    said = output(*name.split(), "--help")
    for heading, names in panels.items():
        section = said.partition(f"\n{heading}:\n")[2].partition("\n\n")[0]
        found = {*re.findall(r"^  (?:-\w, )?(--[a-z-]+)", section, re.MULTILINE)}
        assert found - {"--help"} == names - {"--help"}
