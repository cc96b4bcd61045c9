"""What it takes to look at the standard study, a first and a second time, beside its simulation.

``python -m benchmarks.looks [REPLICATES]``, 1000 by default; also the first run of a small study, its kernels
compiled or found in their cache.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from ndcg_asymptotics.store.kept import FILE

STUDY = Path(__file__).parent.parent / "experiments" / "wang2013.toml"

SMALL = """
measures = ["nDCG", "nDCG@10"]
n = [10, 100, 1000]
replicates = 10
[scorers]
good = "linear(0.1, 0.7)"
"""


def seconds(*arguments: str, **environment: str) -> float:
    """Processor time of one Python process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env={**os.environ, **environment}
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def command(*arguments: str | Path, **environment: str) -> float:
    """Of a command."""
    return seconds("-m", "ndcg_asymptotics", *map(str, arguments), "--quiet", **environment)


def first_runs(place: Path) -> None:
    """Print what a small study takes, without a cache of kernels and with one."""
    study = place / "small.toml"
    study.write_text(SMALL, encoding="utf-8")
    cold, warm = (
        command("run", study, "--out", place / name, "--jobs", "1", NUMBA_CACHE_DIR=str(place / "kernels"))
        for name in ("cold", "warm")
    )
    print(f"first run of a small study: {cold:.1f} s, kernels compiled; {warm:.1f} s, kernels cached")


def main(replicates: str = "1000") -> None:
    """Print processor seconds, and ratios to the simulation."""
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        first_runs(place)
        folder = place / "results"
        command("run", STUDY, "--out", place / "compiled", "--replicates", "2", "--jobs", "1")
        simulated = command("run", STUDY, "--out", folder, "--replicates", replicates, "--jobs", "1")
        print(f"the standard study, {replicates} replicates: {simulated:.1f} s of processor time")
        opening = f"from ndcg_asymptotics.store import open_results; open_results({str(folder)!r}).data"
        print(f"reading it: {seconds('-c', opening):.1f} s")
        looks: dict[str, tuple[str | Path, ...]] = {
            "check": ("check", folder, "--summary"),
            "figures": ("figures", folder, "--out", place / "figures"),
            "report": ("report", folder, "--out", place / "page.html"),
        }
        for name, arguments in looks.items():
            (folder / FILE).unlink(missing_ok=True)
            first, second = command(*arguments), command(*arguments)
            asked = " (asked: first <= 5 s)" if name == "check" else ""
            print(
                f"{name}: first look {first:.1f} s, {first / simulated:.3f} of the simulation; "
                f"second look {second:.1f} s{asked}"
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
