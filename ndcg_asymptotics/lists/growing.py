"""Growing lists: the experiment of section 4 of Wang et al. (2013) on real runs.

The documents of each query arrive one after another, in random order or in one that is given. Each run
ranks those that have arrived, and NDCG is computed at every n in O(log n) per arrival
(`engines.every_n`). All queries are followed to the same length, so that a mean over queries is over the same
queries at every n.

Beside the real lists stand three i.i.d. models of them, from the coarsest to the closest:

*pooled*
    All queries share one relevance curve.
*mixture*
    Each group of queries has a relevance curve of its own, so queries differ.
*redrawn*
    The list of each query is drawn, with replacement, from its own documents: nothing is fitted, and only
    independence is assumed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, Integers, brief, floats
from ndcg_asymptotics.core.errors import InputError, NotAvailableError, require
from ndcg_asymptotics.core.progress import task, tracked
from ndcg_asymptotics.engines.every_n import evaluate_every_n
from ndcg_asymptotics.lists.evaluation import Gain, Measures, gains_of, measures_of, run_names
from ndcg_asymptotics.lists.fitting import By, fit_curves, fit_groups, group_queries
from ndcg_asymptotics.lists.growth import Growth, Theory, shown_sizes
from ndcg_asymptotics.lists.pooling import Pool, Pooled, looked_up, pooled, scores_of
from ndcg_asymptotics.lists.reading import ColumnNames, read
from ndcg_asymptotics.lists.records import Records
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Population, Random, Relevance
from ndcg_asymptotics.theory.mean import expected_ndcg

Order = Literal["random", "file", "time"]

RANDOM = "random"
"""The name of a run whose scores are drawn."""

_EVERY = 1000  # list lengths that are all kept; beyond, so many a decade
_PER_DECADE = 500


@dataclass(frozen=True)
class Arrivals:
    """Documents that arrive, for the queries that have so many.

    Attributes
    ----------
    documents : Pooled
    length : int
        How many documents of a query arrive.
    orders : int
        How many orders are tried; 1 where the order is given.
    seed : int
    keys : (documents,), optional
        By which the documents arrive, lowest first; None if in random order.
    random : bool
        Whether there is one more run, whose scores are drawn.
    """

    documents: Pooled
    length: int
    orders: int
    seed: int
    keys: Floats | None = None
    random: bool = False

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs."""
        return (*self.documents.runs, *([RANDOM] if self.random else []))

    @property
    def sizes(self) -> Integers:
        """The list lengths that are kept: all up to 1000, then 500 a decade, and the last."""
        steps = np.arange(int(np.ceil(_PER_DECADE * np.log10(max(self.length / _EVERY, 1.0)))))
        far = np.rint(_EVERY * 10.0 ** (steps / _PER_DECADE)).astype(np.int64)
        near = np.arange(1, min(self.length, _EVERY) + 1)
        return np.union1d(near, np.append(far[far < self.length], self.length))

    def paths(
        self, measures: tuple[Measure, ...], sizes: Integers, *, redraw: bool = False
    ) -> Iterator[tuple[int, Floats]]:
        """The query and NDCG at some sizes, (runs, measures, sizes), for every query and order.

        Parameters
        ----------
        measures : tuple of Measure
        sizes : (n,)
        redraw : bool
            Draw the documents with replacement: i.i.d. lists from the query's own documents.
        """
        labels = self.documents.documents.values
        for query, part in enumerate(self.documents.parts()):
            runs, gains = self.documents.scores[:, part], labels[part]
            for order in range(self.orders):
                if redraw:
                    rng = self._generator(query, order, "documents")
                    arrival = rng.integers(0, gains.size, self.length)
                else:
                    arrival = self._arrival(query, order, part)
                scores = [run[arrival] for run in runs]
                if self.random:
                    scores.append(self._generator(query, order, RANDOM).random(self.length))
                found = [evaluate_every_n(s, gains[arrival], measures)[:, sizes - 1] for s in scores]
                yield query, np.array(found)

    def _arrival(self, query: int, order: int, part: slice) -> Integers:
        if self.keys is not None:
            arrival = np.argsort(self.keys[part], kind="stable")
        else:
            arrival = self._generator(query, order, "arrival").permutation(part.stop - part.start)
        return arrival[: self.length]

    def _generator(self, query: int, order: int, what: str) -> np.random.Generator:
        """What is drawn for a query depends on the seed and its name, not on which others there are."""
        text = f"{what} {self.documents.queries[query]}".encode()
        words = np.frombuffer(hashlib.blake2b(text, digest_size=16).digest(), "<u4")
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(order, *words.tolist())))


def theory_of(arrivals: Arrivals, measures: tuple[Measure, ...], by: By) -> Theory:
    """The i.i.d. means beside growing lists, with so many groups of queries."""
    lists = arrivals.documents.lists()
    group = group_queries(next(iter(lists.values())), by)
    sizes = np.array(shown_sizes(arrivals.length))
    redrawn = mean_paths(arrivals, measures, sizes, redraw=True)
    pooled, grouped = fit_curves(lists), fit_groups(lists, by)
    curves = {f"pooled/{name}.json": curve.encode({}) for name, curve in pooled.items()}
    curves |= {f"groups/{name}.json": curve.encode({}) for name, curve in grouped.items()}
    models: list[dict[str, Relevance]] = [{name: curve.relevance for name, curve in pooled.items()}]
    mixtures = {name: mixture.relevance for name, mixture in grouped.items()}
    for g in range(int(group.max()) + 1):
        models.append({name: mixture.groups[g][1] for name, mixture in mixtures.items()})
    means = []
    for of_group in tracked(models, "exact means, groups"):
        scorers = Population({**of_group, **({RANDOM: Random()} if arrivals.random else {})}).models
        means.append([[_exact(model, measure, sizes) for measure in measures] for model in scorers.values()])
    found = np.array(means)
    return Theory(sizes, group, found[0], found[1:], redrawn, curves)


def _exact(model: Relevance, measure: Measure, sizes: Integers) -> Floats:
    try:
        return expected_ndcg(model, measure, sizes).value
    except NotAvailableError:  # a user-defined discount that is not a sum of exponentials
        return np.full(sizes.size, np.nan)


def mean_paths(
    arrivals: Arrivals,
    measures: tuple[Measure, ...],
    sizes: Integers,
    *,
    redraw: bool = False,
) -> Floats:
    """NDCG at list lengths, the mean over the orders, (queries, runs, measures, n)."""
    count = len(arrivals.documents.queries)
    found = np.zeros((count, len(arrivals.runs), len(measures), sizes.size))
    before = 0
    with task(f"{'redrawn' if redraw else 'growing'} lists, queries", count) as queries:
        for query, values in arrivals.paths(measures, sizes, redraw=redraw):
            found[query] += values
            queries.update(query - before)
            before = query
    return found / arrivals.orders


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
