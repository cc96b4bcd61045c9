"""NDCG of runs and of lists against relevance judgements, as trec_eval defines it, and other measures."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress
from numbers import Real
from pathlib import Path
from typing import Literal, Unpack, get_args, overload

import numpy as np

from ndcg_asymptotics.core.arrays import ENDLESS, Bools, Floats, require_choice, require_flag
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.lists.chance import random_order
from ndcg_asymptotics.lists.conventions import ConventionOptions, Conventions
from ndcg_asymptotics.lists.inputs import (
    is_one,
    joined_files,
    judgements_of,
    named_runs,
    naming_sources,
    one_feature,
    records_of,
    scored_lists,
)
from ndcg_asymptotics.lists.judgements import (
    gains_of,
    require_judged,
    twins_text,
    warn_of_twins,
    without_negatives,
)
from ndcg_asymptotics.lists.names import places, text_column
from ndcg_asymptotics.lists.other_measures import (
    AnyMeasure,
    AnyMeasures,
    OtherMeasure,
    any_measures_of,
    values_of,
)
from ndcg_asymptotics.lists.outcome import DEPTH, Evaluation, Evaluations, query_mean
from ndcg_asymptotics.lists.ranking import (
    RelevantRanks,
    TieOrder,
    in_order,
    ndcg,
    relevant_ranks,
    unjudged_ranks,
)
from ndcg_asymptotics.lists.reading import ColumnNames
from ndcg_asymptotics.lists.records import Records, is_table
from ndcg_asymptotics.lists.values import few
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.measures.gains import Gain

Unjudged = Literal["zero", "drop"]


class _Options(ConventionOptions, total=False):
    columns: ColumnNames | None
    feature: int | None
    query: object
    unjudged: Unjudged
    chance: bool


@overload
def evaluate(  # type: ignore[overload-overlap] # a str is a sequence too
    runs: Path | str | Records | Mapping[str, Mapping[str, float]],
    qrels: object,
    measures: AnyMeasures,
    **options: Unpack[_Options],
) -> Evaluation: ...
@overload
def evaluate(
    runs: Sequence[Path | str], qrels: object, measures: AnyMeasures, **options: Unpack[_Options]
) -> Evaluations: ...
@overload
def evaluate(
    runs: object = None,
    qrels: object = None,
    measures: AnyMeasures = "nDCG",
    *,
    lists: object = None,
    **options: Unpack[_Options],
) -> Evaluation | Evaluations: ...
def evaluate(
    runs: object = None,
    qrels: object = None,
    measures: AnyMeasures = "nDCG",
    *,
    lists: object = None,
    columns: ColumnNames | None = None,
    feature: int | None = None,
    query: object = None,
    unjudged: Unjudged = "zero",
    chance: bool = False,
    **options: Unpack[ConventionOptions],
) -> Evaluation | Evaluations:
    """Return NDCG of one run or several, query by query, by default with the conventions of trec_eval.

    A document without a judgement has the gain 0. In a cutoff such as 0.2n, n is the number of retrieved
    documents. Measures such as ``AP`` and ``RR@10`` are those of ir_measures (`lists.other_measures`): gains,
    ties, ideal lists and the values of queries without relevant documents are then as it defines them.

    Parameters
    ----------
    runs : a run, or several
        A file (TREC, CSV, Parquet or JSON; text may be compressed by gzip, zstd, xz, bz2 or zip); ``{query:
        {document: score}}``; a frame of pandas or polars or an Arrow table with the columns query, document
        and score (or query_id, qid; doc_id, docno); named tuples with such fields, as in ir_measures; a run
        of ranx; a data set of ir_datasets. Several are a list of files, or a mapping of name to run.
    qrels : judgements
        In the same forms, with a label (or relevance, rel) in place of the score.
    measures : Measure, text, or several
    lists : in place of runs and qrels
        A file or a frame with the columns query, score, label (and document), or an SVMlight file. Several
        files, such as the folds of a collection, have an evaluation each, and "all files" that of all
        queries. Ties are averaged unless ``ties`` or ``like`` says otherwise.
    columns : mapping, optional
        The names of the columns of tables: ``{"query": "qid"}``.
    feature : int, optional
        The feature of an SVMlight file that is the score.
    query : path, or one for each file, optional
        A file with the number of lines of each query, such as LightGBM's ``.query`` and XGBoost's ``.group``
        files, for SVMlight files without qid.
    like : str, optional
        The program whose conventions are the defaults: "trec_eval" (which is the default), "ir_measures",
        "gdeval", "sklearn", "lightgbm", "xgboost", "catboost", "letor", "lenskit", "beir", "mteb", "ranx",
        "recbole", "torchmetrics", or "jarvelin" for the paper of Järvelin and Kekäläinen. Where it has
        another discount than ``log``, that takes the place of ``log`` in the measures.
    gain : {"linear", "binary", "exp2"}, text or mapping
        The gain of a label y: y, 1 if y > 0, 2^y - 1, or that of a table such as "1=1, 2=3". A
        negative label of judgements that is not in a table has the gain 0, and a warning counts them; in
        ``lists`` such a label is refused, as it is no sign of documents that were not judged.
    ties : {"trec", "average", "file", "worst", "quicksort"}
        "trec": scores are compared in single precision, and documents of equal score are ordered by
        decreasing name, as in trec_eval up to version 9, pytrec_eval and ir_measures. Otherwise scores are
        compared in double precision. "average": NDCG is the mean over the orders of tied documents, as in
        scikit-learn. "file": tied documents keep their order. "worst": those of smaller gain come first.
        "quicksort": they have the order in which numba's quicksort leaves them, as in ranx.
    ideal : {"judged", "retrieved"}
        Whether the ideal list is made of all judged documents of the query, or of the retrieved ones.
    empty : {"zero", "one", "nan", "skip"}
        A query without relevant documents has NDCG 0 or 1, has NaN, which the mean leaves out, or is left
        out.
    missing : {"drop", "zero", "error"}
        Whether a judged query that the run lacks does not count, counts as 0 (``-c`` of trec_eval), or is an
        error.
    unjudged : {"zero", "drop"}
        A document without a judgement has the gain 0, or is removed from the run.
    chance : bool
        Whether to find the mean and standard deviation of NDCG of a random order (`lists.chance`). Negative
        labels are then refused, unless a table of gains names them.

    Raises
    ------
    InputError
        For an invalid line, with the file and its number; if no query is in both, a number is not finite, or
        a document or a file occurs twice. For a measure of ir_measures: if that is not installed, labels are
        not whole numbers, or ``chance`` is asked for.

    >>> run = {"q": {"a": 2.0, "b": 1.0}}
    >>> evaluate(run, {"q": {"b": 1.0, "c": 1.0}}, "nDCG").mean.round(4)
    array([0.3869])
    """
    require(
        (runs is None) == (qrels is None) and (runs is None) != (lists is None),
        "evaluate needs either runs and qrels, or lists",
    )
    numbers = isinstance(runs, Sequence | np.ndarray) and any(isinstance(run, Real) for run in runs[:1])
    require(
        not numbers,
        "must be a run, got numbers: NDCG of the labels and scores of one list is "
        'Measure.parse("nDCG@10").evaluate(y_true, y_score)',
        "runs",
    )
    # before files are read, which may take long
    conventions = Conventions.of(**(options if lists is None else of_lists(options)))
    measure_list = conventions.measures(any_measures_of(measures))
    features = one_feature(feature)
    require_choice(unjudged, get_args(Unjudged), "unjudged")
    require_flag(chance, "chance")
    evaluate_one = partial(
        evaluate_run, measures=measure_list, conventions=conventions, unjudged=unjudged, chance=chance
    )
    if lists is not None:
        evaluations = _of_lists(scored_lists(lists, columns, features, query), conventions.gain, evaluate_one)
        single = is_table(lists) or isinstance(lists, str | os.PathLike)
        return evaluations[0] if single else Evaluations(tuple(evaluations))
    require(query is None, "is for lists, of SVMlight files", "query")
    require(not features, "is for lists, of SVMlight files", "feature")
    evaluations, labels = [], None
    for name, run in named_runs([runs] if is_one(runs) else runs).items():  # one run at a time is in memory
        scores = records_of(run, "score", columns)
        if labels is None:
            labels = judgements_of(qrels, columns, conventions.gain, refuse="chance" if chance else "")
        with naming_sources(scores, labels):
            evaluations.append(evaluate_one(scores, labels, name=name))
    return evaluations[0] if is_one(runs) else Evaluations(tuple(evaluations))


def _of_lists(
    lists: Mapping[str, Sequence[Records]], gain: Gain, evaluate_one: Callable[..., Evaluation]
) -> list[Evaluation]:
    parts: dict[str, Sequence[Records]] = {
        name: [scores, without_negatives(labels, gain, refuse="lists")]
        for name, (scores, labels) in lists.items()
    }
    groups = {**parts, **({"all files": joined_files(parts)} if len(parts) > 1 else {})}
    evaluations = []
    for name, (scores, labels) in groups.items():
        with naming_sources(scores):
            evaluation = evaluate_one(scores, labels, name=name)
        evaluations.append(replace(evaluation, judged_share={}))  # every row has a label
    return evaluations


def evaluate_run(
    scores: Records,
    labels: Records,
    measures: Sequence[AnyMeasure],
    conventions: Conventions,
    *,
    unjudged: Unjudged = "zero",
    chance: bool = False,
    name: str = "",
) -> Evaluation:
    """Return the values of a run by labels >= 0, query by query; the options are those of `evaluate`."""
    scores, order = in_order(
        without_own(scores) if conventions.ignore_identical_ids else scores, conventions.ties
    )
    if unjudged == "drop":
        scores = judged_only(scores, labels)
    if chance:
        _require_normalised(measures)
    common = _common(scores, labels, name)
    require_judged(scores, labels)
    warn_of_twins(scores, labels)
    absent = tuple(sorted({*labels.queries} - {*scores.queries}))
    require(
        conventions.missing != "error" or not absent,
        f"{name or 'the run'} lacks {len(absent)} of {len(labels.queries)} judged queries ({few(absent)}); "
        "drop leaves these out, zero counts them as 0",
        "missing",
    )
    queries = sorted([*common, *absent]) if conventions.missing == "zero" else common
    gains = gains_of(labels, conventions.gain)
    ranks = relevant_ranks(scores, gains, queries, order, conventions.ideal)
    rules = _SpecialLists(ranks, conventions)
    of_ndcg = [measure for measure in measures if isinstance(measure, Measure)]
    of_library = [measure for measure in measures if isinstance(measure, OtherMeasure)]
    others = values_of(of_library, scores, labels, queries).T if of_library else ()
    of_others = dict(zip(of_library, others, strict=True))

    def by_measure(ranks: RelevantRanks) -> Floats:
        return np.column_stack(
            [rules.settled(m, ndcg(ranks, m)) if isinstance(m, Measure) else of_others[m] for m in measures]
        )

    values = by_measure(ranks)
    tied_ranks = ranks.averaged()
    averaged = None if tied_ranks is None else by_measure(tied_ranks)
    moments = None
    if chance:
        random = [(measure, *random_order(ranks, measure)) for measure in of_ndcg]
        means = np.column_stack([rules.settled(measure, mean) for measure, mean, _ in random])
        moments = means, np.column_stack([rules.long_enough(measure, std) for measure, _, std in random])
    included = np.ones(len(queries), bool) if conventions.empty != "skip" else ~rules.irrelevant
    shares = _judged_shares(scores, labels, queries, order, of_ndcg)
    return Evaluation(
        queries=tuple(compress(queries, included.tolist())),
        measures=tuple(measures),
        values=values[included],
        name=name,
        judged=len(labels.queries),
        missing=absent,
        unjudged=tuple(sorted({*scores.queries} - {*labels.queries})),
        empty=tuple(compress(queries, rules.irrelevant.tolist())),
        conventions=conventions,
        judged_share={k: share[included] for k, share in shares.items()},
        chance=moments and (moments[0][included], moments[1][included]),
        averaged=None if averaged is None else query_mean(averaged[included]),
        own=_own(scores, queries),
    )


@dataclass(frozen=True)
class _SpecialLists:
    """What lists count that are too short or have no relevant document."""

    ranks: RelevantRanks
    conventions: Conventions

    @property
    def irrelevant(self) -> Bools:
        """The queries without a relevant document."""
        return np.asarray(self.ranks.relevant == 0)

    def long_enough(self, measure: Measure, values: Floats) -> Floats:
        """Return values with 0 for lists that have fewer than k documents, where these count as 0."""
        applies = self.conventions.short_lists_are_zero and measure.cutoff.growth.bounded
        return np.where(self.ranks.sizes < (measure.cutoff.exact(0) if applies else 0), 0.0, values)

    def settled(self, measure: Measure, values: Floats) -> Floats:
        """Return values with what lists count that are too short or have no relevant document."""
        largest = float(measure.normalised)  # DCG of an empty query is 0
        of_empty = {"one": largest, "nan": np.nan}.get(self.conventions.empty, 0.0)
        return np.where(self.irrelevant, of_empty, self.long_enough(measure, values))


def _require_normalised(measures: Sequence[AnyMeasure]) -> None:
    """Refuse measures other than NDCG, whose chance is not defined."""
    unnormalised = [str(m) for m in measures if not (isinstance(m, Measure) and m.normalised)]
    refused = f"is for NDCG only, such as nDCG@10, got {', '.join(unnormalised)}"
    require(not unnormalised, refused, "chance")


def _common(scores: Records, labels: Records, name: str) -> list[str]:
    """Return the queries that both have; refuse if there is none."""
    require(bool(scores.queries), f"{name or 'the run'} has no documents")
    common = sorted({*scores.queries} & {*labels.queries})
    if not common:
        twins = twins_text(text_column(scores.queries).names, text_column(labels.queries).names)
        raise InputError(
            f"the run and the qrels have no query in common; the run has {few(sorted(scores.queries))}, "
            f"the qrels {few(sorted(labels.queries))}{twins}"
        )
    return common


def judged_only(scores: Records, labels: Records) -> Records:
    """Return a run without the documents that have no judgement."""
    return scores.only(labels.find(scores) >= 0)


def without_own(scores: Records) -> Records:
    """Return a run without the documents that have the name of their query."""
    return scores.only(~_has_name_of_query(scores))


def of_lists(options: ConventionOptions) -> ConventionOptions:
    """Return options for lists whose every row has a label: ties are averaged unless stated otherwise."""
    has_tie_rule = options.get("like") is not None or options.get("ties") is not None
    return options if has_tie_rule else {**options, "ties": "average"}


def _own(scores: Records, queries: Sequence[str]) -> tuple[str, ...]:
    """Return the queries whose first document has the name of the query."""
    # numbers of two collections are often equal
    mine = np.flatnonzero(_has_name_of_query(scores))
    mine = mine[[not scores.queries[row].isdigit() for row in scores.row[mine].tolist()]]
    if not mine.size:
        return ()
    best = np.full(len(scores.queries), -np.inf)
    np.maximum.at(best, scores.row, scores.values)
    mine = mine[scores.values[mine] >= best[scores.row[mine]]]
    return tuple(sorted({scores.queries[row] for row in scores.row[mine].tolist()} & {*queries}))


def _has_name_of_query(scores: Records) -> Bools:
    """Return for each document whether it has the name of its query."""
    if not scores.comparable:
        return np.zeros(len(scores), bool)
    return np.asarray(places(scores.names, text_column(scores.queries).names)[scores.row] == scores.document)


def _judged_shares(
    scores: Records, labels: Records, queries: Sequence[str], ties: TieOrder, measures: Sequence[Measure]
) -> dict[int, Floats]:
    """Return the share of judged documents in the first k of each query, for the cutoffs k and for 10.

    It is NaN for queries without documents. There is none if all judged documents are relevant: whoever lists
    the relevant ones alone, such as the item of each user that was held out, has judged the others, too.
    """
    if not (labels.values <= 0).any():
        return {}
    depths = sorted({m.cutoff(ENDLESS) for m in measures if m.cutoff.growth.bounded} | {DEPTH})
    ranks, sizes = unjudged_ranks(scores, labels, queries, ties, depths[-1])
    shares = {}
    for depth in depths:
        inside = np.minimum(ranks.above + ranks.tied, depth) - np.minimum(ranks.above, depth)
        unjudged = np.bincount(ranks.query, inside / ranks.tied, sizes.size)
        shares[depth] = 1 - unjudged / np.where(sizes > 0, np.minimum(sizes, depth), np.nan)
    return shares
