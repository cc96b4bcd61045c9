"""Results: an xarray Dataset in a zarr store that describes itself and survives being killed.

A folder of results holds ``results.zarr`` and, for empirical scorers, ``curves/`` with copies of
their files. The store has every variable of `design.AXES` that the engine gives, with a leading
``replicate``; ``complete`` says for each replicate whether its values are all there. The rules
that keep it readable whatever happens:

- every file is written aside, flushed to the disk and renamed, so it is old or new, never half;
- a replicate is marked complete after its values are on the disk;
- the store itself appears by one rename, when its description is whole;
- there is one writer at a time (`writer.Writer`), which holds a lock on the folder.

How many replicates there are is the length of ``complete``: an array longer than that was being
extended when the writer died, and its surplus is ignored.
"""

from __future__ import annotations

import json
import platform
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
import zarr
from numpy.typing import NDArray
from zarr.storage import LocalStore

import ndcg_asymptotics
from ndcg_asymptotics.design import AXES
from ndcg_asymptotics.errors import InputError
from ndcg_asymptotics.specs import require
from ndcg_asymptotics.study import Study

FORMAT = 1
STORE = "results.zarr"

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Results:
    """What a folder of results holds.

    Attributes
    ----------
    folder : Path
    study : Study
        With its engine resolved and its curves those beside the store.
    versions : list of dict
        The versions of this package, Python, numpy, numba and scipy that wrote it, in order.
    replicates : (R,) integers
        The indices of the replicates that are wanted.
    done : (R,) booleans
        Which of them are complete.
    """

    folder: Path
    study: Study
    versions: list[dict[str, str]]
    replicates: Integers
    done: NDArray[np.bool_]

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

        Raises
        ------
        InputError
            If there is none yet.
        """
        require(self.replicates_complete > 0, f"{self.folder}: no replicate is complete yet")
        group = zarr.open_group(store=LocalStore(self.folder / STORE, read_only=True), mode="r")
        rows = np.flatnonzero(self.done)
        rows = rows[np.argsort(self.replicates[rows])]
        variables = {
            name: (("replicate", *axes), read_array(group, name)[rows])
            for name, axes in AXES.items()
            if name in group
        }
        attributes = {
            "title": self.study.title,
            "study": json.dumps(self.study.canonical()),
            "seed": self.study.seed,
            "engine": self.study.engine,
            "versions": self.versions,
            "format": FORMAT,
            "complete": self.complete,
            "replicates_wanted": self.replicates_wanted,
        }
        labels = {"replicate": self.replicates[rows], **coordinates(self.study)}
        return xr.Dataset(variables, labels, attributes)


def open_results(folder: str | Path) -> Results:
    """Open the results in a folder, complete or not.

    Raises
    ------
    InputError
        If the folder holds no results, or they are of a newer version or damaged.
    """
    folder = Path(folder)
    require(holds_results(folder), f"{folder}: no results here (no {STORE})")
    try:
        group = zarr.open_group(store=LocalStore(folder / STORE, read_only=True), mode="r")
        attributes = dict(group.attrs)
        form = attributes["format"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{folder}: the results cannot be read ({error!r})") from None
    require(
        form == FORMAT,
        f"{folder}: written by a newer version, in format {form}; "
        f"{ndcg_asymptotics.__name__} {ndcg_asymptotics.__version__} reads format {FORMAT}",
    )
    try:
        done = np.asarray(read_array(group, "complete"), np.bool_)
        replicates = np.asarray(read_array(group, "replicate"), np.int64)[: len(done)]
        fields = json.loads(str(attributes["study"]))
        versions: Any = attributes["versions"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{folder}: the results cannot be read ({error!r})") from None
    return Results(folder, Study.read(fields, folder, str(folder)), versions, replicates, done)


def holds_results(folder: Path) -> bool:
    """Whether a store is there."""
    return (folder / STORE / "zarr.json").is_file()


@cache  # asked for with every block
def versions_here() -> dict[str, str]:
    """The versions that decide bits."""
    libraries = {name: version(name) for name in ("numpy", "numba", "scipy")}
    own = {"ndcg_asymptotics": ndcg_asymptotics.__version__, "python": platform.python_version()}
    return own | libraries


def coordinates(study: Study) -> dict[str, NDArray[Any]]:
    """The labels of the axes, apart from `replicate`."""
    found: dict[str, NDArray[Any]] = {
        "scorer": np.array(list(study.scorers)),
        "measure": np.array(study.measures),
        "n": np.array(study.n, np.int64),
    }
    if study.pairs:
        found["pair"] = np.array([f"{a} > {b}" for a, b in study.pairs])
    return found


def read_array(group: zarr.Group, name: str) -> NDArray[Any]:
    """All of one array of a store."""
    array = group[name]
    assert isinstance(array, zarr.Array)
    return np.asarray(array[:])
