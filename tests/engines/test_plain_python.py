"""Kernels are ordinary Python: as such (NUMBA_DISABLE_JIT=1) the steps of engines pass their tests too."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

QUICK = (
    *(
        "values_are",
        "drawn_alone",
        "every_order",
        "exponentials-zipf",
        "summaries",
        "ideal_dcg",
        "stand_where",
    ),
    *("quantiles", "few_steps", "case3", "one_by_one", "order_of_two", "goes_on"),
)


@pytest.mark.slow
def test_the_steps_of_engines_are_right_as_plain_python() -> None:
    files = sorted(map(str, Path(__file__).parent.glob("test_*_steps.py")))
    # whole numbers that overflow on purpose and divisions that numba allows give warnings
    options = "-n", "0", "-p", "no:cacheprovider", "-W", "ignore::RuntimeWarning", "-k", " or ".join(QUICK)
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *files],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert len(files) == 4
    assert ended.returncode == 0, ended.stdout
