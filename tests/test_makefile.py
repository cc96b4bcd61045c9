"""The settings of ``make elsewhere`` name vector units and kernels that the libraries know."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

pytestmark = [
    pytest.mark.skipif(platform.machine() != "x86_64", reason="the vector units are those of x86-64"),
    pytest.mark.skipif(shutil.which("make") is None, reason="needs make"),
    pytest.mark.skipif(
        tuple(map(int, np.__version__.split(".")[:2])) < (2, 4),
        reason="older numpy names vector units otherwise",
    ),
]


def test_every_vector_unit_that_is_turned_off_is_one_of_numpy() -> None:
    """An unknown name would be a warning that pytest does not see, and nothing would be turned off."""
    from numpy._core._multiarray_umath import __cpu_dispatch__ as known  # type: ignore[import-not-found]

    command = ["make", "--dry-run", "--no-print-directory", "elsewhere"]
    root = Path(__file__).parents[1]
    shown = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    disabled = [named.split() for named in re.findall(r'NPY_DISABLE_CPU_FEATURES="([^"]+)"', shown)]
    assert [sorted({*names} - {*known}) for names in disabled] == [[], []]
    assert "X86_V3" in disabled[1]  # which leaves numpy nothing but the units it was compiled for
    assert shown.count("OPENBLAS_NUM_THREADS=") == shown.count("bin/pytest") == 3
