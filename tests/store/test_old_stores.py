"""Stores that version 0.1.0 wrote: they open, they continue, and today draws what was drawn then."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

from ndcg_asymptotics.store import open_results
from ndcg_asymptotics.studies import load
from ndcg_asymptotics.sweep.run import run

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
def test_they_are_continued(written: Path, name: str) -> None:
    folder = written / "results" / name
    before = open_results(folder)
    study = load(written / f"{name}.toml")
    after = run(study, folder, replicates=study.replicates + 1, jobs=1)
    assert after.replicates_complete == before.replicates_complete + 1
    assert after.data.sel(replicate=before.data.replicate).equals(before.data)
