"""The values of version 0.1.0 are drawn today; older folders are refused with advice."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
from cases import Run
from cli_cases import write_study

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.results import open_results
from ndcg_asymptotics.results.verify import verify
from ndcg_asymptotics.studies import load
from ndcg_asymptotics.sweep import run as run_study

NAMES = ("items", "graded", "every_n", "cells", "empirical")


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Study files, and for each the arrays that version 0.1.0 drew."""
    folder = tmp_path_factory.mktemp("drawn")
    with zipfile.ZipFile(Path(__file__).with_name("drawn_by_0.1.0.zip")) as archive:
        archive.extractall(folder)
    return folder


def arrays(drawn: Path, name: str) -> dict[str, np.ndarray]:
    with np.load(io.BytesIO((drawn / f"{name}.npz").read_bytes())) as found:
        return {variable: found[variable] for variable in found}


@pytest.mark.parametrize("name", NAMES)
def test_the_same_values_are_drawn_today(drawn: Path, name: str) -> None:
    """Bit for bit on the machine that wrote them; elsewhere vector units may move the last digits."""
    then, now = arrays(drawn, name), run_study(load(drawn / f"{name}.toml"), jobs=1)
    assert set(then) == {*now.data.data_vars, "replicate"}
    for variable, values in then.items():
        if values.dtype.kind == "f":
            np.testing.assert_allclose(now.data[variable], values, rtol=0, atol=1e-13)
        else:
            np.testing.assert_array_equal(now.data[variable], values)


def test_another_seed_draws_others(drawn: Path) -> None:
    now = run_study(load(drawn / "items.toml").with_(seed=8), jobs=1)
    assert np.abs(now.data["ndcg"] - arrays(drawn, "items")["ndcg"]).max() > 1e-3


def old(folder: Path, store: str) -> Path:
    (folder / store / "ndcg").mkdir(parents=True)
    (folder / store / "zarr.json").write_text('{"attributes": {"format": 2}}')
    (folder / "exact.json").write_text("{}")
    return folder


@pytest.mark.parametrize("command", ["info", "check", "distinguish", "figures", "report", "merge", "run"])
def test_a_folder_of_an_older_version_is_refused_with_a_way_on(
    tmp_path: Path, run: Run, command: str
) -> None:
    folder = old(tmp_path / "old", "results.zarr")
    arguments: tuple[object, ...] = (command, folder)
    if command in ("figures", "report", "merge"):
        arguments += ("--out", tmp_path / "out")
    if command == "run":
        arguments = ("run", write_study(tmp_path), "--out", folder)
    before = sorted(folder.rglob("*"))
    code, said, error = run(*arguments)
    assert (code, said) == (2, "")
    assert "results of version 0.2.0 or older (results.zarr), which this version does not read" in error
    assert "run the study again into a new folder" in error
    assert error.count("\n") == 1
    assert sorted(folder.rglob("*")) == before


def test_grids_of_an_older_version_are_refused(tmp_path: Path) -> None:
    grid = tmp_path / "grid"
    old(grid / "points" / "p=0.1", "results.zarr")
    (grid / "grid.json").write_text('{"parameters": {"p": [0.1]}, "fields": {}, "attributes": {}}')
    with pytest.raises(InputError, match=r"p=0.1: results of version 0.2.0 or older"):
        verify(grid)
    with pytest.raises(InputError, match="its points"):
        open_results(grid)
