"""Sinks, into which a sweep puts replicates: a folder, or the memory of this process.

In a folder every call of `add` writes immutable blocks
(`results.blocks`), so whatever happens, each replicate is there whole or is computed again.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from ndcg_asymptotics.core.arrays import Array, Integers
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.files import (
    UnreadableError,
    digest_of,
    lock,
    make_folder,
    path_of,
    read_regular,
    remove_drafts,
    unlock,
    write_file,
)
from ndcg_asymptotics.engines import engine
from ndcg_asymptotics.results.blocks import (
    LARGEST_FILE,
    LARGEST_REPLICATE,
    Damage,
    File,
    Replicates,
    joined_blocks,
    write_block,
    write_description,
)
from ndcg_asymptotics.results.folder import Contents, examine, study_key
from ndcg_asymptotics.results.kinds import STUDY, kind_of, require_free
from ndcg_asymptotics.results.layout import INDEX, Layout, versions_here
from ndcg_asymptotics.results.record import Results
from ndcg_asymptotics.results.runs import (
    BLOCK_BYTES,
    Runs,
    count_of,
    in_runs,
    members,
    merged_runs,
    replicate_runs,
)
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.studies.canonical import canonical, differing_fields, files

Values = Mapping[str, Array]


class Sink:
    """Takes in the replicates of one study; a context manager.

    Attributes
    ----------
    damages : sequence of Damage
        The damages that were found; their replicates have to be computed again.
    """

    damages: Sequence[Damage] = ()

    def __init__(self, study: Study) -> None:
        self._study = study
        self._wanted: Runs = []
        self._done: Runs = []
        self._pending: list[Replicates] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Write what was taken in, and release what is held; nothing by default."""

    @property
    def replicates(self) -> Integers:
        """The indices of the replicates that are wanted."""
        return members(self._wanted)

    @property
    def wanted(self) -> int:
        """The number of replicates that are wanted."""
        return count_of(self._wanted)

    @property
    def complete(self) -> int:
        """The number of replicates that are complete."""
        return count_of(self._done)

    def wanted_with(self, replicates: Iterable[int]) -> int:
        """Return the number of wanted replicates if these were added."""
        return count_of(merged_runs([*self._wanted, *replicate_runs(replicates)]))

    def missing(self, replicates: Iterable[int]) -> list[int]:
        """Return the replicates among these that are not complete."""
        numbers = np.fromiter(replicates, np.int64)
        found: list[int] = numbers[~in_runs(numbers, self._done)].tolist()
        return found

    def want(self, replicates: Iterable[int]) -> None:
        """Add these replicates to the wanted ones."""
        self._wanted = merged_runs([*self._wanted, *replicate_runs(replicates)])

    def add(self, replicates: Sequence[int], values: Values) -> None:
        """Take in the values of these replicates, stacked along a leading axis."""
        self._pending.append((np.array(replicates, np.int64), dict(values)))
        self._done = merged_runs([*self._done, *replicate_runs(replicates)])


class MemorySink(Sink):
    """A sink in the memory of this process."""

    def results(self) -> Results:
        """Return the results so far.

        Raises
        ------
        InputError
            If no replicate is complete.
        """
        require(bool(self._pending), "no replicate is complete")
        axes = engine.load_engine(self._study.engine).VARIABLES
        self._pending = [joined_blocks(self._pending)]
        ((_, values),) = self._pending
        named = {name: ((INDEX, *axes[name]), array) for name, array in values.items()}
        done = in_runs(self.replicates, self._done)
        return Results(
            self._study, [versions_here()], self.replicates, done, None, named, {"complete": int(done.all())}
        )


class FolderSink(Sink):
    """A sink that writes to a folder of results.

    A folder with results must hold those of the same study. Damaged files in it are deleted, to be computed
    again. Otherwise nothing is written, and no folder made, before `want` asks for something new. While the
    sink is open, other processes that would write to the folder are refused, because they would do the same
    work twice.

    Parameters
    ----------
    folder : path
    study : Study
    durable : bool
        Whether every file is flushed to the disk at once. Without it a power cut may cost what was written
        last; a file that it leaves half written is noticed, as any damage is.
    block_bytes : int
        A block is split where its values take more than this, unless it is a single replicate.
    seconds_gathered : float
        What is added so soon after the folder was opened goes into one block, so that short runs write one
        file. It is also the time whose work a kill can cost.

    Raises
    ------
    InputError
        If the folder holds another study (the differing fields are named) or an older version's results, or
        another process is writing to it.
    OSError
        If the folder cannot be written to.
    """

    def __init__(
        self,
        folder: str | Path,
        study: Study,
        *,
        durable: bool = True,
        block_bytes: int = BLOCK_BYTES,
        seconds_gathered: float = 1.0,
    ) -> None:
        super().__init__(study)
        self.folder = path_of(folder, "folder")
        self._durable = durable
        self._block_bytes = block_bytes
        self._gathered_until = time.monotonic() + seconds_gathered
        self._layout = Layout(canonical(study))
        self._key = study_key(self._layout.fields)
        self._described = False
        self._lock: int | None = None
        size = self._layout.bytes_per_replicate
        require(
            size <= LARGEST_REPLICATE,
            f"a replicate has {size:.3g} bytes of results, a file holds at most {LARGEST_REPLICATE:.3g}",
            "n",
        )
        if self.folder.is_dir():
            self._hold()
        else:
            there = self.folder.exists()
            require(not there, f"{self.folder}: is a file, expected a folder of results; move it away")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._flush()
        except OSError:
            if error is None:
                raise
        finally:
            self._release()

    def want(self, replicates: Iterable[int]) -> None:
        """Add these replicates to the wanted ones."""
        asked = replicate_runs(replicates)
        wanted = merged_runs([*self._wanted, *asked])
        if wanted == self._wanted and self._described:
            return
        if self._lock is None:
            make_folder(self.folder, durable=self._durable)
            self._hold()
            wanted = merged_runs([*self._wanted, *asked])
        if not self._described:
            self._describe(wanted)
        else:
            for first, last in asked:
                content = json.dumps({"study": self._key, "wanted": [[first, last]]}).encode()
                name = f"{first}-{last}-{digest_of(content)}.json"
                write_file(self.folder / name, content, self.folder, durable=self._durable)
        self._wanted = wanted

    def add(self, replicates: Sequence[int], values: Values) -> None:
        """Write the values of these replicates, stacked along a leading axis.

        Raises
        ------
        ValueError
            If they are not the arrays of the study.
        """
        expected = self._layout.variables(len(replicates))
        for name, variable in expected.items():
            given = values[name]
            if (given.shape, given.dtype) != (variable.shape, variable.dtype):
                raise ValueError(
                    f"{name} has shape {given.shape} of {given.dtype}, "
                    f"expected {variable.shape} of {variable.dtype}"
                )
        super().add(replicates, {name: values[name] for name in expected})
        size = sum(len(numbers) for numbers, _ in self._pending) * self._layout.bytes_per_replicate
        if size >= self._block_bytes or time.monotonic() > self._gathered_until:
            self._flush()

    def _flush(self) -> None:
        """Write the pending values in blocks of consecutive replicates."""
        if not self._pending:
            return
        numbers, values = joined_blocks(self._pending)
        self._pending = []
        most = max(self._block_bytes // max(self._layout.bytes_per_replicate, 1), 1)
        row = 0
        for first, last in replicate_runs(numbers):
            for start in range(first, last + 1, most):
                end = min(start + most - 1, last)
                some = {name: array[row : row + end - start + 1] for name, array in values.items()}
                write_block(
                    self.folder,
                    self._key,
                    start,
                    end,
                    some,
                    versions_here(),
                    self._wanted,
                    durable=self._durable,
                )
                row += end - start + 1

    def copy(self, file: File) -> None:
        """Copy a block of the same study from another folder.

        Raises
        ------
        InputError
            If it changed since it was listed.
        """
        try:
            content = read_regular(file.path, LARGEST_FILE)
        except UnreadableError as error:
            raise InputError(f"{file.path} {error}") from None
        require(digest_of(content) == file.digest, f"{file.path} changed while it was copied")
        write_file(self.folder / file.path.name, content, self.folder)
        self._done = merged_runs([*self._done, (file.first, file.last)])

    def _hold(self) -> None:
        """Lock the folder, read its contents, and delete damaged files."""
        require_free(self.folder, "study")
        self._lock = lock(self.folder)
        try:
            remove_drafts(self.folder)
            if kind_of(self.folder) == "study":
                self._take(examine(self.folder, self._layout.fields))
        except BaseException:
            self._release()
            raise

    def _take(self, found: Contents) -> None:
        differing = differing_fields(self._layout.fields, found.layout.fields)
        if differing:
            pairs_alone = all(text.startswith("pairs ") for text in differing)
            way = "; distinguish --pair A B tells the order of any two scorers here" if pairs_alone else ""
            raise InputError(f"{self.folder}: holds another study: {'; '.join(differing)}{way}")
        foreign = [damage for damage in found.damages if damage.foreign]
        if foreign:
            raise InputError(f"{self.folder}: {foreign[0]}; move the file away, or take another folder")
        self.damages = found.damages
        for damage in found.damages:
            if damage.place not in found.beside and damage.place != STUDY:
                _remove(self.folder / damage.place)
        self._wanted, self._done, self._described = found.wanted, found.done, found.described
        if found.damages:
            if not found.described:
                self._describe(self._wanted)
            else:
                self._write_beside()

    def _describe(self, wanted: Runs) -> None:
        """Write the record of the study, after the files that it refers to."""
        fields = {
            "study": self._layout.fields,
            "wanted": wanted,
            "versions": versions_here(),
            "beside": {name: digest_of(content) for name, content in files(self._study).items()},
        }
        self._write_beside()
        write_description(self.folder / STUDY, fields, self.folder, durable=self._durable)
        self._described = True

    def _write_beside(self) -> None:
        for name, content in files(self._study).items():
            write_file(self.folder / name, content, self.folder, durable=self._durable)

    def _release(self) -> None:
        if self._lock is not None:
            unlock(self._lock)
            self._lock = None


def _remove(path: Path) -> None:
    """Delete a file, or a folder in its place."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
