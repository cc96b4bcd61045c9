"""Folders damaged in many ways: no wrong value is used, and what was deleted is made again."""

from __future__ import annotations

import io
import json
import random
import re
import shutil
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest
from cases import command, refused
from robustness.damage import HARMS, Harm, Kind, make_kinds, try_harm

from ndcg_asymptotics.core.files import UnreadableError, digest_of
from ndcg_asymptotics.results.blocks import File, read_block
from ndcg_asymptotics.results.folder import open_study
from ndcg_asymptotics.results.kinds import write_record
from ndcg_asymptotics.results.layout import Variable


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Kind]:
    """A sound folder of every kind."""
    return {kind.name: kind for kind in make_kinds(tmp_path_factory.mktemp("kinds"))}


@pytest.fixture
def folder(kinds: dict[str, Kind], tmp_path: Path) -> Path:
    """A copy of the results of a study."""
    return Path(shutil.copytree(kinds["study"].sound, tmp_path / "study"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["study", "grid"])
@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__)
def test_damage_is_reported_not_read_and_made_again(kinds: dict[str, Kind], harm: Harm, name: str) -> None:
    try_harm(harm, random.Random(f"{name} {harm.__name__}"), kinds[name])


@pytest.mark.slow
def test_nothing_is_written_through_a_symbolic_link(
    folder: Path, kinds: dict[str, Kind], tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine").write_text("mine")
    shutil.rmtree(folder / "curves")
    (folder / "curves").symlink_to(elsewhere)
    ended = command(*kinds["study"].again, "--out", folder)
    assert ended.code == 2
    assert "a symbolic link is not written through" in ended.err, ended.err
    assert [(path.name, path.read_text()) for path in elsewhere.iterdir()] == [("mine", "mine")]


EXPECTED = {"x": Variable(("n",), (3,), np.dtype(np.float64))}
ABOUT = {"study": "key", "first": 0, "last": 1, "made_by": {}}


def crafted(folder: Path, members: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> File:
    """Write a file whose digest is the one in its name, as somebody would who knows the format."""
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    digest = digest_of(into.getvalue())
    path = folder / f"0-1-{digest}.npz"
    path.write_bytes(into.getvalue())
    return File(0, 1, digest, path)


def npy(array: np.ndarray) -> bytes:
    into = io.BytesIO()
    np.save(into, array)
    return into.getvalue()


def header(shape: str, dtype: str = "<f8") -> bytes:
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


ABOUT_JSON = json.dumps(ABOUT).encode()
GOOD = {"about.json": ABOUT_JSON, "x.npy": npy(np.zeros((2, 3)))}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"x.npy": npy(np.array([[{}] * 3] * 2, object))}, "is not a block of results"),
        ({"x.npy": npy(np.zeros((2, 3), np.float32))}, "does not hold the arrays"),
        ({"x.npy": npy(np.zeros((3, 2)))}, "does not hold the arrays"),
        ({"x.npy": header("(2, 3)")}, "is not a block of results"),
        ({"x.npy": header("(1000000000000, 3)") + bytes(48)}, "is not a block of results .MemoryError"),
        ({"x.npy": b"nonsense" * 20}, "does not hold the arrays"),
        ({"y.npy": npy(np.zeros(1))}, "does not hold the arrays"),
        ({"about.json": b"{}"}, "is not a block of results"),
        ({"about.json": b"[" * 10_000}, "is not a block of results"),
        ({"about.json": b" " * 2**17}, "is not a block of results"),
        ({"about.json": json.dumps(ABOUT | {"study": "other"}).encode()}, "is of another study"),
        ({"about.json": json.dumps(ABOUT | {"last": 2}).encode()}, "holds replicates 0 to 2"),
    ],
)
def test_blocks_that_somebody_made_up_are_refused(
    tmp_path: Path, change: dict[str, bytes], said: str
) -> None:
    assert read_block(crafted(tmp_path, GOOD), "key", EXPECTED)[1]["x"].shape == (2, 3)
    with pytest.raises(UnreadableError, match=said):
        read_block(crafted(tmp_path, GOOD | change), "key", EXPECTED)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("n", {}),
        ("n", None),
        ("pairs", {}),
        ("pairs", [[]]),
        ("scorers", "ab"),
        ("scorers", {"a": 1}),
        ("measures", {"a": []}),
        ("engine", {}),
        ("seed", []),
        ("bracket", "wide"),
        ("aliases", 3),
        ("aliases", ["a"]),
        ("studies", 1),
    ],
)
def test_a_record_of_no_study_is_one_line_though_its_digest_holds(
    folder: Path, field: str, value: object
) -> None:
    """Somebody who knows the format wrote it; an empty table has no wrong element."""
    stated = json.loads((folder / "study.json").read_text())
    stated.pop("digest")
    stated["study"][field] = value
    write_record(folder / "study.json", stated)
    named = rf"^{re.escape(str(folder))}: .*({field}|study\.json is damaged)"
    refused(named, open_study, folder, allow_custom=True)


def test_a_block_with_the_content_of_another_is_refused(tmp_path: Path) -> None:
    """Both are sound, and the archive has no wrong checksum."""
    file, other = (crafted(tmp_path, GOOD | {"x.npy": npy(np.full((2, 3), x))}) for x in (0.0, 1.0))
    file.path.write_bytes(other.path.read_bytes())
    with pytest.raises(UnreadableError, match="its digest is not the one in its name"):
        read_block(file, "key", EXPECTED)


def test_a_compressed_block_is_refused(tmp_path: Path) -> None:
    """Its size is about that of the arrays, what it unpacks to is not."""
    bomb = GOOD | {"y.npy": header("(2, 3)") + bytes(2**23)}
    file = crafted(tmp_path, bomb, zipfile.ZIP_DEFLATED)
    assert file.path.stat().st_size < 2**16
    with pytest.raises(UnreadableError, match="a member is compressed"):
        read_block(file, "key", EXPECTED)
