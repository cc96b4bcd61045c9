"""Files of runs, and the names of the runs in them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ndcg_asymptotics.core.errors import require


def named_paths(paths: Sequence[Path]) -> dict[str, Path]:
    """Return files by the names of their runs (`run_names`).

    Raises
    ------
    InputError
        If a file is given twice.
    """
    names = run_names(paths)
    require(len(set(names)) == len(names), f"a file is given twice: {', '.join(map(str, paths))}")
    return dict(zip(names, paths, strict=True))


def run_names(paths: Sequence[Path]) -> list[str]:
    """Return the names of runs: the names of their files without endings, or their paths if names repeat."""
    stems = [stem(path) for path in paths]
    return stems if len(set(stems)) == len(stems) else [str(path) for path in paths]


def stem(path: Path) -> str:
    """Return the name of a file without .gz or .zst, and without the ending before it."""
    return Path(path.name.removesuffix(".gz").removesuffix(".zst")).stem
