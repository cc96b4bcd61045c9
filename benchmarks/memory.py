"""Growth of memory: the peak of a process at two lengths, relative to the engine's own estimate."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module

from benchmarks.growth import of_lengths
from benchmarks.line import RUNS, Line

LENGTHS = {"items": (2 * 10**6, 10**7), "every_n": (500_000, 2 * 10**6)}
_UNIT = 1 if sys.platform == "darwin" else 1024


def lines() -> Iterator[Line]:
    """Yield the growth of the peak from one length to the next."""
    for name, (short, last) in LENGTHS.items():
        engine = import_module(f"ndcg_asymptotics.engines.{name}")
        stated = engine.memory(of_lengths(name, last)) - engine.memory(of_lengths(name, short))
        found = tuple((_peak(name, last) - _peak(name, short)) / stated for _ in range(RUNS))
        estimate = f"its estimate, {stated / (last - short):.0f} bytes an item"
        yield Line(f"{name}: {short:g} to {last:g} items", estimate, found)


def _peak(name: str, last: int) -> int:
    """Return the peak memory of a process that simulates once."""
    command = [sys.executable, "-m", "benchmarks.memory", name, str(last)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    """Simulate once; print the peak memory of this process."""
    name, last = sys.argv[1], int(sys.argv[2])
    import_module(f"ndcg_asymptotics.engines.{name}").simulate(of_lengths(name, last), 0)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT)


if __name__ == "__main__":
    main()
