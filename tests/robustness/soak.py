"""Fifty sweeps killed with SIGKILL at random moments and resumed, against one that was not.

``python -m robustness.soak [RUNS [SEED]]``. Every other run has two worker processes; half of the
kills take the parent alone and leave its workers behind. Run it from the folder of the package.
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
from pathlib import Path

from ndcg_asymptotics.results import Results, open_results
from ndcg_asymptotics.results.kinds import kind_of

REPLICATES = 200
TOML = f"""
title = "soak"
measures = ["nDCG", "nDCG(power(0.5))", "nDCG@0.2n"]
n = {{ start = 10, stop = 1e5, per_decade = 5 }}
replicates = {REPLICATES}
seed = 50
pairs = [["good", "random"]]
[scorers]
good = "linear(0.1, 0.7)"
random = "random"
"""


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


def kill(process: subprocess.Popen[str], everyone: bool) -> None:
    """Send SIGKILL to a run, or to it and its workers."""
    if everyone:
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()


def struck(folder: Path, before: int, ended: bool) -> str:
    """Return the state in which a kill left the folder.

    Raises
    ------
    AssertionError
        If complete replicates were lost.
    """
    if ended:
        return "after the end"
    if kind_of(folder) != "study":
        return "before there was a folder"
    complete = open_results(folder).replicates_complete
    if complete < before:
        raise AssertionError(f"{folder}: {before} replicates were complete, now {complete}")
    return (
        "with all complete" if complete == REPLICATES else "with some complete" if complete else "with none"
    )


def main() -> None:
    """Print what the kills met and how many of the results are identical to the undisturbed one."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    chance = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    met: Counter[str] = Counter()
    same = 0
    with tempfile.TemporaryDirectory() as place:
        study = Path(place) / "soak.toml"
        study.write_text(TOML)
        durations = {}
        for jobs in (1, 2):
            begun = time.monotonic()
            start(study, Path(place) / f"whole{jobs}", jobs).wait()
            durations[jobs] = time.monotonic() - begun
        truth = digest(open_results(Path(place) / "whole1"))
        for index in range(runs):
            folder, jobs, complete = Path(place) / f"run{index}", 1 + index % 2, 0
            for _ in range(chance.randint(1, 2)):
                process = start(study, folder, jobs)
                time.sleep(chance.uniform(0, durations[jobs]))
                ended = process.poll() is not None
                everyone = chance.random() < 0.5
                if not ended:
                    kill(process, everyone)
                met[struck(folder, complete, ended)] += 1
                complete = open_results(folder).replicates_complete if kind_of(folder) == "study" else 0
            last = start(study, folder, jobs).wait()
            results = open_results(folder)
            same += last == 0 and results.complete and digest(results) == truth
        two = digest(open_results(Path(place) / "whole2"))
    print(f"{runs} runs, {met.total()} kills: " + ", ".join(f"{n} {what}" for what, n in met.most_common()))
    print(f"results identical to the undisturbed one: {same} of {runs}")
    print(f"undisturbed with one and with two jobs: {'identical' if two == truth else 'DIFFERENT'}")
    if same < runs or two != truth:
        sys.exit(1)


if __name__ == "__main__":
    main()
