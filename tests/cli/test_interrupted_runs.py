"""Runs that are killed, interrupted or told to end, or that lose their parent, and how they continue."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from cases import command
from robustness.signals import STRIKES, TOML, digest, strike

from ndcg_asymptotics.results.folder import open_study

LOST = """
import os, signal, sys, threading, time
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
        threading.Thread(target=int, args="a").start()  # it fails, as threads of workers do that are killed
        type("HalfMade", (), {"__del__": lambda self: 1 / 0})()  # it fails, too
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_an_interrupt_in_a_destructor_is_not_lost(name: str) -> None:
    ended = subprocess.run([sys.executable, "-c", LOST, name], capture_output=True, text=True, check=True)
    assert (ended.stdout, ended.stderr) == ("interrupted\n", "")


STARTED = """
import signal
from joblib import Parallel, delayed
from ndcg_asymptotics.sweep.processes import interrupts_deferred, loky_tracker
with interrupts_deferred():
    masks = Parallel(2)(2 * [delayed(signal.pthread_sigmask)(signal.SIG_BLOCK, [])])
loky_tracker.register("/loky-gone", "semlock")  # as an interrupt may leave it
print(all(signal.SIGINT in mask for mask in masks))
"""


def test_processes_that_are_being_started_never_see_an_interrupt() -> None:
    ended = subprocess.run([sys.executable, "-c", STARTED], capture_output=True, check=True)
    assert (ended.stdout, ended.stderr) == (b"True\n", b"")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A hash of the results of a run that nothing disturbs."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "study.toml").write_text(TOML)
    assert command("run", folder / "study.toml", "--out", folder / "out", "--jobs", 1)[0] == 0
    return digest(open_study(folder / "out"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", STRIKES)
def test_every_signal_ends_the_sweep_and_leaves_no_process(
    kind: str, tmp_path: Path, undisturbed: str
) -> None:
    study = tmp_path / "study.toml"
    study.write_text(TOML)
    outcome, seconds = strike(kind, study, tmp_path / "out", random.Random(3), whole=2.0)
    assert outcome in ("killed", "exit status 130 and one line", "after the end")
    assert seconds < 60
    if "killed" in kind:  # the same command continues to the same bits
        assert command("run", study, "--out", tmp_path / "out", "--jobs", 1)[0] == 0
        assert digest(open_study(tmp_path / "out")) == undisturbed


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
