"""Growing lists: the experiment of section 4 of Wang et al. (2013) on real runs.

NDCG at every n while the documents of each query arrive, of several runs at once; and beside it what
i.i.d. lists with the same relevance curves would have (`lists.iid`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, brief, floats
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.lists.evaluation import Gain, Measures, gains_of, measures_of, run_names
from ndcg_asymptotics.lists.groups import By
from ndcg_asymptotics.lists.growing.arrivals import RANDOM, Arrivals, Order
from ndcg_asymptotics.lists.growing.growth import Growth
from ndcg_asymptotics.lists.growing.iid import mean_paths, theory_of
from ndcg_asymptotics.lists.pooling import Pool, Pooled, looked_up, pooled, scores_of
from ndcg_asymptotics.lists.reading import ColumnNames, read
from ndcg_asymptotics.lists.records import Records

_REACHED = 0.9  # of the queries: the length to which lists are followed unless another is asked for


def grow(
    runs: Mapping[str, Any],
    qrels: Any,
    measures: Measures,
    *,
    order: Order = "random",
    times: Any = None,
    orders: int = 20,
    length: int | None = None,
    pool: Pool = "retrieved",
    gain: Gain = "linear",
    binary_at: float | None = None,
    random: bool = False,
    by: By | None = None,
    seed: int = 0,
) -> Growth:
    """NDCG at every n while the documents of each query arrive.

    Of documents with equal scores, and of those that a run did not retrieve, the earlier one ranks first.

    Parameters
    ----------
    runs : mapping of name to run
        Each as `evaluate` takes it.
    qrels : judgements
        Documents without one have the label 0.
    measures : Measure, text, or several
    order : {"random", "file", "time"}
        In which order documents arrive: at random; as in the judgements, then as in the runs; by time.
    times : optional
        ``{query: {document: time}}``, a DataFrame or records with a time, for order "time".
    orders : int
        How many random orders to average over.
    length : int, optional
        How many documents arrive; queries with fewer are left out. By default so many that nine of ten
        queries have them.
    pool : {"retrieved", "judged"}
        As in `pool_runs`.
    gain : {"linear", "exp2"}
    binary_at : float, optional
        Count labels from this one on as 1, those below as 0.
    random : bool
        Add a run whose scores are drawn.
    by : int or "query", optional
        Hold the lists against i.i.d. theory: the exact mean of the pooled relevance curve, and of a mixture
        of so many groups of queries.
    seed : int

    Raises
    ------
    InputError
        For what `pool_runs` refuses; if no query has so many documents, or one has no time.

    >>> run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    >>> grown = grow({"mine": run}, {"q": {"b": 1.0}}, "nDCG(zipf)", orders=200)
    >>> grown.sizes, grown.mean[0, 0].round(1)  # at n = 3 b is second, at n = 1 it is there in a third
    (array([1, 2, 3]), array([0.3, 0.5, 0.5]))
    """
    require(
        order in get_args(Order), f"must be one of {', '.join(get_args(Order))}, got {brief(order)}", "order"
    )
    require(isinstance(orders, int) and orders >= 1, f"must be at least 1, got {brief(orders)}", "orders")
    require(isinstance(seed, int) and seed >= 0, f"must be a whole number >= 0, got {brief(seed)}", "seed")
    require(
        (times is not None) == (order == "time"),
        "order 'time' needs times, and no other order takes them",
        "times",
    )
    scores = scores_of(runs)
    require(not random or RANDOM not in scores, f"a run is called {RANDOM!r} already", "random")
    parsed = measures_of(measures)
    labels = Records.of(qrels, "label")
    documents, left_out, longest = _followed(pooled(scores, labels, pool), length)
    documents = documents.with_labels(_worth(documents.documents, gain, binary_at).values)
    keys = None
    if order == "file":
        keys = _first_seen(documents.documents, [labels, *scores.values()])
    elif order == "time":
        keys = _times(documents.documents, Records.of(times, "time"))
    arrivals = Arrivals(documents, longest, orders if keys is None else 1, seed, keys, random)
    ndcg = mean_paths(arrivals, parsed, arrivals.sizes)
    theory = None if by is None else theory_of(arrivals, parsed, by)
    settings = {
        "order": order, "orders": arrivals.orders, "length": longest, "pool": pool, "gain": gain,
        "binary_at": binary_at, "by": by, "seed": seed,
    }  # fmt: skip
    return Growth(arrivals.runs, parsed, arrivals.sizes, documents.queries, ndcg, left_out, settings, theory)


def grow_files(
    runs: Sequence[Path | str],
    qrels: Path | str,
    measures: Measures,
    *,
    times: Path | str | None = None,
    columns: ColumnNames | None = None,
    **options: Any,
) -> Growth:
    """`grow` for files: runs, judgements and times as TREC files or tables.

    Parameters
    ----------
    runs, qrels : path
        As `evaluate_files` takes them.
    measures : Measure, text, or several
    times : path, optional
        A table with the columns query, document, time (a number or a date).
    columns : mapping, optional
        What the columns are called in the tables.
    **options
        As in `grow`.

    Raises
    ------
    InputError
        As `evaluate_files` and `grow`.
    """
    paths, measures = [Path(run) for run in runs], measures_of(measures)
    scores = {name: read(path, "score", columns) for name, path in zip(run_names(paths), paths, strict=True)}
    labels = read(qrels, "label", columns)
    moments = None if times is None else read(times, "time", columns)
    grown = grow(scores, labels, measures, times=moments, **options)
    files = {"runs": {name: path.name for name, path in zip(scores, paths, strict=True)}}
    return replace(grown, settings={**files, "qrels": Path(qrels).name, **grown.settings})


def _followed(documents: Pooled, length: int | None) -> tuple[Pooled, tuple[str, ...], int]:
    """The queries that have so many documents, those that have not, and how many."""
    sizes = documents.sizes
    if length is None:
        length = int(np.sort(sizes)[::-1][int(np.ceil(_REACHED * sizes.size)) - 1])
    proper = isinstance(length, int) and length >= 1
    require(proper, f"must be a whole number from 1 on, got {brief(length)}", "length")
    most = int(sizes.max())
    require(length <= most, f"no query has {length} documents, the most are {most}", "length")
    reached = dict(zip(documents.queries, (sizes >= length).tolist(), strict=True))
    kept = tuple(query for query, long in reached.items() if long)
    left_out = tuple(query for query, long in reached.items() if not long)
    return documents.of_queries(kept), left_out, length


def _worth(labels: Records, gain: Gain, binary_at: float | None) -> Records:
    """The gains of labels, which are made binary first if that is asked for."""
    if binary_at is not None:
        floats(binary_at, "binary_at")
        labels = labels.with_values((labels.values >= binary_at).astype(np.float64))
    return gains_of(labels, gain)


def _first_seen(documents: Records, files: Sequence[Records]) -> Floats:
    """Where each document stands first in some files, one after another."""
    seen = np.full(len(documents), np.nan)
    before = 0
    for records in files:
        found = records.find(documents)
        new = np.isnan(seen) & (found >= 0)
        seen[new] = before + found[new]
        before += len(records)
    return seen


def _times(documents: Records, times: Records) -> Floats:
    found = looked_up(times, documents, np.nan)
    missing = np.flatnonzero(np.isnan(found))
    if missing.size:
        first = int(missing[0])
        raise InputError(f"{missing.size} documents have no time, first {documents.describe(first)}", "times")
    return found
