"""Records in columns: documents of queries with a number each, such as a score or a label."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np

from ndcg_asymptotics.core.arrays import Bools, Floats, Integers, brief
from ndcg_asymptotics.core.errors import InputError, InputWarning, needing, require, require_utf8
from ndcg_asymptotics.lists.names import Codes, Names, TextColumn, joined_texts, places, text_column

NumberKind = Literal["score", "label", "time", "rank"]

#: Query -> document -> score.
Run = dict[str, dict[str, float]]

#: Query -> document -> label >= 0.
Qrels = dict[str, dict[str, float]]

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "query": ("query", "query_id", "qid", "q_id", "topic", "user", "user_id"),
    "document": ("document", "doc_id", "docno", "docid", "doc", "corpus_id", "item", "item_id"),
    "score": ("score", "sim", "prediction"),
    "label": ("label", "relevance", "rel", "grade", "rating"),
    "time": ("time", "timestamp", "date"),
    "rank": ("rank",),
    "run": ("run", "run_id", "runid", "system", "model"),
    "measure": ("measure", "metric"),
    "value": ("value",),
}
"""The names of columns in this package, and the names that tables may use for them (`column_of`)."""

_TYPE = re.compile(r":(token|float)(_seq)?$")  # of a column in the files of RecBole

SWAPPED = ": are the run and the qrels swapped?"

_ROWS_AT_ONCE = 1 << 18  # of which Python has strings

_ITERATORS = {"score": "scoreddocs_iter", "label": "qrels_iter"}  # of data sets of ir_datasets


@dataclass(frozen=True)
class RankedList:
    """The list of one query: a score (higher is better) and a label (gain >= 0) per item.

    A score of -inf marks an item that the scorer did not retrieve.
    """

    query: str
    scores: Floats
    labels: Floats


@dataclass(frozen=True)
class Records:
    """Documents of queries with a number each.

    Attributes
    ----------
    queries : tuple of str
        The distinct queries, in order of first appearance.
    row : (n,)
        The query of each document, as an index into ``queries``.
    names : Names
        The distinct names of documents.
    document : (n,)
        The name of each document, as a code of ``names``.
    values : (n,)
        Scores, labels as they are in the file, or times.
    source : str
        The name of the file; empty for records given in Python.
    ranked : bool
        Whether the documents of a query are in order already, those with equal scores too: in a run of ranx.
    comparable : bool
        Whether a document with the name of its query is the query: not where numbers of rows are the names of
        documents, nor for items of users.
    """

    queries: tuple[str, ...]
    row: Codes
    names: Names
    document: Codes
    values: Floats
    source: str = ""
    ranked: bool = False
    comparable: bool = True

    @classmethod
    def of(cls, given: object, kind: NumberKind, columns: Mapping[str, str] | None = None) -> Self:
        """Return the records of a dictionary or a table; Records unchanged.

        A table is a frame of pandas or polars, or any other object with the Arrow stream interface
        (``__arrow_c_stream__``), which pyarrow reads, or named tuples, such as those of ir_measures. Runs and
        judgements of ranx are dictionaries, and data sets of ir_datasets iterate over named tuples.
        ``columns`` names the columns of tables that have other names than those in `COLUMNS`.

        Raises
        ------
        InputError
            For numbers that are not finite, a name that is missing, a document that occurs twice for a query,
            or another type.
        """
        if isinstance(given, cls):
            return given
        if hasattr(given, iterator := _ITERATORS.get(kind, "")):  # a data set of ir_datasets
            given = getattr(given, iterator)()
        if isinstance(given, Iterator):
            given = [*given]
        ranked = False
        if hasattr(given, "to_dict") and not is_table(given):  # a run or judgements of ranx
            given, ranked = given.to_dict(), bool(getattr(given, "sorted", False))
        if not isinstance(given, Mapping):
            frame = as_table(given)
            expected = f"a dictionary {{query: {{document: {kind}}}}}, a DataFrame or named tuples"
            require(frame is not None, f"expected {expected}, got {brief(given)}")
            return cls.of_frame(frame, (kind,), columns)[0]
        rows = ((q, d, value) for q, documents in given.items() for d, value in _items(q, documents, kind))
        cells: tuple[list[object], ...] = tuple(map(list, zip(*rows, strict=True))) or ([], [], [])
        queries, documents, values = cells
        return replace(cls._of_cells(queries, documents, {kind: values})[0], ranked=ranked)

    @classmethod
    def of_frame(
        cls,
        frame: Any,
        kinds: Sequence[NumberKind],
        columns: Mapping[str, str] | None = None,
        *,
        named: bool = True,
    ) -> list[Self]:
        """Return the records of each kind of number of a frame, whose documents have names if ``named``.

        Otherwise they are named by the numbers of their rows, from 1 on, unless there is a column of names.

        Raises
        ------
        InputError
            As `of`.
        """
        mine = column_names(columns)
        wanted, optional = ("query", *kinds), ("document",)
        theirs = columns_of(frame.columns, (*wanted, *optional) if named else wanted, optional, mine)
        query, document = theirs["query"], theirs.get("document")
        documents = range(1, len(frame[query]) + 1) if document is None else frame[document]
        found = cls._of_cells(frame[query], documents, {kind: frame[theirs[kind]] for kind in kinds})
        if is_column_of_scores(theirs.get("label"), mine):
            labels = found[-1].values
            require(bool((labels == np.rint(labels)).all()), f"the column score has fractions{SWAPPED}")
        comparable = document is not None and not are_items(query, document)
        if "score" in kinds and is_rank(mine.get("score")):
            found[0] = found[0].with_values(-found[0].values)
        return [replace(one, comparable=comparable) for one in found]

    @classmethod
    def _of_cells(
        cls,
        queries: Any,
        documents: Any,
        numbers: Mapping[NumberKind, Any],
    ) -> list[Self]:
        """Return the records of each kind of number of columns of cells."""
        names = _names(queries, "query"), _names(documents, "document")
        found = []
        for kind, values in numbers.items():
            records = cls.from_columns(*names, _numbers(values, kind))
            for record in np.flatnonzero(~np.isfinite(records.values))[:1].tolist():
                what = f"{records.values[record]} for {records.describe(record)}"
                raise InputError(f"a {kind} must be finite, got {what}")
            found.append(records)
        twice = found[0].repeated()
        if twice is not None:
            raise InputError(f"{found[0].describe(twice[1])} occurs twice")
        return found

    @classmethod
    def from_columns(
        cls, queries: TextColumn, documents: TextColumn, values: Floats, source: str = ""
    ) -> Self:
        """Return the records of three columns, of which those of names are those of `names.text_column`."""
        distinct = tuple(queries.names.tolist())
        return cls(distinct, queries.codes, documents.names, documents.codes, values, source)

    def __len__(self) -> int:
        return self.values.size

    def describe(self, record: int) -> str:
        """Return the document and the query of a record, for a message.

        >>> Records.of({"q": {"d": 1.0}}, "score").describe(0)
        'document d of query q'
        """
        return f"document {self.names[self.document[record]]} of query {self.queries[int(self.row[record])]}"

    def as_dict(self) -> dict[str, dict[str, float]]:
        """Return a dictionary, query -> document -> number."""
        found: dict[str, dict[str, float]] = {query: {} for query in self.queries}
        documents, names = list(found.values()), self.names.tolist()
        for row, code, value in zip(
            self.row.tolist(), self.document.tolist(), self.values.tolist(), strict=True
        ):
            documents[row][names[code]] = value
        return found

    def only(self, which: Bools | Integers) -> Self:
        """Return some of the records, or all in another order; ``queries`` stays as it is."""
        return replace(self, row=self.row[which], document=self.document[which], values=self.values[which])

    def compact(self) -> Self:
        """Return the same records with the names of their documents only, which are then found sooner."""
        codes, document = np.unique(self.document, return_inverse=True)
        return replace(self, names=self.names[codes], document=document.astype(np.int32))

    def of_queries(self, queries: tuple[str, ...]) -> Self:
        """Return the records of some queries, which become the queries of the result."""
        row = self.index_in(queries)
        found = self.only(row >= 0)
        return replace(found, queries=queries, row=row[row >= 0])

    def index_in(self, queries: Sequence[str]) -> Codes:
        """Return the index of the query of each record among some queries, -1 if it is none of them."""
        index = {query: i for i, query in enumerate(queries)}
        return np.array([index.get(query, -1) for query in self.queries], np.int32)[self.row]

    def with_values(self, values: Floats) -> Self:
        """Return the same documents with other numbers."""
        return replace(self, values=values)

    def name_ranks(self, records: Integers) -> Integers:
        """Return the rank, in increasing order, of the name of each of some records among their names.

        Names are ordered by code points, which is the order of their bytes in UTF-8.
        """
        codes, place = np.unique(self.document[records], return_inverse=True)
        texts = self.names[codes].tolist()
        rank = np.empty(codes.size, np.int64)
        rank[sorted(range(codes.size), key=texts.__getitem__)] = np.arange(codes.size)
        return rank[place]

    def name_order(self) -> Integers:
        """Return the indices of the records, query by query, by increasing name of the document."""
        return np.lexsort((self.name_ranks(np.arange(len(self))), self.row))

    def _keys(self, row: Integers, document: Integers | Codes) -> Integers:
        """Return one number for each pair of a query and a document."""
        return row * len(self.names) + document

    @cached_property
    def _sorted(self) -> tuple[Integers, Integers]:
        """The keys in increasing order, and the record of each."""
        keys = self._keys(self.row.astype(np.int64), self.document)
        order = np.argsort(keys, kind="stable")
        return keys[order], order

    def repeated(self) -> tuple[int, int] | None:
        """Return the first record that repeats a query and document, after the record it repeats.

        >>> records = Records.from_columns(text_column(["q"] * 3), text_column(["a", "b", "a"]), np.ones(3))
        >>> records.repeated()
        (0, 2)
        """
        keys, order = self._sorted
        same = np.flatnonzero(keys[1:] == keys[:-1])
        if not same.size:
            return None
        at = same[np.argmin(order[same + 1])]
        return int(order[np.searchsorted(keys, keys[at])]), int(order[at + 1])

    def find(self, wanted: Records) -> Integers:
        """Return the index here of the query and document of each wanted record, -1 if there is none."""
        if not len(self):
            return np.full(len(wanted), -1, np.int64)
        row = wanted.index_in(self.queries).astype(np.int64)
        document = places(self.names, wanted.names)[wanted.document]
        keys, order = self._sorted
        sought = self._keys(row, document)
        at = np.minimum(np.searchsorted(keys, sought), keys.size - 1)
        return np.where((row >= 0) & (document >= 0) & (keys[at] == sought), order[at], -1)


def ranked_lists(scores: Records, labels: Records) -> list[RankedList]:
    """Return records of scores and labels in the same order as lists, query by query.

    Negative labels give the gain 0.
    """
    order = np.argsort(scores.row, kind="stable")
    ends = np.cumsum(np.bincount(scores.row, minlength=len(scores.queries)))
    parts = zip(scores.queries, np.split(order, ends[:-1]), strict=True)
    gains = np.maximum(labels.values, 0.0)
    return [RankedList(query, scores.values[part], gains[part]) for query, part in parts]


def is_rank(column: str | None) -> bool:
    """Return whether a column that is named for scores is called rank; a warning says that it is taken so."""
    if column is None or _plain(column) not in COLUMNS["rank"]:
        return False
    warnings.warn(
        "the column rank, named for scores, is taken for ranks: 1 is best", InputWarning, stacklevel=3
    )
    return True


def are_items(query: object, document: object) -> bool:
    """Return whether columns of these names are those of users and their items.

    >>> are_items("userId", "item_id:token"), are_items("query", "doc_id")
    (True, False)
    """
    return _plain(query).startswith("user") or _plain(document).startswith("item")


def is_column_of_scores(column: object, columns: Mapping[str, str]) -> bool:
    """Return whether a column of labels is called score, as in BEIR's and ranx's, and not named for them."""
    return column is not None and "label" not in columns and _plain(column) == "score"


def _names(cells: Any, what: str) -> TextColumn:
    """Return the names in some cells; refuse one that is missing, with its row."""
    import pandas as pd

    if isinstance(getattr(cells, "dtype", None), pd.CategoricalDtype):
        names, codes = _names(cells.cat.categories, what), cells.cat.codes.to_numpy()
        for row in np.flatnonzero(codes < 0)[:1]:
            raise InputError(f"row {row + 1}: the name of the {what} is missing")
        return names._replace(codes=names.codes[codes])
    parts = []
    for start in range(0, max(len(cells), 1), _ROWS_AT_ONCE):
        end = start + _ROWS_AT_ONCE
        some = list(cells.iloc[start:end] if hasattr(cells, "iloc") else cells[start:end])
        texts = [*map(str, some)]
        missing = pd.isna(pd.Series(some, dtype=object)) | np.array([not t.strip() for t in texts], bool)
        for row in np.flatnonzero(missing)[:1]:
            raise InputError(f"row {start + row + 1}: the name of the {what} is missing")
        require_utf8(texts, f"the name of a {what}")
        parts.append(text_column(texts))
    return joined_texts(parts)


def _items(query: object, documents: object, kind: NumberKind) -> Iterable[tuple[object, object]]:
    if isinstance(documents, Mapping):
        return documents.items()
    raise InputError(
        f"query {query}: expected a dictionary of documents, {{document: {kind}}}, got {brief(documents)}"
    )


def is_table(given: object) -> bool:
    """Return whether an object is a frame of pandas or polars, an Arrow table, or a list of rows."""
    kinds = ("iloc", "get_column", "collect_schema", "__arrow_c_stream__")
    return _are_rows(given) or any(hasattr(given, name) for name in kinds)


def _are_rows(given: object) -> bool:
    """Return whether an object is a list of named tuples, or of dictionaries that are no runs."""
    row = given[0] if isinstance(given, list) and given else None
    if hasattr(row, "_fields"):
        return True
    return isinstance(row, Mapping) and not isinstance(row.get(column_of(row, "query"), row), Mapping)


def as_table(given: Any) -> Any:
    """Return a table whose columns are found by name; None for other objects.

    Levels of a pandas index that have names are columns, too, and a lazy frame of polars is collected.
    """
    if _are_rows(given):
        import pandas as pd

        kind = type(given[0])
        for place, row in enumerate(given):
            if type(row) is not kind:
                raise InputError(f"row {place + 1}: expected {kind.__name__} as before, got {brief(row)}")
        return pd.DataFrame(given, dtype=object)  # texts that UTF-8 lacks are refused with the names
    if hasattr(given, "collect"):
        given = given.collect()
    if hasattr(given, "iloc") and any(name is not None for name in given.index.names):
        given = given.reset_index()
    if hasattr(given, "columns") and (hasattr(given, "iloc") or hasattr(given, "get_column")):
        return given
    if hasattr(given, "__arrow_c_stream__"):
        with needing("pyarrow", "Arrow tables are read by"):
            import pyarrow as pa
        try:
            return pa.table(given).to_pandas()
        except pa.ArrowInvalid:
            raise InputError(f"expected a table, got a single column: {brief(given)}") from None
    return None


def column_names(given: object) -> dict[str, Any]:
    """Return the names of columns, by their names in this package.

    Raises
    ------
    InputError
        If they are not a mapping.

    >>> column_names({"query": "qid"}), column_names(None)
    ({'query': 'qid'}, {})
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputError(
            f'must be names of columns such as {{"query": "qid"}}, got {brief(given)}', "columns"
        )
    return dict(given)


def column_of(header: Iterable[object], name: str, columns: Mapping[str, str] | None = None) -> Any:
    """Return the column of a table that has what this package calls ``name``; None if there is none.

    Capital letters, hyphens and underscores do not matter, nor does the type after a name of RecBole's.
    ``columns`` has the names of columns that are called otherwise.

    >>> column_of(["userId", "item_id:token"], "query"), column_of(["a", "b"], "query", {"query": "b"})
    ('userId', 'b')
    >>> column_of(["query-id", "corpus-id", "score"], "label")  # judgements of BEIR
    'score'
    >>> column_of(["q_id", "doc_id", "score"], "label")  # of ranx
    'score'
    """
    there = list(header)
    if own := column_names(columns).get(name):
        return own if own in there else None
    plain = {_plain(column): column for column in reversed(there)}
    as_labels = name == "label" and ("corpusid" in plain or "q_id" in there)
    known = COLUMNS[name] + (("score",) if as_labels else ())
    return next((plain[_plain(one)] for one in known if _plain(one) in plain), None)


def _plain(column: object) -> str:
    return re.sub("[-_]", "", _TYPE.sub("", str(column))).casefold()


def columns_of(
    header: Iterable[object], wanted: Iterable[str], optional: Iterable[str], columns: Mapping[str, str]
) -> dict[str, Any]:
    """Return the columns of a table by what they have, of the optional ones those that there are.

    Raises
    ------
    InputError
        If a wanted column or one that ``columns`` names is missing, or there are several.
    """
    there = list(header)
    known = [name for name in optional if name in columns or column_of(there, name) is not None]
    return {name: _required_column(there, name, columns) for name in dict.fromkeys((*wanted, *known))}


def _required_column(there: Sequence[object], name: str, columns: Mapping[str, str]) -> object:
    """Return the column of a table as `column_of` does; raise an error if there is none, or several."""
    if (found := column_of(there, name, columns)) is not None:
        require(there.count(found) == 1, f"several columns are called {found!r}")
        return found
    own = columns.get(name)
    missing = f"no column {own!r}" if own else f"no column {name!r} (or {', '.join(COLUMNS[name][1:])})"
    other = {"score": "label", "label": "score"}.get(name)
    turned = f"; it has a {other}{SWAPPED}" if other and column_of(there, other) is not None else ""
    how = f'{name}=NAME names it, or columns={{"{name}": NAME}}'
    named = "" if own else f"{' If not,' if turned else ';'} --columns {how}"
    raise InputError(f"{missing}, the columns are: {', '.join(map(str, there))}{turned}{named}")


def _numbers(values: Any, kind: NumberKind) -> Floats:
    """Return numbers, or times as numbers; refuse what is none, or too large for a double."""
    from ndcg_asymptotics.lists.reading.lines import timestamp  # which has records, too

    bad: Any = values
    try:
        numbers = np.array([*map(timestamp, values)] if kind == "time" else values, np.float64)
        if numbers.ndim == 1:
            return numbers
    except (TypeError, ValueError, OverflowError):
        pass
    for bad in values:
        try:
            if np.ndim(bad) or np.ndim(np.float64(bad)):
                break
        except (TypeError, ValueError, OverflowError):
            break
    raise InputError(f"a {kind} must be a number{' or a date' * (kind == 'time')}, got {brief(bad)}")
