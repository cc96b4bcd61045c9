"""Evaluate runs by judgements, or lists whose every row has a score and a label, in any form."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from numbers import Real
from pathlib import Path
from typing import Unpack, get_args, overload

import numpy as np

from ndcg_asymptotics.core.arrays import require_choice, require_flag
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.lists.conventions import ConventionOptions, Conventions
from ndcg_asymptotics.lists.evaluating import Unjudged, evaluate_run, of_lists
from ndcg_asymptotics.lists.evaluation import Evaluation, Evaluations
from ndcg_asymptotics.lists.inputs import (
    Weights,
    is_one,
    joined_files,
    judgements_of,
    named_runs,
    naming_sources,
    ranker_of,
    records_of,
    scored_lists,
)
from ndcg_asymptotics.lists.judgements import without_negatives
from ndcg_asymptotics.lists.other_measures import AnyMeasures, any_measures_of
from ndcg_asymptotics.lists.reading import ColumnNames
from ndcg_asymptotics.lists.records import Records, is_table
from ndcg_asymptotics.measures.gains import Gain


class _Options(ConventionOptions, total=False):
    columns: ColumnNames | None
    feature: int | None
    weights: Weights | None
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
    weights: Weights | None = None,
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
    weights : mapping of feature to weight or path, optional
        Weights of the features of an SVMlight file, whose weighted sum is the score.
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
    unjudged : {"zero", "drop", "bounds"}
        A document without a judgement has the gain 0, or is removed from the run. "bounds" also finds the
        least and the greatest NDCG of each query if each such document of the run may have any of the gains
        in the judgements (`lists.unjudged`).
    chance : bool
        Whether to find the mean and standard deviation of NDCG of a random order (`lists.chance`). Negative
        labels are then refused, unless a table of gains names them.

    Raises
    ------
    InputError
        For an invalid line, with the file and its number; if no query is in both, a number is not finite, or
        a document or a file occurs twice. For a measure of ir_measures: if that is not installed, labels are
        not whole numbers, or ``chance`` or bounds are asked for.

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
    ranker = ranker_of(feature, weights)
    require_choice(unjudged, get_args(Unjudged), "unjudged")
    require_flag(chance, "chance")
    evaluate_one = partial(
        evaluate_run, measures=measure_list, conventions=conventions, unjudged=unjudged, chance=chance
    )
    if lists is not None:
        evaluations = _of_lists(scored_lists(lists, columns, [ranker], query), conventions.gain, evaluate_one)
        single = is_table(lists) or isinstance(lists, str | os.PathLike)
        return evaluations[0] if single else Evaluations(tuple(evaluations))
    require(query is None, "is for lists, of SVMlight files", "query")
    require(ranker is None, "is for lists, of SVMlight files", "feature" if weights is None else "weights")
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
