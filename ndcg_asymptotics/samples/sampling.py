"""Evaluation against m sampled negatives: what it says about systems, compared with the full metric.

Means over users are treated as normal, with their exact means and standard deviations. The systems sample
their negatives independently of each other. Runs that hold sampled candidates say less: there the full metric
has bounds (`theory.sampled.candidates`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from statistics import NormalDist

import numpy as np

from ndcg_asymptotics.core.arrays import (
    LARGEST_N,
    Floats,
    Integers,
    as_list,
    require_flag,
    require_fraction,
    whole_number,
)
from ndcg_asymptotics.core.defaults import LEVEL
from ndcg_asymptotics.core.errors import NotAvailableError, require
from ndcg_asymptotics.core.progress import tracked
from ndcg_asymptotics.core.search import first_true
from ndcg_asymptotics.lists.ranked_users import candidate_ranks, ranked_tables
from ndcg_asymptotics.lists.reading import ColumnNames
from ndcg_asymptotics.measures import Measure, Measures, measures_of
from ndcg_asymptotics.samples.outcome import (
    CandidateRow,
    Candidates,
    PairRow,
    Sampled,
    SampledRow,
    bounds_statement,
    order_statement,
)
from ndcg_asymptotics.stats.paired import ZERO_DIFFERENCE
from ndcg_asymptotics.theory.sampled import (
    bias_variance_estimate,
    metric_of_ranks,
    sampled_moments,
)

_POINTS = 100  # numbers of negatives at which curves are computed
_UNDECIDED = 1e-10  # expected metrics that differ by less are equal: they are exact to 1e-10


def sampled(
    ranks: object,
    measures: Measures = "nDCG",
    *,
    items: int,
    negatives: int | Sequence[int] = 100,
    replacement: bool = False,
    level: float = LEVEL,
    columns: ColumnNames | None = None,
) -> Sampled:
    """Compare an evaluation against sampled negatives with that against all items, exactly.

    Every user has one relevant item.

    Parameters
    ----------
    ranks : files, or mapping of name to ranks
        The ranks of the relevant items among all items. Each a file with the columns user and rank, or a
        mapping of user to rank.
    measures : Measure, text, or several
        NDCG, of any discount and cutoff.
    items : int
        N, the number of items that are ranked for each user.
    negatives : int or several
        m, the number of sampled irrelevant items, at most N - 1.
    replacement : bool
        Whether an item can be sampled twice.
    level : float
        The probability with which the sampled order is to be the full one.
    columns : mapping, optional
        The names of the columns of tables.

    Raises
    ------
    InputError
        For ranks outside 1 … N, too many negatives, and users that not all systems have.

    >>> a, b = {"u": 100, "v": 100}, {"u": 1, "v": 4000}
    >>> outcome = sampled({"a": a, "b": b}, items=10_000, negatives=99)
    >>> [(row.system, round(row.mean, 3), round(row.full, 3)) for row in outcome.rows]
    [('a', 0.728, 0.15), ('b', 0.593, 0.542)]
    >>> outcome.pairs[0].crossings  # with fewer negatives a is ahead
    (195,)
    """
    measure_list, number = measures_of(measures), whole_number(items, "items", 2, LARGEST_N)
    require_flag(replacement, "replacement")
    require_fraction(level, "level")
    systems = ranked_tables(ranks, number, columns)
    counts = as_list(negatives, "negatives", (int, np.integer, float))
    sizes = sorted({whole_number(m, "negatives", 1, number - 1) for m in counts})
    require(len(sizes) > 0, "must hold at least one number", "negatives")
    grid = sorted({*np.rint(np.geomspace(1, number - 1, _POINTS)).astype(int).tolist(), *sizes})
    rows: list[SampledRow] = []
    pairs: list[PairRow] = []
    statements: list[str] = []
    system_pairs = list(combinations(range(len(systems)), 2))
    for measure in tracked(measure_list, "measures"):
        moments = _Moments(systems, measure, number, replacement)
        orders = [_order(moments, a, b, grid, level) for a, b in system_pairs]
        for m in sizes:
            at_m = [moments.pair(a, b, m, order) for (a, b), order in zip(system_pairs, orders, strict=True)]
            pairs += at_m
            statements += [order_statement(str(measure), m, level, at_m)] if at_m else []
            try:
                estimate = moments.of(bias_variance_estimate(measure, number, m))
            except NotAvailableError as error:
                statements.append(f"{measure}, m = {m}: no estimate of the full metric: {error}.")
                estimate = None
            rows += moments.rows(m, estimate)
    return Sampled(
        items=number,
        users=len(next(iter(systems.values()))),
        replacement=replacement,
        level=level,
        rows=tuple(rows),
        pairs=tuple(pairs),
        statements=tuple(statements),
    )


def sampled_candidates(
    runs: object,
    qrels: object,
    measures: Measures = "nDCG",
    *,
    items: int,
    level: float = LEVEL,
    columns: ColumnNames | None = None,
) -> Candidates:
    """Bound metrics in rankings of all items by runs that hold one relevant item and sampled negatives.

    The full metrics of all systems lie within their bounds with the probability ``level``.

    Parameters
    ----------
    runs, qrels : as evaluate takes them
        Runs whose lists hold the relevant item of each user and negatives, a uniform sample without
        replacement of the other items, of the same size for all users.
    measures, items, columns
        As in `sampled`.
    level : float
        The confidence of the bounds.

    Raises
    ------
    InputError
        For users with several relevant items, lists without theirs or of different lengths, candidates that
        are no uniform sample, and what `evaluate` refuses.

    The item 0 is relevant and has rank 101 of 1000 for all users:

    >>> rng = np.random.default_rng(1)
    >>> def candidates():
    ...     return {"0": -100.5} | {str(i): -i for i in rng.choice(np.arange(1, 1000), 50, replace=False)}
    >>> run = {str(user): candidates() for user in range(200)}
    >>> row = sampled_candidates({"a": run}, {user: {"0": 1} for user in run}, items=1000).rows[0]
    >>> row.low < 0.1499 < row.high, row.mean > 0.3  # 1/log2(102) = 0.1499
    (True, True)
    """
    measure_list, number = measures_of(measures), whole_number(items, "items", 2, LARGEST_N)
    require_fraction(level, "level")
    systems = candidate_ranks(runs, qrels, number, columns)
    first = next(iter(systems.values()))
    rows: list[CandidateRow] = []
    statements: list[str] = []
    for measure in measure_list:
        among = metric_of_ranks(measure, np.arange(1, first.negatives + 2), first.negatives + 1)
        of_measure = [
            CandidateRow(
                name,
                str(measure),
                float(among[ranks.above].mean()),
                *ranks.full_range(measure, (1 - level) / len(systems)),
            )
            for name, ranks in systems.items()
        ]
        rows += of_measure
        statements += [bounds_statement(str(measure), of_measure)] if len(systems) > 1 else []
    return Candidates(number, len(first.above), first.negatives, level, tuple(rows), tuple(statements))


class _Moments:
    """Means of the systems over their users under one measure, for every number of negatives."""

    def __init__(
        self, systems: Mapping[str, Integers], measure: Measure, items: int, replacement: bool
    ) -> None:
        self.systems, self.measure, self.items, self.replacement = list(systems), measure, items, replacement
        self.ranks = np.array(list(systems.values()))  # (systems, users)
        self.full = metric_of_ranks(measure, self.ranks, items).mean(axis=1)
        self._at: dict[int, tuple[Floats, Floats]] = {}

    def at(self, m: int) -> tuple[Floats, Floats]:
        """Return the means at m and their variances, one for each system."""
        if m not in self._at:
            self._at[m] = self.of(metric_of_ranks(self.measure, np.arange(1, m + 2), m + 1))
        return self._at[m]

    def of(self, values: Floats) -> tuple[Floats, Floats]:
        """Return the means of a function of the sampled rank, and their variances."""
        shape = self.ranks.shape
        moments = sampled_moments(values, self.ranks.ravel(), self.items, replacement=self.replacement)
        mean, variance = (of_users.reshape(shape) for of_users in moments)
        return mean.mean(axis=1), variance.sum(axis=1) / shape[1] ** 2

    def difference(self, a: int, b: int, m: int) -> float:
        """Return the difference of the expected means at m; 0 within the error."""
        mean, _ = self.at(m)
        difference = float(mean[a] - mean[b])
        return difference if abs(difference) > _UNDECIDED else 0.0

    def full_difference(self, a: int, b: int) -> float:
        """Return the difference of the full metrics; 0 within the error."""
        difference = float(self.full[a] - self.full[b])
        return difference if abs(difference) > ZERO_DIFFERENCE else 0.0

    def right(self, a: int, b: int, m: int) -> float:
        """Return the probability that the sampled order is the full one; 0 if the full metrics are equal."""
        full, variance = self.full_difference(a, b), float(self.at(m)[1][[a, b]].sum())
        if not full:
            return 0.0
        ahead = self.difference(a, b, m) * math.copysign(1.0, full)
        return NormalDist().cdf(ahead / math.sqrt(variance)) if variance > 0 else float(ahead > 0)

    def rows(self, m: int, estimate: tuple[Floats, Floats] | None) -> Iterator[SampledRow]:
        """Yield the row of each system at m, with the moments of an estimate of the full metric."""
        for place, (name, mean, variance) in enumerate(zip(self.systems, *self.at(m), strict=True)):
            full = float(self.full[place])
            row = SampledRow(name, str(self.measure), m, float(mean), math.sqrt(variance), full)
            if estimate:
                average, spread = float(estimate[0][place]), math.sqrt(estimate[1][place])
                row = replace(row, estimate=average, bias=average - full, estimate_sd=spread)
            yield row

    def pair(self, a: int, b: int, m: int, order: tuple[tuple[int, ...], int | None]) -> PairRow:
        """Return the row of two systems at m, with what `_order` returns of them."""
        names = self.systems[a], self.systems[b]
        differences = self.full_difference(a, b), self.difference(a, b, m)
        return PairRow(*names, str(self.measure), m, *differences, self.right(a, b, m), *order)


def _order(
    moments: _Moments, a: int, b: int, grid: Sequence[int], level: float
) -> tuple[tuple[int, ...], int | None]:
    """Return where the expected order of two systems changes, and how many negatives are enough.

    The expected order is looked at on a grid of numbers of negatives, and between two of them that differ.
    """

    def has_sign(sign: float, m: int) -> bool:
        return moments.difference(a, b, m) * sign > 0

    def certain(m: int) -> bool:
        return moments.right(a, b, m) >= level

    crossings, before, last = [], 0.0, grid[0]
    for m in grid:
        sign = float(np.sign(moments.difference(a, b, m)))
        if sign and before and sign != before:
            crossings.append(first_true(partial(has_sign, sign), last, m))
        if sign:
            before, last = sign, m
    bad = max((k for k, m in enumerate(grid) if not certain(m)), default=-1)
    if bad + 1 == len(grid):
        return tuple(crossings), None
    return tuple(crossings), grid[0] if bad < 0 else first_true(certain, grid[bad], grid[bad + 1])
