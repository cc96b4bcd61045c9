"""What it takes to look at the standard study, a first and a second time, beside its simulation.

``python -m benchmarks.looks [REPLICATES]``, 1000 by default, or ``… DIR`` for a copy of
the results that are there; also the first run of a small study, its kernels compiled or found in their cache.
Processor time, looks as medians of five, with bytecode as an installed package has it.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

LOOKS = 5
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
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env=inherited | environment
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


def looks(place: Path, folder: Path) -> None:
    """Print what looking at results takes, first and again, and what of it is libraries and reading."""
    commands: dict[str, tuple[tuple[str | Path, ...], str, str]] = {
        "check": (("check", folder, "--summary"), "analysis.check", "values"),
        "figures": (("figures", folder, "--out", place / "figures"), "plots", "data"),
        "report": (("report", folder, "--out", place / "page.html"), "reports.page", "data"),
    }
    for name, (arguments, modules, part) in commands.items():
        opening = (
            "import ndcg_asymptotics.cli.app, ndcg_asymptotics.reports.terminal; "
            f"import ndcg_asymptotics.{modules}; from ndcg_asymptotics.results import open_results; "
            f"open_results({str(folder)!r}).{part}"
        )
        cache = place / "cache"
        command(*arguments, XDG_CACHE_HOME=str(cache))  # kernels, bytecode and files are at hand
        measured = []
        for _ in range(LOOKS):
            shutil.rmtree(cache)
            first, second = (command(*arguments, XDG_CACHE_HOME=str(cache)) for _ in range(2))
            measured.append((first, second, seconds("-c", opening)))
        first, second, read = map(median, zip(*measured, strict=True))
        asked = " (asked: first <= 5 s, second <= 1 s more than that)" if name == "check" else ""
        print(
            f"{name}: first look {first:.1f} s, second look {second:.1f} s, "
            f"libraries and reading {read:.1f} s{asked}"
        )


def main(given: str = "1000") -> None:
    """Print processor seconds."""
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        folder = place / "results"
        if Path(given).is_dir():
            shutil.copytree(given, folder)
        else:
            first_runs(place)
            command("run", STUDY, "--out", place / "compiled", "--replicates", "2", "--jobs", "1")
            simulated = command("run", STUDY, "--out", folder, "--replicates", given, "--jobs", "1")
            print(f"the standard study, {given} replicates: {simulated:.1f} s of processor time")
        looks(place, folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
