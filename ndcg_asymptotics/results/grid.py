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
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.files import Fields, UnreadableError, path_of
from ndcg_asymptotics.core.rows import Column, general
from ndcg_asymptotics.core.tables import Line, Report, ReportBlock, Table
from ndcg_asymptotics.results.folder import DamagedError, open_study, study_key
from ndcg_asymptotics.results.kinds import (
    GRID,
    POINTS,
    STUDY,
    kind_of,
    read_record,
    require_kind,
    write_record,
)
from ndcg_asymptotics.results.record import Results
from ndcg_asymptotics.studies.canonical import canonical
from ndcg_asymptotics.studies.grid import MOST_POINTS, Axes, Grid

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True, eq=False, repr=False)
class GridResults(Report):
    """The results of a grid.

    Attributes
    ----------
    axes : Axes
    points : mapping of values to Results
        The results of the points that have any.
    """

    json_kind: ClassVar[str] = "grid info"

    axes: Axes
    points: Mapping[tuple[float, ...], Results]

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield how much of the grid is complete, and of every point."""
        yield Line(str(self.axes.fields.get("title") or "Grid"), "bold")
        counts = [self._counts(values) for values in self.axes.points]
        complete, wanted = (sum(some) for some in zip(*counts, strict=True))
        state = f"{complete} of {wanted} replicates complete, of {len(counts)} points"
        yield Line(state, "" if self.complete else "bold red")
        columns = [Column(name, general("g"), key=True) for name in self.axes.parameters]
        columns += [Column("complete", general("d")), Column("wanted", general("d"))]
        rows = ((*point, *some) for point, some in zip(self.axes.points, counts, strict=True))
        yield Table("Replicates of the points", tuple(columns), tuple(rows))

    def as_dict(self) -> dict[str, object]:
        """Return what `blocks` shows as plain data, for JSON."""
        points = []
        for values in self.axes.points:
            complete, wanted = self._counts(values)
            named = dict(zip(self.axes.parameters, values, strict=True))
            points.append({"parameters": named, "replicates_complete": complete, "replicates_wanted": wanted})
        return {"title": str(self.axes.fields.get("title", "")), "complete": self.complete, "points": points}

    def _counts(self, values: tuple[float, ...]) -> tuple[int, int]:
        """Return the numbers of replicates of a point that are complete and that are wanted."""
        if point := self.points.get(values):
            return point.replicates_complete, point.replicates_wanted
        return 0, int(self.axes.fields["replicates"])

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
        import xarray as xr

        self.require_all()
        measures = list(self.axes.measures)
        points = [
            self.points[values]
            .data.assign_coords(measure=measures)
            .expand_dims({name: [value] for name, value in zip(self.axes.parameters, values, strict=True)})
            for values in self.axes.points
        ]
        joined: xr.Dataset = xr.combine_by_coords(  # type: ignore[assignment]
            points, coords="minimal", compat="override", join="outer", combine_attrs="drop_conflicts"
        )
        joined.attrs = {name: joined.attrs[name] for name in ("seed", "engine")}
        return joined

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
    require_kind(folder, None, "grid")
    keys = {grid.axes.name(values): study_key(canonical(study)) for values, study in grid.studies.items()}
    if os.path.lexists(folder / GRID):
        require(read_grid(folder)[1] == keys, f"{folder}: holds another grid")
        return
    for place in (folder / POINTS).glob("*"):  # of a grid whose record was deleted
        with suppress(UnreadableError):
            of = read_record(place / STUDY, lambda stated: study_key(stated["study"]))
            require(of == keys.get(place.name), f"{place}: holds another study; move it away")
    stated = {"parameters": dict(grid.axes.parameters), "fields": dict(grid.axes.fields)}
    write_record(folder / GRID, {"grid": stated, "points": keys})


def read_grid(folder: Path) -> tuple[Axes, dict[str, str]]:
    """Read the record of the grid in a folder: its axes, and the digest of the study at every point.

    Raises
    ------
    DamagedError
        If the record is not what was written.
    InputError
        If the folder is of another version.
    """
    try:
        return read_record(folder / GRID, _stated)
    except UnreadableError as error:
        raise DamagedError(folder, {GRID: str(error)}) from None


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


def grid_in(folder: str | Path, grid: Grid | None = None, *, allow_custom: bool = False) -> GridResults:
    """Open the results of a grid; if one is given, its studies are those of the points.

    Raises
    ------
    InputError
        As `results.open_results`.
    """
    folder = path_of(folder, "folder")
    axes, keys = read_grid(folder)
    points = {}
    for values in axes.points:
        name = axes.name(values)
        place = folder / POINTS / name
        if kind_of(place) == "study":
            study = grid.studies[values] if grid else None
            points[values] = open_study(place, study, allow_custom=allow_custom)
            same = study_key(canonical(points[values].study)) == keys[name]
            require(same, f"{place}: holds another study than the grid has at this point")
    return GridResults(axes, points)
