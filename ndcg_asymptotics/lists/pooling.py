"""Pool several runs, so that all of them rank the same documents for each query.

The pool of a query holds the documents that any of the runs retrieved, so the labels are the same for all
runs. The documents that a run did not retrieve are tied below all that it did.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, Integers, require_choice
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.lists.inputs import judgements_of, runs_of
from ndcg_asymptotics.lists.judgements import warn_of_twins
from ndcg_asymptotics.lists.names import united
from ndcg_asymptotics.lists.records import RankedList, Records

PoolRule = Literal["retrieved", "judged"]


@dataclass(frozen=True)
class Pooled:
    """Several runs on the same documents.

    Attributes
    ----------
    runs : tuple of str
    documents : Records
        The documents, query by query and by increasing name; their values are the labels.
    scores : (runs, documents)
        The scores of each run; -inf for a document that it did not retrieve.
    """

    runs: tuple[str, ...]
    documents: Records
    scores: Floats

    @property
    def queries(self) -> tuple[str, ...]:
        """The queries, in increasing order."""
        return self.documents.queries

    @property
    def sizes(self) -> Integers:
        """The number of documents of each query."""
        return np.bincount(self.documents.row, minlength=len(self.queries))

    def of_queries(self, queries: tuple[str, ...]) -> Pooled:
        """Return the same runs on some of the queries."""
        in_queries = np.isin(self.documents.row, [self.queries.index(query) for query in queries])
        return Pooled(self.runs, self.documents.of_queries(queries), self.scores[:, in_queries])

    def query_slices(self) -> Iterator[slice]:
        """Return the slice of the documents of each query."""
        ends = np.cumsum(self.sizes).tolist()
        return (slice(start, end) for start, end in zip([0, *ends[:-1]], ends, strict=True))

    def lists(self) -> dict[str, list[RankedList]]:
        """Return the ranked lists of each run."""
        labels = self.documents.values
        return {
            name: [
                RankedList(query, scores[part], labels[part])
                for query, part in zip(self.queries, self.query_slices(), strict=True)
            ]
            for name, scores in zip(self.runs, self.scores, strict=True)
        }


def pool_runs(runs: object, qrels: object, documents: PoolRule = "retrieved") -> Pooled:
    """Make runs rank the same documents, for the queries that all runs and the judgements have.

    Parameters
    ----------
    runs, qrels : as evaluate takes them
        Documents without a judgement have the label 0.
    documents : {"retrieved", "judged"}
        The pool of a query holds the documents that any of the runs retrieved; "judged" adds those of the
        judgements.

    Raises
    ------
    InputError
        If no query is in all runs and the judgements.

    >>> runs = {"a": {"q": {"x": 2.0, "y": 1.0}}, "b": {"q": {"z": 5.0}}}
    >>> pool_runs(runs, {"q": {"z": 1.0}}).lists()["a"][0].scores
    array([  2.,   1., -inf])
    """
    require_choice(documents, get_args(PoolRule), "pool")
    scores = runs_of(runs)
    labels = judgements_of(qrels)
    for run in scores.values():
        warn_of_twins(run, labels)
    queries = tuple(sorted({*labels.queries}.intersection(*(run.queries for run in scores.values()))))
    require(len(queries) > 0, f"{', '.join(scores)} and the qrels have no query in common")
    parts = [*scores.values(), *([labels] if documents == "judged" else [])]
    parts = [part.of_queries(queries) for part in parts]
    codes, names = united([part.names for part in parts])
    row = np.concatenate([part.row for part in parts]).astype(np.int64)
    document = np.concatenate([new[part.document] for new, part in zip(codes, parts, strict=True)])
    _, first, place = np.unique(row * len(names) + document, return_index=True, return_inverse=True)
    pool = Records(queries, row[first].astype(np.int32), names, document[first], np.zeros(first.size))
    order = pool.name_order()
    pool = pool.only(order)
    column = np.empty_like(order)
    column[order] = np.arange(order.size)
    values = np.full((len(scores), order.size), -np.inf)
    places = np.split(column[place], np.cumsum([len(part) for part in parts])[:-1])
    for of_run, part, columns in zip(values, parts, places, strict=False):  # without the judgements
        of_run[columns] = part.values
    return Pooled(tuple(scores), pool.with_values(look_up(labels, pool, 0.0)), values)


def look_up(records: Records, documents: Records, default: float) -> Floats:
    """Return the value that each of some documents has in some records, or the default."""
    positions = records.find(documents)
    return np.where(positions >= 0, records.values[positions], default)
