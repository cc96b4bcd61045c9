"""Intervals of the ranks of several runs, and which of them cannot be told apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Annotated

from ndcg_asymptotics.core.rows import Column, fixed, general

LEGEND = (
    'Ranks: those that no significant difference excludes. Against the runs in this order: ">" significantly '
    'better, "<" worse, "·" not told apart, "=" equal on every query.'
)
"""What the columns of `RankedRun` are."""


def letter(number: int) -> str:
    """Return a short name for a run: a to z, then a1, b1 and so on.

    >>> letter(0), letter(25), letter(26)
    ('a', 'z', 'a1')
    """
    suffix, place = divmod(number, len(ascii_lowercase))
    return ascii_lowercase[place] + (str(suffix) if suffix else "")


def _ranks(between: tuple[int, int]) -> str:
    return f"{between[0]} to {between[1]}" if between[0] < between[1] else f"{between[0]}"


@dataclass(frozen=True)
class RankedRun:
    """A run among several by one measure.

    Attributes
    ----------
    place : int
        The rank of its mean.
    run : str
    mean : float
    ranks : (int, int)
        One more than the number of significantly better runs, and the number of runs that are not
        significantly worse.
    against : str
        A character for each run, in order of the means: ">" this one is significantly better, "<" it is
        worse, "·" they cannot be told apart, "=" they are identical, "-" the run itself.
    """

    place: Annotated[int, Column("", general("d"))]
    run: Annotated[str, Column("run")]
    mean: Annotated[float, Column("mean", fixed(4))]
    ranks: Annotated[tuple[int, int], Column("ranks", _ranks)]
    against: Annotated[str, Column("against 1, 2, …", str)]


def rank_runs(
    means: Mapping[str, float],
    signs: Mapping[tuple[str, str], int | None],
    *,
    lower_is_better: bool = False,
) -> tuple[RankedRun, ...]:
    """Return runs in order of their means, with their possible ranks.

    Parameters
    ----------
    means : mapping of run to mean
    signs : mapping of two runs, in either order, to int or None
        1 or -1 where the first of two runs is significantly better or worse, 0 where they cannot be told
        apart, None where they are identical.
    lower_is_better : bool
        Whether the run with the lowest mean comes first.

    >>> order = {("low", "mid"): 0, ("mid", "high"): 0, ("low", "high"): -1}
    >>> rows = rank_runs({"low": 0.1, "mid": 0.2, "high": 0.3}, order)
    >>> [(row.run, row.ranks, row.against) for row in rows]
    [('high', (1, 2), '-·>'), ('mid', (1, 3), '·-·'), ('low', (2, 3), '<·-')]
    """
    runs = sorted(means, key=means.__getitem__, reverse=not lower_is_better)
    signs = {**signs, **{(b, a): -sign if sign else sign for (a, b), sign in signs.items()}}
    marks = {1: ">", -1: "<", 0: "·", None: "="}
    rows = []
    for place, run in enumerate(runs, 1):
        against = "".join("-" if run == opponent else marks[signs[run, opponent]] for opponent in runs)
        ranks = 1 + against.count("<"), len(runs) - against.count(">")
        rows.append(RankedRun(place, run, means[run], ranks, against))
    return tuple(rows)
