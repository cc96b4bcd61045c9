"""The ranks that one system gives to the relevant items of its users."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ndcg_asymptotics.core.arrays import LARGEST_N, Floats, Integers, brief
from ndcg_asymptotics.core.errors import InputError, require


@dataclass(frozen=True, eq=False)
class RankedItems:
    """The ranks of the relevant items of some users in a ranking of ``items`` items.

    Attributes
    ----------
    users : tuple of str
    items : int
        N, the number of items that are ranked for each user; the largest where they differ.
    user : (K,)
        The user of each ranked relevant item, as an index into ``users``; non-decreasing.
    rank : (K,)
        Its rank, from 1 to N; increasing within a user.
    gain : (K,)
        Its gain, > 0.
    ideal_user, ideal_gain : (L,)
        The same for every relevant item by decreasing gain, with those that the system did not retrieve.
        They have no rank and gain nothing, as in trec_eval, but they count in the ideal list.
    catalogues : (U,), optional
        The number of items that are ranked for each user, where they differ.

    Raises
    ------
    InputError
        For a rank outside 1 … N, two items of a user at one rank, a user without relevant items, and one
        with N or more.
    """

    users: tuple[str, ...]
    items: int
    user: Integers
    rank: Integers
    gain: Floats
    ideal_user: Integers
    ideal_gain: Floats
    catalogues: Integers | None = None

    def __post_init__(self) -> None:
        whole = isinstance(self.items, int | np.integer) and 2 <= self.items <= LARGEST_N
        require(whole, f"must be a whole number from 2 on, got {brief(self.items)}", "items")
        size = self.sizes[self.user]
        for at in np.flatnonzero((self.rank < 1) | (self.rank > size))[:1]:
            raise InputError(f"ranks must be from 1 to {size[at]} items, {self._found(at)}")
        same = (self.user[1:] == self.user[:-1]) & (self.rank[1:] == self.rank[:-1])
        for at in np.flatnonzero(same)[:1]:
            raise InputError(f"a user's relevant items must have different ranks, {self._found(at)} twice")
        for at in np.flatnonzero(self.relevant == 0)[:1]:
            raise InputError(f"user {self.users[at]} has no relevant item")
        for at in np.flatnonzero(self.relevant >= self.sizes)[:1]:
            count = f"{self.relevant[at]} relevant ones"
            raise InputError(f"{self.sizes[at]} items leave no negative: user {self.users[at]} has {count}")
        for at in np.flatnonzero(self.above > self.irrelevant[self.user])[:1]:
            rest = "items that were not retrieved are below all others"
            raise InputError(f"{rest}, {self._found(at)} of {size[at]} items")

    def _found(self, at: int) -> str:
        return f"user {self.users[self.user[at]]} has one at {self.rank[at]}"

    @classmethod
    def of(
        cls, users: Sequence[str], ranks: Sequence[int] | Integers, items: int | Sequence[int] | Integers
    ) -> RankedItems:
        """Return the ranks of items that all have the gain 1; a user who occurs R times has R of them.

        ``items`` is one number or one for each rank, equal for those of a user.

        >>> RankedItems.of(["u", "v", "u"], [7, 3, 2], 10).above
        array([1, 5, 2])
        """
        names, user = np.unique(np.asarray(users, str), return_inverse=True)
        found = np.asarray(ranks, np.int64)
        order = np.lexsort((found, user))
        user, ones = user[order].astype(np.int64), np.ones(found.size)
        ranked = tuple(names.tolist()), user, found[order], ones, user, ones
        if isinstance(items, int | np.integer) or np.ndim(items) == 0:
            return cls(ranked[0], items, *ranked[1:])  # type: ignore[arg-type]
        given = np.asarray(items, np.int64)[order]
        for at in np.flatnonzero((user[1:] == user[:-1]) & (given[1:] != given[:-1]))[:1]:
            raise InputError(
                f"a user has one number of items, {names[user[at]]} has {given[at]} and {given[at + 1]}"
            )
        of_users = given[np.searchsorted(user, np.arange(len(names)))]
        for at in np.flatnonzero(of_users < 2)[:1]:
            raise InputError(f"items must be whole numbers from 2 on, user {names[at]} has {of_users[at]}")
        same = of_users.min() == of_users.max()
        return cls(ranked[0], int(of_users.max()), *ranked[1:], None if same else of_users)

    @cached_property
    def relevant(self) -> Integers:
        """The number of relevant items of each user."""
        return np.bincount(self.ideal_user, minlength=len(self.users))

    @cached_property
    def sizes(self) -> Integers:
        """The number of items that are ranked for each user."""
        return np.full(len(self.users), self.items) if self.catalogues is None else self.catalogues

    @property
    def irrelevant(self) -> Integers:
        """The number of irrelevant items of each user, from which negatives are sampled."""
        return self.sizes - self.relevant

    @cached_property
    def position(self) -> Integers:
        """The place 1, 2, … of each item among those of its user."""
        counts = np.bincount(self.user, minlength=len(self.users))
        return np.arange(1, self.user.size + 1) - (np.cumsum(counts) - counts)[self.user]

    @property
    def above(self) -> Integers:
        """The number of irrelevant items above each item."""
        return self.rank - self.position

    @property
    def most_negatives(self) -> int:
        """The largest number of negatives that can be sampled without replacement for every user."""
        return int(self.irrelevant.min())
