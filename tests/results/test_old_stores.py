"""Stores that version 0.1.0 wrote: they open, they continue, and today draws what was drawn then."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.results import open_results
from ndcg_asymptotics.results.damage.verify import verify
from ndcg_asymptotics.results.layout import FORMAT, STORE
from ndcg_asymptotics.studies import load
from ndcg_asymptotics.sweep.sweep import run

NAMES = ("items", "graded", "every_n", "cells", "empirical")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("written")
    with zipfile.ZipFile(Path(__file__).with_name("written_by_0.1.0.zip")) as archive:
        archive.extractall(folder)
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_the_same_values_are_drawn_today(written: Path, name: str) -> None:
    """Bit for bit on the machine that wrote them; elsewhere vector units may move the last digits."""
    then = open_results(written / "results" / name)
    now = run(load(written / f"{name}.toml"), jobs=1)
    assert then.complete
    assert set(then.data.data_vars) == set(now.data.data_vars)
    for variable, values in then.data.data_vars.items():
        if values.dtype.kind == "f":
            np.testing.assert_allclose(now.data[variable], values, rtol=0, atol=1e-13)
        else:
            np.testing.assert_array_equal(now.data[variable], values)


def test_another_seed_draws_others(written: Path) -> None:
    then = open_results(written / "results" / "items")
    now = run(load(written / "items.toml").with_(seed=8), jobs=1)
    assert np.abs(now.data["ndcg"] - then.data["ndcg"]).max() > 1e-3


@pytest.mark.parametrize("name", NAMES)
def test_they_are_continued(written: Path, tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    shutil.copytree(written / "results" / name, folder)
    before = open_results(folder).data
    assert before.attrs["format"] == 1
    study = load(written / f"{name}.toml")
    after = run(study, folder, replicates=study.replicates + 1, jobs=1)
    assert after.data.attrs["format"] == FORMAT
    assert after.replicates_complete == len(before.replicate) + 1
    assert after.data.sel(replicate=before.replicate).equals(before)
    assert after.versions[0]["ndcg_asymptotics"] == "0.1.0"
    assert verify(folder).checksums


@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_result_is_seen_without_checksums(written: Path, tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    shutil.copytree(written / "results" / name, folder)
    assert verify(folder).sound
    assert not verify(folder).checksums
    chunk = next((folder / STORE / "ndcg" / "c").rglob("0/0/0/0"))
    chunk.unlink()
    with pytest.raises(InputError, match="ndcg/c/0/0/0/0 is missing: replicates 0 to"):
        open_results(folder)
    study = load(written / f"{name}.toml")
    assert run(study, folder, jobs=1).data.equals(run(study, jobs=1).data)
