"""The one writer of a folder of results. What keeps it readable whatever happens:

- every file is written aside, flushed to the disk and renamed, so it is old or new, never half;
- a replicate is marked complete after its values are on the disk;
- the store itself appears by one rename, when its description is whole;
- there is one writer at a time, which holds a lock on the folder.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import zarr
from numpy.typing import NDArray

from ndcg_asymptotics.engines import engine
from ndcg_asymptotics.engines.engine import Draw
from ndcg_asymptotics.errors import require
from ndcg_asymptotics.store.durable import ASIDE, DurableStore, flush_folder, lock, write_file
from ndcg_asymptotics.store.layout import (
    COMPLETE,
    FORMAT,
    INDEX,
    STORE,
    coordinates,
    holds_results,
    versions_here,
)
from ndcg_asymptotics.store.results import open_with_fields, value_arrays
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.studies.canonical import canonical, differences, files

_CHUNK_BYTES = 2**20
_CHUNK_ROWS = 4096


class Writer:
    """The one writer of a folder of results; a context manager.

    A folder with results must hold those of the same study. Nothing is written, nor a folder
    made, before `extend` has something to add.

    Raises
    ------
    InputError
        If the folder holds another study (the differing fields are named), or another process is
        writing to it.
    OSError
        If the folder cannot be written to.
    """

    def __init__(self, folder: str | Path, study: Study) -> None:
        self.folder = Path(folder)
        self.study = study
        self._fields = canonical(study)
        self._lock: int | None = None
        self._row: dict[int, int] = {}
        self._done = np.zeros(0, np.bool_)
        if holds_results(self.folder):
            self._hold()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._release()

    def _hold(self) -> None:
        """Take the folder for this process, and see what is there."""
        self._lock = lock(self.folder)
        try:
            if not holds_results(self.folder):
                _create(self.folder, self.study)
            results, fields = open_with_fields(self.folder)
            differing = differences(self._fields, fields)
            require(not differing, f"{self.folder}: holds another study: {'; '.join(differing)}")
        except BaseException:
            self._release()
            raise
        self._group = zarr.open_group(store=DurableStore(self.folder / STORE), mode="r+")
        self._row = {int(replicate): row for row, replicate in enumerate(results.replicates)}
        self._done = results.done
        self._versions = results.versions

    def _release(self) -> None:
        if self._lock is not None:
            shutil.rmtree(self.folder / ASIDE, ignore_errors=True)
            os.close(self._lock)
            self._lock = None

    @property
    def replicates(self) -> list[int]:
        """The indices of the replicates that are wanted."""
        return list(self._row)

    @property
    def complete(self) -> int:
        """How many replicates are complete."""
        return int(self._done.sum())

    def missing(self, replicates: Iterable[int]) -> list[int]:
        """Those of the replicates that are not complete."""
        return [r for r in replicates if r not in self._row or not self._done[self._row[r]]]

    def extend(self, replicates: Iterable[int]) -> None:
        """Want these replicates too."""
        new = [r for r in replicates if r not in self._row]
        if not new:
            return
        if self._lock is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._hold()
        rows = len(self._row) + len(new)
        # `complete` grows last: its length says how many replicates there are
        for name in [*value_arrays(self._group), INDEX, COMPLETE]:
            if name == COMPLETE:
                self._array(INDEX)[rows - len(new) : rows] = np.array(new, np.int64)
            array = self._array(name)
            array.resize((rows, *array.shape[1:]))
        self._row |= {r: row for row, r in enumerate(new, rows - len(new))}
        self._done = np.concatenate([self._done, np.zeros(len(new), np.bool_)])

    def write(self, replicates: Sequence[int], draws: Draw) -> None:
        """Write the values of these replicates (stacked along a leading axis), then mark them complete."""
        here = versions_here()
        if here not in self._versions:
            self._versions.append(here)
            self._group.attrs["versions"] = self._versions
        runs = _runs([self._row[r] for r in replicates])
        lengths = {name: len(values) for name, values in coordinates(self.study).items()}
        variables = engine.load(self.study.engine).VARIABLES
        for name, values in draws.items():
            shape = tuple(lengths[axis] for axis in variables[name])
            if values.shape[1:] != shape:
                raise ValueError(f"{name} of one replicate has shape {values.shape[1:]}, expected {shape}")
            array = (
                self._array(name) if name in self._group else self._new_array(name, variables[name], values)
            )
            for rows, part in runs:
                array[rows] = values[part]
        marks = self._array(COMPLETE)
        for rows, _ in runs:
            marks[rows] = True
            self._done[rows] = True

    def _array(self, name: str) -> zarr.Array[Any]:
        array = self._group[name]
        assert isinstance(array, zarr.Array)
        return array

    def _new_array(self, name: str, axes: tuple[str, ...], values: NDArray[np.generic]) -> zarr.Array[Any]:
        per_row = max(values[0].nbytes, 1)
        rows = min(max(_CHUNK_BYTES // per_row, 1), _CHUNK_ROWS)
        return self._group.create_array(
            name,
            shape=(len(self._row), *values.shape[1:]),
            chunks=(rows, *values.shape[1:]),
            dtype=values.dtype,
            fill_value=np.nan if values.dtype.kind == "f" else 0,
            dimension_names=(INDEX, *axes),
        )


def _create(folder: Path, study: Study) -> None:
    """A store without replicates, which appears by one rename."""
    shutil.rmtree(folder / ASIDE, ignore_errors=True)
    for name, content in files(study).items():
        write_file(folder / name, content, folder / ASIDE)
    aside = folder / ASIDE / STORE
    description = {
        "format": FORMAT,
        "study": json.dumps(canonical(study)),
        "seed": study.seed,
        "engine": study.engine,
        "versions": [versions_here()],
    }
    group = zarr.create_group(store=DurableStore(aside), attributes=description)
    for name, values in coordinates(study).items():
        text = values.dtype.kind == "U"
        array = group.create_array(
            name, shape=values.shape, dtype=str if text else values.dtype, dimension_names=(name,)
        )
        array[:] = values.astype(object) if text else values
    for name, kind in ((INDEX, np.int64), (COMPLETE, np.bool_)):
        group.create_array(name, shape=(0,), chunks=(2**16,), dtype=kind, dimension_names=(INDEX,))
    os.replace(aside, folder / STORE)
    flush_folder(folder)


def _runs(rows: Sequence[int]) -> list[tuple[slice, slice]]:
    """Stretches of consecutive rows: where they go and where they come from."""
    cuts = np.flatnonzero(np.diff(rows) != 1) + 1
    ends = [0, *cuts.tolist(), len(rows)]
    return [(slice(rows[a], rows[a] + b - a), slice(a, b)) for a, b in itertools.pairwise(ends)]
