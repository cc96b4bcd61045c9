"""Replay: simulate one replicate again, to see what it raises or to compare it with the stored one."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.files import path_of
from ndcg_asymptotics.core.versions import differing_makers
from ndcg_asymptotics.engines import engine
from ndcg_asymptotics.results.folder import results_in
from ndcg_asymptotics.results.layout import versions_here
from ndcg_asymptotics.results.runs import spans
from ndcg_asymptotics.results.sinks import FolderSink
from ndcg_asymptotics.studies import Study


@dataclass(frozen=True)
class Replay:
    """The outcome of replaying one replicate.

    Attributes
    ----------
    written : bool
        Whether the folder did not hold it yet, and holds it now.
    apart : str, optional
        How much its values differ from those in the folder; None if they are the same bit for bit.
    makers : list of str
        Versions and vector units of this machine that differ from those the stored results were made with.
    """

    written: bool
    apart: str | None = None
    makers: list[str] = field(default_factory=list)


def replay(study: Study, folder: str | Path, replicate: int) -> Replay:
    """Simulate one replicate in this process.

    Its values are written if the folder does not hold them yet; else they are compared with the stored ones.

    Raises
    ------
    InputError
        If the folder's results are of another study, or neither they nor the study want this replicate.
    Exception
        Whatever the engine raises.
    """
    folder = path_of(folder, "folder")
    engine_ = engine.load_engine(study.engine)
    engine_.check(study.design)
    with FolderSink(folder, study) as sink:
        wanted = sink.replicates if sink.wanted else np.arange(study.replicates)
        require(
            replicate in wanted, f"there is no replicate {replicate}: {folder} is for {spans(wanted)}", "only"
        )
        draw = engine_.simulate(study.design, replicate)
        if sink.missing([replicate]):
            sink.want(wanted)
            sink.add([replicate], {name: values[None] for name, values in draw.items()})
            return Replay(written=True)
    results = results_in(folder, study)
    stored = results.data.sel(replicate=replicate)
    found = engine.apart(draw, {name: stored[name].to_numpy() for name in draw})
    return Replay(False, found, differing_makers(versions_here(), *results.versions))
