"""The README's numbers are what the package computes, and its tour runs within five minutes."""

from __future__ import annotations

import re
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pages import ROOT, SHELLS, Block, Reader, blocks

import ndcg_asymptotics as na

README = (ROOT / "README.md").read_text(encoding="utf-8")
TOUR = "## A tour in five minutes\n"

# The unit of cost is the processor time of a loop with so many iterations, about a second on one core of a
# laptop of 2020. A busy machine slows down the loop and the tour alike.
REFERENCE = 22_000_000


def test_the_limit_in_the_readme() -> None:
    value = re.search(r"\.value\s+# (0\.\d+), Theorem 3", README)
    assert value is not None
    assert na.theory.limit("linear(0.1, 0.7)", "nDCG(power(0.5))").value == pytest.approx(
        float(value[1]), abs=1e-12
    )


@pytest.mark.slow
def test_the_plan_in_the_readme() -> None:
    said = re.search(
        r"a single list of ([\d,]+) documents .* no list is long enough, and a paired test needs (\d+) "
        r"lists of 1,000 documents where nDCG needs (\d+), .* nDCG@k, (\d+) needs .* "
        r"a difference of (0\.\d+)\.",
        " ".join(README.split()),
    )
    assert said is not None
    found = na.plan("linear(0.1, 0.5)", "linear(0.2, 0.4)", ["nDCG", "nDCG@10"])
    whole, top = found.rows
    assert whole.required_n_low <= int(said[1].replace(",", "")) <= whole.required_n_high
    assert top.required_n is None
    assert (top.required_lists, whole.required_lists) == (int(said[2]), int(said[3]))
    assert max(found.cutoffs, key=lambda choice: choice.effect).at == int(said[4])
    alone = na.analysis.plan_for_sd(0.2, queries=50).rows[0]
    assert alone.detectable == pytest.approx(float(said[5]), abs=5e-4)


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
    """A reader that runs each command in its own process, as a shell does, and collects the Python blocks.

    The libraries of the extras cannot be imported: the tour needs none of them.
    """

    def __init__(self, page: str) -> None:
        super().__init__(page, command)
        self.script = ""

    def do(self, block: Block) -> None:
        if block.language == "python" and not block.title and not block.excuse:
            self.script += block.text
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
    before, rest = README.split(TOUR)
    tour, after = rest.split("\n## ", 1)
    assert not [block for text in (before, after) for block in blocks(text) if runs(block)]
    unit = loop()
    start = children()
    visitor = Visitor("README.md")
    for block in blocks(tour):
        visitor.do(block)
    subprocess.run([sys.executable, "-c", ALONE + visitor.script], check=True)
    cost = children() - start
    unit = (unit + loop()) / 2
    # 300 units are five minutes of one core, and at most that of two; a cost below ten units would mean that
    # the commands were not measured
    assert 10 < cost / unit < 300
    said = capfd.readouterr().out
    assert "results/two: 200 of 200 replicates complete\n" in said


def runs(block: Block) -> bool:
    """Whether a reader would run the block or write it to a file."""
    return not block.excuse and bool(block.title or block.language in (*SHELLS, "python"))
