"""The values of version 0.1.0 are drawn today."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

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
