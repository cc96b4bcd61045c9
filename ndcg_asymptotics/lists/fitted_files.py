"""Fit files of relevance curves to files of ranked lists, and write a study that uses them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np

from ndcg_asymptotics.core.arrays import brief, floats, is_number
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.files import path_of
from ndcg_asymptotics.core.removed import FILES, removed
from ndcg_asymptotics.core.text import toml_string
from ndcg_asymptotics.lists.fitting import fit_curves
from ndcg_asymptotics.lists.inputs import (
    naming_sources,
    one_feature,
    records_of,
    runs_of,
    scored_lists,
)
from ndcg_asymptotics.lists.pooling import PoolRule, pool_runs
from ndcg_asymptotics.lists.reading import ColumnNames
from ndcg_asymptotics.lists.records import RankedList, ranked_lists
from ndcg_asymptotics.lists.writing import write_output

STUDY = "study.toml"
"""The name of the study that is written beside the curves of several runs."""


def fit(
    runs: object = None,
    qrels: object = None,
    *,
    out: Path | str,
    lists: object = None,
    pool: PoolRule = "retrieved",
    columns: ColumnNames | None = None,
    feature: int | None = None,
    query: Path | str | None = None,
    binary_at: float | None = None,
) -> list[Path]:
    """Fit the relevance curves of runs, and write them as files for a study.

    Two or more runs are scorers of one population: a study is written beside their curves, which uses them.

    Parameters
    ----------
    runs, qrels : as evaluate takes them
    out : path
        A folder for one curve per run, named after the run. With a single run, a name that ends in ``.csv``
        is the file of its curve.
    lists : in place of runs and qrels
        A file or a frame whose every row has a score and a label, of one scorer, as `evaluate` takes it.
    pool
        As in `pool_runs`.
    columns, feature, query
        As in `evaluate`.
    binary_at : float, optional
        Make the labels binary: 1 for this label and above, 0 below.

    Returns
    -------
    list of path
        The files of the curves, in the order of the runs. The study is ``study.toml`` beside them.

    Raises
    ------
    InputError
        For a file that cannot be read, runs without a common query, negative labels of ``lists`` without
        ``binary_at``, errors of `fit_curves`, a curve that would replace a file that is read, and a file that
        cannot be written. Nothing is written before all curves are fitted.
    """
    require(
        (runs is None) == (qrels is None) and (runs is None) != (lists is None),
        "fit needs either runs and qrels, or lists",
    )
    out, source = path_of(out, "out"), {}
    require(out.suffix != ".json", removed("curve as JSON", FILES), "out")
    if lists is not None:
        ((name, (scores, labels)),) = scored_lists(lists, columns, one_feature(feature), query).items()
        place = f"{scores.source}: " if scores.source else ""
        refused = f"{place}has negative labels; --binary-at 1 makes labels below 1 irrelevant"
        require(binary_at is not None or not (labels.values < 0).any(), refused, "lists")
        runs_by_name, by_run = {name: scores}, {name: ranked_lists(scores, labels)}
        inputs = [scores]
    else:
        runs_by_name, judged = runs_of(runs, columns), records_of(qrels, "label", columns)
        with naming_sources(*runs_by_name.values(), judged):
            by_run = pool_runs(runs_by_name, judged, pool).lists()
        source = {"qrels": Path(judged.source).name, "pool": pool}
        inputs = [*runs_by_name.values(), judged]
    for name in runs_by_name:
        require(
            Path(name).name == name != "", f"runs need distinct names of files, got {brief(name)}", "runs"
        )
    if binary_at is not None:
        require(is_number(binary_at), f"must be a number, got {brief(binary_at)}", "binary_at")
        floats(binary_at, "binary_at")
        by_run = {name: [_binary(ranked, binary_at) for ranked in of_run] for name, of_run in by_run.items()}
    first = next(iter(by_run.values()))  # all runs have the same queries and, pooled, the same documents
    single = len(runs_by_name) == 1 and out.suffix == ".csv"
    targets = {name: out if single else out / f"{name}.csv" for name in runs_by_name}
    for path in targets.values():
        is_input = any(
            records.source and path.resolve() == Path(records.source).resolve() for records in inputs
        )
        require(not is_input, f"{path}: is read; name another folder for the curves", "out")
    documents = sum(ranked.scores.size for ranked in first)
    source |= {"queries": str(len(first)), "documents": str(documents)}
    comment = "; ".join(f"{field}: {value}" for field, value in source.items())
    comment += "" if binary_at is None else f"; binary_at: {binary_at:g}"
    contents = {
        targets[name]: curve.encode([f"run: {Path(runs_by_name[name].source or name).name}; {comment}"])
        for name, curve in fit_curves(by_run).items()
    }
    if len(by_run) > 1:
        study = _study_text(by_run, targets)
        contents[out / STUDY] = study.encode()
    for path, content in contents.items():
        write_output(path, content)
    return list(targets.values())


def _study_text(lists: Mapping[str, Sequence[RankedList]], targets: Mapping[str, Path]) -> str:
    """Return the study file for the curves of several runs, which are in the same folder."""
    length = int(np.median([ranked.scores.size for ranked in next(iter(lists.values()))]))
    texts = {name: f"empirical({json.dumps(path.name)})" for name, path in targets.items()}
    scorers = "\n".join(f"{toml_string(name)} = {toml_string(text)}" for name, text in texts.items())
    pairs = ", ".join(f"[{toml_string(a)}, {toml_string(b)}]" for a, b in combinations(targets, 2))
    return (
        f'title = "{len(targets)} fitted runs"\n'
        'measures = ["nDCG", "nDCG(power(0.5))", "nDCG(zipf)", "nDCG@0.2n", "nDCG@10"]\n'
        f"n = {{ start = 10, stop = {max(length, 10)}, per_decade = 5 }}\n"
        "replicates = 1000\nseed = 1\n"
        "# Two real runs rank a relevant document at more similar depths than independent scorers do.\n"
        '# coupling = "gaussian(0.7)"\n'
        f"pairs = [{pairs}]\n\n[scorers]\n{scorers}\n"
    )


def _binary(ranked: RankedList, threshold: float) -> RankedList:
    """Return a list with label 1 in place of labels of at least the threshold, and 0 in place of others."""
    return replace(ranked, labels=(ranked.labels >= threshold).astype(np.float64))
