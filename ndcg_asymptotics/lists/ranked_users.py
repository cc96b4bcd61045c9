"""The ranks that systems give to the relevant items of the same users, from runs or from tables of ranks."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ndcg_asymptotics.core.arrays import Integers, brief
from ndcg_asymptotics.core.errors import InputError, naming, require
from ndcg_asymptotics.core.files import named_paths
from ndcg_asymptotics.lists.given import judgements_of, runs_of
from ndcg_asymptotics.lists.judgements import gains_of, require_judged
from ndcg_asymptotics.lists.ranking import relevant_ranks
from ndcg_asymptotics.lists.reading import ColumnNames, read_ranks
from ndcg_asymptotics.lists.records import COLUMNS, as_table, column_of
from ndcg_asymptotics.measures.gains import Gain
from ndcg_asymptotics.theory.sampled import RankedItems


@dataclass(frozen=True, eq=False)
class RelevantDepths:
    """The ranks of the relevant items that a run retrieved, and how many other items it retrieved.

    Attributes
    ----------
    ranked : RankedItems
    irrelevant : (U,)
        The number of irrelevant items that were retrieved for each user.
    """

    ranked: RankedItems
    irrelevant: Integers

    @property
    def longest(self) -> int:
        """The length of the longest list."""
        retrieved = np.bincount(self.ranked.user, minlength=self.irrelevant.size)
        return int((self.irrelevant + retrieved).max())


def relevant_depths(
    runs: object,
    qrels: object,
    items: int | None = None,
    *,
    gain: Gain = "linear",
    columns: ColumnNames | None = None,
) -> dict[str, RelevantDepths]:
    """Return the ranks of the relevant items in runs, and how many other items each run retrieved, by run.

    Tied items are ordered as by trec_eval. Users without a relevant item are left out, and so are users who
    are in no run.

    Parameters
    ----------
    runs, qrels : as evaluate takes them
    items : int, optional
        The number of items of the catalogue; by default how many the runs and the judgements name.
    gain : {"linear", "binary", "exp2"}, text or mapping
        As in `evaluate`.
    columns : mapping, optional
        The names of the columns of tables.

    Raises
    ------
    InputError
        If a user is in some runs only, for runs longer than ``items``, and for what `evaluate` refuses.

    >>> found = relevant_depths({"a": {"u": {"x": 3.0, "y": 2.0}}}, {"u": {"y": 1, "z": 1}})["a"].ranked
    >>> found.items, found.rank, found.relevant
    (3, array([2]), array([2]))
    """
    scores = runs_of(runs, columns)
    gains = gains_of(judgements_of(qrels, columns, gain), gain)
    relevant = {gains.queries[row] for row in np.unique(gains.row[gains.values > 0]).tolist()}
    users = _common({name: relevant & {*of_run.queries} for name, of_run in scores.items()})
    require(len(users) > 0, "the runs and the qrels have no user with a relevant item in common")
    for name, records in scores.items():
        with naming(name):
            require_judged(records, gains)
    if items is None:
        items = len(set().union(*(records.names.texts() for records in (gains, *scores.values()))))
    found = {}
    for name, records in scores.items():
        there = relevant_ranks(records, gains, users, "trec", "judged")
        longest = int(there.sizes.max())
        require(longest <= items, f"is {items}, but a list of {name} has {longest} items", "items")
        order = np.lexsort((there.above, there.query))
        ranked = (there.query[order].astype(np.int64), there.above[order] + 1, there.gain[order])
        with naming(name):
            of_run = RankedItems(
                tuple(users), items, *ranked, there.ideal_query.astype(np.int64), there.ideal_gain
            )
        retrieved = np.bincount(there.query, minlength=len(users))
        found[name] = RelevantDepths(of_run, there.sizes - retrieved)
    return found


def ranked_tables(
    tables: object, items: int | None = None, columns: ColumnNames | None = None
) -> dict[str, RankedItems]:
    """Return the ranks of tables, by the name of the system; every item has the gain 1.

    Parameters
    ----------
    tables : files, or mapping of name to ranks
        Each a CSV or Parquet file, or a DataFrame, with the columns user and rank, or a mapping of user to a
        rank or several.
    items : int, optional
        The number of items that were ranked. Without it tables have it for each user, in a
        column items: the catalogue less what the user knows.

    Raises
    ------
    InputError
        If a user is in some tables only or has another number of ranks there, and for ranks outside
        1 … ``items``; if that is given twice or not at all, or differs between tables.

    >>> ranked_tables({"a": {"u": 3, "v": [1, 4]}}, 10)["a"].rank
    array([3, 1, 4])
    """
    named = tables if isinstance(tables, Mapping) else named_paths(tables, "ranks")
    require(len(named) > 0, "must be files, or a mapping of name to ranks", "ranks")
    given = {name: _columns(str(name), table, columns) for name, table in named.items()}
    _common({name: {*users} for name, (users, *_) in given.items()})
    found = {}
    for name, (users, ranks, own) in given.items():
        missing = (
            "must be given with ranks: the number of items that were ranked, or a column items in each table"
        )
        require(items is not None or own is not None, missing, "items")
        require(items is None or own is None, f"is given, and {name} has a column of this name", "items")
        with naming(name):
            found[name] = RankedItems.of(users, ranks, items if own is None else own)  # type: ignore[arg-type]
    first, counts = next(iter(found.items()))
    for name, other in found.items():
        for at in np.flatnonzero(other.relevant != counts.relevant)[:1]:
            have = f"{counts.relevant[at]} ranks in {first} and {other.relevant[at]} in {name}"
            raise InputError(f"a user must have as many ranks in all files, {counts.users[at]} has {have}")
        for at in np.flatnonzero(other.sizes != counts.sizes)[:1]:
            have = f"{counts.sizes[at]} items in {first} and {other.sizes[at]} in {name}"
            raise InputError(f"a user must have as many items in all files, {counts.users[at]} has {have}")
    return found


def _columns(name: str, table: Any, columns: ColumnNames | None) -> tuple[list[str], Any, Any]:
    """Return the users and ranks of a table, and their numbers of items or None."""
    items = None
    if isinstance(table, str | os.PathLike):
        records, of_users = read_ranks(Path(table), columns)
        users = [records.queries[row] for row in records.row.tolist()]
        return (
            users,
            records.values.astype(np.int64),
            None if of_users is None else of_users.values.astype(int),
        )
    if (frame := as_table(table)) is not None:
        places = {what: column_of(frame.columns, what, columns) for what in ("query", "rank", "items")}
        for what in ("query", "rank"):
            there = ", ".join(map(str, frame.columns))
            known = " or ".join(COLUMNS[what])
            require(places[what] is not None, f"{name}: expected a column {known}, there are: {there}")
        users, ranks = [*map(str, frame[places["query"]])], [*frame[places["rank"]]]
        items = None if places["items"] is None else [*frame[places["items"]]]
    elif isinstance(table, Mapping):
        pairs = [(str(user), rank) for user, given in table.items() for rank in np.atleast_1d(given).tolist()]
        users, ranks = [user for user, _ in pairs], [rank for _, rank in pairs]
    else:
        raise InputError(f"{name}: expected a mapping of user to rank or a DataFrame, got {brief(table)}")
    require(len(users) > 0, f"{name}: holds no ranks")
    for values, what in ((ranks, "ranks"), (items or [], "items")):
        whole = all(isinstance(value, int | np.integer) and abs(int(value)) < 2**53 for value in values)
        bad = next((value for value in values if not isinstance(value, int | np.integer)), None)
        require(whole, f"{name}: {what} must be whole numbers, got {brief(bad)}")
    return users, ranks, items


def _common(users: Mapping[str, set[str]]) -> list[str]:
    """Return the users that all systems have, which must be all users."""
    every = set().union(*users.values())
    for name, of_system in users.items():
        for user in sorted(every - of_system)[:1]:
            other = next(system for system, its in users.items() if user in its)
            raise InputError(f"all systems must have the same users, {user} is in {other} but not in {name}")
    return sorted(every)
