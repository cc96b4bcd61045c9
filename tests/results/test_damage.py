"""Stores harmed in every way: nothing wrong is read, nothing raises, and the same run gives the same bits."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import numpy as np
import pytest

from benchmarks.damage import HARMS, Harm, sound_store, try_harm
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.results import layout, open_results
from ndcg_asymptotics.results.chunks import Chunks
from ndcg_asymptotics.results.damage.verify import verify
from ndcg_asymptotics.results.layout import STORE


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A study file and a store of it in several chunks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "CHUNK_BYTES", 2**11)
        return sound_store(tmp_path_factory.mktemp("damage"))


@pytest.mark.slow
@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__)
def test_what_is_harmed_is_named_never_read_and_mended(
    sound: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, harm: Harm
) -> None:
    monkeypatch.setattr(layout, "CHUNK_BYTES", 2**11)
    chance = random.Random(7)
    for case in range(4):
        try_harm(harm, chance, *sound, looks=case == 0)


def test_values_that_are_whole_but_impossible_are_not_read(
    sound: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a program would write them that knows of checksums but not of NDCG."""
    monkeypatch.setattr(layout, "CHUNK_BYTES", 2**11)
    folder = tmp_path / "edited"
    shutil.copytree(sound[1], folder)
    found = json.loads((folder / STORE / "ndcg" / "zarr.json").read_text())
    rows, *shape = found["chunk_grid"]["configuration"]["chunk_shape"]
    chunks = Chunks(folder, f"{STORE}/ndcg", tuple(shape), np.dtype(float), rows)
    values = chunks.read(0)
    values[1, 0, 0, 0] = np.nextafter(values[1, 0, 0, 0], 0)  # a single unit in the last place
    chunks.write(np.arange(rows), values)
    said = verify(folder)
    assert [damage.replicates for damage in said.damages] == [(1,)]
    assert said.to_dataframe()["replicates"].tolist() == [[1]]
    assert verify(sound[1]).to_dataframe().empty
    with pytest.raises(InputError, match="does not hold the values that were written: replicates 1"):
        open_results(folder, allow_custom=True)


def test_a_folder_in_the_place_of_a_curve_is_mended(
    sound: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from benchmarks.commands import command

    monkeypatch.setattr(layout, "CHUNK_BYTES", 2**11)
    shutil.copytree(sound[1], tmp_path / "store")
    (curve,) = (tmp_path / "store" / "curves").iterdir()
    curve.unlink()
    (curve / "within").mkdir(parents=True)
    ended = command("run", sound[0], "--out", tmp_path / "store", "--jobs", 1, "--allow-custom")
    assert ended.code == 0
    assert curve.is_file()
    assert verify(tmp_path / "store").sound


def test_nothing_is_written_through_a_symbolic_link(
    sound: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from benchmarks.commands import command

    monkeypatch.setattr(layout, "CHUNK_BYTES", 2**11)
    folder, elsewhere = tmp_path / "store", tmp_path / "elsewhere"
    shutil.copytree(sound[1], folder)
    elsewhere.mkdir()
    (elsewhere / "mine").write_text("mine")
    shutil.rmtree(folder / STORE / "ndcg" / "c")
    (folder / STORE / "ndcg" / "c").symlink_to(elsewhere)
    ended = command("run", sound[0], "--out", folder, "--jobs", 1, "--allow-custom")
    assert ended.code in (0, 2)
    assert [path.name for path in elsewhere.iterdir()] == ["mine"]
