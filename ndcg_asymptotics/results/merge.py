"""Merge several folders of results of one study by copying blocks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.files import path_of, paths_of, write_file
from ndcg_asymptotics.results.blocks import block_files, overlaps
from ndcg_asymptotics.results.folder import examine, open_study
from ndcg_asymptotics.results.record import Results
from ndcg_asymptotics.results.sinks import FolderSink


def merge(
    parts: Sequence[str | Path] | str | Path, out: str | Path, *, allow_custom: bool = False
) -> Results:
    """Copy the replicates of several folders of results, which must be disjoint, to another one.

    The folder may hold results of the study already, such as those of a merge that was interrupted, and is
    then continued. Its wanted replicates are those of the study and of every part, whether or not a part
    holds them.

    Parameters
    ----------
    parts : sequence of paths
    out : path
        The folder for all of them.
    allow_custom : bool
        As in `open_results`.

    Raises
    ------
    InputError
        If a part is damaged, the parts are not of one study (the differing fields are named), two files hold
        the same replicates (both are named), or the folder holds another study or is one of the parts.
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
    folder, parts = path_of(out, "out"), paths_of(parts, "parts")
    require(len(parts) > 0, "nothing to merge")
    for place in parts:
        is_part = folder.exists() and Path(place).exists() and folder.samefile(place)
        require(not is_part, f"{folder}: is one of the parts; merge into another folder")
    first = examine(parts[0], allow_custom=allow_custom)
    study, contents = first.study, [first, *(examine(part, first.study) for part in parts[1:])]
    for part in contents:
        differing = "; ".join(part.differing)
        require(not differing, f"{part.folder}: not the study of {parts[0]}: {differing}")
        part.require_sound()
    with FolderSink(folder, study) as sink:
        present = {file.path.name: file for file in (block_files(folder) if folder.is_dir() else ())}
        new = {
            file.path.name: file for part in contents for file in part.blocks if file.path.name not in present
        }
        for earlier, later in overlaps([*present.values(), *new.values()]):
            raise InputError(
                f"{later.path} and {earlier.path} hold the same replicates; merge disjoint parts"
            )
        sink.want(np.concatenate([np.arange(study.replicates), *(part.wanted for part in contents)]))
        for name, file in new.items():
            write_file(folder / name, file.path.read_bytes(), folder)
    return open_study(folder, study)
