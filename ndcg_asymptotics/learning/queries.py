"""Queries with the features and labels of their documents, given as arrays or read from SVMlight files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from ndcg_asymptotics.core.arrays import Floats, Integers, as_texts, floats
from ndcg_asymptotics.core.errors import InputError, naming, require
from ndcg_asymptotics.core.files import path_of
from ndcg_asymptotics.learning.labels import Batch
from ndcg_asymptotics.lists import Qrels, Run
from ndcg_asymptotics.lists.reading.svmlight import read_svmlight_lines
from ndcg_asymptotics.measures.gains import Gain, label_gains, negative_labels_in

LARGEST_VALUE = 1e100
"""The greatest size of the value of a feature."""


@dataclass(frozen=True, eq=False)
class Queries:
    """Queries with the features and labels of their documents, end to end.

    Parameters
    ----------
    features : (n, d)
        From -1e100 to 1e100, so that their variances are finite.
    labels : (n,)
        From 0 to 1000.
    sizes : (Q,)
        The number of documents of each query.
    names : sequence of str, optional
        The names of the queries, all different; by default 1, 2, ….
    documents : sequence of str, optional
        The names of the documents, different within a query; by default 1, 2, … within each query.

    >>> queries = Queries([[0.1], [0.7], [0.2]], [0, 2, 1], [2, 1])
    >>> queries.qrels("linear"), queries.run([3.0, 1.0, 0.0])["1"]
    ({'1': {'1': 0.0, '2': 2.0}, '2': {'1': 1.0}}, {'1': 3.0, '2': 1.0})

    Raises
    ------
    InputError
        For inconsistent shapes, features that are out of range, or repeated names.
    """

    features: Floats
    labels: Floats
    sizes: Integers
    names: Sequence[str] = field(default=())
    documents: Sequence[str] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        features = floats(self.features, "features", "a table of numbers")
        lists = Batch(floats(self.labels, "labels"), np.asarray(self.sizes))
        object.__setattr__(self, "labels", lists.labels)
        object.__setattr__(self, "sizes", lists.sizes)
        shaped = features.ndim == 2 and len(features) == lists.labels.size and features.shape[1] > 0
        requirement = f"must be one row of numbers for each of the {lists.labels.size} labels"
        require(shaped, f"{requirement}, got shape {features.shape}", "features")
        bad = np.argwhere(~(np.abs(features) <= LARGEST_VALUE))
        if bad.size:
            row, column = bad[0].tolist()
            raise InputError(
                f"must lie between -{LARGEST_VALUE:g} and {LARGEST_VALUE:g}, got {features[row, column]:g} "
                f"in row {row + 1}, column {column + 1}",
                "features",
            )
        object.__setattr__(self, "features", features)
        names = tuple(as_texts(self.names, "names")) or tuple(str(q + 1) for q in range(lists.sizes.size))
        documents = tuple(as_texts(self.documents, "documents")) or tuple(
            str(d + 1) for n in lists.sizes.tolist() for d in range(n)
        )
        require(
            len(set(names)) == len(names) == lists.sizes.size,
            "must be one for each query, all different",
            "names",
        )
        require(len(documents) == lists.labels.size, "must be one for each label", "documents")
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "documents", documents)
        for name, start, stop in self._spans():
            if len(set(documents[start:stop])) < stop - start:
                raise InputError(f"query {name} names a document twice", "documents")

    @property
    def count(self) -> int:
        """The number of queries."""
        return len(self.names)

    @cached_property
    def batch(self) -> Batch:
        """The labels as a batch, which losses take."""
        return Batch(self.labels, self.sizes)

    def select(self, queries: ArrayLike) -> Self:
        """Return some of the queries, by their indices, in the order given."""
        indices = np.asarray(queries, np.int64)
        batch, items = self.batch.select(indices)
        names, documents = [self.names[q] for q in indices], [self.documents[i] for i in items]
        return type(self)(self.features[items], batch.labels, batch.sizes, names, documents)

    def with_width(self, width: int) -> Self:
        """Return the same queries with at least ``width`` features; added ones are 0.

        A file that never names its last features has fewer than others.
        """
        short = width - self.features.shape[1]
        return replace(self, features=np.pad(self.features, ((0, 0), (0, short)))) if short > 0 else self

    def run(self, scores: ArrayLike) -> Run:
        """Return scores (n,) of the documents as a run, query -> document -> score."""
        return self._by_query(self.batch.check_scores(scores))

    def qrels(self, gain: Gain = "exp2") -> Qrels:
        """Return the gains of the documents as judgements, query -> document -> gain."""
        return self._by_query(label_gains(self.labels, gain))

    def _by_query(self, values: Floats) -> dict[str, dict[str, float]]:
        return {
            name: dict(zip(self.documents[start:stop], values[start:stop].tolist(), strict=True))
            for name, start, stop in self._spans()
        }

    def _spans(self) -> list[tuple[str, int, int]]:
        starts = self.batch.starts
        return list(zip(self.names, starts.tolist(), (starts + self.sizes).tolist(), strict=True))


_DENSE_NUMBERS, _DENSE_NUMBERS_PER_BYTE = 1 << 26, 100
"""Files may expand to 64 million numbers (0.5 GB), zeros included, and 100 more for each of their bytes.

A single line ``0 qid:1 1000000:1`` gives every line of its files a million numbers."""


def read_svmlight(*paths: Path | str, gain: Gain = "exp2") -> Queries:
    r"""Read the queries of one or several SVMlight files, plain or compressed by gzip or zstd.

    The lines of a query must stand together. Features that a line does not name are 0. The name of a document
    is the ``docid = name`` in the comment at the end of its line if all lines have one, otherwise its number
    within the query. Negative labels are refused; those that a table of gains names become 0.

    Raises
    ------
    InputError
        For a file that is missing, empty or damaged; for an invalid line, with its number; and if
        scikit-learn is not installed.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "train.txt"
    ...     _ = file.write_text("2 qid:7 1:0.5 3:1\n0 qid:7 2:0.25\n")
    ...     read_svmlight(file).features
    array([[0.5 , 0.  , 1.  ],
           [0.  , 0.25, 0.  ]])
    """
    if not paths:
        raise InputError("needs at least one file", "paths")
    files = [path_of(path, "paths") for path in paths]
    parts = []
    for file in files:
        of_file = list(read_svmlight_lines(file, negative_labels_in(gain)))
        require(bool(of_file), f"{file}: holds no data, expected lines 'label qid:query feature:value …'")
        parts += of_file
    width = max(part.features.shape[1] for part in parts)
    rows = sum(part.labels.size for part in parts)
    most = _DENSE_NUMBERS + _DENSE_NUMBERS_PER_BYTE * sum(file.stat().st_size for file in files)
    place = ", ".join(map(str, files))
    require(
        rows * width <= most,
        f"{place}: {rows} lines and features up to {width} are {rows * width:,} numbers, the most that files "
        f"of this size may hold are {most:,}",
    )
    features, start = np.zeros((rows, width)), 0
    for part in parts:
        stop = start + part.labels.size
        features[start:stop, : part.features.shape[1]] = part.features.toarray()
        start = stop
    labels = np.maximum(np.concatenate([part.labels for part in parts]), 0.0)
    queries = np.array([query for part in parts for query in part.queries], object)
    starts = np.append(0, np.flatnonzero(queries[1:] != queries[:-1]) + 1)
    names = queries[starts].tolist()
    earlier_names: set[str] = set()
    for name in names:
        require(name not in earlier_names, f"{place}: the lines of query {name} do not stand together")
        earlier_names.add(name)
    sizes = np.diff(starts, append=queries.size)
    documents = [document for part in parts for document in part.documents]
    with naming(place, fields=True):
        return Queries(features, labels, sizes, names, documents if all(documents) else ())
