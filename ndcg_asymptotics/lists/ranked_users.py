"""The rank of the relevant item of every user: among all items from tables, among candidates from runs."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ndcg_asymptotics.core.arrays import LARGEST_N, Integers, brief, whole_number
from ndcg_asymptotics.core.errors import InputError, naming, require
from ndcg_asymptotics.core.files import named_paths
from ndcg_asymptotics.lists.inputs import judgements_of, runs_of
from ndcg_asymptotics.lists.judgements import gains_of, require_judged
from ndcg_asymptotics.lists.ranking import relevant_ranks
from ndcg_asymptotics.lists.reading import ColumnNames, read_ranks
from ndcg_asymptotics.theory.sampled import CandidateRanks


def ranked_tables(tables: object, items: int, columns: ColumnNames | None = None) -> dict[str, Integers]:
    """Return the ranks of the relevant items among all ``items``, by the name of the system.

    Parameters
    ----------
    tables : files, or mapping of name to ranks
        Each a CSV or Parquet file with the columns user and rank, or a mapping of user to rank. A user may
        have several rows in a file, each a list of its own.
    items : int
    columns : mapping, optional
        The names of the columns of tables.

    Raises
    ------
    InputError
        If a user does not have as many ranks in all tables, and for ranks outside 1 … ``items``.

    >>> ranked_tables({"a": {"u": 3, "v": 1}}, 10)["a"]
    array([3, 1])
    """
    items = whole_number(items, "items", 2, LARGEST_N)
    sources = tables if isinstance(tables, Mapping) else named_paths(tables, "ranks")
    require(len(sources) > 0, "must be files, or a mapping of name to ranks", "ranks")
    read = {str(name): _columns(str(name), table, columns) for name, table in sources.items()}
    _require_same({name: users for name, (users, _) in read.items()})
    for name, (users, ranks) in read.items():
        for at in np.flatnonzero((ranks < 1) | (ranks > items))[:1]:
            example = f"user {users[at]} has one at {ranks[at]}"
            raise InputError(f"{name}: ranks must be from 1 to {items} items, {example}")
    return {name: ranks for name, (_, ranks) in read.items()}


def _columns(name: str, table: object, columns: ColumnNames | None) -> tuple[list[str], Integers]:
    """Return the users and the ranks of a table."""
    if isinstance(table, str | os.PathLike):
        records = read_ranks(Path(table), columns)
        return [records.queries[row] for row in records.row.tolist()], records.values.astype(np.int64)
    mapping = isinstance(table, Mapping) and len(table) > 0
    require(mapping, f"{name}: expected a file, or a mapping of user to rank, got {brief(table)}")
    ranks: dict[str, Any] = {str(user): rank for user, rank in table.items()}  # type: ignore[attr-defined]
    for user, rank in ranks.items():
        whole = isinstance(rank, int | np.integer) and abs(int(rank)) < 2**53
        require(whole, f"{name}: ranks must be whole numbers, got {brief(rank)} for user {user}")
    return [*ranks], np.array([*ranks.values()], np.int64)


def candidate_ranks(
    runs: object, qrels: object, items: int, columns: ColumnNames | None = None
) -> dict[str, CandidateRanks]:
    """Return the ranks of the relevant items in runs that hold these and sampled negatives, by run.

    Tied items are ordered as by trec_eval. Users without a relevant item are left out.

    Parameters
    ----------
    runs, qrels : as evaluate takes them
    items : int
        The number of items from which candidates were sampled.
    columns : mapping, optional
        The names of the columns of tables.

    Raises
    ------
    InputError
        If a user is in some runs only or has several relevant items, if a list lacks its relevant item or has
        another length than the others, or more than ``items``, and for what `evaluate` refuses.

    >>> ranks = candidate_ranks({"a": {"u": {"x": 3.0, "y": 2.0}}}, {"u": {"y": 1}}, 10)["a"]
    >>> ranks.above, ranks.negatives
    (array([1]), 1)
    """
    scores = runs_of(runs, columns)
    gains = gains_of(judgements_of(qrels, columns, "linear"), "linear")
    relevant = Counter(gains.queries[row] for row in gains.row[gains.values > 0].tolist())
    users = {name: [user for user in run.queries if user in relevant] for name, run in scores.items()}
    _require_same(users)
    user_names = sorted(next(iter(users.values())))
    require(len(user_names) > 0, "the runs and the qrels have no user with a relevant item in common")
    for user in user_names:
        requirement = (
            f"candidates of users with one relevant item are expected, user {user} has {relevant[user]}"
        )
        require(relevant[user] == 1, requirement, "qrels")
    by_run = {}
    for name, records in scores.items():
        with naming(name):
            require_judged(records, gains)
            ranks = relevant_ranks(records, gains, user_names, "trec", "judged")
            for user in np.setdiff1d(np.arange(len(user_names)), ranks.query)[:1].tolist():
                sample = "a run holds the relevant item of each user and sampled negatives"
                raise InputError(f"the list of user {user_names[user]} lacks the relevant item; {sample}")
            size = int(ranks.sizes[0])
            for user in np.flatnonzero(ranks.sizes != size)[:1].tolist():
                has = f"that of user {user_names[0]} has {size}"
                other_has = f"that of user {user_names[user]} {ranks.sizes[user]}"
                raise InputError(f"all lists must have as many candidates, {has} and {other_has}")
            require(2 <= size <= items, f"lists must have 2 to {items} candidates, these have {size}")
        above = np.empty(len(user_names), np.int64)
        above[ranks.query] = ranks.above
        by_run[name] = CandidateRanks(items, size - 1, above)
    return by_run


def _require_same(users: Mapping[str, Iterable[str]]) -> None:
    """Refuse systems that do not have the same users, each as often."""
    counts = {name: Counter(of_system) for name, of_system in users.items()}
    first = next(iter(counts))
    for name, of_system in counts.items():
        for user in sorted((of_system - counts[first]) + (counts[first] - of_system))[:1]:
            have = f"{user} is {counts[first][user]} times in {first} and {of_system[user]} times in {name}"
            raise InputError(f"all systems must have the same users, {have}")
