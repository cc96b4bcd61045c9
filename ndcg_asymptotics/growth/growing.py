"""Growing lists: the experiment of section 4 of Wang et al. (2013) on real runs.

The documents of each query arrive one after another, in random order or in one that is given. Each run
ranks those that have arrived, and NDCG is computed at every n in O(log n) per arrival
(`engines.every_n`). All queries are followed to the same length, so that a mean over queries is over the same
queries at every n.

Queries differ in how many of their documents are relevant, so the mean of i.i.d. lists is given twice: with
one relevance curve for all queries, and as the average over groups of queries with similar shares of relevant
documents, each with a curve of its own.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from ndcg_asymptotics.core.arrays import (
    Floats,
    Integers,
    brief,
    floats,
    is_number,
    named_generator,
    require_choice,
    require_flag,
    whole_number,
)
from ndcg_asymptotics.core.errors import InputError, NotAvailableError, require
from ndcg_asymptotics.core.progress import say, task, tracked
from ndcg_asymptotics.engines.every_n import evaluate_every_n
from ndcg_asymptotics.growth.outcome import Growth, Theory, shown_sizes
from ndcg_asymptotics.lists.fitting import FittedCurve, fit_curves, fit_groups
from ndcg_asymptotics.lists.inputs import records_of, runs_of
from ndcg_asymptotics.lists.judgements import gains_of
from ndcg_asymptotics.lists.pooling import Pooled, PoolRule, look_up, pool_runs
from ndcg_asymptotics.lists.reading import ColumnNames
from ndcg_asymptotics.lists.records import Records
from ndcg_asymptotics.measures import Measure, Measures, measures_of
from ndcg_asymptotics.measures.gains import Gain, gain_text
from ndcg_asymptotics.populations import Population, Random, Relevance, Scorer
from ndcg_asymptotics.theory.mean import expected_ndcg

Arrival = Literal["random", "file", "time"]

RANDOM = "random"
"""The name of the run with random scores."""

_MOST_ORDERS = 100_000
_LONG = 10.0  # seconds of exact means from which on an estimate is stated
_ALL_SIZES_TO = 1000  # every list length up to this is kept
_SIZES_PER_DECADE = 500  # and this number in each decade beyond


@dataclass(frozen=True)
class GrowingLists:
    """The order in which the documents of queries arrive.

    Attributes
    ----------
    documents : Pooled
    length : int
        The number of documents of a query that arrive.
    orders : int
        The number of random orders; 1 if the order is given.
    seed : int
    keys : (documents,), optional
        Documents arrive by increasing key; None for random orders.
    random : bool
        Whether to add a run with random scores.
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
        """The list lengths that are kept: all up to 1000, then 500 per decade, and the last."""
        steps = np.arange(int(np.ceil(_SIZES_PER_DECADE * np.log10(max(self.length / _ALL_SIZES_TO, 1.0)))))
        far = np.rint(_ALL_SIZES_TO * 10.0 ** (steps / _SIZES_PER_DECADE)).astype(np.int64)
        near = np.arange(1, min(self.length, _ALL_SIZES_TO) + 1)
        return np.union1d(near, np.append(far[far < self.length], self.length))

    def paths(self, measures: tuple[Measure, ...], sizes: Integers) -> Iterator[tuple[int, Floats]]:
        """Yield the query and NDCG at some sizes, (runs, measures, sizes), for every query and order."""
        labels = self.documents.documents.values
        for query, part in enumerate(self.documents.query_slices()):
            runs, gains = self.documents.scores[:, part], labels[part]
            for order in range(self.orders):
                arrival = self._arrival(query, order, part)
                scores = [run[arrival] for run in runs]
                if self.random:
                    scores.append(self._generator(query, order, RANDOM).random(self.length))
                values = [evaluate_every_n(s, gains[arrival], measures)[:, sizes - 1] for s in scores]
                yield query, np.array(values)

    def _arrival(self, query: int, order: int, part: slice) -> Integers:
        if self.keys is not None:
            arrival = np.argsort(self.keys[part], kind="stable")
        else:
            arrival = self._generator(query, order, "arrival").permutation(part.stop - part.start)
        return arrival[: self.length]

    def _generator(self, query: int, order: int, purpose: str) -> np.random.Generator:
        """Return a generator that depends on the seed and the name of the query, not on other queries."""
        return named_generator(self.seed, f"{purpose} {self.documents.queries[query]}", order)


def theory_of(arrivals: GrowingLists, measures: tuple[Measure, ...], groups: int) -> Theory:
    """Return the i.i.d. means beside growing lists, of one curve and of a curve for each group of queries."""
    lists = arrivals.documents.lists()
    sizes = np.array(shown_sizes(arrivals.length))
    pooled, by_group = fit_curves(lists), fit_groups(lists, groups)
    curve_sets = [pooled, *(group.curves for group in by_group)]

    def exact(curves: Mapping[str, FittedCurve]) -> Floats:
        of_runs: dict[str, Scorer] = {name: curve.relevance for name, curve in curves.items()}
        scorers = Population({**of_runs, **({RANDOM: Random()} if arrivals.random else {})}).models
        return np.array(
            [[_exact(model, measure, sizes) for measure in measures] for model in scorers.values()]
        )

    means, reported = [], False
    for g, curves in enumerate(tracked(curve_sets, "exact means, groups")):
        begun, remaining = time.monotonic(), len(curve_sets) - g - 1
        means.append(exact(curves))
        seconds = time.monotonic() - begun
        if not reported and seconds * remaining > _LONG:
            reported = True
            say(
                f"exact means of one group took {seconds:.0f} s; the {remaining} others take about "
                f"{seconds * remaining:.0f} s"
            )
    weights = np.array([group.weight for group in by_group])
    grouped = np.asarray(np.tensordot(weights, np.array(means[1:]), 1))
    return Theory(sizes, means[0], grouped, groups)


def _exact(model: Relevance, measure: Measure, sizes: Integers) -> Floats:
    try:
        return expected_ndcg(model, measure, sizes).value
    except NotAvailableError:  # a user-defined discount that is not a sum of exponentials
        return np.full(sizes.size, np.nan)


def mean_paths(
    arrivals: GrowingLists,
    measures: tuple[Measure, ...],
    sizes: Integers,
) -> Floats:
    """Return the mean of NDCG over the orders, (queries, runs, measures, n)."""
    count = len(arrivals.documents.queries)
    totals = np.zeros((count, len(arrivals.runs), len(measures), sizes.size))
    before = 0
    with task("growing lists, queries", count) as queries:
        for query, values in arrivals.paths(measures, sizes):
            totals[query] += values
            queries.update(query - before)
            before = query
    return totals / arrivals.orders


_QUERIES_REACHED = 0.9  # by default lists are followed to the length that this share of the queries has


def grow(
    runs: object,
    qrels: object,
    measures: Measures,
    *,
    columns: ColumnNames | None = None,
    order: Arrival = "random",
    times: object = None,
    orders: int = 20,
    n: int | None = None,
    pool: PoolRule = "retrieved",
    gain: Gain = "linear",
    binary_at: float | None = None,
    random: bool = False,
    groups: int | None = None,
    seed: int = 0,
) -> Growth:
    """Return NDCG at every n while the documents of each query arrive.

    Documents with equal scores, and those that a run did not retrieve, are ranked in the order of arrival.

    Parameters
    ----------
    runs, qrels : as evaluate takes them
        Documents without a judgement have the label 0.
    measures : Measure, text, or several
    columns : mapping, optional
        The names of the columns of tables.
    order : {"random", "file", "time"}
        The order of arrival: random; that of the judgements, then of the runs; or by time.
    times : optional
        A time (a number or a date) in place of the score of a run, in the same forms; for order "time".
    orders : int
        The number of random orders to average over, 1 to 100,000.
    n : int, optional
        The number of documents that arrive; queries with fewer are left out. By default the largest number
        that nine of ten queries have.
    pool : {"retrieved", "judged"}
        As in `pool_runs`.
    gain : {"linear", "binary", "exp2"}, text or mapping
        As in `evaluate`.
    binary_at : float, optional
        Make the labels binary: 1 for this label and above, 0 below.
    random : bool
        Whether to add a run with random scores.
    groups : int, optional
        Compare the lists with i.i.d. theory: the exact mean for one relevance curve of all queries, and for
        this number of groups of queries by their share of relevant documents, each with its own curve.
    seed : int

    Raises
    ------
    InputError
        As `pool_runs`; if no query has ``n`` documents, or a document has no time.

    >>> run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    >>> grown = grow({"mine": run}, {"q": {"b": 1.0}}, "nDCG(zipf)", orders=200)
    >>> grown.sizes, grown.mean[0, 0].round(1)  # b arrives first in a third of the orders
    (array([1, 2, 3]), array([0.3, 0.5, 0.5]))
    """
    require_choice(order, get_args(Arrival), "order")
    orders, seed = whole_number(orders, "orders", 1, _MOST_ORDERS), whole_number(seed, "seed", 0, None)
    require(
        (times is not None) == (order == "time"),
        "order 'time' needs times, and no other order takes them",
        "times",
    )
    require_flag(random, "random")
    measure_list = measures_of(measures)  # before files are read
    scores = runs_of(runs, columns)
    require(not random or RANDOM not in scores, f"a run is already called {RANDOM!r}", "random")
    labels = records_of(qrels, "label", columns)
    documents, left_out, longest = _followed(pool_runs(scores, labels, pool), n)
    documents = replace(documents, documents=_gains(documents.documents, gain, binary_at))
    keys = None
    if order == "file":
        keys = _first_seen(documents.documents, [labels, *scores.values()])
    elif order == "time":
        keys = _times(documents.documents, records_of(times, "time", columns))
    arrivals = GrowingLists(documents, longest, orders if keys is None else 1, seed, keys, random)
    ndcg = mean_paths(arrivals, measure_list, arrivals.sizes)
    theory = None if groups is None else theory_of(arrivals, measure_list, groups)
    files = {name: Path(run.source).name for name, run in scores.items() if run.source}
    settings = {
        **({"runs": files} if files else {}),
        **({"qrels": Path(labels.source).name} if labels.source else {}),
        "order": order,
        "orders": arrivals.orders,
        "length": longest,
        "pool": pool,
        "gain": gain_text(gain),
        "binary_at": binary_at,
        "groups": groups,
        "seed": seed,
    }
    return Growth(
        runs=arrivals.runs,
        measures=measure_list,
        sizes=arrivals.sizes,
        queries=documents.queries,
        ndcg=ndcg,
        left_out=left_out,
        settings=settings,
        theory=theory,
    )


def _followed(documents: Pooled, n: int | None) -> tuple[Pooled, tuple[str, ...], int]:
    """Return the runs on the queries with ``n`` documents, the other queries, and n."""
    sizes = documents.sizes
    if n is None:
        n = int(np.sort(sizes)[::-1][int(np.ceil(_QUERIES_REACHED * sizes.size)) - 1])
    proper = isinstance(n, int) and n >= 1
    require(proper, f"must be a whole number >= 1, got {brief(n)}", "n")
    most = int(sizes.max())
    require(n <= most, f"no query has {brief(n)} documents, the longest has {most}", "n")
    reached = dict(zip(documents.queries, (sizes >= n).tolist(), strict=True))
    long_queries = tuple(query for query, long in reached.items() if long)
    left_out = tuple(query for query, long in reached.items() if not long)
    return documents.of_queries(long_queries), left_out, n


def _gains(labels: Records, gain: Gain, binary_at: float | None) -> Records:
    """Return the gains of labels, which are made binary first if ``binary_at`` is given."""
    if binary_at is not None:
        require(is_number(binary_at), f"must be a number, got {brief(binary_at)}", "binary_at")
        floats(binary_at, "binary_at")
        labels = labels.with_values((labels.values >= binary_at).astype(np.float64))
    return gains_of(labels, gain)


def _first_seen(documents: Records, files: Sequence[Records]) -> Floats:
    """Return the first place of each document in some files, taken one after another."""
    first = np.full(len(documents), np.nan)
    before = 0
    for records in files:
        positions = records.find(documents)
        new = np.isnan(first) & (positions >= 0)
        first[new] = before + positions[new]
        before += len(records)
    return first


def _times(documents: Records, times: Records) -> Floats:
    values = look_up(times, documents, np.nan)
    missing = np.flatnonzero(np.isnan(values))
    if missing.size:
        first = int(missing[0])
        raise InputError(f"{missing.size} documents have no time, first {documents.describe(first)}", "times")
    return values
