"""Kernels: functions that numba compiles, and whose machine code it keeps for later processes.

A kernel is compiled together with the kernels that it calls, in whichever files they are. Machine code
is therefore kept with a digest of all sources of the engines: after a change all are compiled anew.
numba keeps it in NUMBA_CACHE_DIR, beside the sources or in the user's cache folder, in the first that is
writable. If none is, as in many containers, a temporary folder serves this process and its workers.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, overload

from numba import __version__, config, njit, types
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.runtime.nrt import rtsys

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.files import digest_of
from ndcg_asymptotics.core.interrupts import signals_deferred
from ndcg_asymptotics.core.progress import say

SOURCES = Path(__file__).parent

_Function = TypeVar("_Function", bound=Callable[..., Any])

COMPILING = "compiling the engine; later runs load what is compiled now"
"""The line that is written when a kernel has to be compiled."""

_VARIABLE = "NUMBA_CACHE_DIR"

# With these versions machine code was loaded without what numba imports to compile, 0.2 s in each process
_LOADS_ALONE = __version__.startswith("0.68.")

_say_once = cache(say)  # in a process: the cache of every kernel would say the same


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
    in_a_file = Path(function.__code__.co_filename).is_file()  # numba keeps none that is typed at a prompt
    if in_a_file and hasattr(compiled, "py_func"):  # with NUMBA_DISABLE_JIT it is the function itself
        compiled._cache = _Cache(function)
        _compile_for_types(compiled)
    return compiled


def _compile_for_types(compiled: Any) -> None:
    """Let a kernel that calls another with a constant use its machine code for all values of that type.

    A variable that begins at 0 is such a constant when numba first looks at a loop, so that a second
    version of the kernel would be compiled for it.
    """
    template = compiled.get_call_template
    compiled.get_call_template = lambda args, kws: template(
        [types.unliteral(kind) for kind in args], {name: types.unliteral(kind) for name, kind in kws.items()}
    )


def sources_digest(folder: Path) -> str:
    """Return a digest of the names and the contents of all Python files below a folder."""
    files = sorted(folder.rglob("*.py"))
    return digest_of(
        b"".join(f"{f.relative_to(folder)} {digest_of(f.read_bytes())}\n".encode() for f in files)
    )


@cache
def _stamp() -> str:
    """Return what numba stores with machine code, to compile it anew when it differs."""
    return sources_digest(SOURCES)


def _keep_for_this_run() -> None:
    """Let numba keep machine code in a temporary folder, which is removed when this process ends.

    Raises
    ------
    InputError
        If not even a temporary folder is writable.
    """
    try:
        temporary = tempfile.mkdtemp(prefix="ndcg-asymptotics-numba-")
    except OSError:
        raise InputError(f"numba needs a folder it can write to: set {_VARIABLE} or TMPDIR") from None
    atexit.register(shutil.rmtree, temporary, ignore_errors=True)
    config.CACHE_DIR = temporary
    os.environ[_VARIABLE] = temporary  # for worker processes
    say(f"compiled code is kept for this run only: no cache folder is writable; {_VARIABLE} names one")


class _Cache(FunctionCache):
    """The machine code of a kernel, which is compiled again if its files are damaged or cannot be written."""

    def __init__(self, function: Callable[..., Any]) -> None:
        try:
            super().__init__(function)
        except RuntimeError:  # numba finds no folder that is writable
            _keep_for_this_run()
            super().__init__(function)
        # numba's own stamp is of the kernel's file alone
        self._cache_file = IndexDataCacheFile(self.cache_path, self._impl.filename_base, _stamp())

    @signals_deferred()  # an exception while LLVM makes its objects may end the process
    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            if _LOADS_ALONE:
                rtsys.initialize(target_context)  # memory of arrays, which machine code allocates
                machine_code = self._load_overload(sig, target_context)
            else:
                machine_code = super().load_overload(sig, target_context)
        except Exception:  # whatever damaged bytes raise when they are unpickled
            _say_once(f"{self.cache_path}: compiled code is damaged; it is compiled again")
            self._write_or_disable(self.flush)  # which removes all machine code of this kernel
            return None
        if machine_code is None:
            _say_once(COMPILING)
        return machine_code

    def save_overload(self, sig: Any, data: Any) -> None:
        self._write_or_disable(lambda: super(_Cache, self).save_overload(sig, data))

    def _write_or_disable(self, write: Callable[[], None]) -> None:
        try:
            write()
        except OSError as error:
            self.disable()
            why = f"cannot be written ({error.strerror}): this run compiles in each process"
            _say_once(f"{self.cache_path}: {why}; {_VARIABLE} names another folder")
