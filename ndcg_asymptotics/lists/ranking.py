"""The ranks of the relevant documents of each query, and NDCG of all queries at once.

Documents without a gain only take up ranks, so NDCG is a sum over the relevant documents, which are a few
thousand of some hundred thousand. `relevant_ranks` finds their ranks, and `ndcg` sums their discounted gains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.lists.records import Records
from ndcg_asymptotics.measures import Measure

Ties = Literal["trec", "average", "file", "worst"]
Ideal = Literal["judged", "retrieved"]

Rows = NDArray[np.int32]

_SIGN_BIT = np.uint32(1 << 31)


@dataclass(frozen=True)
class RelevantRanks:
    """The ranks of the relevant documents of some topics in a run, and in the ideal lists.

    Attributes
    ----------
    sizes, judged, relevant : (topics,)
        The numbers of documents that the run retrieved, that are judged, and that have a gain.
    topic, gain : (found,)
        The topics and gains of the relevant documents that were retrieved.
    above, tied : (found,)
        The number of documents above the document and its ties, and the number of documents with its score,
        itself included; 1 if ties are broken.
    ideal_topic, ideal_gain, ideal_above : (relevant,)
        The same for the ideal list of each topic, by decreasing gain.
    """

    sizes: Integers
    judged: Integers
    relevant: Integers
    topic: Rows
    gain: Floats
    above: Integers
    tied: Integers
    ideal_topic: Rows
    ideal_gain: Floats
    ideal_above: Integers


def relevant_ranks(
    run: Records, gains: Records, topics: Sequence[str], ties: Ties, ideal: Ideal
) -> RelevantRanks:
    """Find the ranks of the relevant documents of some topics in a run.

    Parameters
    ----------
    run : Records
        Scores, higher is better.
    gains : Records
        The gains of the judged documents, >= 0.
    topics : sequence of str
    ties : {"trec", "average", "file", "worst"}
        "trec": scores are compared in single precision and ties are broken by decreasing name, as in
        trec_eval. Otherwise scores are compared in double precision. "average": a tied document has the mean
        discount over the ranks of its ties; "file": ties keep the order of the records; "worst": those of
        smaller gain come first.
    ideal : {"judged", "retrieved"}
        The documents that the ideal list is made of.
    """
    judged = gains.index_in(topics)
    sizes = np.bincount(judged[judged >= 0], minlength=len(topics))
    relevant = (gains.values > 0) & (judged >= 0)
    wanted, wanted_topic = gains.only(relevant), judged[relevant]
    row = run.index_in(topics)
    if (row < 0).any():
        run, row = run.only(row >= 0), row[row >= 0]
    lengths = np.bincount(row, minlength=len(topics))
    found = run.find(wanted)
    there = found >= 0
    starts, here = np.cumsum(lengths) - lengths, found[there]
    if ties == "trec":
        above, tied = _break_ties_by_name(run, row, starts, here)
    else:
        above, tied = _count_ties(
            run, row, starts, here, _tie_keys(ties, len(run), here, wanted.values[there])
        )
    pool = there if ideal == "retrieved" else np.ones(there.size, bool)
    order = np.lexsort((-wanted.values[pool], wanted_topic[pool]))
    ideal_topic = wanted_topic[pool][order]
    counts = np.bincount(ideal_topic, minlength=len(topics))
    ideal_above = np.arange(order.size) - (np.cumsum(counts) - counts)[ideal_topic]
    return RelevantRanks(
        lengths, sizes, np.bincount(wanted_topic, minlength=len(topics)),
        wanted_topic[there], wanted.values[there], above, tied,
        ideal_topic, wanted.values[pool][order], ideal_above,
    )  # fmt: skip


def _break_ties_by_name(
    run: Records, row: Rows, starts: Integers, wanted: Integers
) -> tuple[Integers, Integers]:
    """Return the number of documents above each wanted one, with ties broken by decreasing name, and ones."""
    key = row.astype(np.uint64) << np.uint64(32)
    key |= _descending_keys(run.values)
    # most runs are sorted already, and checking this is faster than sorting
    ranked, mine = key if (key[1:] >= key[:-1]).all() else np.sort(key), key[wanted]
    above = np.searchsorted(ranked, mine)
    crowd = np.unique(mine[np.searchsorted(ranked, mine, side="right") - above > 1])
    if crowd.size:  # ties without a relevant document do not matter
        members = np.flatnonzero(np.isin(key, crowd))
        members = members[np.lexsort((-run.name_ranks(members), key[members]))]
        group = key[members]
        place = np.arange(members.size) - np.searchsorted(group, group)
        order = np.argsort(members)
        at = np.minimum(np.searchsorted(members, wanted, sorter=order), members.size - 1)
        tied = members[order[at]] == wanted
        above[tied] += place[order[at[tied]]]
    return above - starts[row[wanted]], np.ones(wanted.size, np.int64)


def _descending_keys(scores: Floats) -> NDArray[np.uint32]:
    """Return scores in single precision as whole numbers that increase as the scores decrease."""
    with np.errstate(over="ignore"):
        bits = (scores.astype(np.float32) + np.float32(0)).view(
            np.uint32
        )  # adding 0 turns -0 into 0, so that they tie
    return np.asarray(np.where(bits & _SIGN_BIT, bits, ~bits & ~_SIGN_BIT))


def _tie_keys(ties: Ties, size: int, wanted: Integers, gains: Floats) -> Floats:
    """Return a number for each document of a run; those of equal score are ordered by increasing number."""
    keys = np.zeros(size)
    if ties == "file":
        keys = np.arange(size, dtype=np.float64)
    elif ties == "worst":
        keys[wanted] = gains
    return keys


def _count_ties(
    run: Records, row: Rows, starts: Integers, wanted: Integers, keys: Floats
) -> tuple[Integers, Integers]:
    """Return the numbers of documents above the ties of each wanted one, and of its ties.

    Documents tie if their scores and their keys are equal.
    """
    order = np.lexsort((keys, -run.values, row))
    score, key, topic = run.values[order], keys[order], row[order]
    begins = np.append(True, (score[1:] != score[:-1]) | (key[1:] != key[:-1]) | (topic[1:] != topic[:-1]))
    first = np.flatnonzero(begins)
    group = np.empty(order.size, np.int64)
    group[order] = np.cumsum(begins) - 1
    mine = group[wanted]
    return first[mine] - starts[row[wanted]], np.diff(first, append=order.size)[mine]


def ndcg(found: RelevantRanks, measure: Measure) -> Floats:
    """Return NDCG of each topic, which is 0 if the ideal list has no gain.

    For a cutoff or discount that depends on n, n is the number of retrieved documents, also in the ideal
    list. Otherwise the ideal list may be longer than n.
    """
    n = np.maximum(found.sizes, 1)
    known = n if measure.depends_on_n else np.maximum(n, found.judged)
    lengths, which = np.unique(np.concatenate((n, known)), return_inverse=True)
    cut = np.array([measure.cutoff(length) for length in lengths.tolist()])[which]
    weights = np.array([measure.discount.coefficients(length) for length in n.tolist()])
    ranks = max(int((found.above + found.tied).max(initial=0)), int(found.ideal_above.max(initial=0)) + 1)
    sums = _cumulative_basis(measure, min(ranks, int(cut.max())))
    ones = np.ones_like(found.ideal_above)
    dcg = _discounted_gain(found.topic, found.gain, found.above, found.tied, cut[: n.size], weights, sums)
    best = _discounted_gain(
        found.ideal_topic, found.ideal_gain, found.ideal_above, ones, cut[n.size :], weights, sums
    )
    ratio = np.divide(dcg, best, out=np.zeros(n.size), where=best > 0)
    return np.asarray(np.minimum(ratio, 1.0))  # rounding must not make it exceed 1


def _cumulative_basis(measure: Measure, last: int) -> NDArray[np.longdouble]:
    """Return the sums of B_i(r) over r <= k = 0 … last, a row per basis function B_i of the discount."""
    ranks = np.arange(1.0, last + 1)
    rows = [np.cumsum(basis(ranks), dtype=np.longdouble) for basis in measure.discount.basis()]
    return np.concatenate((np.zeros((len(rows), 1), np.longdouble), rows), axis=1)


def _discounted_gain(
    topic: Rows,
    gain: Floats,
    above: Integers,
    tied: Integers,
    cut: Integers,
    weights: Floats,
    sums: NDArray[np.longdouble],
) -> Floats:
    """Return the sum, over the documents of each topic, of gain times mean discount of the tied ranks."""
    first, last = np.minimum(above, cut[topic]), np.minimum(above + tied, cut[topic])
    discount = ((sums[:, last] - sums[:, first]) / tied).astype(np.float64)
    terms = gain * np.einsum("ti,it->t", weights[topic], discount)
    return np.asarray(np.bincount(topic, terms, cut.size), np.float64)
