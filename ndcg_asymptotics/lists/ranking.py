"""The ranks of the relevant documents of each query, and NDCG of all queries at once.

Documents without a gain only take up ranks, so NDCG is a sum over the relevant documents, which are a few
thousand of some hundred thousand. `relevant_ranks` finds their ranks, and `ndcg` sums their discounted gains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Bools, Floats, Integers
from ndcg_asymptotics.lists.records import Records
from ndcg_asymptotics.measures import Measure

Ties = Literal["trec", "average", "file", "worst", "quicksort"]
Ideal = Literal["judged", "retrieved"]

TieOrder = Literal["trec", "average", "file", "worst"]
"""The rules of `Ties` by which `relevant_ranks` orders documents; `in_order` turns the others into these."""

Rows = NDArray[np.int32]

_SIGN_BIT = np.uint32(1 << 31)


@dataclass(frozen=True)
class Ranks:
    """The ranks of some documents of a run.

    Attributes
    ----------
    query : (documents,)
    above, tied : (documents,)
        The number of documents above the document and its ties, and the number of documents with its score,
        itself included; 1 if ties are broken.
    """

    query: Rows
    above: Integers
    tied: Integers


@dataclass(frozen=True)
class RelevantRanks(Ranks):
    """The ranks of the relevant documents of some queries in a run, and in the ideal lists.

    Attributes
    ----------
    gain : (documents,)
        The gains of the relevant documents that were retrieved.
    sizes, judged, relevant : (queries,)
        The numbers of documents that the run retrieved, that are judged, and that have a gain.
    ideal_query, ideal_gain, ideal_above : (relevant,)
        The same for the ideal list of each query, by decreasing gain.
    unbroken : pair of (documents,), optional
        ``above`` and ``tied`` before ties were broken by name; None if there were none, or another rule.
    """

    gain: Floats
    sizes: Integers
    judged: Integers
    relevant: Integers
    ideal_query: Rows
    ideal_gain: Floats
    ideal_above: Integers
    unbroken: tuple[Integers, Integers] | None = None

    def averaged(self) -> RelevantRanks | None:
        """Return the ranks with ties averaged that were broken by name; None if there are none."""
        if self.unbroken is None:
            return None
        above, tied = self.unbroken
        return replace(self, above=above, tied=tied, unbroken=None)


def in_order(run: Records, ties: Ties) -> tuple[Records, TieOrder]:
    """Return a run and the rule by which its tied documents are ordered.

    "quicksort": the order in which the quicksort of numba, which is not stable, leaves the documents of each
    query; the run is put in this order, unless it is ranked already.
    """
    if ties != "quicksort":
        return run, ties
    if run.ranked:
        return run, "file"
    from ndcg_asymptotics.engines.shared.quicksort import sorted_parts

    order = np.argsort(run.row, kind="stable")
    ends = np.cumsum(np.bincount(run.row, minlength=len(run.queries)))
    return run.only(order[sorted_parts(-run.values[order], ends)]), "file"


def relevant_ranks(
    run: Records, gains: Records, queries: Sequence[str], ties: TieOrder, ideal: Ideal
) -> RelevantRanks:
    """Find the ranks of the relevant documents of some queries in a run.

    Parameters
    ----------
    run : Records
        Scores, higher is better.
    gains : Records
        The gains of the judged documents, >= 0.
    queries : sequence of str
    ties : {"trec", "average", "file", "worst"}
        "trec": scores are compared in single precision and ties are broken by decreasing name, as in
        trec_eval. Otherwise scores are compared in double precision. "average": a tied document has the mean
        discount over the ranks of its ties; "file": ties keep the order of the records; "worst": those of
        smaller gain come first.
    ideal : {"judged", "retrieved"}
        The documents that the ideal list is made of.
    """
    judged = gains.index_in(queries)
    sizes = np.bincount(judged[judged >= 0], minlength=len(queries))
    relevant = (gains.values > 0) & (judged >= 0)
    documents, query = gains.only(relevant), judged[relevant]
    run, row, lengths = _of_queries(run, queries)
    positions = run.find(documents)
    retrieved = positions >= 0
    above, tied, unbroken = _ranks(run, row, lengths, positions[retrieved], ties, documents.values[retrieved])
    pool = retrieved if ideal == "retrieved" else np.ones(retrieved.size, bool)
    order = np.lexsort((-documents.values[pool], query[pool]))
    ideal_query = query[pool][order]
    counts = np.bincount(ideal_query, minlength=len(queries))
    ideal_above = np.arange(order.size) - (np.cumsum(counts) - counts)[ideal_query]
    return RelevantRanks(
        sizes=lengths,
        judged=sizes,
        relevant=np.bincount(query, minlength=len(queries)),
        query=query[retrieved],
        gain=documents.values[retrieved],
        above=above,
        tied=tied,
        ideal_query=ideal_query,
        ideal_gain=documents.values[pool][order],
        ideal_above=ideal_above,
        unbroken=unbroken,
    )


def unjudged_ranks(
    run: Records, labels: Records, queries: Sequence[str], ties: TieOrder, depth: int
) -> tuple[Ranks, Integers]:
    """Return the ranks of the documents of a run that are not judged, and the number retrieved by query.

    Parameters
    ----------
    run, labels : Records
        A document is judged if the labels hold it.
    queries : sequence of str
    ties : {"trec", "average", "file", "worst"}
        As in `relevant_ranks`; "worst" puts unjudged documents first, since they have no gain.
    depth : int
        Documents that are certainly below this rank are left out.
    """
    run, row, sizes = _of_queries(run, queries)
    run, row, lengths = _of_queries(run.only(_at_the_top(run, row, sizes, depth)).compact(), queries)
    unjudged = np.flatnonzero(labels.find(run) < 0)
    gains = np.full(unjudged.size, -1.0)  # below any gain, so that "worst" puts them first
    above, tied, _ = _ranks(run, row, lengths, unjudged, ties, gains)
    return Ranks(row[unjudged], above, tied), sizes


def _of_queries(run: Records, queries: Sequence[str]) -> tuple[Records, Rows, Integers]:
    """Return the documents of some queries, the query of each, and the number of each query."""
    row = run.index_in(queries)
    if (row < 0).any():
        run, row = run.only(row >= 0), row[row >= 0]
    return run, row, np.bincount(row, minlength=len(queries))


def _at_the_top(run: Records, row: Rows, lengths: Integers, depth: int) -> Bools:
    """Return which documents have a score of at least that at rank ``depth`` of their query."""
    with np.errstate(over="ignore"):
        scores = run.values.astype(np.float32)  # documents that tie in single precision are both kept
    same_query = row[1:] == row[:-1]
    ranked = ((row[1:] > row[:-1]) | (same_query & (scores[1:] <= scores[:-1]))).all()  # as most runs are
    order = np.arange(row.size) if ranked else np.lexsort((-scores, row))
    last = np.cumsum(lengths) - 1
    least = np.full(lengths.size, -np.inf, np.float32)
    nonempty = lengths > 0
    place = np.minimum(last, last - lengths + depth)[nonempty]
    least[nonempty] = scores[order[place]]
    return np.asarray(scores >= least[row])


def _ranks(
    run: Records, row: Rows, lengths: Integers, documents: Integers, ties: TieOrder, gains: Floats
) -> tuple[Integers, Integers, tuple[Integers, Integers] | None]:
    """Return the number of documents above the ties of each of some documents, and of its ties.

    The third is the same before ties were broken by name, None if there are none or for another rule.
    """
    starts = np.cumsum(lengths) - lengths
    if ties == "trec":
        return _break_ties_by_name(run, row, starts, documents)
    return (*_count_ties(run, row, starts, documents, _tie_keys(ties, len(run), documents, gains)), None)


def _break_ties_by_name(
    run: Records, row: Rows, starts: Integers, documents: Integers
) -> tuple[Integers, Integers, tuple[Integers, Integers] | None]:
    """Return the number of documents above each of some, with ties broken by decreasing name, and ones."""
    key = row.astype(np.uint64) << np.uint64(32)
    key |= _descending_keys(run.values)
    # most runs are sorted already, and checking this is faster than sorting
    ranked, mine = key if (key[1:] >= key[:-1]).all() else np.sort(key), key[documents]
    above = np.searchsorted(ranked, mine)
    tied = np.searchsorted(ranked, mine, side="right") - above
    crowd, unbroken = np.unique(mine[tied > 1]), None
    if crowd.size:  # ties without a relevant document do not matter
        place = np.searchsorted(crowd, key)  # `isin` would take three times the memory
        members = np.flatnonzero(crowd[np.minimum(place, crowd.size - 1, out=place)] == key)
        members = members[np.lexsort((-run.name_ranks(members), key[members]))]
        group = key[members]
        place = np.arange(members.size) - np.searchsorted(group, group)
        order = np.argsort(members)
        at = np.minimum(np.searchsorted(members, documents, sorter=order), members.size - 1)
        among = members[order[at]] == documents
        unbroken = above - starts[row[documents]], tied
        above[among] += place[order[at[among]]]
    return above - starts[row[documents]], np.ones(documents.size, np.int64), unbroken


def _descending_keys(scores: Floats) -> NDArray[np.uint32]:
    """Return scores in single precision as whole numbers that increase as the scores decrease."""
    with np.errstate(over="ignore"):
        bits = (scores.astype(np.float32) + np.float32(0)).view(
            np.uint32
        )  # adding 0 turns -0 into 0, so that they tie
    return np.asarray(np.where(bits & _SIGN_BIT, bits, ~bits & ~_SIGN_BIT))


def _tie_keys(ties: TieOrder, size: int, documents: Integers, gains: Floats) -> Floats:
    """Return a number for each document of a run; those of equal score are ordered by increasing number."""
    keys = np.zeros(size)
    if ties == "file":
        keys = np.arange(size, dtype=np.float64)
    elif ties == "worst":
        keys[documents] = gains
    return keys


def _count_ties(
    run: Records, row: Rows, starts: Integers, documents: Integers, keys: Floats
) -> tuple[Integers, Integers]:
    """Return the numbers of documents above the ties of each of some documents, and of its ties.

    Documents tie if their scores and their keys are equal.
    """
    order = np.lexsort((keys, -run.values, row))
    score, key, query = run.values[order], keys[order], row[order]
    begins = np.append(True, (score[1:] != score[:-1]) | (key[1:] != key[:-1]) | (query[1:] != query[:-1]))
    first = np.flatnonzero(begins)
    group = np.empty(order.size, np.int64)
    group[order] = np.cumsum(begins) - 1
    mine = group[documents]
    return first[mine] - starts[row[documents]], np.diff(first, append=order.size)[mine]


def ndcg(ranks: RelevantRanks, measure: Measure) -> Floats:
    """Return NDCG of each query, which is 0 if the ideal list has no gain, or DCG.

    For a cutoff or discount that depends on n, n is the number of retrieved documents, also in the ideal
    list. Otherwise the ideal list may be longer than n.
    """
    discounts = _mean_discounts(measure, ranks.sizes, ranks.sizes, ranks)
    dcg = np.bincount(ranks.query, ranks.gain * discounts, ranks.sizes.size)
    if not measure.normalised:
        return np.asarray(dcg)
    best = ideal_dcg(ranks, measure)
    ratio = np.divide(dcg, best, out=np.zeros(best.size), where=best > 0)
    return np.asarray(np.minimum(ratio, 1.0))  # rounding must not make it exceed 1


def ideal_dcg(ranks: RelevantRanks, measure: Measure) -> Floats:
    """Return DCG of the ideal list of each query."""
    ideal = Ranks(ranks.ideal_query, ranks.ideal_above, np.ones_like(ranks.ideal_above))
    lengths = ranks.sizes if measure.depends_on_n else np.maximum(ranks.sizes, ranks.judged)
    discounts = _mean_discounts(measure, ranks.sizes, lengths, ideal)
    return np.asarray(np.bincount(ideal.query, ranks.ideal_gain * discounts, ranks.sizes.size), np.float64)


def _mean_discounts(measure: Measure, sizes: Integers, lengths: Integers, ranks: Ranks) -> Floats:
    """Return the mean discounts in lists of some lengths, in which n is the number of retrieved documents."""
    n, lengths = np.maximum(sizes, 1), np.maximum(lengths, 1)
    different, inverse = np.unique(lengths, return_inverse=True)
    cut = np.array([measure.cutoff(length) for length in different.tolist()], np.int64)[inverse]
    weights = np.array([measure.discount.coefficients(length) for length in n.tolist()])
    last = min(int((ranks.above + ranks.tied).max(initial=0)), int(cut.max(initial=0)))
    sums = _cumulative_basis(measure, last)
    of_document = cut[ranks.query]
    low, high = np.minimum(ranks.above, of_document), np.minimum(ranks.above + ranks.tied, of_document)
    discount = ((sums[:, high] - sums[:, low]) / ranks.tied).astype(np.float64)
    return np.asarray(np.einsum("ti,it->t", weights[ranks.query], discount))


def _cumulative_basis(measure: Measure, last: int) -> NDArray[np.longdouble]:
    """Return the sums of B_i(r) over r <= k = 0 … last, a row per basis function B_i of the discount."""
    ranks = np.arange(1.0, last + 1)
    rows = [np.cumsum(basis(ranks), dtype=np.longdouble) for basis in measure.discount.basis()]
    return np.concatenate((np.zeros((len(rows), 1), np.longdouble), rows), axis=1)
