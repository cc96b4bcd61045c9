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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from ndcg_asymptotics.core.arrays import (
    Floats,
    as_list,
    brief,
    instance_of,
    is_number,
    require_choice,
)
from ndcg_asymptotics.core.errors import InputError, require
from ndcg_asymptotics.core.progress import tracked
from ndcg_asymptotics.lists.records import RankedList
from ndcg_asymptotics.populations import Empirical, curve_file
from ndcg_asymptotics.specs.scanner import number_text

Method = Literal["isotonic", "spline"]

_CELL_WIDTH = 0.1  # relative to the depth of the cell, below the topmost ranks
_MASS_TOLERANCE = 1e-14  # a few units in the last place of a probability


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
        return Empirical("fitted.json", self.encode({}))

    def encode(self, source: Mapping[str, object]) -> bytes:
        """Return the content of a curve file; ``source`` says what the curve was fitted to."""
        fields = {"gains": self.gains, "depth": self.depth, "probability": self.probability}
        return curve_file.encode(curve_file.CURVE, **fields, source=source)


_ZERO_CURVE = FittedCurve((1.0,), np.array([0.0, 1.0]), np.zeros((1, 2)))


def fit_curves(
    lists: Mapping[str, Sequence[RankedList]],
    *,
    method: Method = "isotonic",
    prevalence: Sequence[float] | None = None,
) -> dict[str, FittedCurve]:
    """Estimate the relevance curve of each scorer from its ranked lists.

    ``isotonic`` is least squares among the curves for which P(Y >= gain | depth) does not
    increase with depth, for every gain. ``spline`` is a cubic smoothing spline for P(Y = gain |
    depth) in log(1 + n t / 10), n the median length of the lists, weighted by the binomial
    precision of each cell, with the penalty chosen by generalised cross-validation and clipped
    to probabilities.

    The mean of each curve equals the pooled frequency of its grade to rounding, or
    ``prevalence`` if given. Where smoothing or ``prevalence`` changes the mean, the probabilities of
    the grades j = 0 … J are multiplied by common factors, ``P_j(t) w_j / sum_i P_i(t) w_i``. For
    binary labels this shifts the log odds by a constant. Scorers of the same items therefore have
    the same label law to rounding.

    Parameters
    ----------
    lists : mapping of name to ranked lists
    method : {"isotonic", "spline"}
    prevalence : one number per gain, in decreasing order of gains, optional
        The required P(Y = gain).

    Raises
    ------
    InputError
        If no label is positive, there are too few nodes for a spline, or the prevalence is not a
        probability law or cannot be reached by the curve.

    >>> one = RankedList("q", np.array([3.0, 2.0, 1.0, 0.0]), np.array([1.0, 0.0, 1.0, 0.0]))
    >>> curve = fit_curves({"a": [one]})["a"]
    >>> curve.depth, curve.probability
    (array([0.  , 0.5 , 0.75, 1.  ]), array([[1. , 0.4, 0.4, 0. ]]))
    """
    require_choice(method, get_args(Method), "method")
    require(isinstance(lists, Mapping), f"must be lists by name of the scorer, got {brief(lists)}", "lists")
    lists = {name: as_list(of_scorer, "lists") for name, of_scorer in lists.items()}
    everything = [instance_of(one, RankedList, "lists") for of_scorer in lists.values() for one in of_scorer]
    positive = {float(y) for ranked in everything for y in np.unique(ranked.labels) if y > 0}
    gains = tuple(sorted(positive, reverse=True))
    require(len(gains) > 0, "no item has a positive label, so there is no relevance curve to fit")
    _check_prevalence(prevalence, gains)
    depth = depth_nodes(int(np.median([ranked.scores.size for ranked in everything])))
    curves = {}
    for name, of_scorer in tracked(lists.items(), "curves"):
        counts = np.zeros((len(gains), depth.size))
        for ranked in tracked(of_scorer, "lists"):
            counts += cell_counts(ranked, gains, depth)
        items = sum(ranked.scores.size for ranked in of_scorer)
        curves[name] = FittedCurve(gains, depth, _estimate(counts, items, depth, method, prevalence))
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
    found = []
    for members in np.split(order, [math.ceil(g * len(first) / groups) for g in range(1, groups)]):
        of_group = {name: [ranked[i] for i in np.sort(members)] for name, ranked in lists.items()}
        relevant = any((first[i].labels > 0).any() for i in members)
        curves = fit_curves(of_group) if relevant else dict.fromkeys(lists, _ZERO_CURVE)
        found.append(FittedGroup(members.size / len(first), curves))
    return found


def _check_prevalence(prevalence: Sequence[float] | None, gains: tuple[float, ...]) -> None:
    if prevalence is None:
        return
    prevalence = as_list(prevalence, "prevalence")
    one_each = f"must be one probability for each gain, got {brief(prevalence)}"
    require(all(map(is_number, prevalence)), one_each, "prevalence")
    given = ", ".join(map(number_text, prevalence))
    require(
        len(prevalence) == len(gains) and min(prevalence) > 0 and sum(prevalence) <= 1,
        "prevalence must be one probability for each of the gains "
        f"{', '.join(map(number_text, gains))}, adding up to at most 1, got {given}",
    )


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
        found = np.concatenate(([0.0], np.cumsum(labels == gain)))
        counts.append(np.diff(np.interp(cell_edges(depth) * scores.size, at, found[at])))
    return np.array(counts)


def _estimate(
    counts: Floats, items: int, depth: Floats, method: Method, prevalence: Sequence[float] | None
) -> Floats:
    """Return the curves (J, K) of the gains that ``counts`` (J, K) has in the cells of ``items`` items."""
    weights = np.diff(cell_edges(depth))
    means = counts / (items * weights)
    curves = isotonic(means, weights) if method == "isotonic" else _spline(means, items * weights, depth)
    masses = counts.sum(axis=1) / items if prevalence is None else np.array(prevalence)
    return _tilted(curves, _log_factors(curves, weights, masses))[:-1]


def isotonic(means: Floats, weights: Floats) -> Floats:
    """Fit decreasing P(Y >= y) to the shares (J, K) of each gain in each cell, and return P(Y = y).

    Isotonic regression is monotone in the data, so the P(Y >= y) stay ordered and their
    differences are probabilities. It also preserves the weighted mean.
    """
    from scipy.optimize import isotonic_regression  # here, as splines: figures of studies load this module

    nested = [
        isotonic_regression(at_least, weights=weights, increasing=False).x
        for at_least in np.cumsum(means, axis=0)
    ]
    return np.clip(np.diff(nested, axis=0, prepend=0.0), 0.0, 1.0)


def _spline(means: Floats, items: Floats, depth: Floats) -> Floats:
    """Fit smoothing splines to the shares (J, K) of each gain among the items (K,) of each cell."""
    from scipy.interpolate import make_smoothing_spline

    require(depth.size >= 5, "the lists are too short for a spline (5 nodes), use the isotonic method")
    x = np.log1p(depth / depth[1] / 5)  # depth[1] is 2/n
    level = (means * items + 0.5) / (items + 1)  # keeps the precision of an empty cell finite
    precision = items / (level * (1 - level))
    precision /= precision.mean(axis=1, keepdims=True)
    curves = [
        np.clip(make_smoothing_spline(x, mean, w=w)(x), 0.0, 1.0)
        for mean, w in zip(means, precision, strict=True)
    ]
    return np.array(curves / np.maximum(np.sum(curves, axis=0), 1.0))


def _tilted(curves: Floats, log_factors: Floats) -> Floats:
    """Return P_j(t) w_j / sum_i P_i(t) w_i for all grades, the label 0 last."""
    full = np.vstack((curves, np.clip(1 - curves.sum(axis=0), 0.0, None)))
    shares = full * np.exp(log_factors)[:, None]
    return np.asarray(shares / np.maximum(shares.sum(axis=0), np.finfo(float).tiny))


def _log_factors(curves: Floats, weights: Floats, masses: Floats) -> Floats:
    """Return the log w_j, label 0 last, for which the tilted curves have the means ``masses``.

    Newton's method: the means are the gradient in log w of the convex function
    ``sum_t weight(t) log sum_j P_j(t) w_j``, so the solution is unique where there is one.
    """
    target = np.append(masses, 1 - masses.sum())
    target[target < _MASS_TOLERANCE * target.size] = 0.0
    free = (target > 0) & (np.arange(target.size) != np.argmax(target))
    log_factors = np.where(target > 0, 0.0, -np.inf)
    for _ in range(200):
        shares = _tilted(curves, log_factors)
        gap = shares @ weights - target
        if np.abs(gap).max() <= _MASS_TOLERANCE:
            return log_factors
        hessian = np.diag(shares @ weights) - (shares * weights) @ shares.T
        step = np.linalg.lstsq(hessian[np.ix_(free, free)], gap[free], rcond=None)[0]
        log_factors[free] -= step * 2 / max(2.0, np.abs(step).max())
    raise InputError(
        f"the curve cannot have the prevalence {', '.join(f'{mass:.6g}' for mass in masses)}: "
        "it is 0 over too much of the depth"
    )
