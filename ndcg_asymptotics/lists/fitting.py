"""Fit relevance curves to ranked lists.

Within a list of n items, rank r stands for the depths (r-1)/n … r/n, and items of equal score share the
depths of all their ranks evenly. Pooled over lists, every item with the same weight, the labels give a step
function of depth for each grade. It is averaged over cells around *nodes* (depths 0 = t_0 < … < t_K = 1, a
rank apart at the top, then a tenth of the depth), smoothed, and joined linearly. A cell reaches half-way to
the neighbouring nodes, so its width is the weight of the node in the trapezoid rule, and the mean of the
curve is the pooled frequency of the grade.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.core.arrays import (
    Floats,
    as_list,
    brief,
    instance_of,
)
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.progress import tracked
from ndcg_asymptotics.lists.records import RankedList
from ndcg_asymptotics.populations import Empirical
from ndcg_asymptotics.populations.curve_file import encode

_CELL_WIDTH = 0.1  # relative to the depth of the cell, below the topmost ranks


@dataclass(frozen=True)
class FittedCurve:
    """P(Y = gain | depth) at nodes, between which it is linear.

    Attributes
    ----------
    gains : (J,)
        Positive, decreasing.
    depth : (K,)
        Increasing from 0 to 1.
    probability : (J, K)
    """

    gains: tuple[float, ...]
    depth: Floats
    probability: Floats

    @property
    def relevance(self) -> Empirical:
        """The curve as a scorer of a study, which need not be written to a file first."""
        return Empirical("fitted.csv", self.encode())

    def encode(self, comments: Iterable[str] = ()) -> bytes:
        """Return the content of a curve file; comments say what the curve was fitted to."""
        return encode(self.gains, self.depth, self.probability, comments)


_ZERO_CURVE = FittedCurve((1.0,), np.array([0.0, 1.0]), np.zeros((1, 2)))


def fit_curves(lists: Mapping[str, Sequence[RankedList]]) -> dict[str, FittedCurve]:
    """Estimate the relevance curve of each scorer from its ranked lists by monotone regression.

    The fit is least squares among the curves for which P(Y >= gain | depth) does not increase with depth, for
    every gain. The mean of each curve equals the pooled frequency of its grade to rounding, so scorers of the
    same items have the same label law.

    Raises
    ------
    InputError
        If no label is positive.

    >>> ranked = RankedList("q", np.array([3.0, 2.0, 1.0, 0.0]), np.array([1.0, 0.0, 1.0, 0.0]))
    >>> curve = fit_curves({"a": [ranked]})["a"]
    >>> curve.depth, curve.probability
    (array([0.  , 0.5 , 0.75, 1.  ]), array([[1. , 0.4, 0.4, 0. ]]))
    """
    require(isinstance(lists, Mapping), f"must be lists by name of the scorer, got {brief(lists)}", "lists")
    lists = {name: as_list(of_scorer, "lists") for name, of_scorer in lists.items()}
    everything = [
        instance_of(item, RankedList, "lists") for of_scorer in lists.values() for item in of_scorer
    ]
    positive = {float(y) for ranked in everything for y in np.unique(ranked.labels) if y > 0}
    gains = tuple(sorted(positive, reverse=True))
    require(len(gains) > 0, "no item has a positive label, so there is no relevance curve to fit")
    depth = depth_nodes(int(np.median([ranked.scores.size for ranked in everything])))
    curves = {}
    for name, of_scorer in tracked(lists.items(), "curves"):
        counts = np.zeros((len(gains), depth.size))
        for ranked in tracked(of_scorer, "lists"):
            counts += cell_counts(ranked, gains, depth)
        weights = np.diff(cell_edges(depth))
        items = sum(ranked.scores.size for ranked in of_scorer)
        curves[name] = FittedCurve(gains, depth, isotonic(counts / (items * weights), weights))
    return curves


@dataclass(frozen=True)
class FittedGroup:
    """The curves of runs on the queries of a group, whose weight is their share of all queries."""

    weight: float
    curves: Mapping[str, FittedCurve]


def fit_groups(lists: Mapping[str, Sequence[RankedList]], groups: int) -> list[FittedGroup]:
    """Fit the curves of runs to groups of queries, which have equal sizes up to one query.

    Parameters
    ----------
    lists : mapping of name to ranked lists
        Every run has the same queries with the same labels, as `Pooled.lists` returns them.
    groups : int
        The number of groups; the share of relevant documents increases from one to the next. The curves of a
        group without relevant documents are 0.

    Raises
    ------
    InputError
        If there are more groups than queries.

    >>> few, many = np.arange(8) < 1, np.arange(8) < 4  # queries with one relevant item, and with four
    >>> lists = [RankedList(str(i), -np.arange(8.0), y * 1.0) for i, y in enumerate([few, many] * 3)]
    >>> [(group.weight, group.curves["mine"].relevance.masses) for group in fit_groups({"mine": lists}, 2)]
    [(0.5, (0.125,)), (0.5, (0.5,))]
    """
    first = next(iter(lists.values()))
    require(
        type(groups) is int and 1 <= groups <= len(first),
        f"must be a number of groups from 1 to {len(first)} (queries), got {brief(groups)}",
        "groups",
    )
    order = np.argsort([np.mean(ranked.labels > 0) for ranked in first], kind="stable")
    fitted_groups = []
    for members in np.split(order, [math.ceil(g * len(first) / groups) for g in range(1, groups)]):
        of_group = {name: [ranked[i] for i in np.sort(members)] for name, ranked in lists.items()}
        relevant = any((first[i].labels > 0).any() for i in members)
        curves = fit_curves(of_group) if relevant else dict.fromkeys(lists, _ZERO_CURVE)
        fitted_groups.append(FittedGroup(members.size / len(first), curves))
    return fitted_groups


def depth_nodes(n: int) -> Floats:
    """Return depths 0 … 1; the topmost cell is rank 1 of a list of n, and cells widen with depth."""
    depths = [0.0]
    step = 2 / n
    while depths[-1] + 1.5 * step < 1:
        depths.append(depths[-1] + step)
        step = max(1 / n, _CELL_WIDTH * depths[-1])
    return np.array([*depths, 1.0])


def cell_edges(depth: Floats) -> Floats:
    """Return the bounds of the cells around some depths, from 0 to 1."""
    return np.concatenate(([0.0], (depth[1:] + depth[:-1]) / 2, [1.0]))


def cell_counts(ranked: RankedList, gains: tuple[float, ...], depth: Floats) -> Floats:
    """Return the number of items of each gain in each cell, (J, K); tied items are shared among cells."""
    order = np.argsort(-ranked.scores, kind="stable")
    scores, labels = ranked.scores[order], ranked.labels[order]
    last = np.flatnonzero(np.append(scores[1:] != scores[:-1], True)) + 1  # where groups of ties end
    at = np.concatenate(([0], last))
    counts = []
    for gain in gains:
        cumulative = np.concatenate(([0.0], np.cumsum(labels == gain)))
        counts.append(np.diff(np.interp(cell_edges(depth) * scores.size, at, cumulative[at])))
    return np.array(counts)


def isotonic(means: Floats, weights: Floats) -> Floats:
    """Fit decreasing P(Y >= y) to the shares (J, K) of each gain in each cell, and return P(Y = y).

    Isotonic regression is monotone in the data, so the P(Y >= y) stay ordered and their
    differences are probabilities. It also preserves the weighted mean.
    """
    from scipy.optimize import isotonic_regression  # here: figures of studies load this module

    nested = [
        isotonic_regression(at_least, weights=weights, increasing=False).x
        for at_least in np.cumsum(means, axis=0)
    ]
    return np.clip(np.diff(nested, axis=0, prepend=0.0), 0.0, 1.0)
