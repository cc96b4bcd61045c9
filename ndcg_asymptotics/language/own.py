"""A user's own function, found by the name ``module:function`` that a text gives it.

A module that stands as a file beside the study is read from there, so that no path needs to be
set; any other is imported. The functions of such a file belong to no importable module, so they
travel to worker processes and clusters by value.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ndcg_asymptotics.errors import InputError, require


@dataclass(frozen=True)
class Own:
    """An object of the user's code, and the module file it was read from, if from one beside the study."""

    value: Any
    file: str = ""
    content: bytes = b""


def find(target: str, folder: Path) -> Own:
    """The object that ``module:name`` names.

    Raises
    ------
    InputError
        If the module cannot be imported, whatever it raises, or has no such name.
    """
    module, _, name = target.partition(":")
    require(bool(module and name), f'custom needs "module:function", got {target!r}')
    path = folder.joinpath(*module.split(".")).with_suffix(".py")
    try:
        if path.is_file():
            content = path.read_bytes()
            value = getattr(_run(str(path), module, content), name)
            return Own(value, path.relative_to(folder).as_posix(), content)
        return Own(getattr(importlib.import_module(module), name))
    except Exception as error:  # the module is the user's own code
        raise InputError(f'custom needs "module:function", got {target!r} ({brief_error(error)})') from error


@lru_cache(maxsize=64)
def _run(path: str, name: str, content: bytes) -> Any:
    """The module of a file; run again when its content changes."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    hidden = sys.modules.get(name)
    sys.modules[name] = module  # while it runs: dataclasses look themselves up
    try:
        exec(compile(content, path, "exec"), module.__dict__)
    finally:
        del sys.modules[name]  # what no worker could import is sent by value
        if hidden is not None:
            sys.modules[name] = hidden
    return module


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
