"""Several folders of results of one study into one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.engines.engine import apart
from ndcg_asymptotics.results.damage.survey import Survey, survey
from ndcg_asymptotics.results.layout import differing_makers, holds_results
from ndcg_asymptotics.results.results import Results, open_results, results_in, sound
from ndcg_asymptotics.results.writer import Writer
from ndcg_asymptotics.studies.canonical import differences


def merge(parts: Sequence[str | Path], folder: str | Path, *, allow_custom: bool = False) -> Results:
    """Write the replicates of several folders of results to another one.

    Replicates that more than one folder holds must be the same in each, bit for bit. The folder may hold
    results of the study already, as of a merging that was interrupted: they are continued. It wants every
    replicate that the study or a part asks for, whether or not a part holds it. ``allow_custom`` is that of
    `open_results`.

    Raises
    ------
    InputError
        If a part is damaged, the parts are not of one study (the differing fields are named), disagree about
        a replicate (it is said how far), or the folder holds another study or is one of the parts.
    OSError
        If the folder cannot be written to.

    >>> import tempfile
    >>> import ndcg_asymptotics as na
    >>> study = na.Study(scorers={"a": "constant(0.4)"}, measures="nDCG", n=[10], replicates=4)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     parts = [f"{folder}/{part}" for part in ("first", "second")]
    ...     for first, part in zip((0, 2), parts):
    ...         _ = na.run(study, part, first=first, replicates=2, jobs=1)
    ...     merge(parts, f"{folder}/both").data["replicate"].to_numpy()
    array([0, 1, 2, 3])
    """
    folder = Path(folder)
    require(len(parts) > 0, "nothing to merge")
    for place in parts:
        same = folder.exists() and Path(place).exists() and folder.samefile(place)
        require(not same, f"{folder}: is one of the parts; merge into another folder")
    found = [sound(part) for part in parts]
    for part in found[1:]:
        differing = differences(part.layout.fields, found[0].layout.fields)
        require(not differing, f"{part.folder}: not the study of {parts[0]}: {'; '.join(differing)}")
    study = open_results(parts[0], allow_custom=allow_custom).study
    _check_overlaps([*found, survey(folder)] if holds_results(folder) else found)
    with Writer(folder, study) as writer:
        writer.extend(
            sorted({*range(study.replicates), *(int(r) for part in found for r in part.replicates)})
        )
        for part in found:
            for rows, values in part.values():
                replicates = part.replicates[rows]
                new = np.isin(replicates, writer.missing(replicates.tolist()))
                if new.any():
                    drawn = {name: array[new] for name, array in values.items()}
                    writer.write(replicates[new].tolist(), drawn, part.versions)
    return results_in(folder, study)


def _check_overlaps(parts: Sequence[Survey]) -> None:
    """Refuse parts with different values of a replicate: their seals differ."""
    seen: dict[int, tuple[Survey, int]] = {}
    for part in parts:
        for row in np.flatnonzero(part.done).tolist():
            before, row_before = seen.setdefault(int(part.replicates[row]), (part, row))
            if before.seals[row_before] != part.seals[row]:
                values, others = _row(part, row), _row(before, row_before)
                raise InputError(
                    f"{part.folder} and {before.folder} disagree about replicates that both hold: replicate "
                    f"{part.replicates[row]}, {apart(values, others)}; {_makers(part, before)}"
                )


def _row(part: Survey, row: int) -> dict[str, NDArray[Any]]:
    return next(
        {name: array[rows == row][0] for name, array in values.items()}
        for rows, values in part.values()
        if row in rows
    )


def _makers(part: Survey, other: Survey) -> str:
    """What made two parts, as far as it differs."""
    differing = [text for here in part.versions for text in differing_makers(here, *other.versions)]
    return f"there {'; '.join(differing)}" if differing else "the same versions made both"
