"""Runs that hold sampled candidates: what they say about the metric in rankings of all items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ndcg_asymptotics.analysis.runs.sampled_rows import CandidateRow
from ndcg_asymptotics.analysis.runs.sampled_text import about_candidates, order_by_bounds
from ndcg_asymptotics.core.arrays import require_fraction
from ndcg_asymptotics.core.errors import InputError, NotAvailableError, require
from ndcg_asymptotics.core.tables import Line, Report, ReportBlock, Table
from ndcg_asymptotics.lists.ranked_users import RelevantDepths
from ndcg_asymptotics.measures import Measure
from ndcg_asymptotics.theory.sampled import (
    CandidateRanks,
    bias_variance_estimate,
    metric_of_ranks,
    rank_estimate,
)

_FEW = 0.5  # of all items: shorter lists do not hold them all


@dataclass(frozen=True, repr=False)
class Candidates(Report):
    """The outcome of `sampled` for runs that hold sampled candidates."""

    items: int
    users: int
    negatives: int
    level: float
    gamma: float
    rows: tuple[CandidateRow, ...]
    statements: tuple[str, ...]

    def blocks(self) -> Iterator[ReportBlock]:
        """Yield the table and the statements."""
        title = f"{self.users} users, {self.negatives} sampled negatives of {self.items:,} items"
        yield Table.of(title, CandidateRow, self.rows)
        for text in self.statements:
            yield Line(text)


def hold_candidates(systems: Mapping[str, RelevantDepths]) -> bool:
    """Return whether every list is far shorter than the catalogue, and still has all relevant items.

    >>> from ndcg_asymptotics.lists.ranked_users import relevant_depths
    >>> run = {"u": {"x": 2.0, "y": 1.0}}
    >>> [hold_candidates(relevant_depths({"a": run}, {"u": {"y": 1}}, items)) for items in (2, 100)]
    [False, True]
    """
    return all(
        depths.longest <= _FEW * depths.ranked.items
        and depths.ranked.user.size == depths.ranked.ideal_user.size
        for depths in systems.values()
    )


def candidates_of(
    systems: Mapping[str, RelevantDepths], measures: tuple[Measure, ...], level: float, gamma: float
) -> Candidates:
    """Estimate metrics in rankings of all items from runs that hold one relevant item and sampled negatives.

    The negatives of a user are a uniform sample, without replacement, of all items but the relevant one. The
    full metrics of all systems lie within their bounds with the probability ``level``.

    Raises
    ------
    InputError
        If a user has several relevant items, or one that is in no list.
    """
    require_fraction(level, "level")
    given = {name: _ranks(name, depths) for name, depths in systems.items()}
    first = next(iter(given.values()))
    alpha = (1 - level) / len(given)
    rows: list[CandidateRow] = []
    longest = max(depths.longest for depths in systems.values())
    statements = [about_candidates(longest, first.items, level)]
    for measure in measures:
        of_measure = [_row(name, measure, ranks, alpha, gamma, statements) for name, ranks in given.items()]
        rows += of_measure
        if len(of_measure) > 1:
            statements.append(order_by_bounds(measure, of_measure))
    users, fewest = len(first.above), min(ranks.fewest for ranks in given.values())
    said = tuple(f"{text}." for text in dict.fromkeys(statements))
    return Candidates(first.items, users, fewest, level, gamma, tuple(rows), said)


def _ranks(name: str, depths: RelevantDepths) -> CandidateRanks:
    """Return the ranks of a run, in which every user has one relevant item."""
    ranked = depths.ranked
    for at in np.flatnonzero(ranked.relevant != 1)[:1]:
        has = f"user {ranked.users[at]} has {ranked.relevant[at]}"
        raise InputError(
            f"{name}: every list has at most {depths.longest:,} of {ranked.items:,} items, and all relevant "
            f"ones: sampled candidates, of which one relevant item per user is expected; {has}"
        )
    require(ranked.user.size == len(ranked.users), f"{name}: a relevant item is in no list")
    alone = np.flatnonzero(depths.irrelevant < 1)[:1]
    require(alone.size == 0, f"{name}: the list of a user has the relevant item only")
    return CandidateRanks(ranked.items, ranked.above, depths.irrelevant)


def _row(
    name: str, measure: Measure, ranks: CandidateRanks, alpha: float, gamma: float, statements: list[str]
) -> CandidateRow:
    m, items = ranks.fewest, ranks.items

    def known(
        compute: Callable[[], tuple[float, float]],
    ) -> tuple[float, float] | tuple[None, None]:
        try:
            return compute()
        except NotAvailableError as error:
            statements.append(f"{measure}: {error}")
            return None, None

    metric = known(lambda: ranks.mean(metric_of_ranks(measure, np.arange(1.0, m + 2), m + 1)))
    rank = known(lambda: ranks.mean(rank_estimate(measure, items, m)))
    weighed = known(lambda: ranks.mean(bias_variance_estimate(measure, items, m, gamma)))
    bounds = known(lambda: ranks.full_range(measure, alpha))
    return CandidateRow(name, str(measure), *metric, *rank, *weighed, *bounds)
