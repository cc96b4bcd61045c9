"""The one writer of a folder of results. What keeps it readable whatever happens:

- every file is written aside, flushed to the disk and renamed, so it is old or new, never half;
- a replicate is sealed, and with that complete, after its values are on the disk;
- the store itself appears by one rename, when its description is whole;
- what is damaged is found when the folder is opened, and left out: it is computed again;
- there is one writer at a time, which holds a lock on the folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from ndcg_asymptotics.core.arrays import Integers
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.files import lock, make_folder, unlock, write_file
from ndcg_asymptotics.engines.engine import Draw
from ndcg_asymptotics.results.chunks import Chunks
from ndcg_asymptotics.results.damage.rebuild import arrays_of, create, rebuild, recover, remove_aside
from ndcg_asymptotics.results.damage.seals import Seals, digest_of, seals_of, study_key
from ndcg_asymptotics.results.damage.survey import Survey, survey
from ndcg_asymptotics.results.description import Description
from ndcg_asymptotics.results.layout import (
    CHUNK_ROWS,
    FORMAT,
    SEAL,
    STORE,
    Damage,
    Layout,
    holds_results,
    versions_here,
)
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.studies.canonical import canonical, differences, files


class Writer:
    """The one writer of a folder of results; a context manager.

    A folder with results must hold those of the same study. Nothing is written, nor a folder made,
    before `extend` has something to add, unless something in it is damaged: then it is made anew
    from the rest.

    Attributes
    ----------
    damages : list of Damage
        What was damaged.

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
        self.damages: list[Damage] = []
        self._layout = Layout(canonical(study))
        self._beside = files(study)
        self._lock: int | None = None
        self._row: dict[int, int] = {}
        self._seals: Seals = np.zeros(0, np.uint64)
        self._versions: list[dict[str, str]] = []
        if self.folder.is_dir():
            self._hold(make=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._release()

    def _hold(self, *, make: bool) -> None:
        """Take the folder for this process, and see what is there; make a store if there is none."""
        self._lock = lock(self.folder)
        try:
            recover(self.folder)
            if not holds_results(self.folder):
                if not make:
                    self._release()
                    return
                self._write_beside()
                create(self.folder, self._description(np.zeros(0, np.int64)))
            self._take(self._mended(survey(self.folder, self._layout.fields)))
        except BaseException:
            self._release()
            raise

    def _mended(self, found: Survey) -> Survey:
        """What is there, when what was damaged is gone."""
        differing = differences(self._layout.fields, found.layout.fields)
        if differing:
            pairs_alone = all(text.startswith("pairs ") for text in differing)
            way = "; distinguish --pair A B tells the order of any two scorers here" if pairs_alone else ""
            raise InputError(f"{self.folder}: holds another study: {'; '.join(differing)}{way}")
        if not found.damages:
            return found
        lost = any(damage.replicates for damage in found.damages)
        require(
            found.described or bool(found.done.any()) or not lost,
            f"{self.folder}: {found.damages[0]}, and none of its replicates is of this study",
        )
        self.damages = found.damages
        self._modernise(found)
        return survey(self.folder)

    def _modernise(self, found: Survey) -> None:
        self._write_beside()
        rebuild(found, found.versions, self._digests)

    def _take(self, found: Survey) -> None:
        self._found = found
        self._row = {int(replicate): row for row, replicate in enumerate(found.replicates)}
        self._seals, self._versions = found.seals, found.versions
        self._written: dict[str, bytes] = {}
        self._arrays = arrays_of(self.folder, self._layout)
        self._sealed = Chunks(self.folder, f"{STORE}/{SEAL}", (), np.dtype(np.uint64), CHUNK_ROWS)
        if found.form == FORMAT:
            # files without a complete replicate, as of a writer that died, are not read again
            kept = set(np.unique(np.flatnonzero(found.done) // self._layout.chunk_rows).tolist())
            for array in self._arrays.values():
                for chunk in set(array.there()) - kept:
                    array.remove(chunk)

    def _release(self) -> None:
        if self._lock is not None:
            remove_aside(self.folder)
            unlock(self._lock)
            self._lock = None

    @property
    def replicates(self) -> list[int]:
        """The indices of the replicates that are wanted."""
        return list(self._row)

    @property
    def complete(self) -> int:
        """How many replicates are complete."""
        return int(np.count_nonzero(self._seals))

    def missing(self, replicates: Iterable[int]) -> list[int]:
        """Those of the replicates that are not complete."""
        return [r for r in replicates if r not in self._row or not self._seals[self._row[r]]]

    def extend(self, replicates: Iterable[int]) -> None:
        """Want these replicates too."""
        new = [r for r in replicates if r not in self._row]
        if not new:
            return
        if self._lock is None:
            make_folder(self.folder)
            self._hold(make=True)
        self._keep_modern()
        rows = len(self._row)
        self._row |= {r: row for row, r in enumerate(new, rows)}
        self._seals = np.concatenate([self._seals, np.zeros(len(new), np.uint64)])
        self._describe()

    def write(
        self, replicates: Sequence[int], draws: Draw, made_by: Sequence[dict[str, str]] | None = None
    ) -> None:
        """Write the values of these replicates (stacked along a leading axis), then seal them.

        ``made_by`` are the versions that drew them, if not those here.
        """
        self._keep_modern()
        for name, variable in self._layout.variables.items():
            given = draws[name]
            if given.shape[1:] != variable.shape or given.dtype != variable.dtype:
                expected = f"expected {variable.shape} of {variable.dtype}"
                raise ValueError(
                    f"{name} of one replicate has shape {given.shape[1:]} of {given.dtype}, {expected}"
                )
        new = [entry for entry in made_by or [versions_here()] if entry not in self._versions]
        if new:
            self._versions = [*self._versions, *new]
            self._describe()
        rows = np.array([self._row[r] for r in replicates])
        for name, array in self._arrays.items():
            array.write(rows, draws[name])
        seals = seals_of(study_key(self._layout.fields), replicates, {n: draws[n] for n in self._arrays})
        self._sealed.write(rows, seals)
        self._seals[rows] = seals

    def _keep_modern(self) -> None:
        """A store of an older format is made anew before anything is added to it."""
        if self._found.form < FORMAT:
            self._modernise(self._found)
            self._take(survey(self.folder))

    @property
    def _digests(self) -> dict[str, str]:
        return {name: digest_of(content) for name, content in self._beside.items()}

    def _write_beside(self) -> None:
        for name, content in self._beside.items():
            write_file(self.folder / name, content, self.folder)

    def _description(self, replicates: Integers) -> Description:
        return Description(self._layout, self._versions, self._digests, replicates, self._seals)

    def _describe(self) -> None:
        """Write what changed in the description of the store."""
        replicates = np.array(list(self._row), np.int64)
        for key, content in self._description(replicates).encoded().items():
            if self._written.get(key) != content:
                write_file(self.folder / STORE / key, content, self.folder)
                self._written[key] = content
