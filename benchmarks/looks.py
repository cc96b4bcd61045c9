"""What it takes to look at the standard study, a first and a second time, beside its simulation.

``python -m benchmarks.looks [REPLICATES]``, 1000 by default.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.startup import seconds
from ndcg_asymptotics.store.kept import FILE

STUDY = Path(__file__).parent.parent / "experiments" / "wang2013.toml"


def main(replicates: str = "1000") -> None:
    """Print processor seconds, and ratios to the simulation."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = str(Path(temporary, "results"))
        figures, page = str(Path(temporary, "figures")), str(Path(temporary, "page.html"))

        def command(*arguments: str) -> float:
            return seconds("-m", "ndcg_asymptotics", *arguments, "--quiet")

        warm = str(Path(temporary, "warm"))
        command("run", str(STUDY), "--out", warm, "--replicates", "2", "--jobs", "1")  # kernels compiled
        simulated = command("run", str(STUDY), "--out", folder, "--replicates", replicates, "--jobs", "1")
        print(f"the standard study, {replicates} replicates: {simulated:.1f} s of processor time")
        looks = {
            "check": ("check", folder, "--summary"),
            "figures": ("figures", folder, "--out", figures),
            "report": ("report", folder, "--out", page),
        }
        opened = seconds(
            "-c", f"from ndcg_asymptotics.store import open_results; open_results({folder!r}).data"
        )
        print(f"reading it: {opened:.1f} s")
        for name, arguments in looks.items():
            Path(folder, FILE).unlink(missing_ok=True)
            first, second = command(*arguments), command(*arguments)
            asked = " (asked: first <= 5 s)" if name == "check" else ""
            print(
                f"{name}: first look {first:.1f} s, {first / simulated:.3f} of the simulation; "
                f"second look {second:.1f} s{asked}"
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
