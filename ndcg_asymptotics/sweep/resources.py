"""Checks, before anything is allocated, that memory and disk suffice for a sweep."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.engines import engine
from ndcg_asymptotics.engines.shared.memory import available
from ndcg_asymptotics.results.layout import coordinates
from ndcg_asymptotics.studies import Study


def bytes_per_replicate(study: Study) -> int:
    """Return the size in bytes of the results of one replicate."""
    lengths = {
        name: len(labels)
        for name, labels in coordinates(study.scorers, map(str, study.measures), study.n, study.pairs).items()
    }
    axes = engine.load(study.engine).VARIABLES
    return sum(
        int(np.prod([lengths[axis] for axis in of], dtype=object))
        * np.dtype(engine.KINDS[name].dtype).itemsize
        for name, of in axes.items()
        if all(axis in lengths for axis in of)
    )


def require_room(study: Study, replicates: int, folder: Path | None) -> None:
    """Refuse results larger than memory, or than the free space of the folder's disk."""
    needed = replicates * bytes_per_replicate(study)
    if folder is None:
        there, what = available(), "memory"
    else:
        above = next(part for part in (folder.absolute(), *folder.absolute().parents) if part.exists())
        # what is there already is not counted twice: twice the free room leaves a resume alone
        there, what = 2 * shutil.disk_usage(above).free, "the disk"
    require(
        needed <= there,
        f"{replicates} of them are {needed:.3g} bytes of results, more than {what} holds",
        "replicates",
    )


def require_memory_for(study: Study, jobs: int) -> None:
    """Refuse more processes than fit into memory."""
    module = engine.load(study.engine)
    each, there = max(module.memory(part) for part in study.design.parts()), available()
    require(
        jobs * each <= there,
        f"{jobs} of them take {jobs * each:.3g} bytes at n = {study.n[-1]:g}, here are {there:.3g}: "
        f"at most {max(there // max(each, 1), 1)} fit",
        "jobs",
    )
