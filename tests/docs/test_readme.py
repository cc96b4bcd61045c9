"""The README's numbers are what the package computes, and its commands run within five minutes."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from pages import ROOT, blocks

README = (ROOT / "README.md").read_text(encoding="utf-8")


def children() -> float:
    """Return the processor time of the finished processes that this process and its children have started."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


EXTRAS = ("panel", "bokeh", "dask", "distributed", "pyarrow", "sklearn")
# One process for all of the README, in which these libraries cannot be imported: it needs none of them.
VISIT = f"""
import contextlib, io, json, sys
sys.modules.update(dict.fromkeys({EXTRAS}))
from pages import Reader
from printed import differences

visitor, said = Reader("README.md"), []

def output(block):
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        visitor.do(block)
    said.append(printed.getvalue())
    return said[-1]

wrong = differences(sys.stdin.read(), output)
print(json.dumps([wrong, "".join(said)]))
"""


@pytest.mark.slow
def test_the_readme_runs_in_five_minutes(tmp_path: Path) -> None:
    before = children()
    # the tests of sweep start workers
    surroundings = {**os.environ, "MPLBACKEND": "Agg", "COLUMNS": "200", "LOKY_MAX_CPU_COUNT": "1"}
    surroundings["PYTHONPATH"] = os.pathsep.join([str(ROOT / "tests" / "support"), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-c", VISIT],
        input=README,
        cwd=tmp_path,
        env=surroundings,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    wrong, said = json.loads(done.stdout.splitlines()[-1])
    assert wrong == []
    # five minutes of one core; less than three seconds would mean that the commands were not measured
    assert 3 < children() - before < 300
    assert "results/study: 200 of 200 replicates complete\n" in said


def test_the_readme_is_short_and_its_first_code_is_a_study() -> None:
    lines = README.splitlines()
    assert len(lines) <= 90
    assert [line for line in lines if len(line) > 150] == []
    first = next(block for block in blocks(README) if block.language == "python")
    assert first.line < 20
    assert len(first.text.splitlines()) <= 13
