"""Opening a folder of results, whatever it holds: a study or a grid."""

from __future__ import annotations

import os
from pathlib import Path

from ndcg_asymptotics.core.arrays import brief
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.files import path_of
from ndcg_asymptotics.results.folder import open_results
from ndcg_asymptotics.results.grid import GridResults, open_grid
from ndcg_asymptotics.results.kinds import kind_of
from ndcg_asymptotics.results.record import Results


def results_of(given: object) -> Results:
    """Return results, which may be given by the path of their folder.

    Raises
    ------
    InputError
        For anything else, and as `open_results`.
    """
    if isinstance(given, str | os.PathLike):
        return open_results(path_of(given, "results"))
    if isinstance(given, Results):
        return given
    expected = "expected the results of a study or the path of their folder"
    raise InputError(f"{expected}, got {brief(given)}", "results")


def open_any(folder: str | Path, *, allow_custom: bool = False) -> Results | GridResults:
    """Open the results of a study or of a grid, complete or not.

    Parameters
    ----------
    folder : path
    allow_custom : bool
        As in `open_results`.

    Raises
    ------
    InputError
        If the folder holds none, or they are damaged or of another version.

    >>> import tempfile
    >>> import ndcg_asymptotics as na
    >>> study = na.Study(scorers={"a": "constant(0.4)"}, measures="nDCG", n=[10], replicates=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = na.run(study, folder, jobs=1)
    ...     type(open_any(folder)).__name__
    'Results'
    """
    if kind_of(folder) == "grid":
        return open_grid(folder, allow_custom=allow_custom)
    return open_results(folder, allow_custom=allow_custom)
