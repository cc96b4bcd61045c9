"""Opening a folder of results, of a study or of a grid."""

from __future__ import annotations

import os
from pathlib import Path

from ndcg_asymptotics.core.arrays import brief
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.files import path_of
from ndcg_asymptotics.results.folder import open_study
from ndcg_asymptotics.results.grid import GridResults, grid_in
from ndcg_asymptotics.results.kinds import kind_of
from ndcg_asymptotics.results.record import Results


def open_results(folder: str | Path, *, allow_custom: bool = False) -> Results | GridResults:
    """Open the results of a study or of a grid, complete or not.

    All of them are read and compared with the digests that were written with them. Damaged results are never
    returned.

    Parameters
    ----------
    folder : path
    allow_custom : bool
        Whether ``custom("module:function")`` in their study may import its module, a copy of which is in
        the folder; this runs the code in it.

    Raises
    ------
    InputError
        If the folder holds no results, or they are of another version or damaged (every damaged file is
        named), or a point holds another study than its grid's.

    >>> import tempfile
    >>> import ndcg_asymptotics as na
    >>> study = na.Study(scorers={"a": "constant(0.4)"}, measures="nDCG", n=[10], replicates=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = na.run(study, folder, jobs=1)
    ...     open_results(folder).data["ndcg"].shape
    (2, 1, 1, 1)
    """
    if kind_of(folder) == "grid":
        return grid_in(folder, allow_custom=allow_custom)
    return open_study(folder, allow_custom=allow_custom)


def opened(source: object) -> Results | GridResults:
    """Return the results of a study or a grid, which may be given by the path of their folder.

    Raises
    ------
    InputError
        For anything else, and as `open_results`.
    """
    if isinstance(source, str | os.PathLike):
        return open_results(path_of(source, "results"))
    if isinstance(source, Results | GridResults):
        return source
    requirement = "expected the results of a study or a grid, or the path of their folder"
    raise InputError(f"{requirement}, got {brief(source)}", "results")


def results_of(source: object) -> Results:
    """Return the results of a study, as `opened` does."""
    results = opened(source)
    if isinstance(results, GridResults):
        of_study = "those of its studies are na.open_results(folder).points"
        raise InputError(f"expected the results of a study, got those of a grid; {of_study}", "results")
    return results
