"""User-defined functions, which texts name as ``module:function``.

A module that is a file beside the study is read from there, so no path needs to be set; any other
module is imported. Both run whatever the module contains, so a text from somebody else is refused
unless its reader allows it. A module read from a file is not importable, so its functions travel to
worker processes and clusters by value.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import sys
from collections.abc import Callable
from dataclasses import Field, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, brief
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.text import shortened
from ndcg_asymptotics.specs.scanner import Call, Scanner
from ndcg_asymptotics.specs.spec import Portable, Spec

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

ANYTHING = (Exception, SystemExit, GeneratorExit)
"""The exceptions of a user's code that are reported as bad input; KeyboardInterrupt is Ctrl-C."""

Files = tuple[tuple[str, bytes], ...]
"""Names, relative to the study's folder, and contents of the source files of a function."""


def find_object(target: str, scanner: Scanner) -> tuple[object, Files]:
    """Return the object that ``module:name`` names in a text, and the study's files that define it, if any.

    Raises
    ------
    InputError
        If the text may not name functions, or the module cannot be imported, whatever it raises, or has
        no such name.
    """
    folder = scanner.folder
    module, _, name = target.partition(":")
    proper = all(part.isidentifier() for part in module.split(".")) and bool(name)
    require(proper, f'custom needs "module:function", got {brief(target)}')
    require(
        scanner.allow_custom,
        f"custom({brief(target)}) would run code that came with the study: --allow-custom permits it "
        "(in Python, allow_custom=True)",
    )
    try:
        if folder.joinpath(*module.split(".")).with_suffix(".py").is_file():
            loaded, files = _loaded(folder.resolve(), module)
            return getattr(loaded, name), files
        return getattr(importlib.import_module(module), name), ()
    except ANYTHING as error:  # the module is the user's own code
        message = f'custom needs "module:function", got {brief(target)} ({brief_error(error)})'
        raise InputError(message) from error


_modules: dict[tuple[Path, str, tuple[str, ...]], tuple[object, Files]] = {}


def _loaded(folder: Path, target: str) -> tuple[object, Files]:
    """Return a module of a folder, run again if one of its files has changed, with those files."""
    names = tuple(sorted(path.stem for path in folder.glob("*.py")))
    key = folder, target, names
    if key not in _modules or any(_content(folder / name) != old for name, old in _modules[key][1]):
        _modules[key] = _run(folder, target, {*names, target.partition(".")[0]})
    return _modules[key]


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _run(folder: Path, target: str, names: set[str]) -> tuple[object, Files]:
    """Import a module of a folder; return it with its source file and those of its neighbours that it uses.

    The modules do not stay among the imported ones: a worker, which could not import them, gets their
    functions by value. ``names`` are the folder's own modules and packages, which come before any others
    of the same name.
    """
    # modules that were imported before under the names of the folder's
    hidden = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] in names}
    before, writes = set(sys.modules), sys.dont_write_bytecode
    sys.path.insert(0, str(folder))
    # compiled code is taken for that of a source file of the same size and second, edited or not
    sys.dont_write_bytecode = True
    try:
        importlib.invalidate_caches()
        loaded = importlib.import_module(target)
    finally:
        sys.dont_write_bytecode = writes
        sys.path.remove(str(folder))
        new = {name: sys.modules[name] for name in set(sys.modules) - before}
        paths = {name: Path(getattr(module, "__file__", None) or "") for name, module in new.items()}
        inside = {name: path for name, path in paths.items() if path.is_relative_to(folder)}
        for name in inside:
            del sys.modules[name]
        sys.modules.update(hidden)
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in inside.values()}
    return loaded, tuple(sorted(files.items()))


def source_digest(function: Callable[..., object], files: Files) -> bytes:
    """Return a digest of the source files of a function.

    These are ``files`` if there are any, else the file of the module that defines the function. A function
    without a source file, such as one that was typed into an interpreter, has the digest of nothing.
    """
    state = hashlib.blake2b(digest_size=16)
    for name, content in files or _module_file(inspect.unwrap(function)):
        state.update(f"{name} {len(content)} ".encode() + content)
    return state.digest()


def _module_file(function: Callable[..., object]) -> Files:
    try:
        kind = function if hasattr(function, "__qualname__") else type(function)
        path = Path(inspect.getsourcefile(kind) or "")
        return ((path.name, path.read_bytes()),)
    except (TypeError, OSError):  # compiled, or typed into an interpreter
        return ()


def brief_error(error: BaseException) -> str:
    """Return the message of an exception of a user's code, on one line."""
    return shortened(" ".join(f"{type(error).__name__}: {error}".split()), 200)


def advice_for(function: Callable[[Any], object], x: Floats) -> str:
    """Return what to change in a function that fails at an array, but not at a number."""
    try:
        function(float(x.flat[0]))
    except ANYTHING:  # any exception of the user's code
        return ""
    return "; it must take a numpy array: write np.where for if, and np.log for math.log"


def name_of(function: object) -> str:
    """Return ``module:function``, the name that a text gives a function."""
    kind = function if hasattr(function, "__qualname__") else type(function)
    return f"{kind.__module__}:{kind.__qualname__}"


def evaluated(function: Callable[[Floats], ArrayLike], x: Floats, subject: str, argument: str) -> Floats:
    """Return the values of a user's function at an array; errors begin with ``subject``.

    Raises
    ------
    InputError
        If the function fails, or does not return a finite number for each ``argument``.
    """
    try:
        with np.errstate(all="ignore"):
            values = np.asarray(function(x), np.float64)
    except ANYTHING as error:  # whatever the user's own code may raise
        raise InputError(f"{subject} failed ({brief_error(error)}){advice_for(function, x)}") from error
    require(
        values.shape == x.shape and bool(np.isfinite(values).all()),
        f"{subject} must return one finite number for each {argument}",
    )
    return values


@dataclass(frozen=True)
class OfFunction(Spec):
    """A spec ``keyword("module:function")`` whose function is found when its text is read.

    Attributes
    ----------
    KIND : str
        What the function is, in errors.
    WRITTEN : tuple of str
        The fields that the text has.
    target : str
        The name of the function.
    files : Files
    value_digest : str
        A digest of the values of the function; specs with the same name and digest are equal.
    digest : str
        A digest of the function; results of one digest are never continued with another.
    """

    KIND: ClassVar[str]
    WRITTEN: ClassVar[tuple[str, ...]] = ("target",)

    target: str
    function: Callable[..., Any] = field(compare=False, repr=False)
    files: Files = field(default=(), compare=False, repr=False)
    value_digest: str = field(init=False, repr=False)
    digest: str = field(init=False, compare=False, repr=False)

    @classmethod
    def described(cls, value: object) -> dict[str, Any]:
        """Return the fields that an object of the user's code gives, its function among them."""
        raise NotImplementedError

    @classmethod
    def from_call(cls, call: Call) -> Self:
        arguments = cls.bind(call, cls.WRITTEN)
        if "target" not in arguments:
            call.scanner.fail(f'{cls.keyword} needs "module:function"', call.position)
        value, files = find_object(arguments["target"], call.scanner)
        return cls(**cls.described(value) | arguments | {"files": files})

    @classmethod
    def _fields(cls) -> tuple[Field[object], ...]:
        return tuple(field for field in super()._fields() if field.name in cls.WRITTEN)

    def portable(self) -> Portable:
        module, _, name = self.target.partition(":")
        importable = module != "__main__" and getattr(sys.modules.get(module), name or "-", None)
        require(
            bool(self.files) or importable is self.function,
            f"the {self.KIND} {self.target!r} cannot be written to a file: no importable module holds it by "
            "that name (put the function into a module, or keep the study in memory)",
        )
        return Portable(str(self), dict(self.files), {str(self): self.digest})
