"""Files that survive whatever happens: written aside, flushed to the disk, renamed. And a folder's lock."""

from __future__ import annotations

import asyncio
import os
import uuid
from pathlib import Path
from typing import Any

from zarr.storage import LocalStore

from ndcg_asymptotics.errors import InputError

try:
    import fcntl
except ImportError:  # no locks of this kind on Windows: there the user keeps to one writer
    fcntl = None  # type: ignore[assignment]

ASIDE = ".partial"
"""The folder where files are written before they are renamed."""


class DurableStore(LocalStore):
    """Files that are on the disk when they have been set."""

    async def set(self, key: str, value: Any) -> None:
        self._check_writable()
        await asyncio.to_thread(write_file, self.root / key, value.to_bytes(), self.root.parent / ASIDE)

    def set_sync(self, key: str, value: Any) -> None:
        self._check_writable()
        write_file(self.root / key, value.to_bytes(), self.root.parent / ASIDE)


def write_file(path: Path, content: bytes, aside: Path) -> None:
    """Write a file that is the old one or the new one, never half of one."""
    aside.mkdir(parents=True, exist_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = aside / uuid.uuid4().hex
    try:
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from None
    flush_folder(path.parent)


def flush_folder(folder: Path) -> None:
    """Put a rename on the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def lock(folder: Path) -> int:
    """Hold the folder; the lock goes with the process, however it ends.

    Returns
    -------
    int
        The handle that holds it, to be closed.

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
    return handle
