"""What i.i.d. lists would have in the place of real ones: the exact mean, at some list lengths.

Three stand-ins for the lists of a run, from far to near. *Pooled*: all queries have one relevance curve. A
*mixture*: each group of queries has its own, so queries differ. *Redrawn*: each query's list is drawn,
with replacement, from its own documents, so nothing is fitted and only independence is assumed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.core.arrays import Floats, Integers
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.progress import task, tracked
from ndcg_asymptotics.lists.fitting import fit_curves
from ndcg_asymptotics.lists.groups import By, fit_groups, group_queries
from ndcg_asymptotics.lists.growing.arrivals import RANDOM, Arrivals
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.populations import Population, Random, Relevance
from ndcg_asymptotics.theory.mean import expected_ndcg


@dataclass(frozen=True)
class Theory:
    """Means of i.i.d. lists with the relevance curves of runs.

    Attributes
    ----------
    sizes : (n,)
        Some of the list lengths.
    group : (queries,)
        The group of each query.
    pooled : (runs, measures, n)
        The exact mean for one curve of all queries; NaN where a discount has none.
    groups : (groups, runs, measures, n)
        The exact mean for the curve of each group.
    redrawn : (queries, runs, measures, n)
        The mean over simulated lists of documents that are drawn with replacement from those of the query.
    curves : mapping of name to content
        The files of the curves: ``pooled/RUN.json`` and ``groups/RUN.json``.
    """

    sizes: Integers
    group: Integers
    pooled: Floats
    groups: Floats
    redrawn: Floats
    curves: Mapping[str, bytes]

    @property
    def mixture(self) -> Floats:
        """The exact mean of the mixture, (runs, measures, n)."""
        weights = np.bincount(self.group, minlength=len(self.groups)) / self.group.size
        return np.asarray(np.tensordot(weights, self.groups, 1))


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
        scorers = Population({**of_group, **({RANDOM: Random()} if arrivals.random else {})}).scorers
        means.append([[_exact(model, measure, sizes) for measure in measures] for model in scorers.values()])
    found = np.array(means)
    return Theory(sizes, group, found[0], found[1:], redrawn, curves)


def _exact(model: Relevance, measure: Measure, sizes: Integers) -> Floats:
    try:
        return expected_ndcg(model, measure, sizes).value
    except InputError:  # a discount of the user's own that is no sum of exponentials
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


def shown_sizes(length: int) -> list[int]:
    """1, 2, 5 in each decade from 10 on, and the last length.

    >>> shown_sizes(700), shown_sizes(3)
    ([10, 20, 50, 100, 200, 500, 700], [3])
    """
    steps = [digit * 10**power for power in range(1, 19) for digit in (1, 2, 5)]
    return [*(n for n in steps if n < 0.8 * length), length]
