"""Files that are whole or absent, and files that are read within bounds."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from ndcg_asymptotics.core.files import (
    LARGEST_RECORD,
    UnreadableError,
    named_paths,
    read_file,
    read_record,
    read_regular,
    remove_drafts,
    write_file,
    write_record,
)
from ndcg_asymptotics.lists import read_run


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
        UnreadableError, match=r"is not a regular file|is too large|is missing|cannot be read"
    ):
        read_regular(file, 100)
    file = tmp_path / "good"
    file.write_bytes(b"x" * 100)
    assert read_regular(file, 100) == b"x" * 100


def test_a_file_that_waits_for_more_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as /proc/kmsg, a regular file by its mode: here a pipe with a writer that writes little."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    monkeypatch.setattr(stat, "S_ISREG", lambda mode: True)
    writer = os.open(pipe, os.O_RDWR)
    try:
        for content in (b"", b"{"):
            os.write(writer, content)
            with pytest.raises(OSError, match="not a regular file"):
                read_file(pipe, 100)
            with pytest.raises(UnreadableError, match="not a regular file"):
                read_regular(pipe, 100)
            with pytest.raises(ValueError, match=r"cannot be read .*not a regular file"):
                read_run(pipe)
    finally:
        os.close(writer)


def test_names_of_files_are_texts_that_differ() -> None:
    paths = [Path(os.fsdecode(name)) for name in (b"\xff.run", b"\xfe.run", b"\xc3\xa9.run")]
    assert [*named_paths(paths, "runs")] == [r"\xff", r"\xfe", "é"]
    assert [*named_paths([paths[0], Path("a") / paths[0]], "runs")] == [r"\xff.run", r"a/\xff.run"]


def test_a_record_comes_back_and_every_change_of_it_is_noticed(tmp_path: Path) -> None:
    file, fields = tmp_path / "record.json", {"b": [1, 2.5, None], "a": {"x": "y\u00e9"}, "t": (1, 2)}
    write_record(file, fields)
    assert read_record(file) == fields | {"t": [1, 2]}
    content = file.read_bytes()
    for bit in range(0, 8 * len(content), 5):
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        file.write_bytes(changed)
        try:
            assert read_record(file) == fields | {"t": [1, 2]}  # a blank that became another
        except UnreadableError:
            continue
    for content in (b"", b"[]", b"{}", b'{"digest": 3}', b"[" * 10**5, b"\xff", b" " * (LARGEST_RECORD + 1)):
        file.write_bytes(content)
        with pytest.raises(UnreadableError):
            read_record(file)


def test_a_record_that_could_not_be_read_again_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"a description of .* bytes, at most"):
        write_record(tmp_path / "record.json", {"long": "x" * LARGEST_RECORD})
    assert not list(tmp_path.iterdir())
