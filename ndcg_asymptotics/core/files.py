"""Files that are the old one or the new one, never half of one; and a folder's lock."""

from __future__ import annotations

import errno
import os
import stat
import uuid
from pathlib import Path
from typing import BinaryIO

from ndcg_asymptotics.core.errors import InputError

try:
    import fcntl
except ImportError:  # no locks of this kind on Windows: there the user keeps to one writer
    fcntl = None  # type: ignore[assignment]

ASIDE = ".partial"
"""The folder, within one of results, where files are written before they are renamed."""


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading; never wait for one that is not.

    A path comes from a user or out of a file that somebody else wrote. A pipe without a writer would block
    for ever, and a device such as /dev/zero has no end.

    Raises
    ------
    OSError
        Naming the file, if it cannot be opened or is a folder, a pipe, a socket or a device.
    """
    # a pipe that is opened with O_NONBLOCK opens at once; for regular files the flag has no effect
    without_waiting = getattr(os, "O_NONBLOCK", 0)
    file = open(path, "rb", opener=lambda name, flags: os.open(name, flags | without_waiting))  # noqa: SIM115
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return file


def read_file(path: Path, largest: int) -> bytes:
    """Return the content of a regular file of at most ``largest`` bytes.

    Raises
    ------
    OSError
        Naming the file, also if it is larger.
    """
    with open_regular(path) as file:
        content = file.read(largest + 1)
    if len(content) > largest:
        raise OSError(errno.EFBIG, f"more than {largest:g} bytes", str(path))
    return content


def write_file(path: Path, content: bytes, results: Path | None = None) -> None:
    """Write a file that is the old one or the new one; folders that are not there are made.

    Parameters
    ----------
    path : Path
    content : bytes
    results : Path, optional
        The folder of results that the file belongs to. It may have come from somebody else, so no
        symbolic link below it is followed; and it has its own place for what is being written.

    Raises
    ------
    OSError
        Naming the file.
    """
    name = uuid.uuid4().hex
    draft = path.with_name(f".{name}.partial") if results is None else results / ASIDE / name
    try:
        for folder in {path.parent, draft.parent}:
            if results is not None:
                refuse_links(folder, results)
            make_folder(folder)
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if results is not None and path.is_dir() and not path.is_symlink():
            path.rename(draft.with_name(uuid.uuid4().hex))  # somebody's folder in the place of our file
        os.replace(draft, path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from None
    flush(path.parent)


def refuse_links(folder: Path, results: Path) -> None:
    """Refuse a folder that is a symbolic link, or below one, within a folder of results.

    Raises
    ------
    OSError
        Naming the link.
    """
    for part in (folder, *folder.parents):
        if part == results:
            return
        if part.is_symlink():
            raise OSError(errno.ELOOP, "a symbolic link is not written through", str(part))


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, so that they are there after a power cut too."""
    missing = [part for part in (folder, *folder.parents) if not part.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for part in reversed(missing):
        flush(part.parent)


def flush(path: Path) -> None:
    """Put a file, or what was made or renamed in a folder, on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


_held: set[int] = set()


def lock(folder: Path) -> int:
    """Hold a folder for writing; the lock goes with the process, however it ends, though forks of it live on.

    Returns
    -------
    int
        The handle that holds it, for `unlock`.

    Raises
    ------
    InputError
        If another process holds it.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise InputError(f"{folder}: another process is writing to it") from None
    except OSError:
        pass  # a file system without locks
    _held.add(handle)
    return handle


def unlock(handle: int) -> None:
    """Let a folder go."""
    _held.discard(handle)
    os.close(handle)


def _let_go() -> None:
    while _held:
        os.close(_held.pop())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)
