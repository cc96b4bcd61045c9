"""Merge several folders of results of one study by copying blocks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.files import path_of, paths_of
from ndcg_asymptotics.core.versions import differing_makers
from ndcg_asymptotics.engines.engine import apart
from ndcg_asymptotics.results.blocks import overlapping
from ndcg_asymptotics.results.folder import Contents, examine, results_in, sound
from ndcg_asymptotics.results.kinds import kind_of
from ndcg_asymptotics.results.record import Results
from ndcg_asymptotics.results.runs import members, merged_runs
from ndcg_asymptotics.results.sinks import FolderSink
from ndcg_asymptotics.studies.canonical import differing_fields
from ndcg_asymptotics.studies.toml import study_of


def merge(
    parts: Sequence[str | Path] | str | Path, out: str | Path, *, allow_custom: bool = False
) -> Results:
    """Copy the replicates of several folders of results to another one.

    Replicates that more than one folder holds must be the same in each, bit for bit. The folder may hold
    results of the study already, such as those of a merge that was interrupted, and is then continued. Its
    wanted replicates are those of the study and of every part, whether or not a part holds them.

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
        If a part is damaged, the parts are not of one study (the differing fields are named), they disagree
        about a replicate (the message says by how much), or the folder holds another study or is one of the
        parts.
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
        same = folder.exists() and Path(place).exists() and folder.samefile(place)
        require(not same, f"{folder}: is one of the parts; merge into another folder")
    found = [sound(part) for part in parts]
    for part in found[1:]:
        differing = differing_fields(part.layout.fields, found[0].layout.fields)
        require(not differing, f"{part.folder}: not the study of {parts[0]}: {'; '.join(differing)}")
    stated = {name: value for name, value in found[0].layout.fields.items() if name != "digests"}
    study = study_of(stated, found[0].folder, str(parts[0]), allow_custom)
    there = [examine(folder)] if kind_of(folder) == "study" else []
    for part in there:
        differing = differing_fields(part.layout.fields, found[0].layout.fields)
        require(not differing, f"{folder}: holds another study: {'; '.join(differing)}")
    _require_agreement([*found, *there])
    with FolderSink(folder, study) as sink:
        runs = [(0, study.replicates - 1), *(run for part in found for run in part.wanted)]
        sink.want(members(merged_runs(runs)))
        for file in (file for part in found for file in part.blocks):
            if sink.missing(range(file.first, file.last + 1)):
                sink.copy(file)
    return results_in(folder, study)


def _require_agreement(parts: Sequence[Contents]) -> None:
    """Refuse folders with different values of a replicate."""
    owners = {file: part for part in parts for file in part.blocks}
    for one, other in overlapping(owners):
        first, last = max(one.first, other.first), min(one.last, other.last)
        a, b = (owners[file].read(file) for file in (one, other))
        for replicate in range(first, last + 1):
            rows = replicate - one.first, replicate - other.first
            mine, theirs = (content.part(row, row) for content, row in zip((a, b), rows, strict=True))
            if said := apart(theirs, mine):
                makers = "; ".join(differing_makers(a.made_by, b.made_by))
                raise InputError(
                    f"{other.path.parent} and {one.path.parent} disagree about replicates that both hold: "
                    f"replicate {replicate}, {said}; "
                    + (f"there {makers}" if makers else "the same versions made both")
                )
