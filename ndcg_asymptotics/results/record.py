"""What a study found: its replicates as an xarray Dataset, and the study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Bools, Integers
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.tables import Report, ReportBlock
from ndcg_asymptotics.results.layout import AXES, INDEX, Named, dataset, versions_here
from ndcg_asymptotics.results.summary import summary_blocks, summary_dict, summary_frame
from ndcg_asymptotics.studies import Study

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr


@dataclass(frozen=True, eq=False, repr=False)
class Results(Report):
    """The results of a study, complete or not.

    Attributes
    ----------
    study : Study
        With its engine resolved; from a folder, with the curves and modules that are kept there.
    versions : list of dict
        The versions of this package, Python, numpy, numba and scipy that made them, and the vector units.
    replicates : (R,) integers
        The indices of the replicates that are wanted.
    done : (R,) booleans
        Which of them are complete.
    folder : Path or None
        Where they are kept; None if in this process only.
    named : mapping of name to (axes, array)
        The values of the complete replicates.
    attributes : mapping
        What `data` says of itself beside the study.
    """

    study: Study
    versions: list[dict[str, str]]
    replicates: Integers
    done: Bools
    folder: Path | None
    named: Named = field(repr=False)
    attributes: Mapping[str, Any] = field(repr=False)

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield what was asked, how much of it is there, and the means at the largest n."""
        return summary_blocks(self)

    def to_dataframe(self) -> pd.DataFrame:
        """Return a row per scorer, measure and n; ``data.to_dataframe()`` has single replicates."""
        return summary_frame(self)

    def as_dict(self) -> dict[str, Any]:
        """Return what `parts` shows as plain data, for JSON."""
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
        where pairs were asked for, and what else the engine gives. The rare engine gives ``order``,
        ``log_weight`` and ``last`` instead.

        Raises
        ------
        InputError
            If no replicate is complete yet.
        """
        self._require_some()
        return dataset(self.study, np.sort(self.replicates[self.done]), self.named, self.attributes)

    @cached_property
    def values(self) -> dict[str, NDArray[Any]]:
        """The arrays of `data`, which need no library for labelled axes.

        Raises
        ------
        InputError
            As `data`.
        """
        self._require_some()
        return {name: array for name, (_, array) in self.named.items()}

    def _require_some(self) -> None:
        where = f"{self.folder}: " if self.folder else ""
        require(self.replicates_complete > 0, f"{where}no replicate is complete yet")


def results_of(study: Study, data: xr.Dataset) -> Results:
    """Return results in this process, from a Dataset with the axes of `Results.data`."""
    replicates = np.asarray(data[INDEX].values, np.int64)
    order = np.argsort(replicates)
    named = {}
    for name, array in data.data_vars.items():
        axes = tuple(axis for axis in AXES if axis in array.dims)
        named[str(name)] = axes, array.transpose(*axes).to_numpy()[order]
    done = np.ones(len(replicates), bool)
    return Results(study, [versions_here()], replicates, done, None, named, data.attrs)
