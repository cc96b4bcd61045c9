"""Queries in groups that are alike, and a relevance curve of each group: a mixture.

Queries differ most in how many of their documents are relevant, so groups are made by that share: of
the queries in the order of their prevalence each group takes as many. In the limit each query is a
group of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ndcg_asymptotics.core.arrays import Integers, brief
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.lists.fitting import LEVEL, FittedCurve, fit_curves
from ndcg_asymptotics.lists.records import RankedList
from ndcg_asymptotics.populations import Mixture, curve_file

By = int | Literal["query"]

_NOTHING = FittedCurve((1.0,), np.array([0.0, 1.0]), *(np.zeros((1, 2)) for _ in range(3)))


@dataclass(frozen=True)
class FittedGroup:
    """The queries of a group and their curve; its weight is their share of all queries."""

    weight: float
    queries: tuple[str, ...]
    curve: FittedCurve


@dataclass(frozen=True)
class FittedMixture:
    """A relevance curve for each group of queries."""

    groups: tuple[FittedGroup, ...]

    @property
    def relevance(self) -> Mixture:
        """The mixture as a scorer of a study, which need not be written to a file first."""
        return Mixture.decode(self.encode({}), "fitted.json")

    def encode(self, source: Mapping[str, Any]) -> bytes:
        """The content of a file of groups, with where they came from."""
        groups = [
            {
                "weight": group.weight,
                "queries": group.queries,
                "gains": group.curve.gains,
                "depth": group.curve.depth,
                "probability": group.curve.probability,
                "band": {"level": LEVEL, "low": group.curve.low, "high": group.curve.high},
            }
            for group in self.groups
        ]
        return curve_file.encode_groups(groups, source=source)


def group_queries(lists: Sequence[RankedList], by: By) -> Integers:
    """The group of each list, 0 … G - 1 by increasing share of relevant items.

    Parameters
    ----------
    lists : sequence of RankedList
    by : int or "query"
        How many groups, of as many queries each as may be; or a group for each query.

    Raises
    ------
    InputError
        If there are more groups than queries, or none.

    >>> lists = [RankedList("q", np.zeros(3), np.array(y)) for y in ([1, 1, 1], [0, 0, 1], [1, 1, 0])]
    >>> group_queries(lists, 3), group_queries(lists, 2)
    (array([2, 0, 1]), array([1, 0, 0]))
    """
    most = len(lists)
    groups = most if by == "query" else by
    known = isinstance(groups, int) and not isinstance(groups, bool) and 1 <= groups <= most
    require(known, f"must be 'query' or a number of groups from 1 to {most} (queries), got {brief(by)}", "by")
    share = np.array([np.mean(ranked.labels > 0) for ranked in lists])
    found = np.empty(most, np.int64)
    found[np.argsort(share, kind="stable")] = np.arange(most) * int(groups) // most
    return found


def fit_groups(
    lists: Mapping[str, Sequence[RankedList]], by: By, *, resamples: int = 200, seed: int = 0, **options: Any
) -> dict[str, FittedMixture]:
    """A mixture of relevance curves for each scorer: one curve for each group of queries.

    Parameters
    ----------
    lists : mapping of name to ranked lists
        As `pool_runs` gives them: every scorer has the same queries with the same labels.
    by : int or "query"
        As in `group_queries`.
    resamples, seed, **options
        As in `fit_curves`, which makes the curve of each group. A group of queries without relevant
        items has the curve 0.

    Raises
    ------
    InputError
        As `group_queries` and `fit_curves`.

    >>> few, many = np.arange(8) < 1, np.arange(8) < 4  # queries with one relevant item, and with four
    >>> lists = [RankedList(str(i), -np.arange(8.0), y * 1.0) for i, y in enumerate([few, many] * 3)]
    >>> found = fit_groups({"mine": lists}, 2, resamples=5)["mine"].relevance
    >>> found.weights, [model.masses for _, model in found.groups]
    (array([0.5, 0.5]), [(0.125,), (0.5,)])
    """
    first = next(iter(lists.values()))
    group = group_queries(first, by)
    found: dict[str, list[FittedGroup]] = {name: [] for name in lists}
    for g in range(int(group.max()) + 1):
        members = np.flatnonzero(group == g).tolist()
        queries = tuple(first[i].query for i in members)
        of_group = {name: [ranked[i] for i in members] for name, ranked in lists.items()}
        if any((first[i].labels > 0).any() for i in members):
            curves = fit_curves(of_group, resamples=resamples, seed=seed, **options)
        else:
            curves = dict.fromkeys(lists, _NOTHING)
        for name, curve in curves.items():
            found[name].append(FittedGroup(len(members) / len(first), queries, curve))
    return {name: FittedMixture(tuple(groups)) for name, groups in found.items()}
