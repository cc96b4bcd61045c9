"""The commands `run`, `merge` and `list` in this process: their output, and the input that they refuse."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cases import Ended, command, output
from cli_cases import write_study
from sweep_cases import use_fake_engine
from typer.core import TyperGroup

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.results.folder import open_study

_fake_engine = pytest.fixture(autouse=True)(use_fake_engine)


@pytest.fixture
def study_file(tmp_path: Path) -> Path:
    return write_study(tmp_path)


def refused(ended: Ended, *words: str) -> None:
    """Assert that a command printed one line on stderr with these words, and exited with status 2."""
    assert ended.refused, ended
    assert re.fullmatch("ndcg-asymptotics: [^\x1b]*\n", ended.err)
    assert not [word for word in words if word not in ended.err], ended.err


def test_a_study_runs_and_runs_again(tmp_path: Path, study_file: Path) -> None:
    code, out, err = command("run", study_file, "--out", tmp_path / "out", "--jobs", 1)
    assert (code, out) == (0, f"{tmp_path / 'out'}: 12 of 12 replicates complete\n")
    assert f"Next:\n  ndcg-asymptotics check {tmp_path / 'out'}\n" in err
    assert "\x1b" not in err
    assert open_study(tmp_path / "out").complete
    again = command("run", study_file, "--out", tmp_path / "out", "--jobs", 1, "--quiet")
    assert again == (0, f"{tmp_path / 'out'}: 12 of 12 replicates complete\n", "")


@pytest.mark.slow
def test_commands_use_one_thread_of_the_linear_algebra_library() -> None:
    pytest.importorskip("threadpoolctl")
    code = (
        "import atexit, threadpoolctl; from ndcg_asymptotics.cli.main import main\n"
        "atexit.register(lambda: print([p['num_threads'] for p in threadpoolctl.threadpool_info()]))\n"
        "main(['list', '-q'])"
    )
    environment = {k: v for k, v in os.environ.items() if k != "OPENBLAS_NUM_THREADS"}
    ended = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert set(json.loads(ended.stdout.splitlines()[-1])) == {1}


def test_more_and_fewer_replicates(tmp_path: Path, study_file: Path) -> None:
    to = ("--out", tmp_path / "out", "--jobs", 1)
    command("run", study_file, *to)
    assert "15 of 15 replicates complete\n" in output("run", study_file, *to, "--replicates", "1.5e1")
    assert "is for 15 replicates, more than the 12 asked for; all" in command("run", study_file, *to).err


def test_a_time_limit_exits_with_1_and_tells_how_to_continue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ndcg_asymptotics.sweep.block._SECONDS", 0.1)  # of a block
    file = write_study(tmp_path, "slow")
    code, out, _ = command("run", file, "--out", tmp_path / "out", "--jobs", 1, "--time-limit", 0.2)
    assert code == 1
    assert "stopped: time limit; the same command continues" in out


def test_array_jobs_merge(tmp_path: Path, study_file: Path) -> None:
    command("run", study_file, "--out", tmp_path / "whole", "--jobs", 1)
    for first in (0, 6):
        to = ("--out", tmp_path / f"part{first}", "--first", first, "--replicates", 6)
        assert command("run", study_file, *to, "--jobs", 1)[0] == 0
    merged = output("merge", tmp_path / "part6", tmp_path / "part0", "--out", tmp_path / "all")
    assert merged == f"{tmp_path / 'all'}: 12 of 12 replicates complete\n"
    code, out, _ = command("merge", tmp_path / "part6", "--out", tmp_path / "half")
    assert (code, out) == (1, f"{tmp_path / 'half'}: 6 of 12 replicates complete\n")
    assert open_study(tmp_path / "all").data.equals(open_study(tmp_path / "whole").data)
    assert command("run", study_file, "--out", tmp_path / "all", "--jobs", 1)[0] == 0
    refused(command("merge", tmp_path, "--out", tmp_path / "new"), "holds no results")


def test_wrong_files_and_folders_are_refused(tmp_path: Path, study_file: Path) -> None:
    out = tmp_path / "out"
    refused(command("run", tmp_path / "no.toml", "--out", out), "no.toml", "No such file")
    refused(command("run", tmp_path, "--out", out), str(tmp_path), "Is a directory")
    refused(command("run", study_file, "--out", study_file), str(study_file))


@contextmanager
def without_privileges() -> Iterator[None]:
    """Drop the privileges of root, who may write anywhere."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_read_only_folder_is_refused_and_loses_nothing() -> None:
    folder = Path(tempfile.mkdtemp())
    try:
        folder.chmod(0o755)
        file = write_study(folder)
        to = ("--out", folder / "out", "--jobs", 1)
        command("run", file, *to)
        for path in [folder, *folder.rglob("*")]:
            path.chmod(0o555 if path.is_dir() else 0o444)
        with without_privileges():
            refused(command("run", file, "--out", folder / "new", "--jobs", 1), "Permission denied")
            refused(command("run", file, *to, "--replicates", 20), "Permission denied")
            assert command("run", file, *to)[0] == 0  # there is nothing to write
        assert (open_study(folder / "out").complete, (folder / "new").exists()) == (True, False)
    finally:
        for path in [folder, *folder.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
        shutil.rmtree(folder)


def test_errors_of_every_command_end_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def raising(error: Exception) -> Callable[..., None]:
        def fail(*_: object) -> None:
            raise error

        return fail

    for error, said in (
        (InputError("x: got 1,\nallowed is 2"), "x: got 1, allowed is 2"),
        (OSError(28, "No space left on device", "results"), "results: No space left on device"),
        (MemoryError(), "not enough memory"),
        (RecursionError(), "nested too deeply"),
        (InputError("a\x1b[31m" + "x" * 400_000), r"a\x1b[31mxxx"),
    ):
        monkeypatch.setattr(TyperGroup, "invoke", raising(error))
        refused(command("list"), said)


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys, ndcg_asymptotics.cli.app; "
        "heavy = {'numpy', 'scipy', 'numba', 'xarray', 'joblib', 'tqdm', 'pydantic', 'matplotlib'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_messages_say_what_to_do_next(tmp_path: Path) -> None:
    study, out = write_study(tmp_path), tmp_path / "all" / "one"
    assert command("run", study, "--out", out, "--jobs", 1).code == 0
    refused(command("run", study), "Missing option '--out'; such as --out results/NAME")
    refused(command("check", tmp_path / "none.toml"), "none.toml: there is no such folder")
    refused(command("check", tmp_path / "all"), "holds no results (no study.json)")
    write_study(tmp_path, seed="6")
    refused(command("run", study, "--out", out), "; name another folder, or move this one away")
