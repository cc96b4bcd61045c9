"""Runs that are killed, interrupted or told to end, or that lose their parent, and how they continue."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import fake_engine
import numpy as np
import pytest
from cases import Run
from cli_cases import write_study
from robustness.signals import STRIKES, TOML, strike
from sweep_cases import use_fake_engine

from ndcg_asymptotics.results.folder import open_study
from ndcg_asymptotics.results.kinds import STUDY
from ndcg_asymptotics.studies import load

# the command line, with the engine of tests/fake_engine.py in place of "items"
LAUNCHER = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from ndcg_asymptotics.studies.design import ENGINES
ENGINES["items"] = "fake_engine"
from ndcg_asymptotics.cli.main import main
main()
"""


LOST = """
import os, signal, sys, time
from ndcg_asymptotics.cli.main import interruptible

class Destroyed:
    def __del__(self):
        os.kill(os.getpid(), getattr(signal, sys.argv[1]))
        for _ in range(1000): pass

with interruptible():
    try:
        Destroyed()
        time.sleep(20)
        print("lost")
    except KeyboardInterrupt:
        print("interrupted")
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_an_interrupt_in_a_destructor_is_not_lost(name: str) -> None:
    ended = subprocess.run([sys.executable, "-c", LOST, name], capture_output=True, text=True, check=True)
    assert (ended.stdout, ended.stderr) == ("interrupted\n", "")


def start(*arguments: object) -> subprocess.Popen[str]:
    here = str(Path(__file__).parents[1])
    return subprocess.Popen(
        [sys.executable, "-c", LAUNCHER, here, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for_results(folder: Path, process: subprocess.Popen[str]) -> None:
    while process.poll() is None and not (folder / STUDY).exists():
        time.sleep(0.01)


def assert_bits(folder: Path, file: Path) -> None:
    """Assert that every complete replicate is what the engine returns for it alone."""
    results = open_study(folder)
    design = load(file).design
    if results.replicates_complete:
        for replicate in results.data.replicate.values:
            want = fake_engine.simulate(design, int(replicate))["ndcg"]
            np.testing.assert_array_equal(results.data.ndcg.sel(replicate=replicate).values, want)


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [pytest.param(1, marks=pytest.mark.long), 2])
def test_killed_runs_resume_to_the_same_bits(
    tmp_path: Path, jobs: int, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A short form of `make soak`."""
    out, moments = tmp_path / "out", random.Random(jobs)
    quick = write_study(tmp_path, replicates="30")
    file = write_study(tmp_path, "slow", replicates="30") if jobs == 1 else quick
    before = 0
    for _ in range(2):
        process = start("run", file, "--out", out, "--jobs", jobs)
        wait_for_results(out, process)
        time.sleep(moments.uniform(0, 1))
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        results = open_study(out)
        assert before <= results.replicates_complete
        before = results.replicates_complete
    use_fake_engine(monkeypatch)
    code, said, _ = run("run", file, "--out", out, "--jobs", 1)
    assert code == 0
    assert "30 of 30 replicates complete" in said
    assert_bits(out, quick if jobs == 2 else write_study(tmp_path, "slow", replicates="30"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", STRIKES)
def test_every_signal_ends_the_sweep_and_leaves_no_process(kind: str, tmp_path: Path, run: Run) -> None:
    study = tmp_path / "study.toml"
    study.write_text(TOML)
    outcome, seconds = strike(kind, study, tmp_path / "out", random.Random(3), whole=2.0)
    assert outcome in ("killed", "exit status 130 and one line", "after the end")
    assert seconds < 60
    if kind == "parent killed":  # its workers may have been writing
        assert run("run", study, "--out", tmp_path / "out", "--jobs", 1)[0] == 0


@pytest.mark.parametrize(
    "name",
    [
        "run_app",  # while modules are loaded
        "TyperGroup.make_context",  # while arguments are parsed
        "TyperGroup.invoke",  # in a command
    ],
)
def test_an_interrupt_is_reported_in_one_line_wherever_it_arrives(name: str, tmp_path: Path) -> None:
    # in a text, after which `python -m` ends by SIGINT if a KeyboardInterrupt itself goes through it
    code = f"""
from ndcg_asymptotics.cli import app, main
def interrupted(*args, **options):
    exec("import os, signal; os.kill(os.getpid(), signal.SIGINT)")
app.{name} = interrupted
main.main(["list"])
"""
    (tmp_path / "commands.py").write_text(code)
    python = [sys.executable, "-m", "commands"]
    done = subprocess.run(python, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "ndcg-asymptotics: interrupted\n")
