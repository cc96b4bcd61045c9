"""Runs, judgements and lists in any form that a user has them in, as records.

A run, or judgements, may be a file (`lists.reading.read`); a dictionary ``{query: {document: number}}``; a
frame of pandas or polars, an Arrow table, or named tuples, such as those of ir_measures; a data set of
ir_datasets; a run or judgements of ranx; or `Records`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import numpy as np

from ndcg_asymptotics.core.arrays import LARGEST_N, as_list, brief
from ndcg_asymptotics.core.errors import InputError, naming, require, require_utf8
from ndcg_asymptotics.core.files import named_paths, paths_of
from ndcg_asymptotics.lists.judgements import without_negatives
from ndcg_asymptotics.lists.names import united
from ndcg_asymptotics.lists.reading import ColumnNames, read, read_lists
from ndcg_asymptotics.lists.records import NumberKind, Records, as_table, is_table
from ndcg_asymptotics.measures.gains import Gain


def records_of(data: object, kind: NumberKind, columns: ColumnNames | None = None) -> Records:
    """Return the records of a run, judgements or times in any form.

    Parameters
    ----------
    data : path, dictionary, frame, Arrow table, named tuples, object of ir_datasets or ranx, Records
    kind : {"score", "label", "time"}
    columns : mapping, optional
        The names of the columns of a table: ``{"query": "qid"}``.

    Raises
    ------
    InputError
        As `read` for a path, and as `Records.of` for anything else.

    >>> len(records_of({"q": {"d": 1.0, "e": 0.5}}, "score"))
    2
    """
    require(data is not None, "is missing", "qrels" if kind == "label" else "runs")
    if isinstance(data, str | os.PathLike):
        return read(Path(data), kind, columns)
    return Records.of(data, kind, columns)


def judgements_of(
    qrels: object, columns: ColumnNames | None = None, gain: Gain = "linear", *, refuse: str = ""
) -> Records:
    """Return judgements in any form, with 0 in place of negative labels (`without_negatives`).

    Raises
    ------
    InputError
        As `records_of` and `without_negatives`.
    """
    return without_negatives(records_of(qrels, "label", columns), gain, refuse=refuse)


def is_one(runs: object) -> bool:
    """Return whether an argument is one run, and not several by name or in a sequence.

    >>> is_one("a.run"), is_one({"q": {"d": 1.0}}), is_one({"mine": {"q": {"d": 1.0}}}), is_one(["a.run"])
    (True, True, False, False)
    """
    if isinstance(runs, Mapping):
        first = next(iter(runs.values()), None)
        return isinstance(first, Mapping) and not isinstance(next(iter(first.values()), None), Mapping)
    return not isinstance(runs, list | tuple) or is_table(runs)


def named_runs(runs: object, argument: str = "runs") -> dict[str, object]:
    """Return runs by name, in the form of the argument; ``argument`` is the one that holds them.

    Files are named after themselves (`core.files.named_paths`), and objects with a name, such as runs of
    ranx, by it.

    Raises
    ------
    InputError
        For no run, a name that occurs twice, and a run without a name.

    >>> list(named_runs(["runs/a.run", "runs/b.run"])), list(named_runs({"mine": {"q": {"d": 1.0}}}))
    (['a', 'b'], ['mine'])
    """
    if isinstance(runs, Mapping) and not is_one(runs):
        runs_by_name = {str(name): run for name, run in runs.items()}
    else:
        run_list = [runs] if is_one(runs) else as_list(runs, argument)
        paths = [Path(run) for run in run_list if isinstance(run, str | os.PathLike)]
        if len(paths) == len(run_list):
            runs_by_name = dict(named_paths(paths, argument))
        else:
            names = [of if isinstance(of := getattr(run, "name", ""), str) else "" for run in run_list]
            if len(set(names)) < len(names):
                requirement = 'must be a mapping of name to run, such as {"a": run_a, "b": run_b}, or files'
                raise InputError(f"{requirement}, got {brief(runs)}", argument)
            runs_by_name = dict(zip(names, run_list, strict=True))
    require(len(runs_by_name) > 0, "must hold at least one", argument)
    require_utf8(runs_by_name, "the name of a run", argument)
    return runs_by_name


def runs_of(runs: object, columns: ColumnNames | None = None) -> dict[str, Records]:
    """Return the scores of runs by name, each in any form (`records_of`).

    Raises
    ------
    InputError
        As `named_runs` and `records_of`.
    """
    # a run without a name is alone
    return {name or "run": records_of(run, "score", columns) for name, run in named_runs(runs).items()}


def features_of(feature: int | Sequence[int] | None) -> list[int]:
    """Return the features of SVMlight files whose values are the scores of rankers.

    >>> features_of([25, 40]), features_of(None)
    ([25, 40], [])

    Raises
    ------
    InputError
        For a feature below 1, and one that is given twice.
    """
    features = [] if feature is None else as_list(feature, "feature", (int, np.integer))
    for index in features:
        whole = isinstance(index, int | np.integer) and bool(1 <= index <= LARGEST_N)
        require(whole, f"must be a whole number from 1 on, got {brief(index)}", "feature")
        require(features.count(index) == 1, f"{brief(index)} is given twice", "feature")
    return [*map(int, features)]


def one_feature(feature: int | None) -> list[int]:
    """Return the feature of one ranker in a list (`features_of`), which is empty for None."""
    features = features_of(feature)
    require(len(features) <= 1, f"must be one, got {len(features)}", "feature")
    return features


def scored_lists(
    lists: object,
    columns: ColumnNames | None = None,
    features: Sequence[int] = (),
    query: object = None,
) -> dict[str, list[Records]]:
    """Return scores, then labels, in the same order, of one file or table, or of each of several.

    Parameters
    ----------
    lists : path, frame or Arrow table, or several by name, or paths in a list
        Each as `read_lists` takes a file.
    columns, features
        As in `read_lists`.
    query : path, or one for each file, optional
        As in `read_lists`.
    """
    sources = {name or "lists": source for name, source in named_runs(lists, "lists").items()}
    records_by_name = {}
    for (name, source), sizes in zip(sources.items(), _sizes(query, len(sources)), strict=True):
        if isinstance(source, str | os.PathLike):
            records_by_name[name] = read_lists(Path(source), columns, features, sizes)
        else:
            require(not features, "only SVMlight files have features", "feature")
            require(sizes is None, "is for SVMlight files", "query")
            frame = as_table(source)
            require(frame is not None, f"expected a file or a frame, got {brief(source)}", "lists")
            records_by_name[name] = Records.of_frame(frame, ("score", "label"), columns, has_names=False)
    return records_by_name


def _sizes(query: object, files: int) -> list[Path | None]:
    """Return the file with the sizes of queries of each of some SVMlight files."""
    if query is None:
        return [None] * files
    sizes = paths_of(query, "query")
    require(len(sizes) == files, f"is a file for each of {files} files of lists, got {len(sizes)}", "query")
    return [*sizes]


def scores_of_features(
    lists: object, columns: ColumnNames | None, features: Sequence[int], query: object = None
) -> tuple[dict[str, Records], Records]:
    """Return the scores of rankers by name, which are features, and the labels of SVMlight files together.

    Each file is read once; see `scored_lists` for the parameters.
    """
    records_by_name = scored_lists(lists, columns, features, query)
    scores = {}
    for place, feature in enumerate(features):
        parts = {name: [records[place], records[-1]] for name, records in records_by_name.items()}
        scores[f"feature {feature}"], labels = joined_files(parts)
    return scores, labels


def joined_files(parts: Mapping[str, Sequence[Records]]) -> Sequence[Records]:
    """Return the scores and labels of several files as those of one.

    If queries of two files have one name, all names of queries begin with that of the file.
    """
    scores = [of_file for of_file, _ in parts.values()]
    if len(scores) == 1:
        return next(iter(parts.values()))
    all_queries = [query for part in scores for query in part.queries]
    repeated = len(set(all_queries)) < len(all_queries)
    queries = [f"{name}: {q}" if repeated else q for name, (part, _) in parts.items() for q in part.queries]
    codes, names = united([part.names for part in scores])
    before = np.cumsum([0, *(len(part.queries) for part in scores[:-1])])
    row = np.concatenate([part.row + first for part, first in zip(scores, before, strict=True)])
    document = np.concatenate([new[part.document] for new, part in zip(codes, scores, strict=True)])
    values = (np.concatenate([records.values for records in of]) for of in zip(*parts.values(), strict=True))
    score_values, labels = values
    comparable = all(part.comparable for part in scores)
    together = Records(
        tuple(queries), row.astype(np.int32), names, document, score_values, comparable=comparable
    )
    return [together, together.with_values(labels)]


def naming_sources(*records: Records) -> AbstractContextManager[None]:
    """Put the names of files before errors of what was read from them."""
    sources = ", ".join(of.source for of in records if of.source)
    return naming(sources) if sources else nullcontext()
