"""Compiled kernels are those of the sources, and are compiled again where their files cannot be used."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from cases import refused
from numba import config
from numba.core.caching import CompileResultCacheImpl

from ndcg_asymptotics import engines
from ndcg_asymptotics.engines import compiled
from ndcg_asymptotics.engines.compiled import COMPILING, kernel, sources_digest


def test_the_stamp_of_machine_code_follows_from_all_sources(tmp_path: Path) -> None:
    below = tmp_path / "below"
    below.mkdir()
    digests = [sources_digest(tmp_path)]
    for content in ("a = 1", "a = 2"):
        (below / "one.py").write_text(content)
        digests.append(sources_digest(tmp_path))
    (below / "one.py").rename(tmp_path / "one.py")
    digests.append(sources_digest(tmp_path))
    assert len(set(digests)) == 4
    (below / "one.txt").touch()
    assert sources_digest(tmp_path) == digests[-1]
    assert compiled._stamp() == sources_digest(Path(engines.__file__).parent)


LOADS = """
import sys
import numpy as np
from ndcg_asymptotics.engines.shared.inverse import depth_of_grade
from ndcg_asymptotics.populations import Relevance
print(depth_of_grade(Relevance.parse("linear(0, 1)"), 0, np.array([0.75])), "numba.np.linalg" in sys.modules)
"""


@pytest.mark.slow
@pytest.mark.skipif(not compiled._LOADS_ALONE, reason="numba loads machine code with what it compiles by")
def test_machine_code_is_loaded_without_what_compiles(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", LOADS]
    printed = [
        subprocess.run(command, env=environment, capture_output=True, text=True).stdout for _ in range(2)
    ]
    assert printed == ["[0.5] True\n", "[0.5] False\n"]


def double(x: float) -> float:
    return 2.0 * x


def test_a_constant_has_the_machine_code_of_its_type(lines: list[str]) -> None:
    inner: Any = kernel(double)

    @kernel
    def outer(x: int) -> float:
        return inner(1) + inner(x)

    assert outer(2) == 6.0
    assert [str(kind) for (kind,) in inner.signatures] == ["int64"]


def test_without_a_writable_folder_machine_code_is_kept_for_this_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    messages: list[str] = []
    monkeypatch.setattr(compiled, "say", messages.append)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    monkeypatch.setattr(config, "CACHE_DIR", "")
    # numba tries the folder of the variable only
    monkeypatch.setattr(
        CompileResultCacheImpl, "_locator_classes", CompileResultCacheImpl._locator_classes[:1]
    )
    for _ in range(2):
        kernel(double)
    (folder,) = tmp_path.iterdir()
    assert os.environ["NUMBA_CACHE_DIR"] == str(folder)  # workers find the same folder
    (line,) = messages
    assert "no cache folder is writable" in line
    monkeypatch.setattr(config, "CACHE_DIR", "")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    refused("set NUMBA_CACHE_DIR or TMPDIR", kernel, double)


@pytest.fixture
def lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Messages about kernels, which are kept in a new folder."""
    messages: list[str] = []
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(compiled, "_say_once", messages.append)
    return messages


def compiled_anew() -> bool:
    """Compile `double` as another process would; return whether its machine code was not there."""
    dispatcher: Any = kernel(double)
    assert dispatcher(3.0) == 6.0
    return bool(dispatcher.stats.cache_misses)


def test_machine_code_of_other_sources_is_not_used(lines: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The stamp tells sources of all engines, since kernels hold code and constants of other files."""
    assert compiled_anew()
    assert not compiled_anew()
    stamp = compiled._stamp()
    monkeypatch.setattr(compiled, "_stamp", lambda: "another")
    assert compiled_anew()
    assert not compiled_anew()
    monkeypatch.setattr(compiled, "_stamp", lambda: stamp)
    assert compiled_anew()
    assert lines == 3 * [COMPILING]


@pytest.mark.parametrize("damage", ["empty", "cut", "zeros"])
@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_damaged_files_of_a_kernel_are_written_again(
    tmp_path: Path, lines: list[str], ending: str, damage: str
) -> None:
    assert compiled_anew()
    assert lines == [COMPILING]
    assert not compiled_anew()
    (file,) = tmp_path.rglob(f"*.{ending}")
    content = file.read_bytes()
    damaged = {"empty": b"", "cut": content[: len(content) // 2], "zeros": bytes(len(content))}
    file.write_bytes(damaged[damage])
    assert compiled_anew()
    assert lines[1:] == [f"{file.parent}: compiled code is damaged; it is compiled again"]
    assert not compiled_anew()


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Writing more into any file fails within the body, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("size", [0, 2000])  # room for nothing, and for the index only
def test_on_a_full_disk_kernels_are_compiled_and_not_kept(
    tmp_path: Path, lines: list[str], size: int
) -> None:
    for _ in range(2):
        with largest_file(size):
            assert compiled_anew()
    why = "cannot be written (File too large): this run compiles in each process"
    (folder,) = tmp_path.iterdir()
    assert lines == 2 * [COMPILING, f"{folder}: {why}; NUMBA_CACHE_DIR names another folder"]
    assert compiled_anew()
    assert not compiled_anew()
