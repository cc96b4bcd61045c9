"""NDCG of runs against relevance judgements, as trec_eval defines it, and other measures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Bools, Floats, Integers, require_choice
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.lists.chance import random_order
from ndcg_asymptotics.lists.conventions import ConventionOptions, Conventions, Empty, Missing
from ndcg_asymptotics.lists.evaluation import DEPTH, Evaluation, query_mean
from ndcg_asymptotics.lists.judgements import gains_of, require_judged, without_negatives
from ndcg_asymptotics.lists.names import Names
from ndcg_asymptotics.lists.other_measures import (
    AnyMeasure,
    AnyMeasures,
    OtherMeasure,
    any_measures_of,
    values_of,
)
from ndcg_asymptotics.lists.ranking import Ideal, Ties, ndcg, relevant_ranks, unjudged_ranks
from ndcg_asymptotics.lists.records import Records
from ndcg_asymptotics.lists.remarks import some_of
from ndcg_asymptotics.lists.unjudged import judged_shares, ndcg_bounds
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.cutoffs import FixedRank
from ndcg_asymptotics.measures.gains import Gain

Unjudged = Literal["zero", "drop", "bounds"]


class EvaluationOptions(ConventionOptions, total=False):
    """The options of `evaluate`, which functions of files hand on to it."""

    unjudged: Unjudged
    chance: bool


def evaluate(
    run: object,
    qrels: object,
    measures: AnyMeasures,
    *,
    like: str | None = None,
    gain: Gain | None = None,
    ties: Ties | None = None,
    ideal: Ideal | None = None,
    empty: Empty | None = None,
    missing: Missing | None = None,
    unjudged: Unjudged = "zero",
    chance: bool = False,
    name: str = "",
) -> Evaluation:
    """Return NDCG of a run, query by query, by default with the conventions of trec_eval.

    A document without a judgement has the gain 0. In a cutoff such as 0.2n, n is the number of retrieved
    documents. Measures such as ``AP`` and ``RR@10`` are those of ir_measures (`lists.other_measures`): gains,
    ties, ideal lists and the values of queries without relevant documents are then as it defines them.

    Parameters
    ----------
    run, qrels : dictionary, DataFrame or iterable of records
        ``{query: {document: score}}`` and ``{query: {document: label}}``; a DataFrame with the columns
        query, document, and score or label (or query_id, qid; doc_id, docno; relevance, rel); or records
        with such attributes, as in ir_datasets.
    measures : Measure, text, or several
    like : str, optional
        The program whose conventions are the defaults: "trec_eval" (which is the default), "ir_measures",
        "gdeval", "sklearn", "lightgbm", "xgboost", "catboost", "letor", "lenskit", or "jarvelin" for
        the paper of Järvelin and Kekäläinen. Where it has another discount than ``log``, that takes the place
        of ``log`` in the measures.
    gain : {"linear", "exp2"}, text or mapping
        The gain of a label y: y, 2^y - 1, or that of a table such as "1=1, 2=3" or ``{1: 1, 2: 3}``. A
        negative label that is not in a table has the gain 0; a warning counts them.
    ties : {"trec", "average", "file", "worst"}
        "trec": scores are compared in single precision, and documents of equal score are ordered by
        decreasing name, as in trec_eval up to version 9, pytrec_eval and ir_measures. Otherwise scores are
        compared in double precision. "average": NDCG is the mean over the orders of tied documents, as in
        scikit-learn. "file": tied documents keep their order. "worst": those of smaller gain come first.
    ideal : {"judged", "retrieved"}
        Whether the ideal list is made of all judged documents of the query, or of the retrieved ones.
    empty : {"zero", "one", "nan", "skip"}
        A query without relevant documents has NDCG 0 or 1, has NaN, which the mean leaves out, or is left
        out.
    missing : {"skip", "zero"}
        Whether judged queries that are not in the run are left out or have NDCG 0 (``-c`` of trec_eval).
    unjudged : {"zero", "drop", "bounds"}
        A document without a judgement has the gain 0, or is removed from the run. "bounds" also finds the
        least and the greatest NDCG of each query if each such document of the run may have any of the gains
        in the judgements (`lists.unjudged`).
    chance : bool
        Whether to find the mean and standard deviation of NDCG of a random order (`lists.chance`). Negative
        labels are then refused, unless a table of gains names them.
    name : str
        The name of the run.

    Raises
    ------
    InputError
        If no query is in both, a number is not finite, or a document occurs twice for a query.
        For a measure of ir_measures: if that is not installed, labels are not whole numbers, or ``chance`` or
        bounds are asked for.

    >>> run = {"q": {"a": 2.0, "b": 1.0}}
    >>> evaluate(run, {"q": {"b": 1.0, "c": 1.0}}, "nDCG").mean.round(4)
    array([0.3869])
    """
    chosen = Conventions.of(like, gain=gain, ties=ties, ideal=ideal, empty=empty, missing=missing)
    every = chosen.measures(any_measures_of(measures))
    found = [measure for measure in every if isinstance(measure, Measure)]
    others = [measure for measure in every if isinstance(measure, OtherMeasure)]
    require_choice(unjudged, get_args(Unjudged), "unjudged")
    scores = Records.of(run, "score")
    labels = without_negatives(Records.of(qrels, "label"), chosen.gain, refuse="chance" if chance else "")
    if unjudged == "drop":
        scores = scores.only(labels.find(scores) >= 0)
    elif unjudged == "bounds" and chosen.ties == "worst":
        raise InputError("bounds need ties that do not depend on labels, unlike 'worst'", "unjudged")
    if chance or unjudged == "bounds":
        unnormalised = [str(m) for m in every if not (isinstance(m, Measure) and m.normalised)]
        got = f"for NDCG only, such as nDCG@10, got {', '.join(unnormalised)}"
        require(
            not unnormalised,
            f"is {got}" if chance else f"bounds are {got}; zero and drop are for all measures",
            "chance" if chance else "unjudged",
        )
    common = sorted({*scores.queries} & {*labels.queries})
    if not common:
        raise InputError(
            f"the run and the qrels have no query in common; the run has {_listed(scores.queries)}, "
            f"the qrels {_listed(labels.queries)}"
        )
    if unjudged != "bounds":  # bounds are about what is not judged
        require_judged(scores, labels)
    absent = tuple(sorted({*labels.queries} - {*scores.queries}))
    topics = sorted([*common, *absent]) if chosen.missing == "zero" else common
    gains = gains_of(labels, chosen.gain)
    there = relevant_ranks(scores, gains, topics, chosen.ties, chosen.ideal)
    irrelevant = there.relevant == 0
    short = _columns([_too_short(there.sizes, measure, chosen) for measure in found], len(topics))
    one = [float(measure.normalised) for measure in found]  # DCG of an empty query is 0
    of_empty = np.array({"one": one, "nan": np.nan}.get(chosen.empty, 0.0))

    def settled(values: Sequence[Floats]) -> Floats:
        by_measure = np.where(short, 0.0, _columns(values, len(topics)))
        return np.where(irrelevant[:, None], of_empty, by_measure)

    values = settled([ndcg(there, measure) for measure in found])
    level = there.averaged()
    averaged = None if level is None else settled([ndcg(level, measure) for measure in found])
    bounds = moments = None
    if unjudged == "bounds":
        ranks, _ = unjudged_ranks(scores, labels, topics, chosen.ties)
        grades = np.unique(gains.values[gains.values > 0]).tolist()
        both = [ndcg_bounds(there, ranks, grades, m, v) for m, v in zip(found, values.T, strict=True)]
        low, high = (np.where(short, 0.0, np.column_stack(of)) for of in zip(*both, strict=True))
        bounds = low, high
    if chance:
        mean, std = zip(*(random_order(there, measure) for measure in found), strict=True)
        moments = settled(mean), np.where(short, 0.0, np.column_stack(std))
    kept = ~irrelevant if chosen.empty == "skip" else np.ones(len(topics), bool)
    if others:
        theirs = values_of(others, scores, labels, topics)
        values = _merged(every, values, theirs)
        averaged = None if averaged is None else _merged(every, averaged, theirs)
    return Evaluation(
        tuple(topic for topic, keep in zip(topics, kept, strict=True) if keep),
        every,
        values[kept],
        name,
        len(labels.queries),
        absent,
        tuple(sorted({*scores.queries} - {*labels.queries})),
        tuple(topic for topic, bare in zip(topics, irrelevant, strict=True) if bare),
        chosen,
        {k: of[kept] for k, of in _judged_shares(scores, labels, topics, chosen.ties, found).items()},
        bounds and (bounds[0][kept], bounds[1][kept]),
        moments and (moments[0][kept], moments[1][kept]),
        None if averaged is None else query_mean(averaged[kept]),
        _own(scores, topics),
    )


def _columns(columns: Sequence[NDArray[Any]], rows: int) -> NDArray[Any]:
    """Return columns side by side; (rows, 0) if there is none."""
    return np.column_stack(columns) if columns else np.zeros((rows, 0))


def _merged(measures: Sequence[AnyMeasure], own: Floats, theirs: Floats) -> Floats:
    """Return the values of this package's measures and those of the others in the order of all measures."""
    other = np.array([isinstance(measure, OtherMeasure) for measure in measures])
    found = np.empty((len(own), len(measures)))
    found[:, ~other], found[:, other] = own, theirs
    return found


def _own(scores: Records, topics: Sequence[str]) -> tuple[str, ...]:
    """Return the topics whose first document has the name of the topic."""
    names = Names(list(scores.queries))
    mine = np.flatnonzero(scores.names.find(names)[scores.row] == scores.document)
    if not mine.size:
        return ()
    best = np.full(len(scores.queries), -np.inf)
    np.maximum.at(best, scores.row, scores.values)
    mine = mine[scores.values[mine] >= best[scores.row[mine]]]
    return tuple(sorted({scores.queries[row] for row in scores.row[mine].tolist()} & {*topics}))


def _judged_shares(
    scores: Records, labels: Records, topics: Sequence[str], ties: Ties, measures: Sequence[Measure]
) -> dict[int, Floats]:
    """Return the share of judged documents in the first k of each topic, for the cutoffs k and for 10."""
    depths = sorted({m.cutoff.k for m in measures if isinstance(m.cutoff, FixedRank)} | {DEPTH})
    ranks, sizes = unjudged_ranks(scores, labels, topics, ties, depths[-1])
    return dict(zip(depths, judged_shares(ranks, sizes, depths).T, strict=True))


def _too_short(sizes: Integers, measure: Measure, conventions: Conventions) -> Bools:
    """Return which lists have the value 0 because they have fewer than k documents."""
    applies = conventions.short_lists_are_zero and isinstance(measure.cutoff, FixedRank)
    return sizes < (measure.cutoff.exact(0) if applies else 0)


def _listed(queries: Iterable[str]) -> str:
    first = sorted(queries)
    return some_of(first) + (f" ({len(first)})" if some_of(first).endswith("…") else "")
