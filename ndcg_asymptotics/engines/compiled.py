"""Kernels: functions that numba compiles, and the folder that keeps their machine code.

A kernel is compiled together with the kernels that it calls, in whichever files they are. The folder
therefore belongs to a digest of all sources of the engines: changed sources are compiled into a new one.
It lies in NUMBA_CACHE_DIR, beside the sources or in the user's cache folder, in the first that is writable.
If none is, as in many containers, a temporary folder serves this process and its workers.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, overload

import platformdirs
from numba import njit
from numba.core.caching import CompileResultCacheImpl, FunctionCache

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.files import digest_of
from ndcg_asymptotics.core.progress import say
from ndcg_asymptotics.core.versions import PACKAGE

SOURCES = Path(__file__).parent

_Function = TypeVar("_Function", bound=Callable[..., Any])

COMPILING = "compiling the engine; later runs load what is compiled now"
"""The line that is written when a kernel has to be compiled."""

_VARIABLE = "NUMBA_CACHE_DIR"
_FOLDERS_KEPT = 3  # other versions of the sources may be running
_DIGEST = re.compile("[0-9a-f]{32}")


@overload
def kernel(function: _Function) -> _Function: ...
@overload
def kernel(*, forceinline: bool = ..., error_model: str = ...) -> Callable[[_Function], _Function]: ...
def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a function as `numba.njit` does, and keep its machine code for later processes.

    Parameters
    ----------
    function : function, optional
        Without it, the decorator with the options is returned.
    **options
        Options of `numba.njit`.

    >>> @kernel
    ... def half(x):
    ...     return x / 2
    >>> half(3.0)
    1.5
    """
    if function is None:
        return lambda decorated: kernel(decorated, **options)
    compiled = njit(**options)(function)
    if hasattr(compiled, "py_func"):  # with NUMBA_DISABLE_JIT it is the function itself
        compiled._cache = _Cache(function)
    return compiled


@cache
def kernel_folder() -> Path:
    """Return the folder of the kernels of these sources, which exists and is writable.

    Raises
    ------
    InputError
        If not even a temporary folder is writable.
    """
    given = [Path(os.environ[_VARIABLE], f"{PACKAGE}-kernels")] if os.environ.get(_VARIABLE) else []
    own = [
        SOURCES / "__pycache__" / "kernels",
        platformdirs.user_cache_path(PACKAGE, appauthor=False) / "kernels",
    ]
    digest = sources_digest(SOURCES)
    for place in given + own:
        with suppress(OSError):
            return made_writable(place, digest)
    try:
        temporary = tempfile.mkdtemp(prefix="ndcg-asymptotics-numba-")
    except OSError:
        raise InputError(f"numba needs a folder it can write to: set {_VARIABLE} or TMPDIR") from None
    atexit.register(shutil.rmtree, temporary, ignore_errors=True)
    os.environ[_VARIABLE] = temporary  # for worker processes
    say(f"compiled code is kept for this run only: no cache folder is writable; {_VARIABLE} names one")
    return made_writable(Path(temporary, f"{PACKAGE}-kernels"), digest)


def sources_digest(folder: Path) -> str:
    """Return a digest of the names and the contents of all Python files below a folder."""
    files = sorted(folder.rglob("*.py"))
    return digest_of(
        b"".join(f"{f.relative_to(folder)} {digest_of(f.read_bytes())}\n".encode() for f in files)
    )


def made_writable(place: Path, digest: str) -> Path:
    """Return the folder of a digest in a place, made if need be; the three newest folders stay there.

    Raises
    ------
    OSError
        If no file can be made in the folder.
    """
    folder = place / digest
    new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        os.utime(folder)  # the newest is the one that was used last
    if new:
        with suppress(OSError):  # another process may remove them at the same time
            others = [path for path in place.iterdir() if _DIGEST.fullmatch(path.name)]
            others.sort(key=lambda path: path.stat().st_mtime, reverse=True)
            for old in others[_FOLDERS_KEPT:]:
                shutil.rmtree(old, ignore_errors=True)
    return folder


class _Locator:
    """Tells numba where the machine code of a kernel is: not by the path of this copy of the package."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        self._line = function.__code__.co_firstlineno
        self._py_file = file  # in numba's warnings
        self._folder = str(kernel_folder() / Path(file).parent.name)

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> _Locator:
        return cls(function, file)

    def ensure_cache_path(self) -> None:
        os.makedirs(self._folder, exist_ok=True)

    def get_cache_path(self) -> str:
        return self._folder

    def get_source_stamp(self) -> str:
        return ""  # the folder has that of all sources

    def get_disambiguator(self) -> str:
        return str(self._line)


class _Place(CompileResultCacheImpl):
    _locator_classes: list[type[object]] = [_Locator]  # noqa: RUF012 (numba declares it so)


class _Cache(FunctionCache):
    """The machine code of a kernel, which is compiled again if its files are damaged or cannot be written."""

    _impl_class = _Place

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            found = super().load_overload(sig, target_context)
        except Exception:  # whatever damaged bytes raise when they are unpickled
            _say_once(f"{kernel_folder()}: compiled code is damaged; it is compiled again")
            self._attempt(self.flush)
            return None
        if found is None:
            _say_once(COMPILING)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        self._attempt(lambda: super(_Cache, self).save_overload(sig, data))

    def _attempt(self, write: Callable[[], None]) -> None:
        try:
            write()
        except OSError as error:
            self.disable()
            why = f"cannot be written ({error.strerror}): this run compiles in each process"
            _say_once(f"{kernel_folder()}: {why}; {_VARIABLE} names another folder")


_say_once = cache(say)
