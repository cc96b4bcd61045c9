"""Compiled kernels have a place also where the package and HOME cannot be written to."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ndcg_asymptotics
from ndcg_asymptotics.engines.compiled import any_writable

PACKAGE = Path(ndcg_asymptotics.__file__).parent
ONE_KERNEL = """
import numpy as np
from ndcg_asymptotics.engines.shared.inverse import depth_of_grade
from ndcg_asymptotics.populations import Relevance
depth_of_grade(Relevance.parse("constant(0.5)"), 0, np.array([0.5]))
"""


def test_a_folder_is_writable_if_a_file_can_be_made_in_it(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert any_writable([tmp_path / "file" / "below", tmp_path / "new" / "folder"])
    assert not any_writable([tmp_path / "file" / "below", Path("/proc/none")])
    assert not any_writable([])


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="/proc, which nobody can write to")
def test_a_read_only_package_without_a_home_runs_and_tells_where_code_is_kept(tmp_path: Path) -> None:
    """The steps of the Dockerfile; root can write anywhere, so files stand where numba needs folders."""
    copy = shutil.copytree(
        PACKAGE, tmp_path / "site" / PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__")
    )
    for folder in [copy, *(path for path in copy.rglob("*") if path.is_dir())]:
        (folder / "__pycache__").touch()
    (tmp_path / "tmp").mkdir()

    def python(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        places = {"HOME": "/proc/nobody", "TMPDIR": str(tmp_path / "tmp"), "PYTHONPATH": str(copy.parent)}
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], **places, **more},
            capture_output=True,
            text=True,
            timeout=300,
        )

    # one scorer and one measure, which need few kernels
    study = 'measures = ["nDCG"]\nn = [10]\nreplicates = 4\n[scorers]\na = "constant(0.5)"\n'
    (tmp_path / "study.toml").write_text(study)
    done = python("-m", PACKAGE.name, "run", "study.toml", "--out", "out", "--jobs", "2", "--replicates", "4")
    assert done.returncode == 0, done.stderr
    assert "4 of 4 replicates complete" in done.stdout
    assert "NUMBA_CACHE_DIR" in done.stderr
    assert not list((tmp_path / "tmp").glob("*numba*"))  # it is removed at the end
    kept = python("-c", ONE_KERNEL, NUMBA_CACHE_DIR=str(tmp_path / "kept"))
    assert kept.returncode == 0, kept.stderr
    assert "NUMBA_CACHE_DIR" not in kept.stderr
    assert list((tmp_path / "kept").rglob("*.nbi"))
