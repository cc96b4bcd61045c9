"""Evaluate files of runs and judgements, and files whose every row has a score and a label."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack, overload

import numpy as np

from ndcg_asymptotics.core.arrays import Floats
from ndcg_asymptotics.core.errors import naming, require
from ndcg_asymptotics.core.files import paths_of
from ndcg_asymptotics.lists.conventions import Conventions
from ndcg_asymptotics.lists.evaluating import EvaluationOptions, evaluate
from ndcg_asymptotics.lists.evaluation import Evaluation, Evaluations
from ndcg_asymptotics.lists.judgements import without_negatives
from ndcg_asymptotics.lists.other_measures import AnyMeasures, any_measures_of
from ndcg_asymptotics.lists.reading import ColumnNames, named_paths, read, read_lists, run_names


class _FileOptions(EvaluationOptions, total=False):
    columns: ColumnNames | None


class _ListsOptions(_FileOptions, total=False):
    weights: Mapping[int, float] | None


@overload
def evaluate_files(  # type: ignore[overload-overlap] # a str is a sequence too
    run: Path | str, qrels: Path | str, measures: AnyMeasures, **options: Unpack[_FileOptions]
) -> Evaluation: ...
@overload
def evaluate_files(
    run: Sequence[Path | str], qrels: Path | str, measures: AnyMeasures, **options: Unpack[_FileOptions]
) -> Evaluations: ...
def evaluate_files(
    run: Path | str | Sequence[Path | str],
    qrels: Path | str,
    measures: AnyMeasures,
    *,
    columns: ColumnNames | None = None,
    **options: Unpack[EvaluationOptions],
) -> Evaluation | Evaluations:
    """Evaluate the runs in one or several files; see `evaluate`.

    Parameters
    ----------
    run : path or paths
        TREC runs, or CSV and Parquet files with the columns query, document, score; text may be
        compressed by gzip or zstd.
    qrels : path
        TREC judgements, or a table with the columns query, document, label.
    measures : Measure, text, or several
    columns : mapping, optional
        The names of the columns in tables: ``{"query": "qid"}``.
    **options
        As in `evaluate`.

    Raises
    ------
    InputError
        As `evaluate`, and for an invalid line, with the file and its number.
    """
    paths = paths_of(run, "run")
    require(len(paths) > 0, "must name at least one file", "run")
    measures = any_measures_of(measures)  # before the files are read, which may take long
    runs = (read(path, "score", columns) for path in paths)  # one at a time, to save memory
    gain = Conventions.of(options.get("like"), gain=options.get("gain")).gain
    refuse = "chance" if options.get("chance") else ""
    scores, labels = next(runs), without_negatives(read(qrels, "label", columns), gain, refuse=refuse)
    found = []
    for path, name in zip(paths, run_names(paths), strict=True):
        with naming(f"{path}, {qrels}"):
            found.append(evaluate(scores, labels, measures, name=name, **options))
        scores = next(runs, scores)
    return found[0] if isinstance(run, str | os.PathLike) else Evaluations(tuple(found))


@overload
def evaluate_lists(  # type: ignore[overload-overlap] # a str is a sequence too
    path: Path | str, measures: AnyMeasures, **options: Unpack[_ListsOptions]
) -> Evaluation: ...
@overload
def evaluate_lists(
    path: Sequence[Path | str], measures: AnyMeasures, **options: Unpack[_ListsOptions]
) -> Evaluations: ...
def evaluate_lists(
    path: Path | str | Sequence[Path | str],
    measures: AnyMeasures,
    *,
    columns: ColumnNames | None = None,
    weights: Mapping[int, float] | None = None,
    **options: Unpack[EvaluationOptions],
) -> Evaluation | Evaluations:
    """Evaluate a file whose every row has a score and a label; see `evaluate`.

    Several files, such as the folds of a collection, have an evaluation each; that of all their queries is
    called "all files". Ties are averaged unless ``ties`` or ``like`` says otherwise.

    Parameters
    ----------
    path : path, or several
        A CSV or Parquet file with the columns query, score, label (and document), or SVMlight.
    measures : Measure, text, or several
    columns : mapping, optional
        The names of the columns in a table.
    weights : mapping of feature to weight, optional
        The score of a line of an SVMlight file is the weighted sum of its features.
    **options
        As in `evaluate`.

    Raises
    ------
    InputError
        As `evaluate_files`, for a file that is given twice, and for negative labels without a gain: in files
        with labels and scores they are no sign of documents that were not judged, as they are in judgements.
    """
    paths = paths_of(path, "path")
    parsed, files = any_measures_of(measures), named_paths(paths)
    gain = Conventions.of(options.get("like"), gain=options.get("gain")).gain
    chosen: EvaluationOptions = options if options.get("like") else {"ties": "average", **options}
    found = []
    for name, file in files.items():
        scores, labels = read_lists(file, columns, weights)
        labels = without_negatives(labels, gain, refuse="lists")
        with naming(str(file)):
            one = evaluate(scores, labels, parsed, name=name, **chosen)
        found.append(replace(one, judged_share={}))  # every row has a label
    if isinstance(path, str | os.PathLike):
        return found[0]
    return Evaluations((*found, _together(found)) if len(found) > 1 else tuple(found))


def _together(parts: Sequence[Evaluation]) -> Evaluation:
    """Return the evaluation of the queries of several files; repeated names begin with the file's."""

    def named(topics: Callable[[Evaluation], Sequence[str]]) -> tuple[str, ...]:
        return tuple(f"{part.name}: {q}" if repeated else q for part in parts for q in topics(part))

    def stacked(pairs: Sequence[tuple[Floats, Floats] | None]) -> tuple[Floats, Floats] | None:
        there = [pair for pair in pairs if pair is not None]
        return (
            (np.concatenate([a for a, _ in there]), np.concatenate([b for _, b in there])) if there else None
        )

    every = [query for part in parts for query in part.queries]
    repeated = len(set(every)) < len(every)
    return replace(
        parts[0],
        name="all files",
        queries=named(lambda part: part.queries),
        empty=named(lambda part: part.empty),
        values=np.concatenate([part.values for part in parts]),
        judged=sum(part.judged for part in parts),
        bounds=stacked([part.bounds for part in parts]),
        chance=stacked([part.chance for part in parts]),
    )
