"""Reading files of bounded size, writing files atomically, and locking folders.

A *record* is a JSON file that holds a digest of its own content.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import re
import stat
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BufferedReader, FileIO
from pathlib import Path
from typing import Any

from ndcg_asymptotics.core.arrays import as_list, brief
from ndcg_asymptotics.core.errors import InputError

LARGEST_RECORD = 2**25
"""The greatest size of a record in bytes; the 100,000 list lengths of the largest study take 2 MB."""

Fields = Mapping[str, Any]
"""Plain data by field, as JSON and TOML have it."""

_COMPRESSED = (".gz", ".zst", ".xz", ".bz2", ".zip")
"""The endings of compressed files."""

_DRAFT = re.compile(r"\.[0-9a-f]{32}\.partial")
"""The names of files that are still being written."""


class IrregularFileError(OSError):
    """A pipe, a socket or a device in the place of a file."""


class _Waitless(FileIO):
    """A file whose reads fail where they would have to wait, instead of returning None.

    A file of /proc such as kmsg is a regular one by its mode, and has no end but waits for more.
    """

    def readinto(self, buffer: Any, /) -> int:
        count: int | None = super().readinto(buffer)
        if count is None:
            raise BlockingIOError(errno.EAGAIN, "not a regular file", self.name)
        return count


class UnreadableError(Exception):
    """A file that cannot be used; the message follows the name of the file."""


def path_of(given: object, argument: str) -> Path:
    """Return the path that a text or a path-like object stands for.

    Raises
    ------
    InputError
        If it is neither.

    >>> path_of("results/two", "folder").name
    'two'
    """
    if not isinstance(given, str | os.PathLike):
        raise InputError(f"expected a path, got {brief(given)}", argument)
    path = Path(os.path.expanduser(os.fsdecode(given)))  # a shell leaves --run=~/x as it is
    if "\0" in str(path):
        raise InputError(f"a path holds no NUL character, got {brief(str(path))}", argument)
    return path


def paths_of(given: object, argument: str) -> list[Path]:
    """Return the paths that one or several texts or path-like objects stand for.

    Raises
    ------
    InputError
        If it is anything else.

    >>> [path.name for path in paths_of(["a.run", Path("runs/b.run")], "runs")]
    ['a.run', 'b.run']
    """
    return [path_of(one, argument) for one in as_list(given, argument, (str, os.PathLike))]


def named_paths(given: object, argument: str) -> dict[str, Path]:
    """Return the paths of `paths_of` by the names of their files without endings, or whole if these repeat.

    Raises
    ------
    InputError
        As `paths_of`, and if a file is given twice.

    >>> [*named_paths(["a.run.gz", "runs/b.run"], "runs")], [*named_paths(["a/x.run", "b/x.run"], "runs")]
    (['a', 'b'], ['a/x.run', 'b/x.run'])
    """
    paths = paths_of(given, argument)
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
    file: BufferedReader = BufferedReader(
        _Waitless(os.fspath(path), opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK))
    )
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise IrregularFileError(errno.EINVAL, "not a regular file", str(path))
    try:
        file.peek(1)
    except OSError:
        file.close()
        raise
    return file


@contextmanager
def open_bounded(path: Path, largest: int) -> Iterator[BufferedReader]:
    """Open a regular file of at most ``largest`` bytes for reading; nothing is read before its size is known.

    Raises
    ------
    UnreadableError
        If there is no such file, or reading it fails.
    """
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size > largest:
                raise UnreadableError(f"is too large ({size} bytes)")
            yield file
    except FileNotFoundError:
        raise UnreadableError("is missing") from None
    except IrregularFileError:
        raise UnreadableError("is not a regular file") from None
    except OSError as error:
        raise UnreadableError(f"cannot be read ({error.strerror})") from None


def read_regular(path: Path, largest: int) -> bytes:
    """Return the content of a regular file of at most ``largest`` bytes.

    Raises
    ------
    UnreadableError
        If there is no such file, or reading it fails.
    """
    with open_bounded(path, largest) as file:
        return file.read(largest + 1)


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


def write_file(path: Path, content: bytes, root: Path | None = None, *, durable: bool = True) -> None:
    """Write a file atomically: under another name, which is then changed to the final one.

    Folders that do not exist are made. A pipe, a device or a link that a user names is written through.

    Parameters
    ----------
    path : Path
    content : bytes
    root : Path, optional
        A folder of results that the file belongs to. It may have come from somebody else: no symbolic link
        below it is followed.
    durable : bool
        Whether to wait until the file is on the disk. Without it a power cut may leave an empty file.

    Raises
    ------
    OSError
        Naming the file.
    """
    if root is None and (path.is_symlink() or (path.exists() and not path.is_file() and not path.is_dir())):
        try:
            path.write_bytes(content)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(path)) from None
        return
    draft = path.with_name(f".{uuid.uuid4().hex}.partial")
    try:
        if root is not None:
            refuse_links(path.parent, root)
        make_folder(path.parent, durable=durable)
        with draft.open("wb") as file:
            file.write(content)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(draft, path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from None
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    if durable:
        flush(path.parent)


def digest_of(content: bytes) -> str:
    """Return the BLAKE2b-128 digest of some bytes; ``b2sum -l 128`` prints the same."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def key_of(fields: Mapping[str, object]) -> str:
    """Return a digest of plain JSON values, whatever the order of their names."""
    return digest_of(json.dumps(fields, sort_keys=True, separators=(",", ":")).encode())


def write_record(
    path: Path, fields: Mapping[str, object], root: Path | None = None, *, durable: bool = True
) -> None:
    """Write plain values as JSON with a digest of them; options are those of `write_file`.

    Raises
    ------
    InputError
        If the record is larger than `LARGEST_RECORD`.
    OSError
        If the file cannot be written.
    """
    content = json.dumps({**fields, "digest": key_of(json.loads(json.dumps(fields)))}, indent=1).encode()
    if len(content) > LARGEST_RECORD:
        raise InputError(
            f"{path}: a description of {len(content)} bytes, at most {LARGEST_RECORD} are allowed"
        )
    write_file(path, content, root, durable=durable)


def read_record(path: Path) -> dict[str, Any]:
    """Read the values that `write_record` wrote.

    Raises
    ------
    UnreadableError
        If the file does not hold what was written.
    """
    try:
        found = json.loads(read_regular(path, LARGEST_RECORD))
        if not isinstance(found, dict):
            raise UnreadableError("is damaged (not a JSON object)")
        digest = found.pop("digest", None)
        same = digest == key_of(found)
    except (ValueError, RecursionError):
        raise UnreadableError("is damaged (not JSON)") from None
    if not same:
        raise UnreadableError("is damaged (its digest does not match)")
    return found


def remove_drafts(folder: Path) -> None:
    """Remove partial files, whose writer was killed before it could rename them."""
    for entry in os.scandir(folder):
        if _DRAFT.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
            os.unlink(entry)


def refuse_links(folder: Path, results: Path) -> None:
    """Refuse a folder that is, or lies below, a symbolic link within a folder of results.

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


def make_folder(folder: Path, *, durable: bool = True) -> None:
    """Make a folder and those above it; if durable, flush them to the disk."""
    if folder.is_dir():
        return
    missing = [part for part in (folder, *folder.parents) if not part.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for part in reversed(missing if durable else []):
        flush(part.parent)


def flush(path: Path) -> None:
    """Flush a file to the disk, or the names in a folder."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


_held: set[int] = set()  # handles of locked folders


def lock(folder: Path) -> int:
    """Lock a folder for writing.

    The lock ends with this process, however it ends, even if processes that it forked live on.

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
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise InputError(f"{folder}: another process is writing to it") from None
    except OSError:
        pass  # a file system without locks
    _held.add(handle)
    return handle


def unlock(handle: int) -> None:
    """Release the lock of `lock`."""
    _held.discard(handle)
    os.close(handle)


def _release_inherited() -> None:
    """Close the handles in a forked process, whose parent holds the locks."""
    while _held:
        os.close(_held.pop())


os.register_at_fork(after_in_child=_release_inherited)
