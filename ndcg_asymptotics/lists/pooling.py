"""From files of ranked lists to files of relevance curves.

Several runs become scorers of one population: for each query all of them rank the same items,
the documents that any of the runs retrieved, and so have the same labels. What a run did not
retrieve it ranks below all that it did, tied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from ndcg_asymptotics.errors import InputError, require
from ndcg_asymptotics.files import write_file
from ndcg_asymptotics.lists.fitting import FittedCurve, Method, fit_curves
from ndcg_asymptotics.lists.readers import Qrels, RankedList, Run, read_csv, read_qrels, read_run

Pool = Literal["retrieved", "judged"]


def pool_runs(runs: Mapping[str, Run], qrels: Qrels, pool: Pool = "retrieved") -> dict[str, list[RankedList]]:
    """Lists in which every run ranks the same documents, for the queries that all runs and the qrels have.

    Parameters
    ----------
    runs : mapping of name to run
    qrels : Qrels
        Documents without a judgement have the label 0.
    pool : {"retrieved", "judged"}
        A query's documents are those which any of the runs retrieved; "judged" adds those of the
        qrels.

    Raises
    ------
    InputError
        If there is no query that all have.

    >>> runs = {"a": {"q": {"x": 2.0, "y": 1.0}}, "b": {"q": {"z": 5.0}}}
    >>> pool_runs(runs, {"q": {"z": 1.0}})["a"][0].scores
    array([  2.,   1., -inf])
    """
    require(pool in get_args(Pool), f"pool must be one of {get_args(Pool)}, got {pool!r}")
    queries = sorted(qrels.keys() & set.intersection(*(set(run) for run in runs.values())))
    require(len(queries) > 0, f"{', '.join(runs)} and the qrels have no query in common")
    lists: dict[str, list[RankedList]] = {name: [] for name in runs}
    for query in queries:
        judged = qrels[query]
        retrieved = set().union(*(run[query] for run in runs.values()))
        documents = sorted(retrieved | judged.keys() if pool == "judged" else retrieved)
        labels = np.array([judged.get(document, 0.0) for document in documents])
        for name, run in runs.items():
            scores = np.array([run[query].get(document, -np.inf) for document in documents])
            lists[name].append(RankedList(query, scores, labels))
    return lists


def fit_files(
    runs: Sequence[Path | str],
    qrels: Path | str,
    out: Path | str,
    *,
    method: Method = "isotonic",
    pool: Pool = "retrieved",
    binary_at: float | None = None,
    prevalence: Sequence[float] | None = None,
    resamples: int = 200,
    seed: int = 0,
) -> list[Path]:
    """Fit the relevance curves of TREC runs and write them as files for ``empirical("file")``.

    Parameters
    ----------
    runs, qrels : path
        TREC files, plain or gzip-compressed.
    out : path
        A folder for one curve per run, named after the run's file; with one run, a name that
        ends in ``.json`` is the curve's file.
    method, prevalence, resamples, seed
        As in `fit_curves`.
    pool
        As in `pool_runs`.
    binary_at : float, optional
        Make the labels binary: 1 from this label on, 0 below.

    Returns
    -------
    list of path
        The files written, in the order of the runs.

    Raises
    ------
    InputError
        As `read_run`, `read_qrels`, `pool_runs` and `fit_curves`, for two runs of one name, and
        if a file cannot be written. Nothing is written unless all curves could be fitted.
    """
    paths, qrels, out = [Path(run) for run in runs], Path(qrels), Path(out)
    names = [_stem(run) for run in paths]
    require(len(names) > 0, "fit needs at least one run")
    require(len(set(names)) == len(names), f"runs need distinct file names, got {', '.join(names)}")
    judged = read_qrels(qrels)
    found = {name: read_run(run) for name, run in zip(names, paths, strict=True)}
    try:
        lists = pool_runs(found, judged, pool)
    except InputError as error:
        raise InputError(f"{', '.join(map(str, paths))}, {qrels}: {error}") from None
    source = {"qrels": qrels.name, "pool": pool}
    single = len(runs) == 1 and out.suffix == ".json"
    targets = {n: out if single else out / f"{n}.json" for n in names}
    sources = {n: {"run": run.name, **source} for n, run in zip(names, paths, strict=True)}
    return _fit_and_write(lists, targets, sources, method, binary_at, prevalence, resamples, seed)


def fit_csv(
    path: Path | str,
    out: Path | str,
    *,
    method: Method = "isotonic",
    binary_at: float | None = None,
    prevalence: Sequence[float] | None = None,
    resamples: int = 200,
    seed: int = 0,
) -> list[Path]:
    """`fit_files` for one scorer, from a CSV file with the columns query, score, label.

    Raises
    ------
    InputError
        As `read_csv` and `fit_curves`, and if the file cannot be written.
    """
    path, out = Path(path), Path(out)
    name = _stem(path)
    target = out if out.suffix == ".json" else out / f"{name}.json"
    lists = {name: read_csv(path)}
    sources = {name: {"run": path.name}}
    return _fit_and_write(lists, {name: target}, sources, method, binary_at, prevalence, resamples, seed)


def _fit_and_write(
    lists: dict[str, list[RankedList]],
    targets: dict[str, Path],
    sources: dict[str, dict[str, str]],
    method: Method,
    binary_at: float | None,
    prevalence: Sequence[float] | None,
    resamples: int,
    seed: int,
) -> list[Path]:
    if binary_at is not None:
        lists = {name: [_binary(ranked, binary_at) for ranked in of_run] for name, of_run in lists.items()}
    curves = fit_curves(lists, method=method, prevalence=prevalence, resamples=resamples, seed=seed)
    for name, curve in curves.items():
        provenance: dict[str, Any] = {
            **sources[name],
            "queries": len(lists[name]),
            "documents": sum(ranked.scores.size for ranked in lists[name]),
            "method": method,
            "binary_at": binary_at,
            "prevalence": None if prevalence is None else list(prevalence),
            "resamples": resamples,
            "seed": seed,
        }
        _write(targets[name], curve, provenance)
    return list(targets.values())


def _binary(ranked: RankedList, level: float) -> RankedList:
    return replace(ranked, labels=(ranked.labels >= level).astype(np.float64))


def _write(path: Path, curve: FittedCurve, provenance: dict[str, Any]) -> None:
    try:
        write_file(path, curve.encode(provenance))
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None


def _stem(path: Path) -> str:
    """The file name without .gz and the ending before it."""
    return Path(path.name.removesuffix(".gz")).stem
