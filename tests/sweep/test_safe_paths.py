"""A run in the folder of somebody else does not run the Python files there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli_cases import write_study

from ndcg_asymptotics.sweep.processes import safe_paths

# the modules of workers that have computed; those of the processes that look after them are Python's own
MODULES = """
import sys
from importlib import import_module
from ndcg_asymptotics.sweep.executor import Cores

def modules(piece):
    import_module("ndcg_asymptotics.engines.items").simulate
    return {name.partition(".")[0] for name in sys.modules}

with Cores("loky", 2).workers() as computed:
    print(*set.union(*computed(modules, iter([[0], [1]]))))
"""


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a file named as each module that workers import, which writes that name elsewhere."""
    folder = tmp_path_factory.mktemp("theirs")
    worker = subprocess.run([sys.executable, "-P", "-c", MODULES], capture_output=True, text=True, check=True)
    names = {*worker.stdout.split(), *sys.stdlib_module_names}
    assert {"joblib", "numba", "ndcg_asymptotics", "random", "threading"} < names
    for name in names:
        (folder / f"{name}.py").write_text(f"open({str(folder / 'executed')!r}, 'a').write('{name} ')\n")
    write_study(folder)
    return folder


@pytest.mark.slow
def test_workers_import_nothing_from_the_current_folder(planted: Path, tmp_path: Path) -> None:
    # -P as in the installed command: Python itself would begin with the current folder
    run = ["-P", "-m", "ndcg_asymptotics", "run", "study.toml", "--jobs", "2", "--out", tmp_path / "out"]
    done = subprocess.run([sys.executable, *run], cwd=planted, capture_output=True, text=True)
    executed = planted / "executed"
    assert not executed.exists(), executed.read_text()
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("before", [None, "", "yes"])
def test_the_environment_is_as_before_when_the_last_of_several_sweeps_has_ended(
    monkeypatch: pytest.MonkeyPatch, before: str | None
) -> None:
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    if before is not None:
        monkeypatch.setenv("PYTHONSAFEPATH", before)
    with safe_paths():
        with safe_paths():
            assert os.environ["PYTHONSAFEPATH"] == (before or "1")
        assert os.environ["PYTHONSAFEPATH"] == (before or "1")
    assert (os.environ.get("PYTHONSAFEPATH") or None) == (before or None)  # empty is as good as unset
