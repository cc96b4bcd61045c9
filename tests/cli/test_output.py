"""Output of commands: versions, formats, hints and suggestions, also in encodings that lack characters."""

from __future__ import annotations

import inspect
import io
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pandas as pd
import pytest
from cases import command, output
from cli_cases import write_study

from ndcg_asymptotics import __version__
from ndcg_asymptotics.studies import Study, load
from ndcg_asymptotics.studies.design import ENGINES


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("output")
    file = write_study(folder, seed='5\npairs = [["good", "other"]]')
    assert command("run", file, "--out", folder / "out", "--jobs", 1)[0] == 0
    return folder / "out"


def test_version() -> None:
    assert command("--version")[:2] == (0, f"ndcg-asymptotics {__version__}\n")


def test_init_writes_a_study_that_runs_and_explains_every_field(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    code, out, err = command("init", file)
    assert (code, out) == (0, f"{file}\n")
    assert "ndcg-asymptotics run" in err
    assert load(file).replicates == 200
    text = file.read_text()
    fields = inspect.signature(Study).parameters.keys() - {"folder", "allow_custom"}
    assert all(f"{name} = " in text or f"[{name}]" in text for name in fields)
    assert all(f'"{name}"' in text for name in ENGINES)
    assert "study.toml" not in text
    assert tomllib.loads(text)["pairs"] == [["good", "random"]]
    code, _, err = command("init", file)
    assert code == 2
    assert "there is a file already" in err


def test_study_json_can_name_the_folder(results: Path) -> None:
    for name in ("check", "info"):
        assert command(name, results / "study.json")[0] == 0


@pytest.mark.parametrize("name", ["check", "distinguish", "info"])
def test_tables_have_every_format(results: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = pd.read_csv(io.StringIO(output(name, results, "--format", "csv")))
    assert len(rows) == {"check": 12, "distinguish": 6, "info": 12}[name]
    latex = command(name, results, "--format", "latex")[1]
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") >= 1
    assert command(name, results, "--format", "json")[1] == command(name, results, "--json")[1]
    monkeypatch.setenv("COLUMNS", "80")
    lines = command(name, results, "-v")[1].splitlines()
    assert max(len(line) for line in lines if line.count("  ") > 2 or "─" in line) <= 80


def test_verbose_prints_a_traceback_after_an_error(tmp_path: Path) -> None:
    for option, lines in (("-q", 1), ("-v", 9)):
        code, out, err = command("info", tmp_path / "nowhere", option)
        assert (code, out) == (2, "")
        assert len(err.splitlines()) >= lines
        assert ("Traceback" in err) == (option == "-v")


C = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "surroundings", "encoding", "status"),
    [
        ("list", {"PYTHONIOENCODING": "latin-1"}, "latin-1", 0),
        ("predict --scorer liné(0.1) --measure nDCG -n 10", C, "ascii", 2),
    ],
)
def test_characters_that_cannot_be_encoded_are_replaced(
    arguments: str, surroundings: dict[str, str], encoding: str, status: int
) -> None:
    run = [sys.executable, "-m", "ndcg_asymptotics", *arguments.split()]
    done = subprocess.run(run, capture_output=True, env=os.environ | surroundings, timeout=60)
    assert done.returncode == status, done.stderr
    assert b"Traceback" not in done.stderr
    (done.stdout + done.stderr).decode(encoding)
    assert status or b"?" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("closed", "arguments", "status"),
    [(">&-", "list", 0), (">&- 2>&-", "bogus", 2)],
)
def test_streams_that_are_closed_change_no_exit_status(closed: str, arguments: str, status: int) -> None:
    line = f'"{sys.executable}" -m ndcg_asymptotics {arguments} {closed}'
    found = subprocess.run(["sh", "-c", line], capture_output=True, text=True)
    assert found.returncode == status
    assert "Traceback" not in found.stderr


@pytest.mark.slow
@pytest.mark.parametrize("columns", ["0", "1", "19"])
def test_a_width_that_shows_nothing_is_not_used(columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = command("list")[1]
    assert max(map(len, usual.splitlines())) <= 80
    monkeypatch.setenv("COLUMNS", columns)
    assert command("list")[1] == usual
    monkeypatch.setenv("COLUMNS", "40")
    assert max(map(len, command("list")[1].splitlines())) <= 40


def test_an_internal_error_has_its_own_exit_status(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("of the package")

    monkeypatch.setattr("ndcg_asymptotics.theory.prediction.predict", fail)
    code, out, err = command("predict", "--scorer", "constant(0.4)", "--measure", "nDCG", "--n", 10)
    assert (code, out) == (70, "")
    assert "ZeroDivisionError: of the package" in err
    assert err.splitlines()[-1].startswith(
        "ndcg-asymptotics: this is an error of ndcg-asymptotics, not of your"
    )


def test_plans_for_more_queries_than_are_counted() -> None:
    assert "more than 1e15 queries" in output("plan", "--sd", 0.2, "--difference", 1e-9)
