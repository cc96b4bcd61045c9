"""Where a run ranks the relevant documents of each query, and NDCG of all queries at once.

Documents without a gain only take up ranks, so NDCG is a sum over the relevant ones: of some hundred
thousand records a few thousand. `hits` says where they stand, `ndcg` weighs them.
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

Ties = Literal["trec", "average"]
Ideal = Literal["judged", "retrieved"]

Rows = NDArray[np.int32]

_SIGN = np.uint32(1 << 31)


@dataclass(frozen=True)
class Hits:
    """The relevant documents of some topics: those that a run retrieved, and the ideal list.

    Attributes
    ----------
    sizes, judged, relevant : (topics,)
        How many documents the run retrieved, how many are judged, and how many of these have a gain.
    topic, gain : (hits,)
        Of the relevant documents that were retrieved.
    above, tied : (hits,)
        How many documents come before the document and its ties, and how many it is tied with,
        itself counted: 1 where ties are broken.
    ideal_topic, ideal_gain, ideal_above : (relevant,)
        The ideal list of each topic.
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


def hits(run: Records, gains: Records, topics: Sequence[str], ties: Ties, ideal: Ideal) -> Hits:
    """Where a run ranks the relevant documents of some topics.

    Parameters
    ----------
    run : Records
        Scores, higher is better.
    gains : Records
        What the judged documents are worth, >= 0.
    topics : sequence of str
    ties : {"trec", "average"}
        Scores are compared in single precision and ties go by decreasing name, as trec_eval has
        them; or a tied document takes the mean over the ranks of its ties, in double precision.
    ideal : {"judged", "retrieved"}
        Which documents the ideal list is made of.
    """
    judged = _topics_of(gains, topics)
    sizes = np.bincount(judged[judged >= 0], minlength=len(topics))
    relevant = (gains.values > 0) & (judged >= 0)
    wanted, wanted_topic = gains.only(relevant), judged[relevant]
    row = _topics_of(run, topics)
    if (row < 0).any():
        run, row = run.only(row >= 0), row[row >= 0]
    lengths = np.bincount(row, minlength=len(topics))
    found = run.find(wanted)
    there = found >= 0
    place = _by_name if ties == "trec" else _averaged
    above, tied = place(run, row, np.cumsum(lengths) - lengths, found[there])
    pool = there if ideal == "retrieved" else np.ones(there.size, bool)
    order = np.lexsort((-wanted.values[pool], wanted_topic[pool]))
    ideal_topic = wanted_topic[pool][order]
    counts = np.bincount(ideal_topic, minlength=len(topics))
    ideal_above = np.arange(order.size) - (np.cumsum(counts) - counts)[ideal_topic]
    return Hits(
        lengths, sizes, np.bincount(wanted_topic, minlength=len(topics)),
        wanted_topic[there], wanted.values[there], above, tied,
        ideal_topic, wanted.values[pool][order], ideal_above,
    )  # fmt: skip


def _topics_of(records: Records, topics: Sequence[str]) -> Rows:
    """The topic of each record as an index, -1 if it is none of them."""
    index = {topic: i for i, topic in enumerate(topics)}
    return np.array([index.get(query, -1) for query in records.queries], np.int32)[records.row]


def _by_name(run: Records, row: Rows, starts: Integers, wanted: Integers) -> tuple[Integers, Integers]:
    """How many documents come before each of those wanted, ties broken by decreasing name."""
    key = row.astype(np.uint64) << np.uint64(32)
    key |= _falling(run.values)
    # most runs come in order, which is seen sooner than it is made
    ranked, mine = key if (key[1:] >= key[:-1]).all() else np.sort(key), key[wanted]
    above = np.searchsorted(ranked, mine)
    crowd = np.unique(mine[np.searchsorted(ranked, mine, side="right") - above > 1])
    if crowd.size:  # only ties with a relevant document matter
        members = np.flatnonzero(np.isin(key, crowd))
        members = members[np.lexsort((-run.name_ranks(members), key[members]))]
        group = key[members]
        place = np.arange(members.size) - np.searchsorted(group, group)
        order = np.argsort(members)
        at = np.minimum(np.searchsorted(members, wanted, sorter=order), members.size - 1)
        tied = members[order[at]] == wanted
        above[tied] += place[order[at[tied]]]
    return above - starts[row[wanted]], np.ones(wanted.size, np.int64)


def _falling(scores: Floats) -> NDArray[np.uint32]:
    """Scores in single precision as whole numbers, the highest score first."""
    with np.errstate(over="ignore"):
        bits = (scores.astype(np.float32) + np.float32(0)).view(np.uint32)  # + 0: -0 ties with 0
    return np.asarray(np.where(bits & _SIGN, bits, ~bits & ~_SIGN))


def _averaged(run: Records, row: Rows, starts: Integers, wanted: Integers) -> tuple[Integers, Integers]:
    """How many documents come before the ties of each of those wanted, and how many ties there are."""
    order = np.lexsort((-run.values, row))
    score, topic = run.values[order], row[order]
    begins = np.append(True, (score[1:] != score[:-1]) | (topic[1:] != topic[:-1]))
    first = np.flatnonzero(begins)
    group = np.empty(order.size, np.int64)
    group[order] = np.cumsum(begins) - 1
    mine = group[wanted]
    return first[mine] - starts[row[wanted]], np.diff(first, append=order.size)[mine]


def ndcg(found: Hits, measure: Measure) -> Floats:
    """NDCG of each topic; 0 where the ideal list has no gain.

    A cutoff or discount that knows n has the number of retrieved documents for n, in the ideal
    list too; otherwise the ideal list goes on past n.
    """
    n = np.maximum(found.sizes, 1)
    known = n if measure.depends_on_n else np.maximum(n, found.judged)
    lengths, which = np.unique(np.concatenate((n, known)), return_inverse=True)
    cut = np.array([measure.cutoff(length) for length in lengths.tolist()])[which]
    weights = np.array([measure.discount.coefficients(length) for length in n.tolist()])
    ranks = max(int((found.above + found.tied).max(initial=0)), int(found.ideal_above.max(initial=0)) + 1)
    sums = _sums(measure, min(ranks, int(cut.max())))
    ones = np.ones_like(found.ideal_above)
    dcg = _weighed(found.topic, found.gain, found.above, found.tied, cut[: n.size], weights, sums)
    best = _weighed(
        found.ideal_topic, found.ideal_gain, found.ideal_above, ones, cut[n.size :], weights, sums
    )
    ratio = np.divide(dcg, best, out=np.zeros(n.size), where=best > 0)
    return np.asarray(np.minimum(ratio, 1.0))  # rounding is kept from exceeding 1


def _sums(measure: Measure, last: int) -> NDArray[np.longdouble]:
    """sum of B_i(r) for r <= k = 0 … last, one row per basis function of the discount."""
    ranks = np.arange(1.0, last + 1)
    rows = [np.cumsum(basis(ranks), dtype=np.longdouble) for basis in measure.discount.basis()]
    return np.concatenate((np.zeros((len(rows), 1), np.longdouble), rows), axis=1)


def _weighed(
    topic: Rows,
    gain: Floats,
    above: Integers,
    tied: Integers,
    cut: Integers,
    weights: Floats,
    sums: NDArray[np.longdouble],
) -> Floats:
    """The sum over the documents of each topic of their gain times the mean discount of their ranks."""
    first, last = np.minimum(above, cut[topic]), np.minimum(above + tied, cut[topic])
    discount = ((sums[:, last] - sums[:, first]) / tied).astype(np.float64)
    terms = gain * np.einsum("ti,it->t", weights[topic], discount)
    return np.asarray(np.bincount(topic, terms, cut.size), np.float64)
