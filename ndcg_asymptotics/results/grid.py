"""The results of a grid: a folder of results for every point, and one report on all points.

The folder of the grid holds::

    grid.json           the parameters, the fields of the study, and the digest of the study at every point
    points/             a folder of results for every point, such as ``points/p=0.1,b=0.5``

The folder of a point is like that of any study: damages in it are found and named in the same way.
``grid.json`` states the study of every point, so a point that is missing, or holds another study, is noticed.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.files import Fields, UnreadableError, path_of
from ndcg_asymptotics.core.rows import Column
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
from ndcg_asymptotics.results.record import Results, SimulatedMean, simulated_means
from ndcg_asymptotics.specs.scanner import number_text
from ndcg_asymptotics.studies.canonical import canonical
from ndcg_asymptotics.studies.grid import MOST_POINTS, Axes, Grid

if TYPE_CHECKING:
    import pandas as pd


class PointReport(Protocol):
    """A report on one point of a grid."""

    @property
    def complete(self) -> bool: ...
    def as_dict(self) -> dict[str, Any]: ...
    def to_dataframe(self) -> pd.DataFrame: ...
    def long(self) -> Iterable[ReportBlock]: ...


PointRow = tuple[Sequence[float], object]
"""The values of the parameters at a point, and a row of a table."""


def table_of_points(
    parameters: Iterable[str], rows: Iterable[PointRow], of: Callable[[list[Any]], Table], most: int = 0
) -> Table:
    """Return a table of rows of points, behind columns of the parameters.

    Parameters
    ----------
    parameters : names
    rows : pairs of the values at a point and a row
    of : callable
        Makes the table of a list of rows.
    most : int
        How many rows are shown; 0 for all.
    """
    all_rows = list(rows)
    first_rows = all_rows[: most or None]
    table = of([row for _, row in first_rows])
    columns = (*(Column(name, number_text, key=True) for name in parameters), *table.columns)
    joined = tuple((*values, *row) for (values, _), row in zip(first_rows, table.rows, strict=True))
    note = f"; the first {most} of {len(all_rows)}, -v prints all" if len(first_rows) < len(all_rows) else ""
    return Table(table.title + note, columns, joined, table.detail)


PointT = TypeVar("PointT", bound=PointReport)


@dataclass(frozen=True, eq=False, repr=False)
class GridReport(Report, Generic[PointT]):
    """A report on every point of a grid: tables and data of the points as one, with the parameters.

    Attributes
    ----------
    axes : Axes
    points : mapping of values to reports
        In the order of ``axes.points``; those of the points that have results.
    """

    axes: Axes
    points: Mapping[tuple[float, ...], PointT]

    @property
    def complete(self) -> bool:
        """Whether every point has all its replicates."""
        whole = len(self.points) == len(self.axes.points)
        return whole and all(point.complete for point in self.points.values())

    @property
    def state(self) -> str:
        """How many points are complete."""
        complete_points = sum(point.complete for point in self.points.values())
        return f"{complete_points} of {len(self.axes.points)} points complete"

    def table(self, rows: Iterable[PointRow], of: Callable[[list[Any]], Table], most: int = 0) -> Table:
        """Return `table_of_points`; the title has what all rows share, a single measure or a single value."""
        table = table_of_points(self.axes.parameters, rows, of, most)
        names, shared, left = [column.name for column in table.columns], [], set()
        if len(self.axes.measures) == 1 and "measure" in names:
            shared, left = [self.axes.measures[0]], {names.index("measure")}
        for place, (name, values) in enumerate(self.axes.parameters.items()):
            if len(values) == 1:
                shared.append(f"{name} = {number_text(values[0])}")
                left.add(place)
        places = [place for place in range(len(names)) if place not in left]
        columns = tuple(table.columns[place] for place in places)
        values_left = tuple(tuple(row[place] for place in places) for row in table.rows)
        return Table(", ".join([table.title, *shared]), columns, values_left, table.detail)

    def long(self) -> Iterator[ReportBlock]:
        """Return all blocks, and behind them everything at every point."""
        yield from self.blocks()
        for values, point in self.points.items():
            yield Line(self.axes.name(values), "bold")
            yield from point.long()

    def to_dataframe(self) -> pd.DataFrame:
        """Return the DataFrames of all points as one, behind columns of the parameters.

        A parameter has the name ``$b``, as in the file, where ``b`` is the name of another column.
        """
        import pandas as pd

        frames = []
        for values, point in self.points.items():
            frame = point.to_dataframe()
            names = [f"${name}" if name in frame else name for name in self.axes.parameters]
            for place, name in enumerate(names):
                frame.insert(place, name, values[place])
            frames.append(frame)
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()

    def as_dict(self) -> dict[str, Any]:
        """Return the data of every point with its values of the parameters, for JSON."""
        points = [
            {"parameters": dict(zip(self.axes.parameters, values, strict=True)), **point.as_dict()}
            for values, point in self.points.items()
        ]
        return {"complete": self.complete, "points": points}


@dataclass(frozen=True, eq=False, repr=False)
class GridResults(GridReport[Results]):
    """The results of a grid: those of the study at every point that has any."""

    json_kind: ClassVar[str] = "grid info"

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield the studies, how many of them are complete, and the means at the largest n."""
        axes = self.axes
        yield Line(str(axes.fields.get("title") or "Grid"), "bold")
        complete, total = (sum(counts) for counts in zip(*map(self._counts, axes.points), strict=True))
        state = f"{complete} of {total} replicates complete, {self.state}"
        yield Line(state.removesuffix(" complete"), "" if self.complete else "bold red")
        for name, values in axes.parameters.items():
            yield Line(f"  {name} = {', '.join(map(number_text, values))}")
        for name, text in axes.fields["scorers"].items():
            yield Line(f"  {name} = {text}")
        begun = [(values, point) for values, point in self.points.items() if point.replicates_complete]
        if begun and "ndcg" in begun[0][1].values:
            n = begun[0][1].study.n[-1:]
            rows = [(values, mean) for values, point in begun for mean in simulated_means(point, n)]
            yield self.table(rows, partial(Table.of, f"At n = {n[0]:g}", SimulatedMean, n=None))

    def _counts(self, values: tuple[float, ...]) -> tuple[int, int]:
        """Return the numbers of replicates of a point that are complete and that are wanted."""
        if point := self.points.get(values):
            return point.replicates_complete, point.replicates_wanted
        return 0, int(self.axes.fields["replicates"])

    def with_replicates(self, least: int) -> dict[tuple[float, ...], Results]:
        """Return the points with so many complete replicates.

        Raises
        ------
        InputError
            If there are none.
        """
        points = {
            values: point for values, point in self.points.items() if point.replicates_complete >= least
        }
        require(len(points) > 0, f"no point of the grid has {least} complete replicates yet")
        return points


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
            of = read_record(place / STUDY, lambda record: study_key(record["study"]))
            require(of == keys.get(place.name), f"{place}: holds another study; move it away")
    record = {"parameters": dict(grid.axes.parameters), "fields": dict(grid.axes.fields)}
    write_record(folder / GRID, {"grid": record, "points": keys})


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
            matches = study_key(canonical(points[values].study)) == keys[name]
            require(matches, f"{place}: holds another study than the grid has at this point")
    return GridResults(axes, points)
