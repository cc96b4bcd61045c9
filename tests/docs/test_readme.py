"""The README's numbers are what the package computes, and its tour runs within five minutes."""

from __future__ import annotations

import ast
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pages import ROOT, SHELLS, Block, Reader, blocks, shown
from printed import differences

README = (ROOT / "README.md").read_text(encoding="utf-8")
TOUR = "## A tour in five minutes\n"

# The unit of cost is the processor time of a loop with so many iterations, about a second on one core of a
# laptop of 2020. A busy machine slows down the loop and the tour alike.
REFERENCE = 22_000_000


def loop() -> float:
    """Return the processor time of the reference loop."""
    start, total = time.process_time(), 0
    for i in range(REFERENCE):
        total += i * i % 7
    assert total
    return time.process_time() - start


def children() -> float:
    """Return the processor time of the finished processes that this process and its children have started."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


EXTRAS = ("panel", "bokeh", "dask", "distributed", "pyarrow", "sklearn")
ALONE = f"import sys; sys.modules.update(dict.fromkeys({EXTRAS}))\n"  # these cannot be imported


class Visitor(Reader):
    """A reader that runs each command and each Python block in its own process, as a shell does.

    The libraries of the extras cannot be imported: the tour needs none of them.
    """

    def __init__(self, page: str) -> None:
        super().__init__(page, command)

    def do(self, block: Block) -> None:
        if block.language == "python" and not block.title and not block.excuse:
            start = ALONE + ast.unparse(shown(block.text))
            subprocess.run([sys.executable, "-c", start], check=True)
        else:
            super().do(block)


def command(words: list[str]) -> int:
    start = ALONE + "from ndcg_asymptotics.cli.main import main; main()"
    return subprocess.run([sys.executable, "-c", start, *words[1:]], check=False).returncode


@pytest.mark.slow
def test_the_tour_runs_in_five_minutes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setenv("COLUMNS", "200")
    start, rest = README.split(TOUR)
    tour, after = rest.split("\n## ", 1)
    assert not [block for block in blocks(after) if runs(block)]
    unit = loop()
    before = children()
    visitor, said = Visitor("README.md"), []

    def output(block: Block) -> str:
        visitor.do(block)
        said.append(capfd.readouterr().out)
        return said[-1]

    assert differences(start + TOUR + tour, output) == []
    cost = children() - before
    unit = (unit + loop()) / 2
    # 300 units are five minutes of one core, and at most that of two; a cost below ten units would mean that
    # the commands were not measured
    assert 10 < cost / unit < 300
    assert "results/two: 200 of 200 replicates complete\n" in "".join(said)


def runs(block: Block) -> bool:
    """Whether a reader would run the block or write it to a file."""
    return not block.excuse and bool(block.title or block.language in (*SHELLS, "python"))
