"""Files that are whole or absent, and files that are read within bounds."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from ndcg_asymptotics.core.files import (
    UnreadableError,
    named_paths,
    read_sound,
    remove_drafts,
    write_file,
)


def test_a_file_is_the_old_one_or_the_new_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    write_file(file, b"old")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    for name in ("fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(os, name, interrupted)
            with pytest.raises(KeyboardInterrupt):
                write_file(file, b"new")
        assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file", b"old")]
    write_file(file, b"new")
    assert file.read_bytes() == b"new"


def test_a_pipe_that_a_user_names_is_written_through(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    write_file(tmp_path / "pipe", b"content")
    reader.join(timeout=10)
    assert read == [b"content"]


def test_no_link_in_a_folder_of_results_is_written_through(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine").write_text("mine")
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "link").symlink_to(elsewhere / "mine")
    (folder / "inside").symlink_to(elsewhere)
    os.mkfifo(folder / "pipe")
    (folder / "folder").mkdir()
    for name in ("link", "pipe"):
        write_file(folder / name, b"new", folder)
        assert (folder / name).read_bytes() == b"new"
        assert not (folder / name).is_symlink()
    with pytest.raises(OSError, match="a symbolic link is not written through"):
        write_file(folder / "inside" / "file", b"new", folder)
    with pytest.raises(IsADirectoryError, match="results/folder"):
        write_file(folder / "folder", b"new", folder)
    assert [(path.name, path.read_text()) for path in elsewhere.iterdir()] == [("mine", "mine")]


def test_drafts_alone_are_removed(tmp_path: Path) -> None:
    for name in (f".{'a' * 32}.partial", ".mine.partial", f"{'a' * 32}.partial", "file"):
        (tmp_path / name).touch()
    remove_drafts(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        ".mine.partial",
        f"{'a' * 32}.partial",
        "file",
    ]


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "link to nowhere", "large", "nothing"])
def test_only_regular_files_within_the_bound_are_read(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "file"
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "folder":
        file.mkdir()
    elif kind == "large":
        with file.open("wb") as opened:
            opened.truncate(10**13)
    elif kind != "nothing":
        file.symlink_to("/dev/zero" if kind == "device" else "/nowhere/at/all")
    with pytest.raises(
        UnreadableError, match=r"not a regular file|more than 100 bytes|is missing|cannot be read"
    ):
        read_sound(file, 100)
    file = tmp_path / "good"
    file.write_bytes(b"x" * 100)
    assert read_sound(file, 100) == b"x" * 100


def test_names_of_files_are_texts_that_differ() -> None:
    paths = [Path(os.fsdecode(name)) for name in (b"\xff.run", b"\xfe.run", b"\xc3\xa9.run")]
    assert [*named_paths(paths, "runs")] == [r"\xff", r"\xfe", "é"]
    assert [*named_paths([paths[0], Path("a") / paths[0]], "runs")] == [r"\xff.run", r"a/\xff.run"]
