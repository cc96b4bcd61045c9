"""Sweeps that are interrupted or terminated, or whose parent is killed: their messages and leftovers.

``python -m robustness.signals [RUNS [SEED]]``. Each run is a session of its own with two worker processes.
Its output goes through a pipe, which ends when the last process that holds it does.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from robustness.soak import TOML, start

from ndcg_asymptotics.results import open_results
from ndcg_asymptotics.results.kinds import kind_of
from ndcg_asymptotics.results.verify import verify

ALLOWED = 60.0
"""Seconds within which nothing may be left."""

_START = 0.6  # seconds that Python needs before it can handle a signal
_PROGRESS = ("replicates: ", "compiling the engine")  # the latter where loading takes long
_INTERRUPTED = (130, -signal.SIGINT)  # a shell reports 130 for both


def alive(session: int) -> list[int]:
    """The processes of a session."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                state = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(state[3]) == session and state[0] != "Z":
                found.append(int(entry.name))
    return found


def wait_until_gone(session: int) -> None:
    """Wait until a session has no process left."""
    begun = time.monotonic()
    while left := alive(session):
        if time.monotonic() - begun > ALLOWED:
            raise AssertionError(f"{len(left)} processes are alive after {ALLOWED:g} s")
        time.sleep(0.1)


def interrupted(process: subprocess.Popen[str], chance: random.Random) -> None:
    """Send Ctrl-C three times, as an impatient user at a terminal would, to all processes of the session."""
    for _ in range(3):
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
            time.sleep(chance.choice((0.01, 0.1, 0.5)))


def terminated(process: subprocess.Popen[str], chance: random.Random) -> None:
    """Send SIGTERM, as a batch system does."""
    process.terminate()


def killed(process: subprocess.Popen[str], chance: random.Random) -> None:
    """Send SIGKILL to the parent alone."""
    process.kill()


STRIKES = {"Ctrl-C three times": interrupted, "SIGTERM": terminated, "parent killed": killed}


def strike(kind: str, study: Path, folder: Path, chance: random.Random, whole: float) -> tuple[str, float]:
    """Signal a run at a random moment; return how it ended and how long its last process lived.

    Raises
    ------
    AssertionError
        If it did not end as it should.
    """
    process = start(study, folder, 2, subprocess.PIPE)
    time.sleep(chance.uniform(_START, max(whole, _START)))
    struck = process.poll() is None
    begun = time.monotonic()
    STRIKES[kind](process, chance)
    said, _ = process.communicate(timeout=ALLOWED)
    wait_until_gone(process.pid)
    left = time.monotonic() - begun
    lines = [line for line in said.splitlines() if not line.startswith(_PROGRESS)]
    code = process.returncode
    if struck and kind == "parent killed" and code == -signal.SIGKILL:
        outcome = "killed"
    elif struck and code in _INTERRUPTED and len(lines) == 1 and "interrupted" in lines[0]:
        outcome = "exit status 130 and one line"
    elif code == 0:
        outcome = "after the end"
    else:
        raise AssertionError(f"{kind}: exit status {code}: {said}")
    if kind_of(folder) == "study" and not verify(folder).sound:
        raise AssertionError(f"{kind}: a damaged store")
    return outcome, left


def main() -> None:
    """Print the outcomes of the runs for each signal."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 16
    chance = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    with tempfile.TemporaryDirectory() as place:
        study = Path(place) / "study.toml"
        study.write_text(TOML)
        start(study, Path(place) / "first", 2).wait()  # which compiles what is not in the cache
        begun = time.monotonic()
        start(study, Path(place) / "whole", 2).wait()
        whole = time.monotonic() - begun
        for kind in STRIKES:
            outcomes: Counter[str] = Counter()
            longest = 0.0
            for run in range(runs):
                folder = Path(place) / f"{kind} {run}"
                outcome, left = strike(kind, study, folder, chance, whole)
                outcomes[outcome] += 1
                longest = max(longest, left)
                if start(study, folder, 2).wait() or not open_results(folder).complete:
                    raise AssertionError(f"{kind}: not continued")
            found = ", ".join(f"{n} {outcome}" for outcome, n in outcomes.most_common())
            print(f"{kind}: {found}; the last process was gone after {longest:.1f} s (allowed: {ALLOWED:g})")


if __name__ == "__main__":
    main()
