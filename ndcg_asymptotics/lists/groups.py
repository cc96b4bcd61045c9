"""Groups of queries, and mixtures of relevance curves with one curve for each group.

Queries differ in how many of their documents are relevant. *Strata* describe that: queries are sorted by
prevalence and cut into strata of equal size. In the limit each query is a stratum of its own.

Queries also differ in which run wins. With one curve per run and stratum, the difference of two runs would
vary between lists of a stratum by chance alone, so the run that is ahead on average would win too many of
them. The *effect* of a run on a query is the mean of -log(depth) over its relevant documents, less the mean
over all runs, less the mean over the stratum. Each stratum is cut into *parts* of equal size by the first
principal component of the effects, which for two runs is the difference of their effects.

By the rule "auto" the data choose both. There are two parts if the effects are more than the chance of few
relevant documents, by an analysis of variance. The number of strata is chosen by the likelihood of queries
that were left out of the fit, as in Smyth (2000), "Model selection for probabilistic clustering using
cross-validated likelihood", with the rule of one standard error of Breiman et al. (1984).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np
from scipy.special import logsumexp

from ndcg_asymptotics.core.arrays import Bools, Floats, Integers, brief, random_generator
from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.lists.coupling import item_depths
from ndcg_asymptotics.lists.fitting import (
    FitCurvesOptions,
    FittedCurve,
    cell_counts,
    cell_edges,
    depth_nodes,
    fit_curves,
    isotonic_smoother,
)
from ndcg_asymptotics.lists.records import RankedList
from ndcg_asymptotics.populations import Mixture, curve_file

By = int | str
"""A number of strata, such as 8; strata and parts, such as "4x2"; "query"; or "auto"."""

_ZERO_CURVE = FittedCurve((1.0,), np.array([0.0, 1.0]), *(np.zeros((1, 2)) for _ in range(3)))
_HALVES = 2 / math.pi  # the share of the variance of a normal variable that the means of its halves have
_FEWEST = 3  # queries of a group, for a number of strata to be tried
_FOLDS = 10
_STRATA = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)


@dataclass(frozen=True)
class FittedGroup:
    """The queries of a group, their curve, and their share of all queries as the weight."""

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

    def encode(self, source: Mapping[str, object]) -> bytes:
        """Return the content of a file of groups; ``source`` says what they were fitted to."""
        groups = [
            {"weight": group.weight, "queries": group.queries, **group.curve.fields} for group in self.groups
        ]
        return curve_file.encode(curve_file.GROUPS, groups=groups, source=source)


def group_queries(lists: Mapping[str, Sequence[RankedList]], by: By) -> Integers:
    """Return the group of each query, by increasing share of relevant items, then by which run wins.

    Parameters
    ----------
    lists : mapping of name to ranked lists
        Every run has the same queries with the same labels, as `Pooled.lists` returns them.
    by : int or text
        A number of strata of similar shares of relevant items; "4x2" for 4 of them with 2 parts each by
        which run wins; "query" for a group for each query; "auto" for what `choose_groups` returns. Strata,
        and parts of a stratum, have equal sizes up to one query.

    Raises
    ------
    InputError
        For anything else, more groups than queries, and parts of a single run.

    >>> lists = [RankedList("q", np.zeros(3), np.array(y)) for y in ([1, 1, 1], [0, 0, 1], [1, 1, 0])]
    >>> group_queries({"mine": lists}, 3), group_queries({"mine": lists}, 2)
    (array([2, 0, 1]), array([1, 0, 0]))
    """
    strata, parts = _shape(lists, choose_groups(lists) if by == "auto" else by)
    stratum = _cut(_shares(lists), strata)
    return stratum if parts == 1 else parts * stratum + _parts(_Effects.of(lists), stratum, parts)


def fit_groups(
    lists: Mapping[str, Sequence[RankedList]], by: By, **options: Unpack[FitCurvesOptions]
) -> dict[str, FittedMixture]:
    """Fit a mixture of relevance curves for each scorer, with one curve for each group of queries.

    Parameters
    ----------
    lists : mapping of name to ranked lists
        As `Pooled.lists` returns them: every scorer has the same queries with the same labels.
    by : int or text
        As in `group_queries`.
    **options
        As in `fit_curves`, which fits the curve of each group. The curve of a group without relevant
        items is 0.

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
    group = group_queries(lists, by)
    found: dict[str, list[FittedGroup]] = {name: [] for name in lists}
    for g in range(int(group.max()) + 1):
        members = np.flatnonzero(group == g).tolist()
        queries = tuple(first[i].query for i in members)
        of_group = {name: [ranked[i] for i in members] for name, ranked in lists.items()}
        if any((first[i].labels > 0).any() for i in members):
            curves = fit_curves(of_group, **options)
        else:
            curves = dict.fromkeys(lists, _ZERO_CURVE)
        for name, curve in curves.items():
            found[name].append(FittedGroup(len(members) / len(first), queries, curve))
    return {name: FittedMixture(tuple(groups)) for name, groups in found.items()}


def choose_groups(lists: Mapping[str, Sequence[RankedList]]) -> str:
    """Return the groups that the data support, as strata and parts such as "6x2".

    There are two parts if the analysis of variance of `_Effects.real_share` finds that more than half as
    much of the variance of effects is real as two parts would describe, 2/pi if effects are normal. The
    number of strata is chosen of 1, 2, 3, 4, 6, 8, …, as long as a group has three queries or more, by the
    likelihood of left-out queries in a cross-validation with ten folds: the fewest strata that are within
    one standard error over queries of the best.

    Parameters
    ----------
    lists : mapping of name to ranked lists
        As in `group_queries`.

    >>> rng = np.random.default_rng(1)
    >>> labels = [(rng.random(50) < share).astype(float) for share in [0.05] * 20 + [0.5] * 20]
    >>> run = [RankedList(str(i), y + rng.normal(size=50), y) for i, y in enumerate(labels)]
    >>> choose_groups({"mine": run})  # queries of two kinds
    '2x1'
    """
    share = _shares(lists)
    if not share.any():
        return "1x1"
    effects = _Effects.of(lists)
    # the share of real variance is judged within strata that are as fine as any that are tried
    most = max(1, share.size // (2 * _FEWEST))
    finest = max(strata for strata in _STRATA if strata <= most)
    parts = 2 if effects.real_share(_cut(share, finest)) > _HALVES / 2 else 1
    held_out = _HeldOut.of(lists)
    tried = [strata for strata in _STRATA if strata == 1 or strata * parts * _FEWEST <= share.size]
    fold = random_generator(0).permutation(share.size) % _FOLDS

    def likelihood(strata: int) -> Floats:
        found = np.zeros(share.size)
        for left_out in range(min(_FOLDS, share.size) if share.size > 1 else 0):
            kept = fold != left_out
            group = _cut(share[kept], strata)
            if parts > 1:
                group = parts * group + _parts(effects.of_queries(kept), group, parts)
            found[~kept] = held_out.likelihood(kept, group)
        return found

    of_strata = {strata: likelihood(strata) for strata in tried}
    best = max(of_strata.values(), key=np.mean)
    for strata, found in of_strata.items():
        worse = best - found
        if worse.mean() <= worse.std() / math.sqrt(worse.size):
            return f"{strata}x{parts}"
    raise AssertionError  # the best is no worse than itself


def described_share(lists: Mapping[str, Sequence[RankedList]], group: Integers) -> float:
    """Return the share of the variance of runs' effects on queries that lies between groups.

    What is left out is the variance within groups, part of which is the chance of few relevant documents.

    Parameters
    ----------
    lists : mapping of name to ranked lists
        Two runs or more, as in `group_queries`.
    group : (queries,)

    >>> rng = np.random.default_rng(1)
    >>> labels = [(rng.random(50) < 0.3).astype(float) for _ in range(40)]
    >>> good, bad = ([s * y + rng.normal(size=50) for y in labels] for s in (2, 0))
    >>> swap = [i % 2 == 0 for i in range(40)]  # each run wins half of the queries
    >>> runs = {
    ...     name: [RankedList(str(i), g if s == first else b, y)
    ...            for i, (s, g, b, y) in enumerate(zip(swap, good, bad, labels, strict=True))]
    ...     for name, first in (("a", True), ("b", False))
    ... }
    >>> [round(described_share(runs, group_queries(runs, by)), 2) for by in (2, "1x2")]
    [0.0, 0.94]
    """
    effects = _Effects.of(lists)
    mean = effects.mean[effects.documents > 0]
    total = float(((mean - mean.mean(axis=0)) ** 2).sum())
    within = effects.centred(group)
    return 1 - float((within**2).sum()) / total if total > 0 else 1.0


def _shape(lists: Mapping[str, Sequence[RankedList]], by: By) -> tuple[int, int]:
    """Return the numbers of strata and of parts."""
    most = len(next(iter(lists.values())))
    text = str(most) if by == "query" else "" if isinstance(by, bool) else str(by)
    found = re.fullmatch(r"(\d{1,9})(?:x(\d{1,9}))?", text)
    strata, parts = (int(found[1]), int(found[2] or 1)) if found else (0, 0)
    if not (strata >= 1 and parts >= 1 and strata * parts <= most):
        raise InputError(
            f"must be 'auto', 'query', a number of groups from 1 to {most} (queries), or such a number with "
            f"the parts of each group by which run wins, such as '4x2', got {brief(by)}",
            "by",
        )
    if parts > 1 and len(lists) == 1:
        raise InputError(f"parts by which run wins need two runs or more, got {brief(by)} for one run", "by")
    return strata, parts


def _shares(lists: Mapping[str, Sequence[RankedList]]) -> Floats:
    return np.array([np.mean(ranked.labels > 0) for ranked in next(iter(lists.values()))])


def _cut(values: Floats, parts: int) -> Integers:
    """Return the part of each value, 0 … parts - 1 by increasing value, in equal sizes up to one."""
    found = np.empty(values.size, np.int64)
    found[np.argsort(values, kind="stable")] = np.arange(values.size) * parts // values.size
    return found


@dataclass(frozen=True)
class _Effects:
    """The effects of runs on queries.

    Attributes
    ----------
    mean : (queries, runs)
        The mean of -log(depth) over the relevant documents, less the mean over the runs; 0 for a query
        without relevant documents.
    documents : (queries,)
        The number of relevant documents.
    chance : (runs, runs)
        The covariance that the mean would have if the documents of a query were independent: that of
        single documents over their number, on average over queries.
    """

    mean: Floats
    documents: Integers
    chance: Floats

    @classmethod
    def of(cls, lists: Mapping[str, Sequence[RankedList]]) -> _Effects:
        first = next(iter(lists.values()))
        mean = np.zeros((len(first), len(lists)))
        documents = np.array([np.count_nonzero(ranked.labels > 0) for ranked in first])
        covariances = []
        for query, of_runs in enumerate(zip(*lists.values(), strict=True)):
            if documents[query]:
                value = np.array([-np.log(item_depths(ranked)[ranked.labels > 0]) for ranked in of_runs])
                value -= value.mean(axis=0)
                mean[query] = value.mean(axis=1)
                if documents[query] > 1:
                    covariances.append(np.atleast_2d(np.cov(value)) / documents[query])
        none = np.zeros((len(lists), len(lists)))
        return cls(mean, documents, np.mean(covariances, axis=0) if covariances else none)

    def of_queries(self, kept: Bools) -> _Effects:
        return _Effects(self.mean[kept], self.documents[kept], self.chance)

    def centred(self, group: Integers) -> Floats:
        """Return the effects less the means of their groups, (queries, runs)."""
        known = self.documents > 0
        found = np.zeros_like(self.mean)
        for g in np.unique(group[known]):
            members = known & (group == g)
            found[members] = self.mean[members] - self.mean[members].mean(axis=0)
        return found

    def component(self, stratum: Integers) -> tuple[Floats, Floats]:
        """Return the first principal component within strata, (queries,), and its weights, (runs,)."""
        centred = self.centred(stratum)
        weights = np.linalg.svd(centred, full_matrices=False)[2][0]
        weights = weights * np.sign(weights[np.argmax(np.abs(weights))])  # the sign of a component is free
        return centred @ weights, weights

    def real_share(self, stratum: Integers) -> float:
        """Return the share of the component's variance that exceeds the chance of single documents."""
        if self.mean.shape[1] < 2:
            return 0.0
        known = self.documents > 0
        component, weights = self.component(stratum)
        freedom = int(known.sum()) - np.unique(stratum[known]).size
        between = float((component**2).sum()) / max(freedom, 1)
        chance = float(weights @ self.chance @ weights)
        return 1 - chance / between if between > chance else 0.0


def _parts(effects: _Effects, stratum: Integers, parts: int) -> Integers:
    """Return the part of each query in its stratum, by the component of effects."""
    component, _ = effects.component(stratum)
    found = np.empty(stratum.size, np.int64)
    for s in np.unique(stratum):
        found[stratum == s] = _cut(component[stratum == s], parts)
    return found


@dataclass(frozen=True)
class _HeldOut:
    """Judges groups by the likelihood of queries that were left out of the fit.

    Attributes
    ----------
    counts : (runs, queries, J, K)
        The items of each gain in each cell.
    sizes : (queries, K)
        The items of each cell.
    weights : (K,)
    """

    counts: Floats
    sizes: Floats
    weights: Floats

    @classmethod
    def of(cls, lists: Mapping[str, Sequence[RankedList]]) -> _HeldOut:
        first = next(iter(lists.values()))
        gains = tuple(sorted({float(y) for ranked in first for y in ranked.labels if y > 0}, reverse=True))
        length = np.array([ranked.scores.size for ranked in first])
        depth = depth_nodes(int(np.median(length)))
        weights = np.diff(cell_edges(depth))
        counts = [[cell_counts(ranked, gains, depth) for ranked in of_run] for of_run in lists.values()]
        shape = len(lists), len(first), len(gains), depth.size
        return cls(np.array(counts).reshape(shape), length[:, None] * weights, weights)

    def likelihood(self, kept: Bools, group: Integers) -> Floats:
        """Return the log likelihood of each query that is not kept, under groups of those that are.

        Labels of a group are independent given the depth, with the isotonic curve of the group and of each
        run, and half an item of each label added to each cell. The logarithm is a mean over runs, because
        all of them rank the same labels.
        """
        smooth = isotonic_smoother(self.weights)
        members = np.flatnonzero(kept)
        others = np.flatnonzero(~np.asarray(kept))
        grades = self.counts.shape[2]
        found = []
        for g in range(int(group.max()) + 1):
            of_group = members[group == g]
            items = self.sizes[of_group].sum(axis=0)
            total = np.full(others.size, math.log(of_group.size / members.size))
            for of_run in self.counts:
                curve = smooth(of_run[of_group].sum(axis=0) / items)
                curve = (items * curve + 0.5) / (items + (grades + 1) / 2)
                rest = self.sizes[others] - of_run[others].sum(axis=1)
                log_p = np.einsum("qjk,jk->q", of_run[others], np.log(curve))
                log_p += np.maximum(rest, 0.0) @ np.log1p(-curve.sum(axis=0))
                total += log_p / len(self.counts)
            found.append(total)
        return np.asarray(logsumexp(found, axis=0))
