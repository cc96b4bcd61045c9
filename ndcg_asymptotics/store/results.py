"""Results: the replicates of a study as an xarray Dataset, from a folder or from this process."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr
import zarr
from numpy.typing import NDArray
from zarr.storage import LocalStore

from ndcg_asymptotics.arrays import Bools, Integers
from ndcg_asymptotics.errors import InputError, require
from ndcg_asymptotics.store.layout import (
    COMPLETE,
    FORMAT,
    INDEX,
    PACKAGE,
    STORE,
    dataset,
    holds_results,
    versions_here,
)
from ndcg_asymptotics.store.summary import summary_dict, summary_frame, summary_parts
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.studies.canonical import canonical, differences
from ndcg_asymptotics.studies.toml import study_of
from ndcg_asymptotics.tables import Part, Shown

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Results(Shown):
    """The results of a study, complete or not.

    Attributes
    ----------
    study : Study
        With its engine resolved; from a folder, with the curves and modules beside the store.
    versions : list of dict
        The versions of this package, Python, numpy, numba and scipy that made them, in order.
    replicates : (R,) integers
        The indices of the replicates that are wanted.
    done : (R,) booleans
        Which of them are complete.
    folder : Path or None
        Where they are kept; None if in this process only.
    """

    study: Study
    versions: list[dict[str, str]]
    replicates: Integers
    done: Bools
    folder: Path | None
    _read: Callable[[], xr.Dataset] = field(repr=False)

    def parts(self) -> Iterator[Part]:
        """What was asked, how much of it is there, and the means at the largest n."""
        return summary_parts(self)

    def to_dataframe(self) -> pd.DataFrame:
        """A row per scorer, measure and n; of single replicates, ``data.to_dataframe()`` has them."""
        return summary_frame(self)

    def as_dict(self) -> dict[str, Any]:
        """What `parts` tells as plain data, for JSON."""
        return summary_dict(self)

    @property
    def name(self) -> str:
        """The name of the folder, empty for results in memory."""
        return self.folder.resolve().name if self.folder else ""

    @property
    def replicates_wanted(self) -> int:
        """How many replicates are wanted."""
        return len(self.replicates)

    @property
    def replicates_complete(self) -> int:
        """How many replicates are complete."""
        return int(self.done.sum())

    @property
    def complete(self) -> bool:
        """Whether every wanted replicate is there."""
        return bool(self.done.all())

    @cached_property
    def data(self) -> xr.Dataset:
        """The complete replicates, in the order of their indices.

        Its variables are ``ndcg`` (replicate, scorer, measure, n), ``order`` (replicate, pair, measure, n)
        where pairs were asked for, and what else the engine gives.

        Raises
        ------
        InputError
            If there is none yet.
        """
        where = f"{self.folder}: " if self.folder else ""
        require(self.replicates_complete > 0, f"{where}no replicate is complete yet")
        return self._read()


def results_of(study: Study, data: xr.Dataset) -> Results:
    """Results that are kept in this process: a Dataset with the axes of `Results.data`."""
    replicates = np.asarray(data[INDEX].values, np.int64)
    return Results(study, [versions_here()], replicates, np.ones(len(replicates), bool), None, lambda: data)


def open_results(folder: str | Path) -> Results:
    """Open the results in a folder, complete or not.

    Raises
    ------
    InputError
        If the folder holds no results, or they are of a newer version or damaged.

    >>> import tempfile
    >>> import ndcg_asymptotics as na
    >>> study = na.Study(scorers={"a": "constant(0.4)"}, measures="nDCG", n=[10], replicates=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = na.run(study, folder, jobs=1)
    ...     open_results(folder).data["ndcg"].shape
    (2, 1, 1, 1)
    """
    results, fields = open_with_fields(folder)
    changed = differences(canonical(results.study), fields)
    require(not changed, f"{folder}: the study no longer is what was simulated: {'; '.join(changed)}")
    return results


def open_with_fields(folder: str | Path) -> tuple[Results, Mapping[str, Any]]:
    """The results in a folder and the canonical study that was stored with them."""
    folder = Path(folder)
    folder = folder.parent if folder.name == STORE else folder  # the store itself is meant as well
    require(holds_results(folder), f"{folder}: no results here (no {STORE})")
    try:
        group = _open(folder)
        attributes = dict(group.attrs)
        form = attributes["format"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{folder}: the results cannot be read ({error!r})") from None
    require(
        form == FORMAT,
        f"{folder}: written by a newer version, in format {form}; "
        f"{PACKAGE} {versions_here()['ndcg_asymptotics']} reads format {FORMAT}",
    )
    try:
        done = np.asarray(read_array(group, COMPLETE), np.bool_)
        # an array longer than this one was being extended when its writer died: the surplus is nothing yet
        replicates = np.asarray(read_array(group, INDEX), np.int64)[: len(done)]
        fields = json.loads(str(attributes["study"]))
        versions: Any = attributes["versions"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{folder}: the results cannot be read ({error!r})") from None
    stated = {name: value for name, value in fields.items() if name != "digests"}
    study = study_of(stated, folder, str(folder))

    def read() -> xr.Dataset:
        return _read_dataset(folder, study, replicates, done, fields, versions)

    return Results(study, versions, replicates, done, folder, read), fields


def _open(folder: Path) -> zarr.Group:
    return zarr.open_group(store=LocalStore(folder / STORE, read_only=True), mode="r")


def _read_dataset(
    folder: Path, study: Study, replicates: Integers, done: Bools, fields: Mapping[str, Any], versions: Any
) -> xr.Dataset:
    group = _open(folder)
    rows = np.flatnonzero(done)
    rows = rows[np.argsort(replicates[rows])]
    variables = {
        name: (axes, read_array(group, name)[rows]) for name, axes in sorted(value_arrays(group).items())
    }
    further = {
        "study": json.dumps(fields),
        "versions": json.dumps(versions),
        "format": FORMAT,
        "complete": int(done.all()),
        "replicates_wanted": len(replicates),
    }
    return dataset(study, replicates[rows], variables, further)


def value_arrays(group: zarr.Group) -> dict[str, tuple[str, ...]]:
    """The arrays of a store that hold values of replicates, with their axes."""
    found = {}
    for name, array in group.arrays():
        axes = tuple(str(axis) for axis in getattr(array.metadata, "dimension_names", None) or ())
        if axes[:1] == (INDEX,) and name not in (INDEX, COMPLETE):
            found[name] = axes
    return found


def read_array(group: zarr.Group, name: str) -> NDArray[Any]:
    """All of one array of a store."""
    array = group[name]
    assert isinstance(array, zarr.Array)
    return np.asarray(array[:])
