"""Simulation of what a user has: a study, a grid of studies, or the file of either."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Unpack, overload

from ndcg_asymptotics.core.arrays import brief
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.files import path_of
from ndcg_asymptotics.results import Results
from ndcg_asymptotics.results.grid import GridResults
from ndcg_asymptotics.studies import Study, load
from ndcg_asymptotics.studies.grid import Grid, is_grid, load_grid
from ndcg_asymptotics.sweep.grid import sweep_grid
from ndcg_asymptotics.sweep.sweep import SweepOptions, sweep


@overload
def run(study: Study, out: str | Path | None = None, **options: Unpack[SweepOptions]) -> Results: ...
@overload
def run(study: Grid, out: str | Path | None = None, **options: Unpack[SweepOptions]) -> GridResults: ...
@overload
def run(
    study: str | Path,
    out: str | Path | None = None,
    *,
    allow_custom: bool = False,
    **options: Unpack[SweepOptions],
) -> Results | GridResults: ...
def run(
    study: Study | Grid | str | Path,
    out: str | Path | None = None,
    *,
    allow_custom: bool = False,
    **options: Unpack[SweepOptions],
) -> Results | GridResults:
    """Simulate a study, or a grid of studies, and return its results.

    Parameters
    ----------
    study : Study, Grid or path
        A path is that of a study file, or of the file of a grid.
    out : path, optional
        The folder of the results. Results of the same study in it are continued. Without it results are
        kept in memory.
    allow_custom : bool
        Whether ``custom("module:function")`` in a file may import its module, which runs the code in it.
    **options
        As in `sweep`: ``replicates``, ``first``, ``jobs``, ``backend``, ``scheduler``, ``time_limit``,
        ``block``, ``precision``.

    Raises
    ------
    InputError
        If the engine cannot do the study, or the folder holds another one; and as `studies.load`.
    OSError
        If a file cannot be read, or the folder cannot be written to; what was complete stays so.
    KeyboardInterrupt
        If it was interrupted; what was complete stays in the folder.

    >>> from ndcg_asymptotics.studies import Study
    >>> study = Study(scorers={"good": "linear(0.1, 0.7)"}, measures="nDCG", n=[10, 100], replicates=3)
    >>> run(study, jobs=1).data["ndcg"].shape
    (3, 1, 1, 2)
    """
    if isinstance(study, str | os.PathLike):
        path = path_of(study, "study")
        reads = load_grid if is_grid(path) else load
        study = reads(path, allow_custom=allow_custom)
    if not isinstance(study, Study | Grid):
        raise InputError(f"expected a Study, or the path of a study file, got {brief(study)}", "study")
    outcome = sweep_grid(study, out, **options) if isinstance(study, Grid) else sweep(study, out, **options)
    if outcome.stopped == "interrupted":
        raise KeyboardInterrupt
    return outcome.results()
