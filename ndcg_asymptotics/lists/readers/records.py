"""Documents of queries, each with a number: the scores of a run, or the labels of judgements, in columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Bools, Floats, Integers, brief
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.lists.readers.names import Names, Words, mixed

Kind = Literal["score", "label", "time"]

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "query": ("query", "query_id", "qid", "topic"),
    "document": ("document", "doc_id", "docno", "docid", "doc"),
    "score": ("score", "sim"),
    "label": ("label", "relevance", "rel", "grade"),
    "time": ("time", "timestamp", "date"),
}
"""What the columns are called here, and by which other names they are known."""


@dataclass(frozen=True)
class Records:
    """Documents of queries with a number each.

    Attributes
    ----------
    queries : tuple of str
        Each once, in order of first appearance.
    row : (n,)
        The query of each document, as an index into ``queries``.
    names : Names
        The documents.
    values : (n,)
        Scores, labels as they were given, or times.
    source : str
        The name of the file, empty for what was given in Python.
    """

    queries: tuple[str, ...]
    row: NDArray[np.int32]
    names: Names
    values: Floats
    source: str = ""

    @classmethod
    def of(cls, given: Any, kind: Kind) -> Self:
        """Records themselves, or those of a dictionary, a DataFrame or an iterable of records.

        Raises
        ------
        InputError
            For numbers that are not finite, a document that comes twice, or something else.
        """
        if isinstance(given, cls):
            return given
        rows: Iterable[tuple[Any, ...]]
        if isinstance(given, Mapping):
            rows = ((q, d, value) for q, documents in given.items() for d, value in _items(q, documents))
        elif hasattr(given, "columns"):
            rows = zip(*(given[_column(given.columns, name)] for name in ("query", "document", kind)),
                       strict=True)  # fmt: skip
        elif isinstance(given, Iterable) and not isinstance(given, str | bytes):
            rows = (tuple(_field(record, name) for name in ("query", "document", kind)) for record in given)
        else:
            expected = f"a dictionary {{query: {{document: {kind}}}}}, a DataFrame or records"
            raise InputError(f"expected {expected}, got {brief(given)}")
        return cls.from_rows(rows, kind)

    @classmethod
    def from_rows(cls, rows: Iterable[tuple[Any, ...]], kind: Kind, source: str = "") -> Self:
        """From rows of query, document and number.

        Raises
        ------
        InputError
            For numbers that are not finite, or a document that comes twice.
        """
        index: dict[str, int] = {}
        row, names, values = [], [], []
        for query, document, value in rows:
            row.append(index.setdefault(str(query), len(index)))
            names.append(str(document))
            values.append(value)
        try:
            numbers = np.array(values, np.float64)
        except (TypeError, ValueError):
            raise InputError(f"a {kind} must be a number, got {brief(_no_number(values))}") from None
        found = cls(tuple(index), np.array(row, np.int32), Names.of(names), numbers, source)
        bad = np.flatnonzero(~np.isfinite(numbers))
        if bad.size:
            what = f"document {names[bad[0]]} of topic {found.topic(int(bad[0]))}"
            raise InputError(f"a {kind} must be finite, got {numbers[bad[0]]} for {what}")
        twice = found.repeated()
        if twice is not None:
            raise InputError(f"document {names[twice[1]]} of topic {found.topic(twice[1])} comes twice")
        return found

    def __len__(self) -> int:
        return self.values.size

    def topic(self, record: int) -> str:
        """The query of a record."""
        return self.queries[int(self.row[record])]

    def as_dict(self) -> dict[str, dict[str, float]]:
        """Query -> document -> number."""
        found: dict[str, dict[str, float]] = {query: {} for query in self.queries}
        documents = list(found.values())
        for row, name, value in zip(self.row.tolist(), self.names.texts(), self.values.tolist(), strict=True):
            documents[row][name] = value
        return found

    def only(self, which: Bools | Integers) -> Self:
        """Some of the records, or all in another order; the queries stay."""
        names = Names(self.names.text, self.names.start[which], self.names.end[which])
        return replace(self, row=self.row[which], names=names, values=self.values[which])

    def of_queries(self, queries: tuple[str, ...]) -> Self:
        """The records of some queries, which these become the queries of."""
        places = np.array(_index(queries, self.queries), np.int32)
        row = places[self.row]
        found = self.only(row >= 0)
        return replace(found, queries=queries, row=row[row >= 0])

    def with_values(self, values: Floats) -> Self:
        """The same documents with other numbers."""
        return replace(self, values=values)

    def joined(self, other: Records) -> Self:
        """These records and others of the same queries."""
        names = Names.joined([self.names.compact(), other.names.compact()])
        row = np.concatenate((self.row, other.row))
        return replace(self, row=row, names=names, values=np.concatenate((self.values, other.values)))

    def by_name(self) -> Self:
        """These records query by query, by increasing name."""
        words = [self.names.word(index) for index in reversed(range(self.names.words))]
        keys: list[NDArray[Any]] = [*words, self.row]
        return self.only(np.lexsort(keys))

    def keys(self) -> Words:
        """A number of each query and document, the same in all files; others hardly ever have it too."""
        queries = mixed(Names.of(self.queries).hash())
        found = self.names.hash()
        found ^= queries[self.row]
        return found

    @cached_property
    def _sorted(self) -> tuple[Words, Integers]:
        """The keys in increasing order, and which record has each."""
        keys = self.keys()
        order = np.argsort(keys)
        return keys[order], order

    def repeated(self) -> tuple[int, int] | None:
        """The first record whose query and document were there before, and where; None if there is none."""
        keys, order = self._sorted
        same = keys[1:] == keys[:-1]
        if not same.any():
            return None
        suspects = np.sort(order[np.append(same, False) | np.append(False, same)])
        seen: dict[tuple[int, str], int] = {}
        for record in suspects.tolist():
            before = seen.setdefault((int(self.row[record]), self.names.text_of(record)), record)
            if before != record:
                return before, record
        return None

    def find(self, wanted: Records) -> Integers:
        """Where each of the other records' query and document stands among these; -1 where nowhere."""
        position = np.array(_index(self.queries, wanted.queries), np.int64)[wanted.row]
        (keys, order), sought = self._sorted, wanted.keys()
        at = np.searchsorted(keys, sought)
        found = np.full(len(wanted), -1, np.int64)
        left = np.arange(len(wanted))
        while left.size:  # more than once only where two documents happen to have one key
            inside = at[left] < len(keys)
            left = left[inside]
            left = left[keys[at[left]] == sought[left]]
            here = order[at[left]]
            same = (self.row[here] == position[left]) & self.names.equal(here, wanted.names, left)
            found[left[same]] = here[same]
            left = left[~same]
            at[left] += 1
        return found


def _index(queries: tuple[str, ...], wanted: tuple[str, ...]) -> list[int]:
    index = {query: i for i, query in enumerate(queries)}
    return [index.get(query, -1) for query in wanted]


def _items(query: Any, documents: Any) -> Iterable[tuple[Any, Any]]:
    require(
        isinstance(documents, Mapping),
        f"topic {query}: expected a dictionary of documents, got {brief(documents)}",
    )
    return documents.items()  # type: ignore[no-any-return]


def _column(there: Iterable[Any], name: str) -> Any:
    known = list(there)
    for other in COLUMNS[name]:
        if other in known:
            return other
    raise InputError(f"no column {name!r} (or {', '.join(COLUMNS[name][1:])}), the columns are: "
                     f"{', '.join(map(str, known))}")  # fmt: skip


def _field(record: Any, name: str) -> Any:
    for other in COLUMNS[name]:
        if hasattr(record, other):
            return getattr(record, other)
    raise InputError(f"a record has no {name!r} (or {', '.join(COLUMNS[name][1:])}), got {brief(record)}")


def _no_number(values: list[Any]) -> Any:
    for value in values:
        try:
            float(value)
        except (TypeError, ValueError):
            return value
    return values
