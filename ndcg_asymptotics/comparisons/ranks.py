"""Intervals of the ranks of several runs, and groups of runs that cannot be told apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from string import ascii_lowercase
from typing import Annotated

from ndcg_asymptotics.core.rows import Column, fixed, general

LEGEND = (
    "Ranks: those that no significant difference excludes. Two runs have a group in common exactly if they "
    'cannot be told apart. Against the runs in this order: ">" significantly better, "<" worse, "·" not told '
    'apart, "=" equal on every query.'
)
"""What the columns of `RankedRun` are."""


def letter(number: int) -> str:
    """Return a short name for a group or a run: a to z, then a1, b1 and so on.

    >>> letter(0), letter(25), letter(26)
    ('a', 'z', 'a1')
    """
    suffix, place = divmod(number, len(ascii_lowercase))
    return ascii_lowercase[place] + (str(suffix) if suffix else "")


def _letters(groups: Sequence[int]) -> str:
    return " ".join(map(letter, groups))


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
    groups : tuple of int
        The groups it belongs to. Two runs have a group in common exactly if they cannot be told apart.
    against : str
        A character for each run, in order of the means: ">" this one is significantly better, "<" it is
        worse, "·" they cannot be told apart, "=" they are identical, "-" the run itself.
    """

    place: Annotated[int, Column("", general("d"))]
    run: Annotated[str, Column("run")]
    mean: Annotated[float, Column("mean", fixed(4))]
    ranks: Annotated[tuple[int, int], Column("ranks", _ranks)]
    groups: Annotated[tuple[int, ...], Column("groups", _letters)]
    against: Annotated[str, Column("against 1, 2, …", str)]


def rank_runs(
    means: Mapping[str, float],
    signs: Mapping[tuple[str, str], int | None],
    *,
    lower_is_better: bool = False,
) -> tuple[RankedRun, ...]:
    """Return runs in order of their means, with their possible ranks and groups.

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
    >>> [(row.run, row.ranks, row.groups, row.against) for row in rows]
    [('high', (1, 2), (0,), '-·>'), ('mid', (1, 3), (0, 1), '·-·'), ('low', (2, 3), (1,), '<·-')]
    """
    runs = sorted(means, key=means.__getitem__, reverse=not lower_is_better)
    signs = {**signs, **{(b, a): -sign if sign else sign for (a, b), sign in signs.items()}}
    groups = groups_of(runs, {pair for pair, sign in signs.items() if sign})
    marks = {1: ">", -1: "<", 0: "·", None: "="}
    rows = []
    for place, run in enumerate(runs, 1):
        against = "".join("-" if run == opponent else marks[signs[run, opponent]] for opponent in runs)
        ranks = 1 + against.count("<"), len(runs) - against.count(">")
        own_groups = tuple(number for number, group in enumerate(groups) if run in group)
        rows.append(RankedRun(place, run, means[run], ranks, own_groups, against))
    return tuple(rows)


def groups_of(runs: Sequence[str], apart: set[tuple[str, str]]) -> list[frozenset[str]]:
    """Return the largest groups of runs of which no two are apart, in the order of their first runs.

    ``apart`` holds every such pair in the order of ``runs``, and may hold it in the other order too.

    The groups begin as one of all runs. Each pair that is apart splits the groups that hold it, and groups
    inside others are dropped (insert and absorb, Piepho 2004).
    """
    groups = [frozenset(runs)]
    for a, b in combinations(runs, 2):
        if (a, b) in apart:
            # insert: a group with both becomes two, one without each; then absorb
            split = [
                part
                for group in groups
                for part in ((group - {a}, group - {b}) if {a, b} <= group else (group,))
            ]
            groups = [
                subset for subset in dict.fromkeys(split) if not any(subset < larger for larger in split)
            ]
    places = {run: place for place, run in enumerate(runs)}
    return sorted(groups, key=lambda group: sorted(places[run] for run in group))
