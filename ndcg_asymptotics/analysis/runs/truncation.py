"""Rates at which n documents, drawn from those of a query, order two runs as its whole list does.

The documents of a query arrive in random order, the same for all runs, and the first n of them are a
sample of the list. Two runs have the same ideal list, so their order is that of DCG, a sum over the relevant
documents of the list. The rank of such a document is the number of documents of the list that its run does
not put behind it; it is counted for all lengths at once, in a table of places among the relevant documents
and lengths.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ndcg_asymptotics.analysis.runs.compared import Cut
from ndcg_asymptotics.analysis.runs.paired import ROUNDING
from ndcg_asymptotics.core.arrays import Floats, Integers, random_generator
from ndcg_asymptotics.lists.growth import student_interval
from ndcg_asymptotics.lists.pooling import Pooled
from ndcg_asymptotics.measures import Measure

_SIZES = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
_LISTS = 1000  # samples, over queries and orders of arrival, for each rate


def cuts_of_pairs(
    documents: Pooled, measures: Sequence[Measure], pairs: Sequence[tuple[str, str]], level: float, seed: int
) -> dict[tuple[str, str], list[tuple[Cut, ...]]]:
    """Return the rates of each pair of runs, by measure.

    Only queries whose whole lists differ count; a tie at n is not the order of the whole list. Intervals are
    Student's over queries.

    Parameters
    ----------
    documents : Pooled
        With gains for labels.
    measures : (measures,)
    pairs : names of two runs each
    level : float
        Confidence level of the intervals.
    seed : int
    """
    sizes = [n for n in _SIZES if n < np.median(documents.sizes)]
    if not sizes:
        return {pair: [()] * len(measures) for pair in pairs}
    rng, queries = random_generator(seed), len(documents.queries)
    orders = max(1, min(10, _LISTS // queries))
    hits = np.full((queries, len(measures), len(pairs), len(sizes)), np.nan)
    first, second = np.array([[documents.runs.index(name) for name in pair] for pair in pairs]).T
    parts = list(documents.query_slices())
    for query in np.sort(rng.permutation(queries)[:_LISTS]).tolist():
        scores, gains = documents.scores[:, parts[query]], documents.documents.values[parts[query]]
        lengths = np.minimum([*sizes, gains.size], gains.size)
        levels = np.stack([np.unique(-of_run, return_inverse=True)[1] for of_run in scores])
        weights = rank_weights(measures, lengths)
        right = np.zeros(hits.shape[1:])
        decided = np.zeros(hits.shape[1:])
        for _ in range(orders):
            dcg = truncated_dcg(levels, gains, rng.permutation(gains.size), lengths, weights)
            a, b = dcg[:, first], dcg[:, second]
            order = np.sign(a - b) * (np.abs(a - b) > ROUNDING * np.maximum(a, b))
            whole = order[..., -1:]
            decided += whole != 0
            right += (order[..., :-1] == whole) & (whole != 0)
        known = (decided > 0) & (np.array(sizes) <= gains.size)
        np.divide(right, decided, out=hits[query], where=known)
    rates = _rates(hits.reshape(queries, -1), level)
    return {
        pair: [
            tuple(
                Cut(n, *rates[found])
                for k, n in enumerate(sizes)
                if (found := (m * len(pairs) + p) * len(sizes) + k) in rates
            )
            for m in range(len(measures))
        ]
        for p, pair in enumerate(pairs)
    }


def truncated_dcg(
    levels: Integers, gains: Floats, arrival: Integers, lengths: Integers, weights: Floats
) -> Floats:
    """Return the DCG of several runs on the first documents that arrive.

    Parameters
    ----------
    levels : (runs, documents)
        The number of larger scores that occur in the run. Of documents with equal scores the one that
        arrived earlier ranks first.
    gains : (documents,)
    arrival : (documents,)
        The documents in order of arrival.
    lengths : (lengths,)
        In increasing order.
    weights : (measures, lengths, 1 + largest length)
        From `rank_weights`.

    Returns
    -------
    (measures, runs, lengths) array

    >>> weights = rank_weights([Measure.parse("DCG(zipf)")], np.array([2, 3]))
    >>> levels, gains = np.array([[2, 0, 1]]), np.array([1.0, 0.0, 2.0])
    >>> truncated_dcg(levels, gains, np.array([0, 2, 1]), np.array([2, 3]), weights).round(4)
    array([[[2.5   , 1.3333]]])
    """
    time = np.empty_like(arrival)
    time[arrival] = np.arange(arrival.size)
    shortest = np.searchsorted(lengths, time, side="right")  # the first length with the document
    relevant = np.flatnonzero(gains)
    runs, count, end = len(levels), relevant.size, len(lengths)
    keys = levels * arrival.size + time
    best = np.argsort(keys[:, relevant], axis=1)
    ranked = relevant[best]
    tables = np.empty((runs, count, end), np.int64)
    for key, own, table in zip(keys, ranked, tables, strict=True):
        # documents count in the ranks of the relevant ones from this place on
        place = np.searchsorted(key[own], key)
        table[:] = np.bincount(place * end + shortest, minlength=(count + 1) * end).reshape(-1, end)[:count]
    ranks = tables.cumsum(axis=1).cumsum(axis=2)
    there = shortest[ranked][:, :, None] < np.arange(1, end + 1)
    own_gains = np.where(there, gains[ranked][:, :, None], 0.0)
    found = weights[:, np.arange(end), ranks]
    return np.asarray((found * own_gains).sum(axis=2))


def rank_weights(measures: Sequence[Measure], lengths: Integers) -> Floats:
    """Return the discount of each rank in lists of each length, (measures, lengths, 1 + largest length).

    It is 0 for rank 0 and beyond the cutoff.
    """
    weights = np.zeros((len(measures), len(lengths), 1 + int(lengths[-1])))
    for m, measure in enumerate(measures):
        for i, n in enumerate(lengths.tolist()):
            k = min(measure.cutoff(n), n)
            weights[m, i, 1 : k + 1] = measure.discount(np.arange(1.0, k + 1), float(n))
    return weights


def _rates(hits: Floats, level: float) -> dict[int, tuple[float, float, float]]:
    """Return the mean of each column of hits, (queries, columns), without NaN, and its interval.

    Columns with fewer than two numbers are left out.
    """
    found = {}
    for column, of_queries in enumerate(hits.T):
        values = of_queries[np.isfinite(of_queries)]
        if values.size > 1:
            low, high = np.clip(student_interval(values, level), 0.0, 1.0).tolist()
            found[column] = (float(values.mean()), low, high)
    return found
