"""Fit the dependence of the scores of two runs given the label: the rho of a Gaussian copula.

Two runs over one collection rank a relevant document at more similar depths than two independent scorers with
the same curves would. Given the label, the depths of a document in two lists have a rank correlation r_S
(Spearman's), and for a Gaussian copula ``rho = 2 sin(pi r_S / 6)``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated

import numpy as np

from ndcg_asymptotics.core.arrays import LEVEL, Floats, Integers, resampled_counts, tails
from ndcg_asymptotics.core.errors import require
from ndcg_asymptotics.core.tables import Column, Line, Report, ReportBlock, Table, fixed, general
from ndcg_asymptotics.lists.records import RankedList


@dataclass(frozen=True)
class PairCoupling:
    """Spearman's correlation of the depths of relevant documents, and the rho of a Gaussian copula."""

    pair: tuple[str, str]
    documents: Annotated[int, Column("documents", general("d"), 1)]
    spearman: Annotated[float, Column("Spearman", fixed(3))]
    rho: Annotated[float, Column("rho", fixed(3))]
    low: float
    high: float

    @property
    def first(self) -> Annotated[str, Column("run", before="documents")]:
        """The first run."""
        return self.pair[0]

    @property
    def second(self) -> Annotated[str, Column("and", before="documents")]:
        """The second run."""
        return self.pair[1]

    @property
    def interval(self) -> Annotated[str, Column("interval", str)]:
        """The interval of rho."""
        return f"[{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True, repr=False)
class FittedCoupling(Report):
    """The coupling of every pair of runs, and the one rho that a study takes for all of them."""

    pairs: tuple[PairCoupling, ...]

    @property
    def rho(self) -> float:
        """The mean over the pairs, clipped to [0, 1] and rounded to two decimals, its precision."""
        return round(float(np.clip(np.mean([pair.rho for pair in self.pairs]), 0.0, 1.0)), 2)

    @property
    def text(self) -> str:
        """The text of ``coupling`` in a study."""
        return f"gaussian({self.rho:g})"

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield a table with a row per pair, and the rho for all."""
        yield Table.of("Depths of relevant documents", PairCoupling, self.pairs)
        yield Line(f'coupling = "{self.text}" ({LEVEL:.0%} intervals by bootstrap over queries)')


def fit_coupling(
    lists: Mapping[str, Sequence[RankedList]],
    *,
    groups: Integers | None = None,
    resamples: int = 200,
    seed: int = 0,
) -> FittedCoupling:
    """Fit the rho of a Gaussian copula for every pair of runs, from their relevant documents.

    Depth is (rank - 1/2) / n within the list of a query; tied items have the mean of their ranks. Depths of
    relevant documents with the same label are pooled over the queries of a group. r_S is averaged over groups
    and labels, weighted by their numbers of documents.

    Parameters
    ----------
    lists : mapping of name to ranked lists
        Two or more runs on the same documents, as `Pooled.lists` returns them.
    groups : (queries,), optional
        The group of each query, as `group_queries` returns it; by default all are in one.
    resamples, seed : int
        The number of bootstrap samples of queries for the interval, and their seed.

    Raises
    ------
    InputError
        If there are fewer than two runs, or fewer than three relevant documents.

    >>> rng = np.random.default_rng(1)
    >>> labels = [(rng.random(50) < 0.2).astype(float) for _ in range(40)]
    >>> one = [RankedList(str(i), rng.random(50), y) for i, y in enumerate(labels)]
    >>> fit_coupling({"a": one, "b": one}).text
    'gaussian(1)'
    """
    require(len(lists) >= 2, f"a coupling needs two runs or more, got {len(lists)}")
    first = next(iter(lists.values()))
    labels = np.concatenate([ranked.labels for ranked in first])
    query = np.repeat(np.arange(len(first)), [ranked.labels.size for ranked in first])
    relevant = labels > 0
    known = int(relevant.sum())
    require(known >= 3, f"a coupling needs at least 3 relevant documents, the lists have {known}")
    depth = {n: np.concatenate([item_depths(one) for one in of_run])[relevant] for n, of_run in lists.items()}
    query = query[relevant]
    _, level = np.unique(labels[relevant], return_inverse=True)
    stratum = level if groups is None else level + (int(level.max()) + 1) * groups[query]
    samples = resampled_counts(len(first), resamples, seed)
    pairs = []
    for a, b in combinations(lists, 2):
        spearman = _spearman(depth[a], depth[b], stratum, np.ones_like(query))
        drawn = [_rho(_spearman(depth[a], depth[b], stratum, times[query])) for times in samples]
        low, high = np.nanquantile(drawn, tails(LEVEL))
        pairs.append(PairCoupling((a, b), known, spearman, _rho(spearman), float(low), float(high)))
    return FittedCoupling(tuple(pairs))


def _rho(spearman: float) -> float:
    return float(2 * np.sin(np.pi * spearman / 6))


def item_depths(ranked: RankedList) -> Floats:
    """Return the depth (rank - 1/2) / n of each item; tied items have the mean of their ranks."""
    rank = _midranks(-ranked.scores, np.ones(ranked.scores.size, np.int64))
    return np.asarray((rank - 0.5) / ranked.scores.size)


def _midranks(values: Floats, times: Integers) -> Floats:
    """Return the mean rank of each value among all values, of which each occurs ``times`` times."""
    _, place = np.unique(values, return_inverse=True)
    counts = np.bincount(place, times)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[place])


def _spearman(a: Floats, b: Floats, stratum: Integers, times: Integers) -> float:
    """Return Spearman's correlation averaged over strata, where each document occurs ``times`` times."""
    total, weight = 0.0, 0.0
    for which in np.unique(stratum):
        members = (stratum == which) & (times > 0)
        count = times[members]
        if count.size < 2:
            continue
        x, y = (_midranks(depth[members], count) for depth in (a, b))
        x, y = x - np.average(x, weights=count), y - np.average(y, weights=count)
        scale = float(np.sqrt((count @ x**2) * (count @ y**2)))
        if scale > 0:
            total += float(count.sum()) * float(count @ (x * y)) / scale
            weight += float(count.sum())
    return total / weight if weight else float("nan")
