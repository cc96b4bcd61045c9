"""Sweeps that are interrupted, ended or killed at random moments: what they leave, and how they continue.

``python -m robustness.signals [RUNS [SEED]]``. Each run is a session of its own with one or two workers. Its
output goes through a pipe, which ends when the last process that holds it does. The same command continues
it, to the bits of an undisturbed sweep.
"""

from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

from ndcg_asymptotics.results import Results
from ndcg_asymptotics.results.folder import open_study
from ndcg_asymptotics.results.kinds import kind_of

TOML = """
title = "soak"
measures = ["nDCG", "nDCG(power(0.5))", "nDCG@0.2n"]
n = { start = 10, stop = 1e5, per_decade = 5 }
replicates = 200
seed = 50
pairs = [["good", "random"]]
[scorers]
good = "linear(0.1, 0.7)"
random = "random"
"""
ALLOWED = 60.0
"""Seconds within which nothing may be left."""

_START = 0.6  # seconds that Python needs before it can handle a signal
_PROGRESS = ("replicates: ", "compiling the engine")  # the latter where loading takes long
_INTERRUPTED = (130, -signal.SIGINT)  # a shell reports 130 for both


def start(study: Path, folder: Path, jobs: int, output: int = subprocess.DEVNULL) -> subprocess.Popen[str]:
    """A run in a session of its own, and where its output goes."""
    command = [sys.executable, "-m", "ndcg_asymptotics", "run", str(study), "--out", str(folder)]
    return subprocess.Popen(
        [*command, "--jobs", str(jobs)],
        stdout=output,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def digest(results: Results) -> str:
    """Return a hash of every array."""
    state = hashlib.sha256()
    for name in sorted(map(str, results.data.variables)):
        values = results.data[name].values
        state.update(f"{name} {values.dtype} {values.shape}".encode() + values.tobytes())
    return state.hexdigest()


def complete_in(folder: Path) -> int:
    """Return the number of complete replicates in a folder, which may not exist."""
    return open_study(folder).replicates_complete if kind_of(folder) == "study" else 0


def wait_until_gone(session: int) -> None:
    """Wait until a session has no process left."""
    begun = time.monotonic()
    while left := [*alive().values()].count(session):
        if time.monotonic() - begun > ALLOWED:
            raise AssertionError(f"{left} processes are alive after {ALLOWED:g} s")
        time.sleep(0.1)


def alive() -> dict[int, int]:
    """Return the session of every process that has not ended, as /proc says."""
    sessions = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, _, session, *_ = file.read_text().rpartition(")")[2].split()
            if state != "Z":
                sessions[int(file.parent.name)] = int(session)
    return sessions


STRIKES = {
    "Ctrl-C three times": signal.SIGINT,  # to all processes, as an impatient user at a terminal would
    "SIGTERM": signal.SIGTERM,  # to the parent, as a batch system does
    "parent killed": signal.SIGKILL,
    "all killed": signal.SIGKILL,
}


def send(kind: str, process: subprocess.Popen[str], chance: random.Random) -> None:
    """Send the signal of a strike to a run."""
    if kind in ("SIGTERM", "parent killed"):
        process.send_signal(STRIKES[kind])
        return
    for _ in range(3 if kind == "Ctrl-C three times" else 1):
        if process.poll() is None:
            os.killpg(process.pid, STRIKES[kind])
            time.sleep(chance.choice((0.01, 0.1, 0.5)))


def strike(
    kind: str, study: Path, folder: Path, chance: random.Random, whole: float, jobs: int = 2
) -> tuple[str, float]:
    """Signal a run at a random moment; return how it ended and how long its last process lived.

    Raises
    ------
    AssertionError
        If it did not end as it should, or complete replicates were lost.
    """
    before = complete_in(folder)
    process = start(study, folder, jobs, subprocess.PIPE)
    time.sleep(chance.uniform(_START, max(whole, _START)))
    struck = process.poll() is None
    begun = time.monotonic()
    if struck:
        send(kind, process, chance)
    said, _ = process.communicate(timeout=ALLOWED)
    wait_until_gone(process.pid)
    left = time.monotonic() - begun
    lines = [line for line in said.splitlines() if not line.startswith(_PROGRESS)]
    code = process.returncode
    if struck and "killed" in kind and code == -signal.SIGKILL:
        outcome = "killed"
    elif struck and code in _INTERRUPTED and len(lines) == 1 and "interrupted" in lines[0]:
        outcome = "exit status 130 and one line"
    elif code == 0 or (code in _INTERRUPTED and "Next:" in said):  # also while the process ends
        outcome = "after the end"
    else:
        raise AssertionError(f"{kind}: exit status {code}: {said}")
    if kind_of(folder) == "study":
        open_study(folder)  # or it is damaged
    if complete_in(folder) < before:
        raise AssertionError(f"{kind}: {before} replicates were complete, now {complete_in(folder)}")
    return outcome, left


def main() -> None:
    """Print the outcomes of the runs for each signal, each of which is struck once or twice."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 16
    chance = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    with tempfile.TemporaryDirectory() as place:
        study = Path(place) / "study.toml"
        study.write_text(TOML)
        start(study, Path(place) / "first", 2).wait()  # which compiles what is not in the cache
        durations = {}
        for jobs in (1, 2):
            begun = time.monotonic()
            start(study, Path(place) / f"whole{jobs}", jobs).wait()
            durations[jobs] = time.monotonic() - begun
        undisturbed = digest(open_study(Path(place) / "whole1"))
        if digest(open_study(Path(place) / "whole2")) != undisturbed:
            raise AssertionError("one and two jobs give different bits")
        for kind in STRIKES:
            outcomes: Counter[str] = Counter()
            longest = 0.0
            for run in range(runs):
                folder, jobs = Path(place) / f"{kind} {run}", 1 + run % 2
                for _ in range(chance.randint(1, 2)):
                    outcome, seconds = strike(kind, study, folder, chance, durations[jobs], jobs)
                    outcomes[outcome] += 1
                    longest = max(longest, seconds)
                if start(study, folder, jobs).wait() or digest(open_study(folder)) != undisturbed:
                    raise AssertionError(f"{kind}: not continued to the same bits")
            counts = ", ".join(f"{n} {outcome}" for outcome, n in outcomes.most_common())
            print(f"{kind}: {counts}; the last process was gone after {longest:.1f} s (allowed: {ALLOWED:g})")
    print(f"{runs} runs of each kind: all continued to the bits of an undisturbed sweep")


if __name__ == "__main__":
    main()
