"""Sinks, into which a sweep puts replicates: the memory of this process, or a folder.

In a folder every call of `add` writes an immutable block (`results.blocks`), so whatever happens, each
replicate is there whole or is computed again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from ndcg_asymptotics.core.arrays import Array, Integers
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.files import digest_of, lock, path_of, remove_drafts, write_file
from ndcg_asymptotics.core.text import bytes_text
from ndcg_asymptotics.results.blocks import (
    LARGEST_REPLICATE,
    Replicates,
    joined_blocks,
    write_block,
)
from ndcg_asymptotics.results.folder import DamagedError, examine, open_study, study_key
from ndcg_asymptotics.results.kinds import STUDY, kind_of, require_kind, write_record
from ndcg_asymptotics.results.layout import INDEX, bytes_per_replicate, variables_of, versions_here
from ndcg_asymptotics.results.record import Results
from ndcg_asymptotics.results.replicate_ranges import ranges
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.studies.canonical import canonical, files

Values = Mapping[str, Array]


class MemorySink(ExitStack):
    """Takes in the replicates of one study, in the memory of this process; a context manager.

    Attributes
    ----------
    replicates : (R,) integers
        The indices of the replicates that are wanted.
    done : (C,) integers
        The indices of those that are complete.
    """

    def __init__(self, study: Study) -> None:
        super().__init__()
        self._study = study
        self.replicates: Integers = np.arange(0)
        self.done: Integers = np.arange(0)
        self._parts: list[Replicates] = []

    def missing(self, replicates: Iterable[int]) -> list[int]:
        """Return the replicates among these that are not complete."""
        numbers = np.fromiter(replicates, np.int64)
        missing: list[int] = numbers[~np.isin(numbers, self.done)].tolist()
        return missing

    def want(self, replicates: Sequence[int] | Integers) -> None:
        """Add these replicates to the wanted ones."""
        self.replicates = np.union1d(self.replicates, replicates)

    def add(self, replicates: Sequence[int], values: Values) -> None:
        """Take in the values of these replicates, which increase, stacked along a leading axis."""
        self.done = np.append(self.done, replicates)
        self._keep(np.array(replicates, np.int64), values)

    def _keep(self, replicates: Integers, values: Values) -> None:
        self._parts.append((replicates, dict(values)))

    def results(self) -> Results:
        """Return the results so far.

        Raises
        ------
        InputError
            If no replicate is complete.
        """
        require(bool(self._parts), "no replicate is complete")
        self._parts = [joined_blocks(self._parts)]
        ((_, values),) = self._parts
        variables = variables_of(self._study)
        named_arrays = {name: ((INDEX, *variables[name].axes), array) for name, array in values.items()}
        complete = np.isin(self.replicates, self.done)
        return Results(self._study, [versions_here()], self.replicates, complete, None, named_arrays)


class FolderSink(MemorySink):
    """Takes in the replicates of one study and writes them to a folder of results.

    A folder with results must hold those of the same study, and be undamaged; files that are missing are
    written again. Otherwise nothing is written, and no folder made, before `want` is called. While the sink
    is open, other processes that would write to the folder are refused, because they would do the same work
    twice.

    Parameters
    ----------
    folder : path
    study : Study

    Raises
    ------
    InputError
        If the folder is damaged or holds another study (the differing fields are named), or another process
        is writing to it.
    OSError
        If the folder cannot be written to.
    """

    def __init__(self, folder: str | Path, study: Study) -> None:
        super().__init__(study)
        self.folder = path_of(folder, "folder")
        self._fields = canonical(study)
        self._held = False
        size = bytes_per_replicate(study)
        require(
            size <= LARGEST_REPLICATE,
            f"a replicate has {bytes_text(size)} of results, a file at most {bytes_text(LARGEST_REPLICATE)}",
            "n",
        )
        if self.folder.is_dir():
            self._hold()
        else:
            exists = self.folder.exists()
            require(not exists, f"{self.folder}: is a file, expected a folder of results; move it away")

    def want(self, replicates: Sequence[int] | Integers) -> None:
        """Add these replicates to the wanted ones, and write the record of the study."""
        if not self._held:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._hold()
        super().want(replicates)
        self._describe()

    def _keep(self, replicates: Integers, values: Values) -> None:
        key = study_key(self._fields)
        for first, last in ranges(replicates):  # one range, unless some between are complete
            rows = slice(*np.searchsorted(replicates, (first, last + 1)))
            part = {name: values[name][rows] for name in variables_of(self._study)}
            write_block(self.folder, key, first, part, versions_here())

    def results(self) -> Results:
        """Return the results so far, read from the folder."""
        return open_study(self.folder, self._study)

    def _hold(self) -> None:
        """Lock the folder and read its contents."""
        require_kind(self.folder, None, "study")
        self.callback(os.close, lock(self.folder))
        self._held = True
        try:
            remove_drafts(self.folder)
            if kind_of(self.folder) == "study":
                self._take()
        except BaseException:
            self.close()
            raise

    def _take(self) -> None:
        contents = examine(self.folder, self._study)
        if contents.differing:
            differing = "; ".join(contents.differing)
            way = "name another folder, or move this one away"
            raise InputError(f"{self.folder}: holds another study: {differing}; {way}")
        present = {
            name: damage for name, damage in contents.damages.items() if os.path.lexists(self.folder / name)
        }
        if present:
            raise DamagedError(self.folder, present)
        self.replicates, self.done = contents.wanted, contents.done
        if contents.damages:  # files that are missing
            self._describe()

    def _describe(self) -> None:
        """Write the record of the study, after the files that it refers to."""
        beside = files(self._study)
        for name, content in beside.items():
            write_file(self.folder / name, content, self.folder)
        fields = {
            "study": self._fields,
            "wanted": ranges(self.replicates),
            "versions": versions_here(),
            "beside": {name: digest_of(content) for name, content in beside.items()},
        }
        write_record(self.folder / STUDY, fields)
