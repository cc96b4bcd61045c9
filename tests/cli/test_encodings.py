"""Output in an encoding that does not have all characters: they are replaced, and nothing raises."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

COMMANDS = (
    ("list",),
    ("predict", "--scorer", "linear(0.1, 0.7)", "--measure", "nDCG", "-n", "10", "--format", "markdown"),
    ("losses", "--help"),
    ("predict", "--scorer", "liné(0.1)", "--measure", "nDCG", "-n", "10"),
)


@pytest.mark.parametrize(
    "surroundings",
    [{"PYTHONIOENCODING": "latin-1"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}],
    ids=["latin-1", "C"],
)
@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: arguments[0])
def test_what_cannot_be_said_is_replaced(arguments: tuple[str, ...], surroundings: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ndcg_asymptotics", *arguments],
        capture_output=True,
        env=os.environ | surroundings,
        timeout=60,
    )
    refused = "liné(0.1)" in arguments
    assert done.returncode == (2 if refused else 0), done.stderr
    assert b"Traceback" not in done.stderr
    encoding = "latin-1" if "PYTHONIOENCODING" in surroundings else "ascii"
    (done.stderr if refused else done.stdout).decode(encoding)
    assert arguments != ("list",) or b"?" in done.stdout
