"""Time until a command starts, relative to `import typer` or the help of a small typer app, or in seconds."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial

from benchmarks.line import RUNS, Line, ratios, seconds

PREDICT = (
    "-m",
    "ndcg_asymptotics",
    "predict",
    "--scorer",
    "linear(0.1, 0.7)",
    "--measure",
    "nDCG",
    "--n",
    "1000",
)


TWO_COMMANDS = """
import typer
app = typer.Typer()
@app.command()
def one(x: int = 1) -> None:
    'Do one thing.'
@app.command()
def two(x: int = 1) -> None:
    'Do another thing.'
app(["--help"])
"""


def python(*arguments: str) -> None:
    """Run one Python process."""
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)


def lines() -> Iterator[Line]:
    """Yield wall times, as most of the time goes to reading files."""
    help_, typer = partial(python, "-m", "ndcg_asymptotics", "--help"), partial(python, "-c", "import typer")
    help_()
    yield Line("--help", "import typer", ratios(help_, typer, 9, time.perf_counter))
    small = partial(python, "-c", TWO_COMMANDS)
    yield Line("--help", "that of a typer app with two commands", ratios(help_, small, 9, time.perf_counter))
    predict = partial(python, *PREDICT)
    predict()
    yield Line("predict", "s", tuple(seconds(predict, time.perf_counter) for _ in range(RUNS)))
