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
    def of(cls, data: object, kind: NumberKind, columns: Mapping[str, str] | None = None) -> Self:
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
        if isinstance(data, cls):
            return data
        if hasattr(data, iterator := _ITERATORS.get(kind, "")):  # a data set of ir_datasets
            data = getattr(data, iterator)()
        if isinstance(data, Iterator):
            data = [*data]
        ranked = False
        if hasattr(data, "to_dict") and not is_table(data):  # a run or judgements of ranx
            data, ranked = data.to_dict(), bool(getattr(data, "sorted", False))
        if not isinstance(data, Mapping):
            frame = as_table(data)
            form_text = f"a dictionary {{query: {{document: {kind}}}}}, a DataFrame or named tuples"
            require(frame is not None, f"expected {form_text}, got {brief(data)}")
            return cls.of_frame(frame, (kind,), columns)[0]
        rows = ((q, d, value) for q, documents in data.items() for d, value in _items(q, documents, kind))
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
        has_names: bool = True,
    ) -> list[Self]:
        """Return the records of each kind of number of a frame, whose documents have names if ``has_names``.

        Otherwise they are named by the numbers of their rows, from 1 on, unless there is a column of names.

        Raises
        ------
        InputError
            As `of`.
        """
        mine = column_names(columns)
        required, optional = ("query", *kinds), ("document",)
        theirs = columns_of(frame.columns, (*required, *optional) if has_names else required, optional, mine)
        query, document = theirs["query"], theirs.get("document")
        documents = range(1, len(frame[query]) + 1) if document is None else frame[document]
        record_sets = cls._of_cells(frame[query], documents, {kind: frame[theirs[kind]] for kind in kinds})
        if is_column_of_scores(theirs.get("label"), mine):
            labels = record_sets[-1].values
            require(bool((labels == np.rint(labels)).all()), f"the column score has fractions{SWAPPED}")
        comparable = document is not None and not are_items(query, document)
        if "score" in kinds and is_rank(mine.get("score")):
            record_sets[0] = record_sets[0].with_values(-record_sets[0].values)
        return [replace(records, comparable=comparable) for records in record_sets]

    @classmethod
    def _of_cells(
        cls,
        queries: Any,
        documents: Any,
        numbers: Mapping[NumberKind, Any],
    ) -> list[Self]:
        """Return the records of each kind of number of columns of cells."""
        names = _names(queries, "query"), _names(documents, "document")
        record_sets = []
        for kind, values in numbers.items():
            records = cls.from_columns(*names, _numbers(values, kind))
            for record in np.flatnonzero(~np.isfinite(records.values))[:1].tolist():
                value_text = f"{records.values[record]} for {records.describe(record)}"
                raise InputError(f"a {kind} must be finite, got {value_text}")
            record_sets.append(records)
        twice = record_sets[0].repeated()
        if twice is not None:
            raise InputError(f"{record_sets[0].describe(twice[1])} occurs twice")
        return record_sets

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
        by_query: dict[str, dict[str, float]] = {query: {} for query in self.queries}
        documents, names = list(by_query.values()), self.names.tolist()
        for row, code, value in zip(
            self.row.tolist(), self.document.tolist(), self.values.tolist(), strict=True
        ):
            documents[row][names[code]] = value
        return by_query

    def only(self, index: Bools | Integers) -> Self:
        """Return some of the records, or all in another order; ``queries`` stays as it is."""
        return replace(self, row=self.row[index], document=self.document[index], values=self.values[index])

    def compact(self) -> Self:
        """Return the same records with the names of their documents only, which are then found sooner."""
        codes, document = np.unique(self.document, return_inverse=True)
        return replace(self, names=self.names[codes], document=document.astype(np.int32))

    def of_queries(self, queries: tuple[str, ...]) -> Self:
        """Return the records of some queries, which become the queries of the result."""
        row = self.index_in(queries)
        subset = self.only(row >= 0)
        return replace(subset, queries=queries, row=row[row >= 0])

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
        duplicates = np.flatnonzero(keys[1:] == keys[:-1])
        if not duplicates.size:
            return None
        at = duplicates[np.argmin(order[duplicates + 1])]
        return int(order[np.searchsorted(keys, keys[at])]), int(order[at + 1])

    def find(self, records: Records) -> Integers:
        """Return the index here of the query and document of each of some records, -1 if there is none."""
        if not len(self):
            return np.full(len(records), -1, np.int64)
        row = records.index_in(self.queries).astype(np.int64)
        document = places(self.names, records.names)[records.document]
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


def _names(cells: Any, kind: str) -> TextColumn:
    """Return the names in some cells; refuse one that is missing, with its row."""
    import pandas as pd

    if isinstance(getattr(cells, "dtype", None), pd.CategoricalDtype):
        names, codes = _names(cells.cat.categories, kind), cells.cat.codes.to_numpy()
        for row in np.flatnonzero(codes < 0)[:1]:
            raise InputError(f"row {row + 1}: the name of the {kind} is missing")
        return names._replace(codes=names.codes[codes])
    parts = []
    for start in range(0, max(len(cells), 1), _ROWS_AT_ONCE):
        end = start + _ROWS_AT_ONCE
        chunk = list(cells.iloc[start:end] if hasattr(cells, "iloc") else cells[start:end])
        texts = [*map(str, chunk)]
        missing = pd.isna(pd.Series(chunk, dtype=object)) | np.array([not t.strip() for t in texts], bool)
        for row in np.flatnonzero(missing)[:1]:
            raise InputError(f"row {start + row + 1}: the name of the {kind} is missing")
        require_utf8(texts, f"the name of a {kind}")
        parts.append(text_column(texts))
    return joined_texts(parts)


def _items(query: object, documents: object, kind: NumberKind) -> Iterable[tuple[object, object]]:
    if isinstance(documents, Mapping):
        return documents.items()
    raise InputError(
        f"query {query}: expected a dictionary of documents, {{document: {kind}}}, got {brief(documents)}"
    )


def is_table(data: object) -> bool:
    """Return whether an object is a frame of pandas or polars, an Arrow table, or a list of rows."""
    kinds = ("iloc", "get_column", "collect_schema", "__arrow_c_stream__")
    return _are_rows(data) or any(hasattr(data, name) for name in kinds)


def _are_rows(data: object) -> bool:
    """Return whether an object is a list of named tuples, or of dictionaries that are no runs."""
    row = data[0] if isinstance(data, list) and data else None
    if hasattr(row, "_fields"):
        return True
    return isinstance(row, Mapping) and not isinstance(row.get(column_of(row, "query"), row), Mapping)


def as_table(data: Any) -> Any:
    """Return a table whose columns are found by name; None for other objects.

    Levels of a pandas index that have names are columns, too, and a lazy frame of polars is collected.
    """
    if _are_rows(data):
        import pandas as pd

        kind = type(data[0])
        for place, row in enumerate(data):
            if type(row) is not kind:
                raise InputError(f"row {place + 1}: expected {kind.__name__} as before, got {brief(row)}")
        return pd.DataFrame(data, dtype=object)  # texts that UTF-8 lacks are refused with the names
    if hasattr(data, "collect"):
        data = data.collect()
    if hasattr(data, "iloc") and any(name is not None for name in data.index.names):
        data = data.reset_index()
    if hasattr(data, "columns") and (hasattr(data, "iloc") or hasattr(data, "get_column")):
        return data
    if hasattr(data, "__arrow_c_stream__"):
        with needing("pyarrow", "Arrow tables are read by"):
            import pyarrow as pa
        try:
            return pa.table(data).to_pandas()
        except pa.ArrowInvalid:
            raise InputError(f"expected a table, got a single column: {brief(data)}") from None
    return None


def column_names(columns: object) -> dict[str, Any]:
    """Return the names of columns, by their names in this package.

    Raises
    ------
    InputError
        If they are not a mapping.

    >>> column_names({"query": "qid"}), column_names(None)
    ({'query': 'qid'}, {})
    """
    if columns is None:
        return {}
    if not isinstance(columns, Mapping):
        raise InputError(
            f'must be names of columns such as {{"query": "qid"}}, got {brief(columns)}', "columns"
        )
    return dict(columns)


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
    names = list(header)
    if explicit := column_names(columns).get(name):
        return explicit if explicit in names else None
    plain = {_plain(column): column for column in reversed(names)}
    as_labels = name == "label" and ("corpusid" in plain or "q_id" in names)
    aliases = COLUMNS[name] + (("score",) if as_labels else ())
    return next((plain[_plain(alias)] for alias in aliases if _plain(alias) in plain), None)


def _plain(column: object) -> str:
    return re.sub("[-_]", "", _TYPE.sub("", str(column))).casefold()


def columns_of(
    header: Iterable[object], required: Iterable[str], optional: Iterable[str], columns: Mapping[str, str]
) -> dict[str, Any]:
    """Return the columns of a table by what they have, of the optional ones those that there are.

    Raises
    ------
    InputError
        If a required column or one that ``columns`` names is missing, or there are several.
    """
    names = list(header)
    present = [name for name in optional if name in columns or column_of(names, name) is not None]
    return {name: _required_column(names, name, columns) for name in dict.fromkeys((*required, *present))}


def _required_column(names: Sequence[object], name: str, columns: Mapping[str, str]) -> object:
    """Return the column of a table as `column_of` does; raise an error if there is none, or several."""
    if (column := column_of(names, name, columns)) is not None:
        require(names.count(column) == 1, f"several columns are called {column!r}")
        return column
    explicit = columns.get(name)
    missing = (
        f"no column {explicit!r}" if explicit else f"no column {name!r} (or {', '.join(COLUMNS[name][1:])})"
    )
    other_kind = {"score": "label", "label": "score"}.get(name)
    turned = (
        f"; it has a {other_kind}{SWAPPED}" if other_kind and column_of(names, other_kind) is not None else ""
    )
    how = f'{name}=NAME names it, or columns={{"{name}": NAME}}'
    advice = "" if explicit else f"{' If not,' if turned else ';'} --columns {how}"
    raise InputError(f"{missing}, the columns are: {', '.join(map(str, names))}{turned}{advice}")


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
