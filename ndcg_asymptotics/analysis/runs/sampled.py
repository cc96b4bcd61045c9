"""Evaluation against m sampled negatives: what it says about systems, compared with the full metric."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, TypedDict, Unpack, overload

import numpy as np

from ndcg_asymptotics.analysis.runs.candidates import Candidates, candidates_of, hold_candidates
from ndcg_asymptotics.analysis.runs.sampled_orders import (
    SampledMoments,
    corrected_rows,
    order_at,
    order_of,
    sampled_rows,
)
from ndcg_asymptotics.analysis.runs.sampled_rows import CorrectedRow, PairRow, SampledCurves, SampledRow
from ndcg_asymptotics.analysis.runs.sampled_text import short_lists, statement
from ndcg_asymptotics.core.arrays import brief, require_fraction
from ndcg_asymptotics.core.errors import InputError, NotAvailableError, require
from ndcg_asymptotics.core.progress import task
from ndcg_asymptotics.core.tables import Line, Report, ReportBlock, Table
from ndcg_asymptotics.lists.ranked_users import RelevantDepths, ranked_tables, relevant_depths
from ndcg_asymptotics.lists.reading import ColumnNames
from ndcg_asymptotics.measures import Measures, measures_of
from ndcg_asymptotics.measures.gains import Gain
from ndcg_asymptotics.theory.sampled import (
    RankedItems,
)

_POINTS = 100  # numbers of negatives at which curves are computed
_AT_ONCE = 20  # of them in memory, for every user


@dataclass(frozen=True, repr=False)
class Sampled(Report):
    """Sampled metrics of some systems, compared with the full ones.

    Attributes
    ----------
    items, fewest_items, users : int
        ``items`` is the largest number where it differs between users, and ``fewest_items`` the smallest.
    replacement : bool
    level, gamma : float
    rows : tuple of SampledRow
    pairs : tuple of PairRow
    corrected : tuple of CorrectedRow
    statements : tuple of str
        What the sampled results can and cannot say, a sentence per measure and number of negatives, and why
        there are no corrected estimates, where there are none.
    curves : SampledCurves
    """

    items: int
    fewest_items: int
    users: int
    replacement: bool
    level: float
    gamma: float
    rows: tuple[SampledRow, ...]
    pairs: tuple[PairRow, ...]
    corrected: tuple[CorrectedRow, ...]
    statements: tuple[str, ...]
    curves: SampledCurves

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.curves.systems

    @property
    def measures(self) -> tuple[str, ...]:
        """The texts of the measures."""
        return self.curves.measures

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield the tables and the statements."""
        how = "with" if self.replacement else "without"
        different = {row.negatives for row in self.rows}
        alone = f"{different.pop()} " if len(different) == 1 else ""
        heading = {"negatives": None} if alone else {}
        items = f"{self.fewest_items} to {self.items}" if self.fewest_items < self.items else self.items
        yield from map(Line, self.statements)
        yield Line("")
        title = f"{self.users} users, {items} items, {alone}negatives sampled {how} replacement"
        yield Table.of(title, SampledRow, self.rows, **heading)
        if self.pairs:
            title = f"Order of two systems, probability {self.level:g}"
            yield Table.of(title, PairRow, self.pairs)
        if self.corrected:
            title = f"Estimates of the full metric (bias-variance with gamma {self.gamma:g})"
            yield replace(Table.of(title, CorrectedRow, self.corrected, **heading), detail=True)


class _Options(TypedDict, total=False):
    columns: ColumnNames | None
    items: int | None
    negatives: int | Sequence[int] | None
    replacement: bool
    level: float
    gamma: float
    gain: Gain


@overload
def sampled(*, measures: Measures = "nDCG", ranks: object, **options: Unpack[_Options]) -> Sampled: ...
@overload
def sampled(
    runs: object = None,
    qrels: object = None,
    measures: Measures = "nDCG",
    *,
    ranks: object = None,
    **options: Unpack[_Options],
) -> Sampled | Candidates: ...
def sampled(
    runs: object = None,
    qrels: object = None,
    measures: Measures = "nDCG",
    *,
    ranks: object = None,
    columns: ColumnNames | None = None,
    items: int | None = None,
    negatives: int | Sequence[int] | None = None,
    replacement: bool = False,
    level: float = 0.95,
    gamma: float = 0.1,
    gain: Gain = "linear",
) -> Sampled | Candidates:
    """Compare an evaluation against sampled negatives with that against all items, exactly.

    Runs whose lists hold sampled candidates themselves are taken as such (`analysis.runs.candidates`).

    Parameters
    ----------
    runs, qrels : as evaluate takes them
        The runs by the names of their systems; relevant items that are not in a run gain 0.
    measures : Measure, text, or several
    ranks : files, or mapping of name to ranks, in place of runs
        Each a file or a DataFrame with the columns user and rank, a row per relevant item, and items where N
        differs between users; or a mapping of user to the rank, or ranks, of the relevant items.
    columns : mapping, optional
        The names of the columns of tables.
    items : int
        N, how many items the full metric ranks. By default as many as runs and judgements name. Corrected
        estimates are those for the median of different N; their bias and deviation are those with each N.
    negatives : int or several
        m, the number of sampled irrelevant items, 100 by default. Candidates have their own number.
    replacement : bool
        Whether an item can be sampled twice. Then m is at most N - 1, else N less the relevant items.
    level : float
        The probability with which the sampled order is to be the full one.
    gamma : float
        The weight of the variance in the bias-variance estimate of Krichene & Rendle (2020).
    gain : {"linear", "binary", "exp2"}
        The gain of a label of the judgements: y or 2^y - 1. Ranks have no labels.

    Raises
    ------
    InputError
        For ranks outside 1 … N, too many negatives, users that not all systems have, and what `evaluate`
        refuses.

    >>> a, b = {"u": 100, "v": 100}, {"u": 1, "v": 4000}
    >>> found = sampled(ranks={"a": a, "b": b}, items=10_000, negatives=99)
    >>> [(row.system, round(row.mean, 3), round(row.full, 3)) for row in found.rows]
    [('a', 0.728, 0.15), ('b', 0.593, 0.542)]
    >>> found.pairs[0].crossings  # with fewer negatives a is ahead
    (195,)

    Of candidates, in which the item 0 is relevant and has rank 101 of 1000 for all users:

    >>> rng = np.random.default_rng(1)
    >>> def candidates():
    ...     return {"0": -100.5} | {str(i): -i for i in rng.choice(np.arange(1, 1000), 50, replace=False)}
    >>> run = {str(user): candidates() for user in range(200)}
    >>> row = sampled({"a": run}, {user: {"0": 1} for user in run}, items=1000).rows[0]
    >>> row.low < 0.1499 < row.high, row.mean > 0.3  # 1/log2(102) = 0.1499
    (True, True)
    """
    parsed = measures_of(measures)
    depths: dict[str, RelevantDepths] = {}
    if (runs is None) == (ranks is None) or (runs is None) != (qrels is None):
        raise InputError("sampled needs either runs and qrels, or ranks and items")
    if ranks is not None:
        require(gain == "linear", "is for runs with judgements: ranks have no labels", "gain")
        systems = ranked_tables(ranks, items, columns)
    else:
        depths = relevant_depths(runs, qrels, items, gain=gain, columns=columns)
        if hold_candidates(depths):
            several = (
                "the lists hold sampled candidates, each once, which have a number of their own: leave it out"
            )
            require(negatives is None, several, "negatives")
            require(not replacement, several, "replacement")
            return candidates_of(depths, parsed, level, gamma)
        systems = {name: of_run.ranked for name, of_run in depths.items()}
    require_fraction(level, "level")
    first = next(iter(systems.values()))
    most = int(first.sizes.min()) - 1 if replacement else first.most_negatives
    wanted = _negatives(100 if negatives is None else negatives, most, first, replacement)
    grid = np.unique(np.concatenate((np.rint(np.geomspace(1, most, _POINTS)).astype(np.int64), wanted)))
    rows: list[SampledRow] = []
    pairs: list[PairRow] = []
    corrected: list[CorrectedRow] = []
    statements: list[str] = []
    remarks = short_lists(depths)
    means, sds = [], []
    with task("numbers of negatives", grid.size * len(parsed)) as bar:
        for measure in parsed:
            moments = SampledMoments(systems, measure, replacement)
            for part in np.array_split(grid, math.ceil(grid.size / _AT_ONCE)):
                moments.compute(part)
                bar.update(part.size)
            of_m = [moments.at(m) for m in grid.tolist()]
            means.append(np.array([found.mean for found in of_m]).T)
            sds.append(np.sqrt([found.variance for found in of_m]).T)
            both = combinations(range(len(systems)), 2)
            of_measure = [order_of(moments, a, b, grid, level) for a, b in both]
            pairs += of_measure
            for m in wanted:
                rows += sampled_rows(moments, m)
                if of_measure:
                    orders = [order_at(moments, pair, m) for pair in of_measure]
                    statements.append(statement(orders, str(measure), m, level))
                try:
                    corrected += corrected_rows(moments, m, gamma)
                except NotAvailableError as error:
                    remarks.append(f"{measure}, m = {m}: no estimates of the full metric: {error}.")
    return Sampled(
        first.items,
        int(first.sizes.min()),
        len(first.users),
        replacement,
        level,
        gamma,
        tuple(rows),
        tuple(pairs),
        tuple(corrected),
        (*statements, *remarks),
        SampledCurves(grid, tuple(map(str, parsed)), tuple(systems), np.array(means), np.array(sds)),
    )


def _negatives(given: Any, most: int, first: RankedItems, replacement: bool) -> list[int]:
    values = list(given) if isinstance(given, list | tuple | range | np.ndarray) else [given]
    require(len(values) > 0, "must hold at least one number", "negatives")
    limit = f"{first.sizes.min()} items" + (
        "" if replacement else " less the relevant ones, without replacement"
    )
    for value in values:
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        fits = whole and 1 <= value <= most
        require(fits, f"must be whole numbers from 1 to {most} ({limit}), got {brief(value)}", "negatives")
    return sorted({int(value) for value in values})
