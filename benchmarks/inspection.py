"""Time of `check`, `figures` and `report` on the standard study.

``python -m benchmarks.inspection [REPLICATES]`` simulates the study (1000 replicates by default) and a small
one, whose kernels are compiled first and then found in their cache; ``… DIR`` copies results instead.
Prints processor times, of commands as medians of five.
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

RUNS = 5
STUDY = Path(__file__).parent.parent / "experiments" / "wang2013.toml"

SMALL = """
measures = ["nDCG", "nDCG@10"]
n = [10, 100, 1000]
replicates = 10
[scorers]
good = "linear(0.1, 0.7)"
"""


def seconds(*arguments: str, **environment: str) -> float:
    """Return the processor time of one Python process."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env=inherited | environment
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def command(*arguments: str | Path, **environment: str) -> float:
    """Return the processor time of a command."""
    return seconds("-m", "ndcg_asymptotics", *map(str, arguments), "--quiet", **environment)


def first_runs(place: Path) -> None:
    """Print the time of a small study without compiled kernels and with them."""
    study = place / "small.toml"
    study.write_text(SMALL, encoding="utf-8")
    cold, warm = (
        command("run", study, "--out", place / name, "--jobs", "1", NUMBA_CACHE_DIR=str(place / "kernels"))
        for name in ("cold", "warm")
    )
    print(f"first run of a small study: {cold:.1f} s, kernels compiled; {warm:.1f} s, kernels cached")


def inspect(place: Path, folder: Path) -> None:
    """Print the time of each command, and of imports and reading alone."""
    commands: dict[str, tuple[tuple[str | Path, ...], str, str]] = {
        "check": (("check", folder), "checks.checking", "values"),
        "figures": (("figures", folder, "--out", place / "figures"), "plots", "data"),
        "report": (("report", folder, "--out", place / "page.html"), "reports.page", "data"),
    }
    for name, (arguments, modules, part) in commands.items():
        opening = (
            "import ndcg_asymptotics.cli.app, ndcg_asymptotics.cli.terminal; "
            f"import ndcg_asymptotics.{modules}; from ndcg_asymptotics.results.folder import open_study; "
            f"open_study({str(folder)!r}).{part}"
        )
        command(*arguments)  # compiles what is not compiled
        measured = [(command(*arguments), seconds("-c", opening)) for _ in range(RUNS)]
        whole, read = map(median, zip(*measured, strict=True))
        print(f"{name}: {whole:.1f} s, of which imports and reading {read:.1f} s")


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
        inspect(place, folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
