"""Is a folder of results what was written into it?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ndcg_asymptotics.core.tables import Line, Part, Shown
from ndcg_asymptotics.results.damage.survey import survey
from ndcg_asymptotics.results.layout import FORMAT, Damage, UndescribedError

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class Verification(Shown):
    """The outcome of `verify`.

    Attributes
    ----------
    folder : str
    complete, wanted : int
        Replicates that are complete and sound, and those that are wanted.
    damages : tuple of Damage
        A place, what is wrong with it, and the replicates that were lost with it.
    checksums : bool
        Whether the folder was written with digests; without them only what is no possible result is seen.
    """

    folder: str
    complete: int
    wanted: int
    damages: tuple[Damage, ...]
    checksums: bool

    @property
    def sound(self) -> bool:
        """Whether nothing is damaged."""
        return not self.damages

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
        damages = [{"place": d.place, "what": d.what, "replicates": list(d.replicates)} for d in self.damages]
        return {
            "folder": self.folder, "sound": self.sound, "complete": self.complete, "wanted": self.wanted,
            "checksums": self.checksums, "damages": damages,
        }  # fmt: skip

    def to_dataframe(self) -> pd.DataFrame:
        """A row per damage, none if it is sound."""
        import pandas as pd

        return pd.DataFrame(self.as_dict()["damages"], columns=["place", "what", "replicates"])

    def parts(self) -> Iterator[Part]:
        """A line for each damage, and the verdict."""
        for damage in self.damages:
            yield Line(f"{self.folder}: {damage}")
        state = f"{self.complete} of {self.wanted} replicates are complete"
        if self.damages:
            yield Line(
                f"{self.folder}: damaged; {state} and sound. Running the study again mends it.", "bold red"
            )
            return
        yield Line(f"{self.folder}: sound; {state}.", "bold green")
        if not self.checksums:
            yield Line("It was written without checksums: an altered value that is possible is not seen.")


def verify(folder: str | Path) -> Verification:
    """Read all that a folder of results holds and compare it with the digests that were written with it.

    Nothing is written, and no code that the results came with is run.

    Raises
    ------
    InputError
        If the folder holds no results, or of a newer version.

    >>> import tempfile
    >>> import ndcg_asymptotics as na
    >>> study = na.Study(scorers={"a": "constant(0.4)"}, measures="nDCG", n=[10], replicates=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = na.run(study, folder, jobs=1)
    ...     before = verify(folder)
    ...     file = Path(folder, "results.zarr", "ndcg", "c", "0", "0", "0", "0")
    ...     _ = file.write_bytes(file.read_bytes()[:-1])
    ...     after = verify(folder)
    >>> before.sound, after.sound, after.damages[0].replicates
    (True, False, (0, 1))
    """
    try:
        found = survey(folder)
    except UndescribedError as error:
        return Verification(str(folder), 0, 0, (error.damage,), checksums=True)
    done = int(found.done.sum())
    return Verification(str(folder), done, len(found.seals), tuple(found.damages), found.form == FORMAT)
