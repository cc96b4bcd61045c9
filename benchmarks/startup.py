"""How long a user waits for commands that compute little, in units of the libraries that they load."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

RUNS = 7

PREDICT = ("predict", "--scorer", "linear(0.1, 0.7)", "--measure", "nDCG", "--n", "1000")

STUDY = """
title = "Two rankers"
measures = ["nDCG", "nDCG@10"]
n = [10, 100, 1000]
replicates = 10
[scorers]
good = "linear(0.1, 0.7)"
random = "random"
"""


def seconds(*arguments: str, **environment: str) -> float:
    """Processor time of one Python process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env={**os.environ, **environment}
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def beside(arguments: tuple[str, ...], yardstick: str) -> tuple[float, float]:
    """Median seconds of a command, and their median ratio to an import, over interleaved runs."""
    pairs = [
        (seconds("-m", "ndcg_asymptotics", *arguments), seconds("-c", yardstick)) for _ in range(RUNS + 1)
    ][1:]
    return statistics.median(own for own, _ in pairs), statistics.median(own / it for own, it in pairs)


def first_run(cache: Path, out: Path) -> float:
    """Seconds of a small study, its kernels compiled into a cache, or found there."""
    study = cache / "study.toml"
    study.write_text(STUDY, encoding="utf-8")
    command = ("-m", "ndcg_asymptotics", "run", str(study), "--out", str(out), "--jobs", "1", "--quiet")
    return seconds(*command, NUMBA_CACHE_DIR=str(cache))


def main() -> None:
    """Print medians of interleaved runs."""
    _, ratio = beside(("--help",), "import typer")
    print(f"--help / import typer: {ratio:.2f} (asked: <= 2.4)")
    own, ratio = beside(PREDICT, "import numpy")
    print(f"predict: {own:.2f} s (asked: <= 1.5), / import numpy: {ratio:.1f}")
    _, ratio = beside(PREDICT, "import scipy.linalg, scipy.special, typer, rich.table")
    print(f"predict / import of the libraries that it needs: {ratio:.2f}")
    with tempfile.TemporaryDirectory() as folder:
        cold = first_run(Path(folder), Path(folder) / "cold")
        warm = statistics.median(first_run(Path(folder), Path(folder) / f"warm{i}") for i in range(RUNS))
    print(f"first run: {cold:.1f} s with a cold cache of kernels, {warm:.1f} s with a warm one")


if __name__ == "__main__":
    main()
