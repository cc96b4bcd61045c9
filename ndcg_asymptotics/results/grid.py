"""The results of a grid: a folder of results for every point, and one Dataset over all points.

The folder of the grid holds::

    grid.json           the parameters, the fields of the study, and the digest of the study at every point
    points/             a folder of results for every point, such as ``points/p=0.1,b=0.5``

The folder of a point is like that of any study: damages in it are found and named in the same way.
``grid.json`` states the study of every point, so a point that is missing, or holds another study, is noticed.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.files import Fields, UnreadableError, path_of
from ndcg_asymptotics.results.folder import open_results, results_in, study_key
from ndcg_asymptotics.results.kinds import (
    GRID,
    POINTS,
    STUDY,
    kind_of,
    read_description,
    refuse_old,
    require_kind,
    write_description,
)
from ndcg_asymptotics.results.record import Results
from ndcg_asymptotics.studies.canonical import canonical
from ndcg_asymptotics.studies.grid import MOST_POINTS, Axes, Grid

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True, eq=False)
class GridResults:
    """The results of a grid.

    Attributes
    ----------
    axes : Axes
    points : mapping of values to Results
        The results of the points that have any.
    """

    axes: Axes
    points: Mapping[tuple[float, ...], Results]

    @property
    def complete(self) -> bool:
        """Whether every point has all its replicates."""
        whole = len(self.points) == len(self.axes.points)
        return whole and all(results.complete for results in self.points.values())

    @cached_property
    def data(self) -> xr.Dataset:
        """All points in one Dataset, with a dimension for every parameter before those of `Results.data`.

        Measures are labelled as they were written, with their parameters, because their texts differ between
        points. If points have different replicates, as after sweeps with a precision, the Dataset has those
        of all points, and NaN where a point does not have one.

        Raises
        ------
        InputError
            If a point is missing or has no replicates.
        """
        import pandas as pd
        import xarray as xr

        self.require_all()
        measures = list(self.axes.measures)
        every = [self.points[values].data.assign_coords(measure=measures) for values in self.axes.points]
        points = pd.MultiIndex.from_product(self.axes.parameters.values(), names=list(self.axes.parameters))
        joined = xr.concat(
            every,
            pd.RangeIndex(len(every), name="point"),
            coords="minimal",
            compat="override",
            join="outer",
            combine_attrs="drop_conflicts",
        )
        labels = xr.Coordinates.from_pandas_multiindex(points, "point")
        joined = joined.drop_vars("point").assign_coords(labels).unstack("point")
        joined.attrs = {name: joined.attrs[name] for name in ("seed", "engine")}
        return joined.transpose(*self.axes.parameters, ...)

    def require_all(self) -> None:
        """Refuse a grid of which a point is missing.

        Raises
        ------
        InputError
            Naming the first one.
        """
        missing = [self.axes.name(values) for values in self.axes.points if values not in self.points]
        require(not missing, f"{len(missing)} points are missing, first {missing[0] if missing else ''}")


def write_grid(folder: Path, grid: Grid) -> None:
    """Write the record of a grid to a folder.

    Raises
    ------
    InputError
        If it holds another grid, or other results, or its record is damaged.
    """
    require_kind(folder, "grid", or_none=True)
    keys = {grid.axes.name(values): study_key(canonical(study)) for values, study in grid.studies.items()}
    if os.path.lexists(folder / GRID):
        require(_sound_record(folder)[1] == keys, f"{folder}: holds another grid")
        return
    for place in (folder / POINTS).glob("*"):  # of a grid whose record was deleted
        with suppress(UnreadableError):
            of = read_description(place / STUDY, lambda stated: study_key(stated["study"]), "a study")
            require(of == keys.get(place.name), f"{place}: holds another study; move it away")
    stated = {"parameters": dict(grid.axes.parameters), "fields": dict(grid.axes.fields)}
    write_description(folder / GRID, {"grid": stated, "points": keys}, folder)


def _sound_record(folder: Path) -> tuple[Axes, dict[str, str]]:
    """Return what `read_grid` does, and refuse a damaged record in one line."""
    try:
        return read_grid(folder)
    except UnreadableError as error:
        raise InputError(f"{folder}: damaged: {GRID} {error}; delete it and run the grid again") from None


def read_grid(folder: Path) -> tuple[Axes, dict[str, str]]:
    """Read the record of the grid in a folder: its axes, and the digest of the study at every point.

    Raises
    ------
    UnreadableError
        If the record is not what was written.
    InputError
        If the folder is of another version.
    """
    for place in (folder / POINTS).glob("*"):
        refuse_old(place)
        break
    return read_description(folder / GRID, _stated, "a grid")


def _stated(record: Fields) -> tuple[Axes, dict[str, str]]:
    parameters, fields = record["grid"]["parameters"], dict(record["grid"]["fields"])
    if math.prod(map(len, parameters.values())) > MOST_POINTS:
        raise ValueError("more points than a grid may have")
    axes = Axes({name: tuple(map(float, values)) for name, values in parameters.items()}, fields)
    keys = {str(name): str(key) for name, key in record["points"].items()}
    whole = axes.scorers and axes.measures and int(fields["replicates"])
    if list(keys) != list(map(axes.name, axes.points)) or not whole:
        raise ValueError("not the points of the grid")
    return axes, keys


def open_grid(folder: str | Path, *, allow_custom: bool = False) -> GridResults:
    """Open the results of a grid, complete or not.

    Parameters
    ----------
    folder : path
    allow_custom : bool
        Whether ``custom("module:function")`` in a point's study may import its module, as in `open_results`.

    Raises
    ------
    InputError
        If the folder holds none, a point is damaged, or a point holds another study than the grid's.

    >>> import tempfile
    >>> from ndcg_asymptotics.studies.grid import grid_of
    >>> import ndcg_asymptotics as na
    >>> fields = {"scorers": {"a": "constant($p)"}, "measures": ["nDCG"], "n": [10], "replicates": 2}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = na.sweep.run_grid(grid_of({"p": [0.1, 0.3]}, fields), folder, jobs=1)
    ...     open_grid(folder).data["ndcg"].dims
    ('p', 'replicate', 'scorer', 'measure', 'n')
    """
    folder = path_of(folder, "folder")
    require_kind(folder, "grid")
    axes, keys = _sound_record(folder)
    points = {}
    for values in axes.points:
        name = axes.name(values)
        place = folder / POINTS / name
        if kind_of(place) != "study":
            continue
        points[values] = open_results(place, allow_custom=allow_custom)
        same = study_key(canonical(points[values].study)) == keys[name]
        require(same, f"{place}: holds another study than the grid has at this point")
    return GridResults(axes, points)


def grid_in(folder: str | Path, grid: Grid) -> GridResults:
    """Return the results in a folder that are of this grid, with the grid's own studies.

    Raises
    ------
    InputError
        As `open_grid`.
    """
    folders = {values: point_folder(Path(folder), grid.axes, values) for values in grid.studies}
    points = {
        values: results_in(folders[values], study)
        for values, study in grid.studies.items()
        if kind_of(folders[values]) == "study"
    }
    return GridResults(grid.axes, points)


def point_folder(folder: Path, axes: Axes, values: tuple[float, ...]) -> Path:
    """Return the folder of the results of a point."""
    return folder / POINTS / axes.name(values)
