"""The results of a grid: a folder with those of every point, and one Dataset over all of them.

It holds ``grid.json``, which says what the grid is, and ``points/`` with a folder of results for every
point, such as ``points/p=0.1,b=0.5``, which is one like any other: what is damaged in it is found, named and
computed again for itself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.files import read_file, write_file
from ndcg_asymptotics.grids.grid import Axes, Grid
from ndcg_asymptotics.results import Results, open_results
from ndcg_asymptotics.results.damage.seals import checksum_holds, with_checksum
from ndcg_asymptotics.results.layout import holds_results
from ndcg_asymptotics.results.results import results_in
from ndcg_asymptotics.studies.canonical import FREE

if TYPE_CHECKING:
    import xarray as xr

FILE, POINTS = "grid.json", "points"

_LARGEST = 2**26  # bytes of the file of a grid


@dataclass(frozen=True, eq=False)
class GridResults:
    """The results of a grid.

    Attributes
    ----------
    axes : Axes
    points : mapping of values to Results
        Those that there are.
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

        A measure is called as it was written, with its parameters, for its text differs between points.
        Points may have different replicates, as those of a sweep that ends when it is precise enough: then
        the Dataset has those of any point, and NaN where a point does not have one.

        Raises
        ------
        InputError
            If a point is missing or has no replicates.
        """
        self.require_all()
        labelled = {}
        for values, results in self.points.items():
            data = results.data.assign_coords(measure=list(self.axes.measures))
            labelled[values] = data.assign_coords(dict(zip(self.axes.parameters, values, strict=True)))
        return self._joined(list(labelled.values()))

    def require_all(self) -> None:
        """Refuse a grid of which a point is missing."""
        missing = [self.axes.name(values) for values in self.axes.points if values not in self.points]
        require(not missing, f"{len(missing)} points are missing, first {missing[0] if missing else ''}")

    def _joined(self, parts: list[xr.Dataset]) -> xr.Dataset:
        import xarray as xr

        replicates = parts[0]["replicate"].to_numpy()
        if not all(np.array_equal(part["replicate"], replicates) for part in parts):
            replicates = np.unique(np.concatenate([part["replicate"].to_numpy() for part in parts]))
            parts = [part.reindex(replicate=replicates) for part in parts]
        for name, values in reversed(list(self.axes.parameters.items())):
            steps = range(0, len(parts), len(values))
            parts = [
                xr.concat(parts[i : i + len(values)], name, coords="minimal", compat="override",
                          join="override", combine_attrs="drop_conflicts")
                for i in steps
            ]  # fmt: skip
        return parts[0]


def write_grid(folder: Path, axes: Axes) -> None:
    """Say in a folder what grid its points are of.

    Raises
    ------
    InputError
        If it holds another grid, or results of a single study.
    """
    require(not holds_results(folder), f"{folder}: holds the results of a study")
    here = json.loads(json.dumps({"parameters": dict(axes.parameters), "fields": dict(axes.fields)}))
    if holds_grid(folder):
        try:
            there = _stated(folder)
        except InputError:  # damaged: the stores of its points know what they are of
            there = here
        require(_deciding(here) == _deciding(there), f"{folder}: holds another grid")
    write_file(folder / FILE, with_checksum(json.dumps(here).encode()), folder)


def _deciding(stated: dict[str, Any]) -> dict[str, Any]:
    return {
        "parameters": stated["parameters"],
        "fields": {name: value for name, value in stated["fields"].items() if name not in FREE},
    }


def _stated(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads(read_file(folder / FILE, _LARGEST))
        good = isinstance(found, dict) and checksum_holds(found)
    except (ValueError, RecursionError):
        good = False
    require(good, f"{folder}: damaged: {FILE} is not what was written; running the grid again mends it")
    return {name: found[name] for name in ("parameters", "fields")}


def holds_grid(folder: Path | str) -> bool:
    """Whether a folder holds the results of a grid."""
    return (Path(folder) / FILE).is_file()


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
        If the folder holds none, or a point is damaged.

    >>> import tempfile
    >>> from ndcg_asymptotics.grids.grid import grid_of
    >>> from ndcg_asymptotics.grids.run import run_grid
    >>> fields = {"scorers": {"a": "constant($p)"}, "measures": ["nDCG"], "n": [10], "replicates": 2}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = run_grid(grid_of({"p": [0.1, 0.3]}, fields), folder, jobs=1)
    ...     open_grid(folder).data["ndcg"].dims
    ('p', 'replicate', 'scorer', 'measure', 'n')
    """
    folder = Path(folder)
    require(holds_grid(folder), f"{folder}: no results of a grid here (no {FILE})")
    axes = axes_in(folder)
    points = {}
    for values in axes.points:
        place = point_folder(folder, axes, values)
        if holds_results(place):
            points[values] = open_results(place, allow_custom=allow_custom)
    return GridResults(axes, points)


def grid_in(folder: str | Path, grid: Grid) -> GridResults:
    """Return the results in a folder that are of this grid, whose functions and files are the grid's own.

    Raises
    ------
    InputError
        As `open_grid`.
    """
    folders = {values: point_folder(Path(folder), grid.axes, values) for values in grid.studies}
    points = {
        values: results_in(folders[values], study)
        for values, study in grid.studies.items()
        if holds_results(folders[values])
    }
    return GridResults(grid.axes, points)


def axes_in(folder: Path) -> Axes:
    """What the grid of a folder is over.

    Raises
    ------
    InputError
        If that is damaged.
    """
    stated = _stated(folder)
    return Axes({name: tuple(values) for name, values in stated["parameters"].items()}, stated["fields"])


def point_folder(folder: Path, axes: Axes, values: tuple[float, ...]) -> Path:
    """Where the results of a point are."""
    return folder / POINTS / axes.name(values)
