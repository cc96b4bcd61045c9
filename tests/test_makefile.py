"""The settings of ``make elsewhere`` reach the libraries they are for."""

from __future__ import annotations

import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]

pytestmark = [
    pytest.mark.skipif(platform.machine() != "x86_64", reason="the vector units are those of x86-64"),
    pytest.mark.skipif(shutil.which("make") is None, reason="needs make"),
    pytest.mark.skipif(
        tuple(map(int, np.__version__.split(".")[:2])) < (2, 4),
        reason="older numpy names vector units otherwise",
    ),
]

# an unknown name of a vector unit is an ImportWarning, which is an error here
REPORT = """
import json, warnings
warnings.simplefilter("error", ImportWarning)
import numpy
from numpy._core._multiarray_umath import __cpu_features__ as features
from numba import config
import threadpoolctl
blas = next(pool for pool in threadpoolctl.threadpool_info() if "numpy" in pool["filepath"])
print(json.dumps({
    "units": [name for name, there in features.items() if there],
    "kernel": blas["architecture"],
    "threads": blas["num_threads"],
    "cpu": config.CPU_NAME,
}))
"""


def elsewhere() -> list[dict[str, str]]:
    """The environment variables that each run of the suite begins with."""
    shown = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", "elsewhere"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.replace("\\\n", " ")
    runs = [shlex.split(line) for line in shown.splitlines() if "pytest" in line]
    return [dict(word.split("=", 1) for word in words if word.split("=")[0].isupper()) for words in runs]


def found(settings: dict[str, str]) -> dict[str, Any]:
    """Return what numpy, its BLAS and numba report under these settings."""
    ours = ("NPY_DISABLE_CPU_FEATURES", "OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS", "NUMBA_CPU_NAME")
    surroundings = {name: value for name, value in os.environ.items() if name not in ours}
    done = subprocess.run(
        [sys.executable, "-c", REPORT],
        env=surroundings | settings,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@pytest.mark.slow
def test_every_run_has_the_settings_it_names() -> None:
    pytest.importorskip("threadpoolctl")
    runs = elsewhere()
    reports = [found(settings) for settings in runs]
    for settings, report in zip(runs, reports, strict=True):
        off = settings.get("NPY_DISABLE_CPU_FEATURES", "").split()
        assert not set(off) & set(report["units"])
        assert report["kernel"] == settings.get("OPENBLAS_CORETYPE", report["kernel"])
        assert report["threads"] == min(int(settings["OPENBLAS_NUM_THREADS"]), os.cpu_count() or 1)
        assert report["cpu"] == settings.get("NUMBA_CPU_NAME")
    # the second run leaves numpy nothing but the units it was compiled for
    assert "X86_V3" not in reports[1]["units"]
    assert {settings["OPENBLAS_NUM_THREADS"] for settings in runs} == {"1", "4"}


def test_an_unknown_vector_unit_is_an_error() -> None:
    with pytest.raises(AssertionError, match="not part of the dispatched optimizations"):
        found({"NPY_DISABLE_CPU_FEATURES": "X86_V9"})
