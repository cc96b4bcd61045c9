"""How long a user waits for `ndcg-asymptotics --help`, in units of `import typer`."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

RUNS = 9


def seconds(*arguments: str) -> float:
    """Wall time of one Python process."""
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    """Print the median ratio over interleaved runs."""
    ratios = [
        seconds("-m", "ndcg_asymptotics", "--help") / seconds("-c", "import typer") for _ in range(RUNS + 1)
    ][1:]
    print(f"--help / import typer: {statistics.median(ratios):.2f} (asked: <= 3)")


if __name__ == "__main__":
    main()
