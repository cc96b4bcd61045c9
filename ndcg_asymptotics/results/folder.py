"""The results of a study in a folder.

Its files::

    study.json                      the study, the replicates wanted at first, the versions that began it
    <first>-<last>-<digest>.npz     blocks of replicates
    <first>-<last>-<digest>.json    requests for more replicates than were wanted before
    curves/, *.py                   the files that the texts of the study refer to

No file is ever rewritten. Opening the folder checks every digest, and damaged values are never returned. This
module does not write to the folder, and runs no code that came with it unless `open_results` is told to.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.files import Fields, UnreadableError, digest_of, key_of, path_of, read_regular
from ndcg_asymptotics.engines.engine import apart, impossible
from ndcg_asymptotics.engines.shared.machine import available
from ndcg_asymptotics.results.blocks import (
    FORMAT,
    Content,
    Damage,
    File,
    ForeignError,
    block_files,
    joined_blocks,
    overlapping,
    read_beside,
    read_block,
    read_description,
)
from ndcg_asymptotics.results.kinds import STUDY, require_kind
from ndcg_asymptotics.results.layout import INDEX, Layout
from ndcg_asymptotics.results.record import Results
from ndcg_asymptotics.results.runs import Runs, count_of, in_runs, members, merged_runs, runs_given
from ndcg_asymptotics.studies import Study
from ndcg_asymptotics.studies.canonical import FREE, canonical, differing_fields
from ndcg_asymptotics.studies.study import MOST_REPLICATES
from ndcg_asymptotics.studies.toml import study_of

_MOST_WANTED = 4 * MOST_REPLICATES


def study_key(fields: Mapping[str, object]) -> str:
    """Return a digest of the canonical fields that decide results."""
    return key_of({name: value for name, value in fields.items() if name not in FREE})


class UndescribedError(InputError):
    """A folder in which no sound record says which study it is of."""

    def __init__(self, folder: Path, damage: Damage) -> None:
        super().__init__(f"{folder}: damaged: {damage}; nothing else says which study this is of")
        self.damage = damage


@dataclass
class Contents:
    """The contents of a folder of results.

    Attributes
    ----------
    folder : Path
    layout : Layout
        That of the stored study, or of the expected one if the record is damaged.
    key : str
        The digest of that study.
    begun_by : list of dict
        The versions that began the folder, if the record says so.
    beside : mapping of name to digest
        The files that the texts of the study refer to.
    blocks : list of File
        The sound blocks.
    made_by : list of dict
        The versions that made the values, in order.
    wanted, done : Runs
        The replicates that are wanted, and those in sound blocks.
    damages : list of Damage
    """

    folder: Path
    layout: Layout
    key: str
    begun_by: list[dict[str, str]] = field(default_factory=list)
    beside: Mapping[str, str] = field(default_factory=dict)
    blocks: list[File] = field(default_factory=list)
    made_by: list[dict[str, str]] = field(default_factory=list)
    wanted: Runs = field(default_factory=list)
    done: Runs = field(default_factory=list)
    damages: list[Damage] = field(default_factory=list)

    @property
    def described(self) -> bool:
        """Whether the record of the study is sound."""
        return not any(damage.place == STUDY for damage in self.damages)

    @property
    def versions(self) -> list[dict[str, str]]:
        """The versions that made the results, or began them if there are none yet."""
        return self.made_by or self.begun_by

    def read(self, file: File) -> Content:
        """Read a block and check it.

        Raises
        ------
        UnreadableError
            If it is not what was written, or no list has such values.
        """
        found = read_block(file, self.key, self.layout.variables(file.count))
        if said := impossible(found.values, self.layout.fields["measures"]):
            raise UnreadableError(f"holds {said}")
        return found


def examine(
    folder: str | Path,
    fields: Mapping[str, object] | None = None,
    each: Callable[[File, Content], None] | None = None,
) -> Contents:
    """Read everything in a folder of results, one block at a time, and check it.

    Parameters
    ----------
    folder : path
    fields : mapping, optional
        The canonical study that it should hold, used if its record is damaged.
    each : callable, optional
        Called with every sound block.

    Raises
    ------
    InputError
        If it holds no results, or those of a newer or older version.
    UndescribedError
        If no sound record says which study they are of.
    """
    folder = path_of(folder, "folder")
    folder = folder.parent if folder.name == STUDY else folder  # the record stands for the folder
    require_kind(folder, "study")
    found = _described(folder, fields)
    wanted = set(found.wanted)
    for file in block_files(folder):
        try:
            content = found.read(file)
        except UnreadableError as error:
            found.damages.append(_damage(file, error))
            continue
        found.blocks.append(file)
        found.made_by += [content.made_by] if content.made_by not in found.made_by else []
        wanted |= {*content.wanted, (file.first, file.last)}
        if each is not None:
            each(file, content)
    found.damages += _disagreements(found)
    for file in block_files(folder, "json"):
        try:
            wanted |= set(_request(file, found.key))
        except UnreadableError as error:
            found.damages.append(_damage(file, error))
    found.done = merged_runs((file.first, file.last) for file in found.blocks)
    found.wanted = merged_runs(wanted)
    require(
        count_of(found.wanted) <= _MOST_WANTED, f"{folder}: more than {_MOST_WANTED:g} replicates are wanted"
    )
    return found


def _damage(file: File, error: UnreadableError) -> Damage:
    lost = tuple(range(file.first, min(file.last, file.first + MOST_REPLICATES) + 1))
    values = lost if file.path.suffix == ".npz" else ()
    return Damage(file.path.name, str(error), values, isinstance(error, ForeignError))


def _described(folder: Path, fields: Mapping[str, object] | None) -> Contents:
    """Read the record of the study and the files that it refers to."""

    def parse(stated: Fields) -> Contents:
        layout, beside = Layout(stated["study"]), dict(stated["beside"])
        found = Contents(folder, layout, study_key(layout.fields), [dict(stated["versions"])], beside)
        found.wanted = runs_given(stated["wanted"])
        return found

    try:
        found = read_description(folder / STUDY, parse, "a study")
    except UnreadableError as error:
        damage = Damage(STUDY, str(error))
        if fields is None:
            raise UndescribedError(folder, damage) from None
        return Contents(folder, Layout(fields), study_key(fields), damages=[damage])
    _, found.damages = read_beside(folder, found.beside)
    return found


def _request(file: File, key: str) -> Runs:
    """Return the replicates that a request asks for.

    Raises
    ------
    UnreadableError
        If it is not what was written.
    """
    content = read_regular(file.path, 2**16)
    if digest_of(content) != file.digest:
        raise UnreadableError("is damaged (its digest is not the one in its name)")
    try:
        found = json.loads(content)
        of, wanted = found["study"], runs_given(found["wanted"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UnreadableError("is damaged (no request for replicates)") from None
    if of != key:
        raise ForeignError("is of another study")
    return wanted


def _disagreements(found: Contents) -> list[Damage]:
    """Return as damages the blocks whose values of a replicate differ from those of a block before them."""
    damages = []
    for one, other in overlapping(found.blocks):
        first, last = max(one.first, other.first), min(one.last, other.last)
        mine, theirs = (found.read(file).part(first - file.first, last - file.first) for file in (one, other))
        if said := apart(mine, theirs):
            what = f"and {one.path.name} disagree: {said}"
            damages.append(Damage(other.path.name, what, tuple(range(first, last + 1)), foreign=True))
    return damages


def sound(folder: str | Path, each: Callable[[File, Content], None] | None = None) -> Contents:
    """Return the contents of a folder, and refuse one with any damage.

    Raises
    ------
    InputError
        Naming the first damage.
    """
    found = examine(folder, each=each)
    refuse_damages(folder, found.damages, "running the study into this folder again repairs it")
    return found


def refuse_damages(folder: str | Path, damages: Sequence[Damage], advice: str) -> None:
    """Refuse a folder with damages.

    Raises
    ------
    InputError
        Naming the first damage, with advice.
    """
    more = f" and {len(damages) - 1} more" if len(damages) > 1 else ""
    if damages:
        raise InputError(f"{folder}: damaged: {damages[0]}{more}; `info` names every damage, and {advice}")


def open_results(folder: str | Path, *, allow_custom: bool = False) -> Results:
    """Open the results in a folder, complete or not.

    All of them are read and compared with the digests that were written with them. Damaged results are never
    returned.

    Parameters
    ----------
    folder : path
    allow_custom : bool
        Whether ``custom("module:function")`` in their study may import its module, a copy of which is in
        the folder; this runs the code in it.

    Raises
    ------
    InputError
        If the folder holds no results, or they are of another version or damaged (`info` names every
        damage, and running the study again repairs it).

    >>> import tempfile
    >>> import ndcg_asymptotics as na
    >>> study = na.Study(scorers={"a": "constant(0.4)"}, measures="nDCG", n=[10], replicates=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = na.run(study, folder, jobs=1)
    ...     open_results(folder).data["ndcg"].shape
    (2, 1, 1, 1)
    """
    return _opened(path_of(folder, "folder"), None, allow_custom)


def results_in(folder: str | Path, study: Study) -> Results:
    """Open the results in a folder, which must be of this study.

    Raises
    ------
    InputError
        As `open_results`.
    """
    return _opened(Path(folder), study, False)


def _opened(folder: Path, study: Study | None, allow_custom: bool) -> Results:
    left, parts = available(), []

    def keep(file: File, content: Content) -> None:
        nonlocal left
        left -= 2 * sum(array.nbytes for array in content.values.values())
        require(left > 0, f"{folder}: more results than memory holds")
        parts.append((np.arange(file.first, file.last + 1), content.values))

    found = sound(folder, each=keep)
    folder = found.folder
    fields = found.layout.fields
    if study is None:
        stated = {name: value for name, value in fields.items() if name != "digests"}
        study = study_of(stated, folder, str(folder), allow_custom)
    changed = differing_fields(canonical(study), fields)
    require(not changed, f"{folder}: the study no longer is what was simulated: {'; '.join(changed)}")
    wanted = members(found.wanted)
    done = in_runs(wanted, found.done)
    attributes = {
        "study": json.dumps(dict(fields)),
        "versions": json.dumps(found.versions),
        "format": FORMAT,
        "complete": int(done.all()),
        "replicates_wanted": len(wanted),
    }
    arrays = joined_blocks(parts)[1] if parts else {}
    named = {name: ((INDEX, *found.layout.axes[name]), array) for name, array in arrays.items()}
    return Results(study, found.versions, wanted, done, folder, named, attributes)
