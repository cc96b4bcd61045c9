"""Reading files of bounded size, writing files atomically, and locking folders."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import re
import stat
import uuid
from collections.abc import Mapping
from contextlib import suppress
from io import BufferedReader
from pathlib import Path
from typing import Any

from ndcg_asymptotics.core.arrays import as_list, brief
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.text import bytes_text

Fields = Mapping[str, Any]
"""Plain data by field, as JSON and TOML have it."""

_COMPRESSED = (".gz", ".zst", ".xz", ".bz2", ".zip")
"""The endings of compressed files."""

_DRAFT = re.compile(r"\.[0-9a-f]{32}\.partial")
"""The names of files that are still being written."""


class IrregularFileError(OSError):
    """A pipe, a socket or a device in the place of a file."""


class UnreadableError(Exception):
    """A file that cannot be used; the message follows the name of the file."""


def path_of(value: object, argument: str) -> Path:
    """Return the path that a text or a path-like object stands for.

    Raises
    ------
    InputError
        If it is neither, or no file can have the name.

    >>> path_of("results/two", "folder").name
    'two'
    """
    if not isinstance(value, str | os.PathLike):
        raise InputError(f"expected a path, got {brief(value)}", argument)
    path = Path(os.path.expanduser(os.fsdecode(value)))  # a shell leaves --run=~/x as it is
    if "\0" in str(path):
        raise InputError(f"a path holds no NUL character, got {brief(str(path))}", argument)
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        raise InputError(f"no file can have the name {brief(str(path))}", argument) from None
    return path


def paths_of(values: object, argument: str) -> list[Path]:
    """Return the paths that one or several texts or path-like objects stand for.

    Raises
    ------
    InputError
        If it is anything else.

    >>> [path.name for path in paths_of(["a.run", Path("runs/b.run")], "runs")]
    ['a.run', 'b.run']
    """
    return [path_of(value, argument) for value in as_list(values, argument, (str, os.PathLike))]


def named_paths(values: object, argument: str) -> dict[str, Path]:
    """Return the paths of `paths_of` by the names of their files without endings, or whole if these repeat.

    Raises
    ------
    InputError
        As `paths_of`, and if a file is given twice.

    >>> [*named_paths(["a.run.gz", "runs/b.run"], "runs")], [*named_paths(["a/x.run", "b/x.run"], "runs")]
    (['a', 'b'], ['a/x.run', 'b/x.run'])
    """
    paths = paths_of(values, argument)
    stems = [stem(path) for path in paths]
    names = stems if len(set(stems)) == len(stems) else [text_of(path) for path in paths]
    twice = next((name for name in names if names.count(name) > 1), "")
    if twice:
        raise InputError(f"a file is given twice: {twice}")
    return dict(zip(names, paths, strict=True))


def stem(path: Path) -> str:
    r"""Return the name of a file without .gz and the like, and without the ending before it, as `text_of`.

    >>> stem(Path("runs/old.run.gz"))
    'old'
    """
    name = Path(text_of(path.name))
    return Path(name.stem if name.suffix in _COMPRESSED else name).stem


def text_of(path: Path | str) -> str:
    r"""Return a path as a text that every file can hold: bytes that are no UTF-8 are escapes in it.

    >>> print(text_of(os.fsdecode(b"caf\xe9.run")))
    caf\xe9.run
    """
    return os.fsencode(path).decode(errors="backslashreplace")


def open_regular(path: Path) -> BufferedReader:
    """Open a regular file for reading; never wait for one that is not.

    A path comes from a user or from a file that somebody else wrote. A pipe without a writer would block
    for ever, and a device such as /dev/zero has no end.

    Raises
    ------
    OSError
        Naming the file, if it cannot be opened or is a folder, a pipe, a socket or a device.
    """
    # a pipe that is opened with O_NONBLOCK opens at once; for regular files the flag has no effect
    file = open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK))  # noqa: SIM115
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise IrregularFileError(errno.EINVAL, "not a regular file", str(path))
    return file


def read_file(path: Path, largest: int) -> bytes:
    """Return the content of a regular file of at most ``largest`` bytes.

    Raises
    ------
    OSError
        Naming the file, also if it is larger.
    """
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > largest:
            raise OSError(errno.EFBIG, f"more than {bytes_text(largest)}", str(path))
        return file.read(size)


def read_sound(path: Path, largest: int) -> bytes:
    """Return what `read_file` does, of a file that must be there.

    Raises
    ------
    UnreadableError
        If there is no such file, or reading it fails.
    """
    try:
        return read_file(path, largest)
    except FileNotFoundError:
        raise UnreadableError("is missing") from None
    except OSError as error:
        raise UnreadableError(f"cannot be read ({error.strerror})") from None


def write_file(path: Path, content: bytes, root: Path | None = None) -> None:
    """Write a file atomically: under another name, flushed to the disk, which is then changed to its own.

    Folders that do not exist are made. A pipe, a device or a link that a user names is written through.

    Parameters
    ----------
    path : Path
    content : bytes
    root : Path, optional
        A folder of results that the file belongs to. It may have come from somebody else: no symbolic link
        below it is followed.

    Raises
    ------
    OSError
        Naming the file.
    """
    draft = path.with_name(f".{uuid.uuid4().hex}.partial")
    try:
        if root is None and (
            path.is_symlink() or (path.exists() and not path.is_file() and not path.is_dir())
        ):
            path.write_bytes(content)
            return
        if root and not Path(os.path.realpath(path.parent)).is_relative_to(os.path.realpath(root)):
            raise OSError(errno.ELOOP, "a symbolic link is not written through", str(path.parent))
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        with suppress(OSError):
            draft.unlink()


def digest_of(content: bytes) -> str:
    """Return the BLAKE2b-128 digest of some bytes; ``b2sum -l 128`` prints the same."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def key_of(fields: Mapping[str, object]) -> str:
    """Return a digest of plain JSON values, whatever the order of their names."""
    return digest_of(json.dumps(fields, sort_keys=True, separators=(",", ":")).encode())


def remove_drafts(folder: Path) -> None:
    """Remove partial files, whose writer was killed before it could rename them."""
    for entry in os.scandir(folder):
        if _DRAFT.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
            os.unlink(entry)


def lock(folder: Path) -> int:
    """Lock a folder for writing, until the handle that is returned is closed or this process ends.

    Raises
    ------
    InputError
        If another process holds it.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise InputError(f"{folder}: another process is writing to it") from None
    except OSError:
        pass  # a file system without locks
    return handle
