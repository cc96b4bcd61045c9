"""The folder in which numba keeps compiled kernels, so that not every process compiles them.

numba writes to NUMBA_CACHE_DIR, beside the source files, or to the user's cache folder, and refuses to
decorate a function if it can write to none. That is the case for a read-only package and an unwritable
HOME, as in many containers; a temporary folder then serves this process and its workers.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import platformdirs

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.progress import say

_VARIABLE = "NUMBA_CACHE_DIR"


def ensure_cache() -> None:
    """Point numba to a temporary folder if it could not write to any of its own.

    Raises
    ------
    InputError
        If there is no writable temporary folder either.
    """
    own = [Path(__file__).parent / "__pycache__", platformdirs.user_cache_path("numba", appauthor=False)]
    given = [Path(os.environ[_VARIABLE])] if os.environ.get(_VARIABLE) else []
    if any_writable(given + own):
        return
    try:
        folder = tempfile.mkdtemp(prefix="ndcg-asymptotics-numba-")
    except OSError:
        raise InputError("numba needs a folder it can write to: set NUMBA_CACHE_DIR or TMPDIR") from None
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ[_VARIABLE] = folder  # for numba, and for worker processes
    if "numba" in sys.modules:  # which has read the environment already
        sys.modules["numba"].config.CACHE_DIR = folder
    say("compiled code is kept for this run only: no cache folder is writable; NUMBA_CACHE_DIR names one")


def any_writable(folders: Iterable[Path]) -> bool:
    """Return whether a file can be made in any of the folders, which are made if need be, as numba does."""
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return True
        except OSError:
            continue
    return False
