"""Verify that a folder of results still holds what was written into it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ndcg_asymptotics.core.files import path_of
from ndcg_asymptotics.core.rows import Data, computed_value, frame_of
from ndcg_asymptotics.core.tables import Line, Report, ReportBlock
from ndcg_asymptotics.results.folder import Damage, DamagedError, examine, study_key
from ndcg_asymptotics.results.grid import read_grid
from ndcg_asymptotics.results.kinds import POINTS, STUDY, kind_of

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class Verification(Report):
    """The outcome of `verify`.

    Attributes
    ----------
    folder : str
    complete, wanted : int
        The numbers of replicates that are complete and sound, and that are wanted.
    damages : tuple of Damage
        Each with its file and the kind of damage.
    """

    folder: str
    complete: int
    wanted: int
    damages: tuple[Damage, ...]

    @computed_value(Data(before="complete"))
    def sound(self) -> bool:
        """Whether nothing is damaged."""
        return not self.damages

    @property
    def whole(self) -> bool:
        """Whether nothing is damaged and nothing is missing."""
        return self.sound and self.complete == self.wanted

    def to_dataframe(self) -> pd.DataFrame:
        """Return a row per damage, none if the folder is sound."""
        return frame_of(Damage, self.damages)

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield a line for each damage, and the verdict."""
        for damage in self.damages:
            yield Line(f"{self.folder}: {damage}")
        state = f"{self.complete} of {self.wanted} replicates are complete"
        if self.damages:
            yield Line(
                f"{self.folder}: damaged; {state} and sound. Delete what is named and run the study again.",
                "bold red",
            )
        elif not self.whole:
            yield Line(f"{self.folder}: undamaged, but INCOMPLETE; {state}.", "bold red")
        else:
            yield Line(f"{self.folder}: sound; {state}.", "bold green")


def verify(folder: str | Path) -> Verification:
    """Read everything in a folder of results and compare it with the digests that were written with it.

    The folder may hold a study or a grid of studies. Nothing is written, and no code that came
    with the results is run.

    Raises
    ------
    InputError
        If the folder holds no results, or those of another version.

    >>> import tempfile
    >>> import ndcg_asymptotics as na
    >>> study = na.Study(scorers={"a": "constant(0.4)"}, measures="nDCG", n=[10], replicates=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = na.run(study, folder, jobs=1)
    ...     before = verify(folder)
    ...     file = next(Path(folder).glob("*.npz"))
    ...     _ = file.write_bytes(file.read_bytes()[:-1])
    ...     after = verify(folder)
    >>> before.sound, after.sound, after.damages[0].place == file.name
    (True, False, True)
    """
    folder = path_of(folder, "folder")
    folder = folder.parent if folder.name == STUDY else folder
    return _verify_grid(folder) if kind_of(folder) == "grid" else _verify_study(folder)


def _verify_study(folder: Path, key: str | None = None) -> Verification:
    """Verify the results of a study; ``key`` is the digest that a grid states for one of its points."""
    try:
        found = examine(folder)
        if key is not None and key != study_key(found.layout.fields):
            raise DamagedError(folder, [Damage(STUDY, "is not the study of this point of the grid")])
    except DamagedError as error:
        return Verification(str(folder), 0, 0, tuple(error.damages))
    return Verification(str(folder), len(found.done), len(found.wanted), tuple(found.damages))


def _verify_grid(folder: Path) -> Verification:
    """Verify every point of a grid; the places of damages begin with the folder of the point."""
    try:
        axes, keys = read_grid(folder)
    except DamagedError as error:
        return Verification(str(folder), 0, 0, tuple(error.damages))
    damages: list[Damage] = []
    complete = wanted = 0
    for name, key in keys.items():
        place, asked = folder / POINTS / name, 0
        if kind_of(place) == "study":
            point = _verify_study(place, key)
            damages += [replace(d, place=f"{POINTS}/{name}/{d.place}") for d in point.damages]
            complete, asked = complete + point.complete, point.wanted
        wanted += asked or int(axes.fields["replicates"])
    return Verification(str(folder), complete, wanted, tuple(damages))
