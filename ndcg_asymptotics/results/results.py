"""Results: the replicates of a study as an xarray Dataset, from a folder or from this process."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Bools, Integers
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.tables import Part, Shown
from ndcg_asymptotics.engines.engine import impossible
from ndcg_asymptotics.results.damage.survey import Survey, survey
from ndcg_asymptotics.results.kept import Kept
from ndcg_asymptotics.results.layout import AXES, INDEX, Named, dataset, versions_here
from ndcg_asymptotics.results.summary import summary_dict, summary_frame, summary_parts
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.studies.canonical import canonical, differences
from ndcg_asymptotics.studies.toml import study_of

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr


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
    _read: Callable[[], Named] = field(repr=False)
    _attributes: Mapping[str, Any] = field(repr=False)

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
            If there is none yet, or a value is one that no list can have.
        """
        replicates = np.sort(self.replicates[self.done])
        return dataset(self.study, replicates, self._named, self._attributes)

    @cached_property
    def values(self) -> dict[str, NDArray[Any]]:
        """The arrays of `data`, for which nothing need be loaded that knows of labelled axes.

        Raises
        ------
        InputError
            As `data`.
        """
        return {name: array for name, (_, array) in self._named.items()}

    @cached_property
    def _named(self) -> Named:
        where = f"{self.folder}: " if self.folder else ""
        require(self.replicates_complete > 0, f"{where}no replicate is complete yet")
        named = self._read()
        said = impossible({name: array for name, (_, array) in named.items()})
        require(said is None, f"{where}impossible results: {said}")
        return named

    @cached_property
    def kept(self) -> Kept:
        """Exact values of theory that are kept with the results, or computed and kept when asked for."""
        return Kept(self.folder)


def results_of(study: Study, data: xr.Dataset) -> Results:
    """Results that are kept in this process: a Dataset with the axes of `Results.data`."""
    replicates = np.asarray(data[INDEX].values, np.int64)
    order = np.argsort(replicates)
    named = {}
    for name, array in data.data_vars.items():
        axes = tuple(axis for axis in AXES if axis in array.dims)
        named[str(name)] = axes, array.transpose(*axes).to_numpy()[order]
    done = np.ones(len(replicates), bool)
    return Results(study, [versions_here()], replicates, done, None, lambda: named, data.attrs)


def open_results(folder: str | Path, *, allow_custom: bool = False) -> Results:
    """Open the results in a folder, complete or not.

    All of them are read and compared with the digests that were written with them; nothing of what is
    damaged is ever given.

    Parameters
    ----------
    folder : path
    allow_custom : bool
        Whether ``custom("module:function")`` in their study may import its module, a copy of which stands
        beside them: that runs what the module holds.

    Raises
    ------
    InputError
        If the folder holds no results, or they are of a newer version or damaged (`verify` names every
        damage, and running the study again mends it).

    >>> import tempfile
    >>> import ndcg_asymptotics as na
    >>> study = na.Study(scorers={"a": "constant(0.4)"}, measures="nDCG", n=[10], replicates=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = na.run(study, folder, jobs=1)
    ...     open_results(folder).data["ndcg"].shape
    (2, 1, 1, 1)
    """
    found = sound(folder)
    fields = found.layout.fields
    stated = {name: value for name, value in fields.items() if name != "digests"}
    return _results(found, study_of(stated, found.folder, str(folder), allow_custom))


def results_in(folder: str | Path, study: Study) -> Results:
    """The results in a folder that are of this study.

    Raises
    ------
    InputError
        As `open_results`.
    """
    return _results(sound(folder), study)


def _results(found: Survey, study: Study) -> Results:
    changed = differences(canonical(study), found.layout.fields)
    require(not changed, f"{found.folder}: the study no longer is what was simulated: {'; '.join(changed)}")
    attributes = {
        "study": json.dumps(dict(found.layout.fields)),
        "versions": json.dumps(found.versions),
        "format": found.form,
        "complete": int(found.done.all()),
        "replicates_wanted": len(found.replicates),
    }
    return Results(
        study, found.versions, found.replicates, found.done, found.folder, lambda: _read(found), attributes
    )


def sound(folder: str | Path) -> Survey:
    """What a folder holds, refused if any of it is damaged.

    Raises
    ------
    InputError
        Naming the first damage.
    """
    found = survey(folder)
    if found.damages:
        more = f" and {len(found.damages) - 1} more" if len(found.damages) > 1 else ""
        raise InputError(
            f"{folder}: damaged: {found.damages[0]}{more}; `verify` names every damage, "
            "and running the study into this folder again mends it"
        )
    return found


def _read(found: Survey) -> Named:
    """The complete replicates of a folder, in the order of their indices."""
    rows = np.flatnonzero(found.done)
    place = np.empty(len(found.done), np.int64)
    place[rows[np.argsort(found.replicates[rows])]] = np.arange(len(rows))
    variables = found.layout.variables
    values = {name: np.empty((len(rows), *v.shape), v.dtype) for name, v in variables.items()}
    for some, parts in found.values():
        for name, part in parts.items():
            values[name][place[some]] = part
    return {name: ((INDEX, *variables[name].axes), array) for name, array in sorted(values.items())}
