"""Several folders of results of one study into one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import xarray as xr

from ndcg_asymptotics.errors import InputError, require
from ndcg_asymptotics.store.layout import holds_results
from ndcg_asymptotics.store.results import Results, open_results
from ndcg_asymptotics.store.writer import Writer
from ndcg_asymptotics.studies.canonical import canonical, differences


def merge(parts: Sequence[str | Path], folder: str | Path) -> Results:
    """Write the replicates of several folders of results to a new one.

    Replicates that more than one folder holds must be the same in each, bit for bit.

    Raises
    ------
    InputError
        If the parts are not of one study (the differing fields are named), disagree about a
        replicate, or the new folder holds results already.
    OSError
        If the folder cannot be written to.

    >>> import tempfile
    >>> import ndcg_asymptotics as na
    >>> study = na.Study(scorers={"a": "constant(0.4)"}, measures="nDCG", n=[10], replicates=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     parts = [f"{folder}/{part}" for part in ("first", "second")]
    ...     for first, part in zip((0, 2), parts):
    ...         _ = na.run(study, part, first=first, jobs=1)
    ...     merge(parts, f"{folder}/both").data["replicate"].to_numpy()
    array([0, 1, 2, 3])
    """
    folder = Path(folder)
    require(not holds_results(folder), f"{folder}: holds results already; merge into a new folder")
    results = [open_results(part) for part in parts]
    require(len(results) > 0, "nothing to merge")
    study = results[0].study
    for part in results[1:]:
        differing = differences(canonical(part.study), canonical(study))
        require(not differing, f"{part.folder}: not the study of {parts[0]}: {'; '.join(differing)}")
    datasets = {str(part.folder): part.data for part in results if part.replicates_complete}
    _check_overlaps(datasets)
    with Writer(folder, study) as writer:
        writer.extend(sorted({int(r) for part in results for r in part.replicates}))
        for data in datasets.values():
            new = writer.missing(int(r) for r in data.replicate.values)
            if new:
                chosen = data.sel(replicate=new)
                writer.write(new, {str(name): array.values for name, array in chosen.data_vars.items()})
    return open_results(folder)


def _check_overlaps(datasets: dict[str, xr.Dataset]) -> None:
    seen: dict[str, xr.Dataset] = {}
    for folder, data in datasets.items():
        for other, before in seen.items():
            common = np.intersect1d(data.replicate, before.replicate)
            if common.size and not data.sel(replicate=common).equals(before.sel(replicate=common)):
                raise InputError(f"{folder} and {other} disagree about replicates that both hold")
        seen[folder] = data
