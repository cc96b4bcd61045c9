"""A user's own function, found by the name ``module:function`` that a text gives it.

A module that stands as a file beside the study is read from there, so that no path needs to be
set; any other is imported. Either runs whatever the module holds, so a text from somebody else is
refused unless its reader allows it. The functions of such a file belong to no importable module, so they
travel to worker processes and clusters by value.
"""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ndcg_asymptotics.core.arrays import brief
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.specs.scanner import Scanner

ANYTHING = (Exception, SystemExit, GeneratorExit)
"""What code of the user's may raise; KeyboardInterrupt is Ctrl-C."""


@dataclass(frozen=True)
class Own:
    """An object of the user's code, and the files of the folder that it was made from, if any."""

    value: Any
    files: tuple[tuple[str, bytes], ...] = ()


def find(target: str, scanner: Scanner) -> Own:
    """The object that ``module:name`` names in a text.

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
        f"custom({brief(target)}) would run code that came with the study: allow_custom permits it",
    )
    try:
        if folder.joinpath(*module.split(".")).with_suffix(".py").is_file():
            stamps = tuple((str(path), path.stat().st_mtime_ns) for path in sorted(folder.glob("*.py")))
            found, files = _run(str(folder.resolve()), module, stamps)
            return Own(getattr(found, name), files)
        return Own(getattr(importlib.import_module(module), name))
    except ANYTHING as error:  # the module is the user's own code
        said = f'custom needs "module:function", got {brief(target)} ({brief_error(error)})'
        raise InputError(said) from error


@lru_cache(maxsize=16)
def _run(
    folder: str, target: str, stamps: tuple[tuple[str, int], ...]
) -> tuple[Any, tuple[tuple[str, bytes], ...]]:
    """A module of a folder and the files of it and its neighbours; run again when one of them changes.

    They do not stay among the imported modules: what no worker could import is sent to it by value.
    """
    hidden = {name: sys.modules.pop(name) for name in _standing(stamps, folder) if name in sys.modules}
    before = set(sys.modules)
    sys.path.insert(0, folder)
    try:
        importlib.invalidate_caches()
        found = importlib.import_module(target)
    finally:
        sys.path.remove(folder)
        new = {name: sys.modules[name] for name in set(sys.modules) - before}
        paths = {name: Path(getattr(module, "__file__", None) or "") for name, module in new.items()}
        own = {name: path for name, path in paths.items() if path.is_relative_to(folder)}
        for name in own:
            del sys.modules[name]
        sys.modules.update(hidden)
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in own.values()}
    return found, tuple(sorted(files.items()))


def _standing(stamps: tuple[tuple[str, int], ...], folder: str) -> list[str]:
    """The names under which the files of a folder would be imported."""
    relative = [Path(path).resolve().relative_to(folder).with_suffix("") for path, _ in stamps]
    return [".".join(path.parts) for path in relative]


def brief_error(error: BaseException) -> str:
    """What the user's code raised, on one line."""
    said = " ".join(f"{type(error).__name__}: {error}".split())
    return said if len(said) <= 200 else f"{said[:199]}…"


def name_of(function: Any) -> str:
    """``module:function`` of a function, as a text would name it."""
    kind = function if hasattr(function, "__qualname__") else type(function)
    return f"{kind.__module__}:{kind.__qualname__}"


def require_name(target: str, value: Any, files: tuple[tuple[str, bytes], ...], what: str) -> None:
    """Refuse an object that ``module:name`` does not find again in another process."""
    module, _, name = target.partition(":")
    importable = module != "__main__" and getattr(sys.modules.get(module), name or "-", None) is value
    require(
        bool(files) or importable,
        f"the {what} {target!r} cannot be written to a file: no importable module holds it by that name "
        "(put the function into a module, or keep the study in memory)",
    )
